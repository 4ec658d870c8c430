//! Numbers of mixed radix as bits, and back: what FF1 needs where the encrypted places of a value differ.
//!
//! The places, the most significant first, are one number below N, the product of their radices. It is written with as
//! many bits as N − 1 has, so that more than half of all such bit strings are below N: FF1 in radix 2, again until the
//! result is below N ("cycle walking"), takes less than two turns on average.

/// The largest radix of FF1.
pub(super) const RADIX_MAX: u32 = 1 << 16;

/// One encrypted place of a value: a symbol, a number or a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// How many values it can have; at least 2.
    pub(crate) radix: u32,
    /// Which one it has, from 0.
    pub(crate) value: u32,
}

/// The radix of all places, if it is the same and FF1 can work in it.
pub(crate) fn uniform(places: &[Place]) -> Option<u32> {
    let radix = places.first()?.radix;
    (radix <= RADIX_MAX && places.len() > 1 && places.iter().all(|place| place.radix == radix)).then_some(radix)
}

/// Appends the number that the places are, as bits.
pub(crate) fn to_bits(places: &[Place], bits: &mut Vec<u16>) {
    let (mut number, mut largest) = (Natural::default(), Natural::default());
    for &Place { radix, value } in places {
        number.multiply_add(radix, value);
        largest.multiply_add(radix, radix - 1);
    }
    let length = largest.bits();
    bits.extend((0..length).rev().map(|bit| number.bit(bit)));
}

/// Puts the number back into the places; `false` if it is not below N, and then the places hold nothing useful.
pub(crate) fn from_bits(bits: &[u16], places: &mut [Place]) -> bool {
    let mut number = Natural::of_bits(bits);
    for place in places.iter_mut().rev() {
        place.value = number.divide(place.radix);
    }
    number.is_zero()
}

/// A natural number, the lowest limb first.
#[derive(Debug, Default)]
struct Natural(Vec<u32>);

impl Natural {
    fn of_bits(bits: &[u16]) -> Self {
        let limb = |bits: &[u16]| bits.iter().fold(0, |limb, &bit| limb << 1 | u32::from(bit));
        Self(bits.rchunks(32).map(limb).collect())
    }

    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = low(carry);
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(low(carry));
        }
    }

    /// Divides, and answers the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0;
        for limb in self.0.iter_mut().rev() {
            let dividend = remainder << 32 | u64::from(*limb);
            *limb = low(dividend / u64::from(divisor));
            remainder = dividend % u64::from(divisor);
        }
        low(remainder)
    }

    fn bits(&self) -> usize {
        let top = self.0.last().map_or(0, |limb| limb.leading_zeros() as usize);
        self.0.len() * 32 - top
    }

    fn bit(&self, index: usize) -> u16 {
        let limb = self.0.get(index / 32).copied().unwrap_or_default();
        u16::from(limb >> (index % 32) & 1 == 1)
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|&limb| limb == 0)
    }
}

/// The lower half.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).expect("32 bits")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places(numbers: &[(u32, u32)]) -> Vec<Place> {
        numbers.iter().map(|&(radix, value)| Place { radix, value }).collect()
    }

    #[test]
    fn bits_of_small_numbers() {
        let bits = |numbers: &[(u32, u32)]| {
            let mut bits = Vec::new();
            to_bits(&places(numbers), &mut bits);
            bits.iter().map(ToString::to_string).collect::<String>()
        };
        // 3 of 7 and 1 of 5: 3 · 5 + 1 = 16 of 35, in six bits.
        assert_eq!(bits(&[(7, 3), (5, 1)]), "010000");
        assert_eq!(bits(&[(2, 1), (2, 0)]), "10");
        assert_eq!(bits(&[(1 << 31, 5), (2, 1)]), "0".repeat(28) + "1011");
        assert_eq!(bits(&[(3, 0)]), "00");
    }

    #[test]
    fn what_is_not_below_the_product_is_told() {
        let mut seven_five = places(&[(7, 0), (5, 0)]);
        for number in 0u16..64 {
            let bits: Vec<u16> = (0..6).rev().map(|bit| number >> bit & 1).collect();
            assert_eq!(from_bits(&bits, &mut seven_five), number < 35);
            if number < 35 {
                assert_eq!(seven_five, places(&[(7, u32::from(number / 5)), (5, u32::from(number % 5))]));
            }
        }
    }

    #[test]
    fn one_radix_is_worked_in_as_it_is() {
        assert_eq!(uniform(&places(&[(10, 3), (10, 4)])), Some(10));
        assert_eq!(uniform(&places(&[(65_536, 3), (65_536, 4)])), Some(65_536));
        assert_eq!(uniform(&places(&[(65_537, 3), (65_537, 4)])), None);
        assert_eq!(uniform(&places(&[(10, 3), (26, 4)])), None);
        assert_eq!(uniform(&places(&[(10, 3)])), None);
        assert_eq!(uniform(&[]), None);
    }

    proptest! {
        #[test]
        fn bits_and_back(numbers in prop::collection::vec((2u32..=1_000_000_000, any::<u32>()), 1..40)) {
            let numbers: Vec<_> = numbers.into_iter().map(|(radix, value)| (radix, value % radix)).collect();
            let mut bits = vec![9];
            to_bits(&places(&numbers), &mut bits);
            let product: f64 = numbers.iter().map(|&(radix, _)| f64::from(radix).log2()).sum();
            prop_assert!((product - 0.001..product + 1.001).contains(&((bits.len() - 1) as f64)));
            let mut back = places(&numbers);
            back.iter_mut().for_each(|place| place.value = 0);
            prop_assert!(from_bits(&bits[1..], &mut back));
            prop_assert_eq!(back, places(&numbers));
        }
    }
}
