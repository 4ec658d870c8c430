//! What a value is written in: digits, or the symbols of an alphabet.

use alloc::vec::Vec;

use crate::Error;
use crate::arith::Divisor64;
use crate::feistel::{Lanes, Shape, lanes_of};

/// Turns values into numbers and back. Nothing here branches on a symbol that is valid.
pub(crate) trait Symbols {
    /// One symbol.
    type Unit: Copy;

    /// Units as bytes if they are symbols `0` to `9`.
    #[inline(always)]
    fn decimal<'a>(&self, _: &'a mut [Self::Unit]) -> Option<&'a mut [u8]> {
        None
    }

    /// Reads N values that start here; true for each that contains something else than symbols.
    fn load<const N: usize>(
        &self,
        shape: &Shape<'_>,
        buffer: &[Self::Unit],
        starts: &[usize; N],
        lanes: &mut Lanes<N>,
    ) -> [bool; N];

    /// Writes those lanes back that are to be kept.
    fn store<const N: usize>(
        &self,
        shape: &Shape<'_>,
        buffer: &mut [Self::Unit],
        starts: &[usize; N],
        keep: &[bool; N],
        lanes: &Lanes<N>,
    );

    /// The digits of a value of any length, or what is wrong with it and where.
    fn digits(&self, value: &[Self::Unit], digits: &mut Vec<u16>) -> Result<(), Error>;

    /// Writes digits below the radix as a value of the same length.
    fn put_digits(&self, digits: &[u16], value: &mut [Self::Unit]);
}

/// Digits as they are.
pub(crate) struct Digits {
    radix: Divisor64,
}

impl Digits {
    pub(crate) fn new(radix: u32) -> Self {
        Self { radix: Divisor64::new(u64::from(radix)) }
    }

    /// NUM of digits whose number fits 64 bits, and whether all are below the radix.
    #[inline(always)]
    pub(crate) fn num(&self, digits: impl Iterator<Item = u16>) -> (u64, bool) {
        digits.fold((0, true), |(number, valid), digit| {
            let digit = u64::from(digit);
            // Wraps only if a digit is not below the radix.
            (number.wrapping_mul(self.radix.value).wrapping_add(digit), valid & (digit < self.radix.value))
        })
    }

    /// The digits of a number from the least significant on.
    #[inline(always)]
    pub(crate) fn str(&self, mut number: u64) -> impl Iterator<Item = u16> {
        core::iter::repeat_with(move || {
            let (rest, digit) = self.radix.div_rem(number);
            number = rest;
            digit as u16
        })
    }
}

impl Symbols for Digits {
    type Unit = u16;

    #[inline(always)]
    fn load<const N: usize>(
        &self,
        shape: &Shape<'_>,
        buffer: &[u16],
        starts: &[usize; N],
        lanes: &mut Lanes<N>,
    ) -> [bool; N] {
        lanes_of(|k| {
            let value = &buffer[starts[k]..starts[k] + shape.length()];
            let (a, b) = value.split_at(shape.u);
            let (a, b) = (self.num(a.iter().copied()), self.num(b.iter().copied()));
            (lanes.a[k], lanes.b[k]) = (a.0, b.0);
            !(a.1 & b.1)
        })
    }

    #[inline(always)]
    fn store<const N: usize>(
        &self,
        shape: &Shape<'_>,
        buffer: &mut [u16],
        starts: &[usize; N],
        keep: &[bool; N],
        lanes: &Lanes<N>,
    ) {
        for k in (0..N).filter(|&k| keep[k]) {
            let value = &mut buffer[starts[k]..starts[k] + shape.length()];
            let (a, b) = value.split_at_mut(shape.u);
            for (half, number) in [(a, lanes.a[k]), (b, lanes.b[k])] {
                half.iter_mut().rev().zip(self.str(number)).for_each(|(place, digit)| *place = digit);
            }
        }
    }

    fn digits(&self, value: &[u16], digits: &mut Vec<u16>) -> Result<(), Error> {
        if let Some(position) = value.iter().position(|&digit| u64::from(digit) >= self.radix.value) {
            return Err(Error::DigitOutOfRange { position });
        }
        digits.extend(value);
        Ok(())
    }

    fn put_digits(&self, digits: &[u16], value: &mut [u16]) {
        value.copy_from_slice(digits);
    }
}
