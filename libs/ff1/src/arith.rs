//! Exact division by public constants in constant time: one multiplication and one masked correction.

/// A divisor of up to 32 bits and its reciprocal, for dividends of 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Divisor64 {
    pub(crate) value: u64,
    inverse: u64,
}

impl Divisor64 {
    /// `value` must be 2..=2³².
    pub(crate) fn new(value: u64) -> Self {
        debug_assert!((2..=1 << 32).contains(&value));
        Self { value, inverse: u64::MAX / value }
    }

    /// Quotient and remainder.
    ///
    /// With inverse = ⌊(2⁶⁴−1)/value⌋ the estimate ⌊x·inverse / 2⁶⁴⌋ is the quotient or one less: x/value − x·inverse/2⁶⁴
    /// = x·(2⁶⁴ − inverse·value) / (value·2⁶⁴) ≤ x/2⁶⁴ < 1, because 2⁶⁴ − inverse·value ≤ value.
    #[inline(always)]
    pub(crate) fn div_rem(&self, x: u64) -> (u64, u64) {
        let estimate = ((u128::from(x) * u128::from(self.inverse)) >> 64) as u64;
        let (rest, less) = subtract_once(x - estimate * self.value, self.value);
        (estimate + less, rest)
    }
}

/// `x − m` and 1 if `x ≥ m`, else `x` and 0, without a branch.
#[inline(always)]
pub(crate) fn subtract_once(x: u64, m: u64) -> (u64, u64) {
    let (difference, borrow) = x.overflowing_sub(m);
    let borrow = u64::from(borrow);
    (difference.wrapping_add(m & borrow.wrapping_neg()), 1 - borrow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn div_rem_is_division(x: u64, value in 2u64..=1 << 32) {
            prop_assert_eq!(Divisor64::new(value).div_rem(x), (x / value, x % value));
        }

        #[test]
        fn div_rem_around_multiples(quotient: u32, value in 2u64..=1 << 32, offset in -1i64..=1) {
            let x = (u64::from(quotient) * value).wrapping_add_signed(offset);
            prop_assert_eq!(Divisor64::new(value).div_rem(x), (x / value, x % value));
        }
    }
}
