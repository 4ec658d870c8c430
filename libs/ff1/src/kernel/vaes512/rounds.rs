//! Step 6 of Algorithms 7 and 8 over two groups of values that take turns in the AES units.

#![forbid(unsafe_code)]

use core::arch::x86_64::{
    __m512i, _mm512_aesenc_epi128, _mm512_aesenclast_epi128, _mm512_setzero_si512, _mm512_ternarylogic_epi64,
    _mm512_xor_si512,
};

use super::modular::{Blocks, Modular, add, quotient, result, split, spread, sum};
use super::{broadcast, keep_together};
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

    /// The output of AES that waits to be added to the left of `x`: what [`crypt`](Self::crypt) starts with. Meanwhile the
    /// last round of `before` ends as in [`last`](Self::last).
    #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    #[inline]
    pub(super) fn first<const E: usize, const NARROW: bool, const ENCRYPT: bool, const TWEAKED: bool>(
        &self,
        x: &Side<E>,
        before: &mut Side<E>,
        r: &Blocks<E>,
    ) -> Blocks<E> {
        let next = self.start::<E, NARROW, TWEAKED>(0, &x.right, &x.own);
        self.turn::<E, NARROW, ENCRYPT>(next, &mut before.right, r, &self.right)
    }

    /// All rounds, but for the output of AES that it gives back and [`last`](Self::last) adds to `y`; `x` is done.
    #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    #[inline]
    pub(super) fn crypt<const E: usize, const NARROW: bool, const ENCRYPT: bool, const TWEAKED: bool>(
        &self,
        x: &mut Side<E>,
        y: &mut Side<E>,
        first: &Blocks<E>,
    ) -> Blocks<E> {
        let (left, right) = (&self.left, &self.right);
        let start = |k: usize, source: &[__m512i; E], own| self.start::<E, NARROW, TWEAKED>(k, source, own);
        let mut r = *first;
        for k in [0, 2, 4, 6, 8] {
            let next = start(k, &y.right, &y.own);
            r = self.turn::<E, NARROW, ENCRYPT>(next, &mut x.left, &r, left);
            let next = start(k + 1, &x.left, &x.own);
            r = self.turn::<E, NARROW, ENCRYPT>(next, &mut y.left, &r, left);
            let next = start(k + 1, &y.left, &y.own);
            r = self.turn::<E, NARROW, ENCRYPT>(next, &mut x.right, &r, right);
            if k == 8 {
                break;
            }
            let next = start(k + 2, &x.right, &x.own);
            r = self.turn::<E, NARROW, ENCRYPT>(next, &mut y.right, &r, right);
        }
        r
    }

    /// The end of the last round of `y`.
    #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    #[inline]
    pub(super) fn last<const E: usize, const NARROW: bool, const ENCRYPT: bool>(&self, y: &mut Side<E>, r: &Blocks<E>) {
        y.right = add::<E, NARROW, ENCRYPT>(&y.right, r, &self.right);
    }

    /// Step 6i and the first round key, for the k-th round in the order of use.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn start<const E: usize, const NARROW: bool, const TWEAKED: bool>(
        &self,
        k: usize,
        source: &[__m512i; E],
        own: &Blocks<E>,
    ) -> Blocks<E> {
        const XOR3: i32 = 0x96;
        let first = broadcast(&self.firsts[k]);
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
        r
    }

    /// The AES rounds of one side, among them the addition of what the other side got from its own: in this order of
    /// instructions neither waits for the other.
    #[target_feature(enable = "aes,vaes,avx512f,avx512bw,avx512dq,avx512vl,avx512ifma")]
    #[inline]
    fn turn<const E: usize, const NARROW: bool, const ENCRYPT: bool>(
        &self,
        mut states: Blocks<E>,
        target: &mut [__m512i; E],
        r: &Blocks<E>,
        m: &Modular,
    ) -> Blocks<E> {
        let RoundKeyParts { nine: [k1, k2, k3, k4, k5, k6, k7, k8, k9], more, last, .. } = self.keys;
        let s = &mut states;
        let numbers = split::<E, NARROW>(r);
        aes_round(s, k1);
        aes_round(s, k2);
        let mut z = sum::<E, NARROW, ENCRYPT>(target, &numbers, m);
        keep_order(s, &mut z);
        aes_round(s, k3);
        aes_round(s, k4);
        let mut q = quotient::<E, NARROW>(&z, m);
        keep_order(s, &mut q);
        aes_round(s, k5);
        aes_round(s, k6);
        *target = result::<E, NARROW, ENCRYPT>(target, &z, &q, m);
        keep_order(s, target);
        aes_round(s, k7);
        aes_round(s, k8);
        aes_round(s, k9);
        // A loop over two pairs at most would end where the processor does not foresee it.
        for pair in 0..2 {
            if let Some([key, next]) = more.get(pair) {
                aes_round(s, key);
                aes_round(s, next);
            }
        }
        let last = broadcast(last);
        for state in s.as_flattened_mut() {
            *state = _mm512_aesenclast_epi128(*state, last);
        }
        states
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

/// What is computed up to here is, before the AES rounds after here: the compiler would move it to where it is used, and
/// the AES units would wait there.
#[target_feature(enable = "avx512f")]
#[inline]
fn keep_order<const E: usize>(states: &mut Blocks<E>, numbers: &mut [__m512i; E]) {
    // With fewer values in flight the compiler's own order is the better one.
    if E > 2 {
        for (state, number) in states.iter_mut().zip(numbers) {
            keep_together(&mut state[1], number);
        }
    }
}
