//! Eight digits of up to 7 bits in one word, to a number and back, without a loop.
//!
//! All steps are multiplications, shifts and masks of words, which the compiler turns into vector code when it runs them
//! over several words.

/// Powers of the radix and their reciprocals.
pub(crate) struct Octet {
    r1: u64,
    r2: u64,
    r4: u64,
    /// ⌊2^(shift4+34)/r⁴⌋, below 2³²
    inverse4: u32,
    shift4: u32,
    inverse2: Exact,
    inverse1: Exact,
}

/// An exact reciprocal of d for dividends below d².
struct Exact {
    inverse: u32,
    shift: u32,
}

/// Even bytes, even 16-bit lanes, even 32-bit lane.
const BYTES: u64 = 0x00ff_00ff_00ff_00ff;
const PAIRS: u64 = 0x0000_ffff_0000_ffff;
const QUADS: u64 = 0x0000_0000_ffff_ffff;

impl Exact {
    /// With inverse = ⌊2^shift/d⌋ + 1 the excess e = inverse·d − 2^shift is at most d, and ⌊x·inverse/2^shift⌋ is the
    /// quotient if x·e < 2^shift: here x < d² and 2^shift > d³.
    fn new(d: u64) -> Self {
        let shift = d.pow(3).ilog2() + 1;
        Self { inverse: ((1 << shift) / d + 1) as u32, shift }
    }
}

impl Octet {
    /// The radix must be 2..=95: r⁸ is below 2⁵³ and r⁴ below 2²⁷, on which the shifts rely.
    pub(crate) fn new(radix: u32) -> Self {
        debug_assert!((2..=95).contains(&radix));
        let r1 = u64::from(radix);
        let (r2, r4) = (r1.pow(2), r1.pow(4));
        let shift4 = r4.ilog2() - 3;
        let inverse4 = ((1u64 << (shift4 + 34)) / r4) as u32;
        Self { r1, r2, r4, inverse4, shift4, inverse2: Exact::new(r2), inverse1: Exact::new(r1) }
    }

    /// radix⁸
    pub(crate) fn range(&self) -> u64 {
        self.r4 * self.r4
    }

    /// NUM of eight digits, the most significant in the lowest byte.
    #[inline(always)]
    pub(crate) fn num(&self, digits: u64) -> u64 {
        let pairs = (digits & BYTES) * self.r1 + (digits >> 8 & BYTES);
        let quads = (pairs & PAIRS) * self.r2 + (pairs >> 16 & PAIRS);
        (quads & QUADS) * self.r4 + (quads >> 32)
    }

    /// The eight digits of a number below radix⁸.
    #[inline(always)]
    pub(crate) fn digits(&self, number: u64) -> u64 {
        let (high, low) = self.halve(number);
        let quads = high | low << 32;

        let Exact { inverse, shift } = self.inverse2;
        let divide = |quad: u64| ((quad & QUADS) * u64::from(inverse)) >> shift;
        let high = divide(quads) | divide(quads >> 32) << 32;
        let pairs = high | (quads - high * self.r2) << 16;

        // Products of a 14-bit pair and the reciprocal of r stay within their 32-bit lanes.
        let Exact { inverse, shift } = self.inverse1;
        let quotients = PAIRS & QUADS >> shift | PAIRS & (QUADS >> shift) << 32;
        let divide = |pairs: u64| ((pairs & PAIRS) * u64::from(inverse)) >> shift & quotients;
        let high = divide(pairs) | divide(pairs >> 16) << 16;
        high | (pairs - high * self.r1) << 8
    }

    /// Quotient and remainder by r⁴.
    ///
    /// Dropping shift4 bits of the dividend and rounding the reciprocal each lower the estimate by less than 1/8
    /// (2^shift4 ≤ r⁴/8; what is left of the dividend is below 2³¹, the reciprocal is divided by 2³⁴), so that it is the
    /// quotient or one less. The product of 31 and 32 bits fits.
    #[inline(always)]
    fn halve(&self, number: u64) -> (u64, u64) {
        let estimate = ((number >> self.shift4 & QUADS) * u64::from(self.inverse4)) >> 34;
        let rest = number - (estimate & QUADS) * self.r4;
        let less = u64::from(rest >= self.r4);
        (estimate + less, rest - (self.r4 & less.wrapping_neg()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(radix: u32, number: u64) {
        let octet = Octet::new(radix);
        let mut rest = number % octet.range();
        let mut digits = [0u8; 8];
        for digit in digits.iter_mut().rev() {
            *digit = (rest % u64::from(radix)) as u8;
            rest /= u64::from(radix);
        }
        let digits = u64::from_le_bytes(digits);
        assert_eq!(octet.digits(number % octet.range()), digits, "radix {radix} number {number}");
        assert_eq!(octet.num(digits), number % octet.range(), "radix {radix} number {number}");
    }

    #[test]
    fn edges_of_every_radix() {
        for radix in 2..=95 {
            let r = u64::from(radix);
            for power in [r, r.pow(2), r.pow(4), r.pow(6), r.pow(8)] {
                for number in [power - 2, power - 1, power, power + 1, r.pow(8) - power] {
                    check(radix, number);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn digits_are_digits(radix in 2u32..=95, number: u64) {
            check(radix, number);
        }

        #[test]
        fn multiples_of_the_fourth_power(radix in 2u32..=95, multiple: u32, less: bool) {
            check(radix, (u64::from(multiple) * u64::from(radix).pow(4)).wrapping_sub(u64::from(less)));
        }
    }
}
