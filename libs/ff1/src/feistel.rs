//! The ten rounds in machine integers.

use crate::aes::Aes;
use crate::arith::Modulus;
use crate::{Direction, mac::Mac};

/// Lengths and moduli of values of one length.
#[derive(Clone, Copy)]
pub(crate) struct Shape<'a> {
    /// Step 1: lengths of A and B.
    pub(crate) u: usize,
    pub(crate) v: usize,
    /// Step 3: bytes of NUM(B), at most 8.
    pub(crate) b: usize,
    /// radix^u and radix^v
    pub(crate) moduli: [&'a Modulus; 2],
}

/// N values of one shape on their way through the rounds.
pub(crate) struct Lanes<const N: usize> {
    /// NUM(A) and NUM(B)
    pub(crate) a: [u64; N],
    pub(crate) b: [u64; N],
    /// What the last block of Q is added to: the CBC-MAC of all before it, and the end of the tweak.
    pub(crate) mac: [u128; N],
}

impl<'a> Shape<'a> {
    /// `powers[m]` is radix^m from 1 on, in order; `None` if radix^v does not fit 64 bits.
    pub(crate) fn new(powers: &'a [Modulus], length: usize) -> Option<Self> {
        let u = length / 2;
        let v = length - u;
        let moduli = [powers.get(u.checked_sub(1)?)?, powers.get(v - 1)?];
        Some(Self { u, v, b: moduli[1].bytes(), moduli })
    }

    pub(crate) fn length(&self) -> usize {
        self.u + self.v
    }

    /// Step 4 gives d = 8 and y of 64 bits, not d = 12 and 96 bits; the moduli are then at most 2³².
    #[inline(always)]
    pub(crate) fn is_narrow(&self) -> bool {
        self.b <= 4
    }
}

impl<const N: usize> Lanes<N> {
    pub(crate) const EMPTY: Self = Self { a: [0; N], b: [0; N], mac: [0; N] };

    /// Takes over the MAC of P and T, with the zeros after them.
    #[inline(always)]
    pub(crate) fn tweak(&mut self, aes: &(impl Aes + ?Sized), mac: Mac<N>, shape: &Shape<'_>) {
        self.mac = mac.pad(aes, shape.b).states;
    }

    /// Step 6 of Algorithm 7 or 8.
    ///
    /// Instead of swapping A and B in steps 6viii and 6ix, the rounds take turns in what they replace: rounds with an
    /// even number A, the others B.
    #[inline(always)]
    pub(crate) fn crypt(&mut self, aes: &(impl Aes + ?Sized), shape: &Shape<'_>, direction: Direction) {
        let Self { a, b, mac } = self;
        let [m_a, m_b] = shape.moduli;
        match direction {
            Direction::Encrypt => {
                for i in [0, 2, 4, 6, 8] {
                    round::<N, true>(aes, shape, i, mac, (a, m_a), b);
                    round::<N, true>(aes, shape, i + 1, mac, (b, m_b), a);
                }
            }
            Direction::Decrypt => {
                for i in [8, 6, 4, 2, 0] {
                    round::<N, false>(aes, shape, i + 1, mac, (b, m_b), a);
                    round::<N, false>(aes, shape, i, mac, (a, m_a), b);
                }
            }
        }
    }
}

/// Round i: target = (target ± y) mod m.
#[inline(always)]
fn round<const N: usize, const ENCRYPT: bool>(
    aes: &(impl Aes + ?Sized),
    shape: &Shape<'_>,
    i: u8,
    mac: &[u128; N],
    (target, m): (&mut [u64; N], &Modulus),
    source: &[u64; N],
) {
    // Steps 6i and 6ii: Q ends in [i] ‖ [NUM(B)]^b.
    let counter = u128::from(i) << (8 * shape.b);
    let mut r: [u128; N] = lanes_of(|k| mac[k] ^ counter ^ u128::from(source[k]));
    aes.encrypt(&mut r);
    // Steps 6iii, 6iv and 6vi: y is the first d bytes of R.
    if shape.is_narrow() {
        for (a, r) in target.iter_mut().zip(&r) {
            *a = m.add64::<ENCRYPT>(*a, (r >> 64) as u64);
        }
    } else {
        for (a, r) in target.iter_mut().zip(&r) {
            *a = m.add96::<ENCRYPT>(*a, r >> 32);
        }
    }
}

/// `core::array::from_fn`, but certain to be inlined: otherwise the closure would be compiled without the features of the
/// kernel that it is for.
#[inline(always)]
pub(crate) fn lanes_of<T: Copy + Default, const N: usize>(mut lane: impl FnMut(usize) -> T) -> [T; N] {
    let mut lanes = [T::default(); N];
    for (k, place) in lanes.iter_mut().enumerate() {
        *place = lane(k);
    }
    lanes
}
