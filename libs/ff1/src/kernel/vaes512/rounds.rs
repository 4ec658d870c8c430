//! Step 6 of Algorithms 7 and 8 over two groups of values that take turns in the AES units.

#![forbid(unsafe_code)]

use core::arch::x86_64::{
    __m512i, _mm512_aesenc_epi128, _mm512_aesenclast_epi128, _mm512_setzero_si512, _mm512_ternarylogic_epi64,
    _mm512_xor_si512,
};

use super::broadcast;
use super::modular::{Modular, add, spread};
use crate::feistel::Shape;
use crate::key::{RoundKeyParts, RoundKeys};

/// What all rounds of a call have in common.
pub(super) struct Rounds<'k> {
    keys: RoundKeyParts<'k>,
    /// For each round in the order of use: the first round key and what the last block of Q has in common: [i] at its
    /// place, and what values share.
    firsts: [[u8; 16]; 10],
    left: Modular,
    right: Modular,
}

/// Values on their way: E times eight.
///
/// A round adds to the left numbers what it makes of the right ones, then the two change roles. Encryption starts with
/// A on the left, decryption, which undoes the rounds from the last, with B.
pub(super) struct Side<const E: usize> {
    pub(super) left: [__m512i; E],
    pub(super) right: [__m512i; E],
    /// What each value has of its own in the last block of Q besides the number; not looked at unless `TWEAKED`.
    pub(super) own: Blocks<E>,
}

/// Blocks of E times eight values: of each eight, those with even and with odd place in vectors of numbers.
type Blocks<const E: usize> = [[__m512i; 2]; E];

impl<'k> Rounds<'k> {
    /// `shared` is what all values have in the last block of Q.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn new<const ENCRYPT: bool>(round_keys: &'k RoundKeys, shape: &Shape<'_>, shared: u128) -> Self {
        let keys = round_keys.parts();
        let first = u128::from_be_bytes(*keys.first) ^ shared;
        let mut firsts = [[0; 16]; 10];
        for (i, place) in firsts.iter_mut().enumerate() {
            let i = if ENCRYPT { i } else { 9 - i };
            *place = (first ^ (i as u128) << (8 * shape.b)).to_be_bytes();
        }
        let [a, b] = shape.moduli;
        let (a, b) = (Modular::new(a), Modular::new(b));
        let (left, right) = if ENCRYPT { (a, b) } else { (b, a) };
        Self { keys, firsts, left, right }
    }

    /// While one side is in the AES units, the other is added up: in this order of instructions neither waits.
    #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    #[inline]
    pub(super) fn crypt<const E: usize, const NARROW: bool, const ENCRYPT: bool, const TWEAKED: bool>(
        &self,
        x: &mut Side<E>,
        y: &mut Side<E>,
    ) {
        let mut from_x = self.aes::<E, NARROW, TWEAKED>(&self.firsts[0], &x.right, &x.own);
        for k in [0, 2, 4, 6, 8] {
            let mut from_y = self.aes::<E, NARROW, TWEAKED>(&self.firsts[k], &y.right, &y.own);
            add_all::<E, NARROW, ENCRYPT>(&mut x.left, &from_x, &self.left);
            from_x = self.aes::<E, NARROW, TWEAKED>(&self.firsts[k + 1], &x.left, &x.own);
            add_all::<E, NARROW, ENCRYPT>(&mut y.left, &from_y, &self.left);
            from_y = self.aes::<E, NARROW, TWEAKED>(&self.firsts[k + 1], &y.left, &y.own);
            add_all::<E, NARROW, ENCRYPT>(&mut x.right, &from_x, &self.right);
            if k < 8 {
                from_x = self.aes::<E, NARROW, TWEAKED>(&self.firsts[k + 2], &x.right, &x.own);
            }
            add_all::<E, NARROW, ENCRYPT>(&mut y.right, &from_y, &self.right);
        }
    }

    /// Steps 6i and 6ii.
    #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    #[inline]
    fn aes<const E: usize, const NARROW: bool, const TWEAKED: bool>(
        &self,
        first: &[u8; 16],
        source: &[__m512i; E],
        own: &Blocks<E>,
    ) -> Blocks<E> {
        const XOR3: i32 = 0x96;
        let RoundKeyParts { nine, more, last, .. } = &self.keys;
        let first = broadcast(first);
        let mut r = *own;
        for e in 0..E {
            let numbers = spread::<NARROW>(source[e]);
            for h in 0..2 {
                r[e][h] = if TWEAKED {
                    _mm512_ternarylogic_epi64::<XOR3>(own[e][h], first, numbers[h])
                } else {
                    _mm512_xor_si512(first, numbers[h])
                };
            }
        }
        for key in *nine {
            aes_round(&mut r, key);
        }
        for [key, next] in *more {
            aes_round(&mut r, key);
            aes_round(&mut r, next);
        }
        let last = broadcast(last);
        for state in r.as_flattened_mut() {
            *state = _mm512_aesenclast_epi128(*state, last);
        }
        r
    }
}

impl<const E: usize> Side<E> {
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn new() -> Self {
        let zero = _mm512_setzero_si512();
        Self { left: [zero; E], right: [zero; E], own: [[zero; 2]; E] }
    }
}

#[target_feature(enable = "vaes,avx512f")]
#[inline]
fn aes_round<const E: usize>(states: &mut Blocks<E>, key: &[u8; 16]) {
    let key = broadcast(key);
    for state in states.as_flattened_mut() {
        *state = _mm512_aesenc_epi128(*state, key);
    }
}

/// Steps 6iii to 6vi.
#[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
#[inline]
fn add_all<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
    target: &mut [__m512i; E],
    r: &Blocks<E>,
    m: &Modular,
) {
    for e in 0..E {
        target[e] = add::<NARROW, ENCRYPT>(target[e], r[e], m);
    }
}
