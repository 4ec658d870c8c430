//! Exact arithmetic modulo public constants in constant time: multiplications by reciprocals and masked corrections.

/// A divisor and its reciprocal, for dividends of 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Divisor64 {
    pub(crate) value: u64,
    inverse: u64,
}

/// A power of the radix as the modulus of one half, with reciprocals for every kernel.
#[derive(Clone, Copy)]
pub(crate) struct Modulus {
    pub(crate) value: u64,
    /// ⌊(2¹²⁸−1)/value⌋, for y of 96 bits; its upper half is ⌊(2⁶⁴−1)/value⌋, for y of 64 bits.
    inverse: u128,
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "std")),
        expect(dead_code, reason = "only the kernels for x86-64 use it")
    )]
    pub(crate) ifma: Ifma,
}

/// Constants for multipliers of 52 bits; zero if the modulus M has more than 48 bits, and those for narrow rounds if it
/// has more than 32.
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "std")),
    expect(dead_code, reason = "only the kernels for x86-64 use it")
)]
#[derive(Clone, Copy, Default)]
pub(crate) struct Ifma {
    /// w = 2⁴⁸ mod M
    pub(crate) weight: u64,
    /// ⌊w·2⁵²/M⌋
    pub(crate) weight_inverse: u64,
    /// ⌊2⁵²/M⌋
    pub(crate) inverse: u64,
    pub(crate) narrow: IfmaNarrow,
}

/// Constants for M ≤ 2³², of numbers in 52 bits of which only the result modulo 2⁵² matters.
#[cfg_attr(
    not(all(target_arch = "x86_64", feature = "std")),
    expect(dead_code, reason = "only the kernels for x86-64 use it")
)]
#[derive(Clone, Copy, Default)]
pub(crate) struct IfmaNarrow {
    /// −2⁴⁸ mod M
    pub(crate) minus_weight: u64,
    /// The smallest multiple of M that is not below 2⁴⁸
    pub(crate) above: u64,
    /// ⌊2^(52+shift)/M⌋ + 1, below 2⁵², with 2^shift < M ≤ 2^(shift+1)
    pub(crate) exact_inverse: u64,
    pub(crate) shift: u32,
    /// 2⁵² − M
    pub(crate) minus_modulus: u64,
    /// ⌊2⁶⁸/M⌋ for 2¹⁸ ≤ M ≤ 2³¹ and M = 2³²; zero for others
    pub(crate) top_inverse: u64,
    /// From 1 to M, and congruent to 1 − 2⁶⁴
    pub(crate) more: u64,
}

impl IfmaNarrow {
    fn new(m: u64) -> Self {
        let weight = (1 << 48) % m;
        let shift = (m - 1).ilog2();
        let has_top_inverse = (1 << 18..=1 << 31).contains(&m) || m == 1 << 32;
        Self {
            minus_weight: (m - weight) % m,
            above: ((1u64 << 48).div_ceil(m)) * m,
            exact_inverse: ((1u128 << (52 + shift)) / u128::from(m)) as u64 + 1,
            shift,
            minus_modulus: (1 << 52) - m,
            top_inverse: if has_top_inverse { ((1u128 << 68) / u128::from(m)) as u64 } else { 0 },
            more: m - u64::MAX % m,
        }
    }
}

impl Divisor64 {
    /// `value` must be 2..2⁶³.
    pub(crate) fn new(value: u64) -> Self {
        debug_assert!((2..1 << 63).contains(&value));
        Self { value, inverse: u64::MAX / value }
    }

    /// Quotient and remainder.
    ///
    /// With inverse = ⌊(2⁶⁴−1)/value⌋ the estimate ⌊x·inverse / 2⁶⁴⌋ is the quotient or one less: x/value − x·inverse/2⁶⁴
    /// = x·(2⁶⁴ − inverse·value) / (value·2⁶⁴) ≤ x/2⁶⁴ < 1, because 2⁶⁴ − inverse·value ≤ value.
    #[inline(always)]
    pub(crate) fn div_rem(&self, x: u64) -> (u64, u64) {
        let estimate = high64(x, self.inverse);
        let (rest, less) = subtract_once(x - estimate * self.value, self.value);
        (estimate + less, rest)
    }
}

impl Modulus {
    /// `value` must be at least 2.
    pub(crate) fn new(value: u64) -> Self {
        debug_assert!(value >= 2);
        let ifma = if value <= 1 << 48 {
            let weight = (1 << 48) % value;
            let weight_inverse = ((u128::from(weight) << 52) / u128::from(value)) as u64;
            let narrow = if value <= 1 << 32 { IfmaNarrow::new(value) } else { IfmaNarrow::default() };
            Ifma { weight, weight_inverse, inverse: (1 << 52) / value, narrow }
        } else {
            Ifma::default()
        };
        Self { value, inverse: u128::MAX / u128::from(value), ifma }
    }

    /// Steps 3 and 6v: the bytes that the greatest remainder needs.
    pub(crate) fn bytes(&self) -> usize {
        (u64::BITS - (self.value - 1).leading_zeros()).div_ceil(8) as usize
    }

    /// (a ± y) mod M for a < M ≤ 2³² and any y of 64 bits.
    ///
    /// Rounds wait for this, so the three candidates for the result are computed side by side.
    #[inline(always)]
    pub(crate) fn add64<const ENCRYPT: bool>(&self, a: u64, y: u64) -> u64 {
        let m = self.value;
        // The upper half of ⌊(2¹²⁸−1)/M⌋ is ⌊(2⁶⁴−1)/M⌋, so this is the estimate of `Divisor64::div_rem`.
        let y = y - high64(y, (self.inverse >> 64) as u64) * m;
        // y < 2M is now the remainder or M more. The result is the smallest candidate that is not negative; negative
        // ones have wrapped and are large.
        if ENCRYPT {
            let candidate = |multiple: u64| a.wrapping_sub(multiple).wrapping_add(y);
            candidate(0).min(candidate(m)).min(candidate(2 * m))
        } else {
            let candidate = |multiple: u64| a.wrapping_add(multiple).wrapping_sub(y);
            candidate(0).min(candidate(m)).min(candidate(2 * m))
        }
    }

    /// (a ± y) mod M for a < M and any y of 96 bits.
    #[inline(always)]
    pub(crate) fn add96<const ENCRYPT: bool>(&self, a: u64, y: u128) -> u64 {
        // As in `Divisor64::div_rem`, with 2¹²⁸: the remainder is below 2M, which may take 65 bits.
        let estimate = high128(y, self.inverse);
        let rest = y.wrapping_sub(estimate.wrapping_mul(u128::from(self.value)));
        let above = ((rest >= u128::from(self.value)) as u64).wrapping_neg();
        let y = (rest as u64).wrapping_sub(self.value & above);
        self.add_reduced::<ENCRYPT>(a, y)
    }

    /// (a ± y) mod M for a, y < M.
    #[inline(always)]
    fn add_reduced<const ENCRYPT: bool>(&self, a: u64, y: u64) -> u64 {
        // a + y might not fit 64 bits; a − (M − y) does, and wraps exactly if M is to be added back.
        let y = if ENCRYPT { self.value - y } else { y };
        let (difference, borrow) = a.overflowing_sub(y);
        difference.wrapping_add(self.value & u64::from(borrow).wrapping_neg())
    }
}

/// `x − m` and 1 if `x ≥ m`, else `x` and 0, without a branch.
#[inline(always)]
fn subtract_once(x: u64, m: u64) -> (u64, u64) {
    let (difference, borrow) = x.overflowing_sub(m);
    let borrow = u64::from(borrow);
    (difference.wrapping_add(m & borrow.wrapping_neg()), 1 - borrow)
}

/// ⌊xy / 2⁶⁴⌋
#[inline(always)]
fn high64(x: u64, y: u64) -> u64 {
    ((u128::from(x) * u128::from(y)) >> 64) as u64
}

/// ⌊xy / 2¹²⁸⌋
#[inline(always)]
fn high128(x: u128, y: u128) -> u128 {
    let halves = |z: u128| (z >> 64, z & u128::from(u64::MAX));
    let ((x1, x0), (y1, y0)) = (halves(x), halves(y));
    let (low_carry, _) = halves(x0 * y0);
    let (middle_carry, middle) = halves(x1 * y0 + low_carry);
    let (other_carry, _) = halves(x0 * y1 + middle);
    x1 * y1 + middle_carry + other_carry
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Moduli of every size, with the powers of two and their neighbours.
    fn modulus(most: u32) -> impl Strategy<Value = u64> {
        (1..=most, any::<u64>(), -1i64..=1).prop_map(move |(bits, low, near)| {
            let top = 1u64.checked_shl(bits).unwrap_or(0);
            let value = if low % 4 == 0 { top.wrapping_add_signed(near) } else { low >> (64 - bits) };
            value.clamp(2, u64::MAX >> (64 - most))
        })
    }

    fn sums(a: u64, y: u128, m: u64) -> [u64; 2] {
        let (a, m, y) = (u128::from(a), u128::from(m), y % u128::from(m));
        [a + y, a + m - y].map(|sum| (sum % m) as u64)
    }

    proptest! {
        #[test]
        fn div_rem_is_division(x: u64, value in modulus(63)) {
            prop_assert_eq!(Divisor64::new(value).div_rem(x), (x / value, x % value));
        }

        #[test]
        fn div_rem_around_multiples(quotient: u32, value in modulus(32), offset in -1i64..=1) {
            let x = (u64::from(quotient) * value).wrapping_add_signed(offset);
            prop_assert_eq!(Divisor64::new(value).div_rem(x), (x / value, x % value));
        }

        #[test]
        fn sums_modulo_32_bits(a: u64, y: u64, m in modulus(32), multiple: bool) {
            let y = if multiple { y - y % m } else { y };
            let (a, modulus) = (a % m, Modulus::new(m));
            prop_assert_eq!([modulus.add64::<true>(a, y), modulus.add64::<false>(a, y)], sums(a, u128::from(y), m));
        }

        #[test]
        fn sums_modulo_64_bits(a: u64, y: u128, m in modulus(64), multiple: bool) {
            let y = y >> 32;
            let y = if multiple { y - y % u128::from(m) } else { y };
            let (a, modulus) = (a % m, Modulus::new(m));
            prop_assert_eq!([modulus.add96::<true>(a, y), modulus.add96::<false>(a, y)], sums(a, y, m));
        }

        #[test]
        fn high128_is_the_upper_half(x: u128, y: u64, shift in 0u32..64) {
            // x·y·2^shift / 2^128 from the two halves of x, each product within 128 bits.
            let y128 = u128::from(y) << 64;
            let low = (x & u128::from(u64::MAX)) * u128::from(y);
            let high = (x >> 64) * u128::from(y) + (low >> 64);
            prop_assert_eq!(high128(x, y128), high);
            prop_assert_eq!(high128(x >> shift, u128::MAX), (x >> shift).saturating_sub(1));
        }
    }
}
