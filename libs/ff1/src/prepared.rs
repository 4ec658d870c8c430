//! All that is computed once per key, radix and tweak prefix.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::aes::{Aes, Work};
use crate::arith::Modulus;
use crate::batch::{Batch, Run};
use crate::decimals::Decimals;
use crate::feistel::{Lanes, Shape};
use crate::long::LongNumerals;
use crate::mac::Mac;
use crate::starts::Starts;
use crate::symbols::Symbols;
use crate::{Direction, Error, Failure, Item, Key};

pub(crate) struct Prepared {
    key: Key,
    radix: u32,
    prefix: Vec<u8>,
    /// The fewest digits that the standard allows.
    shortest: usize,
    /// radix^1, radix^2, … below 2⁶⁴
    powers: Arc<[Modulus]>,
    pub(crate) starts: Starts,
}

/// SP 800-38G Rev. 1 section 5.2: radix^minlen ≥ 1,000,000.
const DOMAIN_LEAST: u64 = 1_000_000;

impl Prepared {
    /// The radix must be 2..=65536.
    pub(crate) fn new(key: &Key, radix: u32, prefix: Vec<u8>) -> Self {
        let times = |power: &u64| power.checked_mul(u64::from(radix));
        let powers: Vec<u64> = core::iter::successors(Some(u64::from(radix)), times).collect();
        let shortest = shortest(radix);
        Self {
            shortest,
            key: key.clone(),
            radix,
            prefix,
            starts: Starts::new(shortest, 2 * powers.len()),
            powers: powers.into_iter().map(Modulus::new).collect(),
        }
    }

    /// Shares what does not depend on the prefix.
    pub(crate) fn with_tweak_prefix(&self, prefix: &[u8]) -> Self {
        Self {
            key: self.key.clone(),
            prefix: [&self.prefix, prefix].concat(),
            starts: Starts::new(self.shortest, 2 * self.powers.len()),
            powers: self.powers.clone(),
            ..*self
        }
    }

    pub(crate) fn radix(&self) -> u32 {
        self.radix
    }

    /// Encrypts or decrypts one value.
    pub(crate) fn crypt<S: Symbols>(
        &self,
        symbols: &S,
        tweak: &[u8],
        value: &mut [S::Unit],
        direction: Direction,
    ) -> Result<(), Error> {
        let shape = self.shape(value.len(), tweak.len())?;
        match shape {
            Some(shape) => self.run(One { prepared: self, symbols, shape: &shape, tweak, value, direction }),
            None => self.run(LongOne { prepared: self, symbols, tweak, value, direction }),
        }
    }

    /// Encrypts or decrypts the values at `items`.
    pub(crate) fn crypt_batch<S: Symbols>(
        &self,
        symbols: &S,
        tweaks: &[u8],
        values: &mut [S::Unit],
        items: &[Item],
        direction: Direction,
    ) -> Vec<Failure> {
        Batch { prepared: self, symbols, tweaks, values, direction, failures: Vec::new() }.run(items)
    }

    /// Does the work on the key's kernel.
    #[inline(always)]
    pub(crate) fn run<W: Work>(&self, work: W) -> W::Output {
        self.key.run(work)
    }

    /// The shape of values of this length with tweaks of this length; `None` if they need [`LongNumerals`].
    pub(crate) fn shape(&self, length: usize, tweak_length: usize) -> Result<Option<Shape<'_>>, Error> {
        lengths(self.radix, self.shortest, length, self.prefix.len().saturating_add(tweak_length))?;
        Ok(Shape::new(&self.powers, length))
    }

    /// The CBC-MAC of P and the tweak's prefix. The lengths must be allowed.
    #[inline(always)]
    pub(crate) fn start(&self, aes: &impl Aes, length: usize, tweak_length: usize) -> Mac<1> {
        let state = match self.starts.index(length, tweak_length) {
            Some(index) => self.starts.state(index, || self.compute_start(aes, length, tweak_length)),
            None => self.compute_start(aes, length, tweak_length),
        };
        Mac::resume(state, self.prefix.len())
    }

    // Inlined, it would share memory with what it gives back, where that is then read in larger pieces than written.
    #[inline(never)]
    fn compute_start(&self, aes: &impl Aes, length: usize, tweak_length: usize) -> u128 {
        let t = self.prefix.len() + tweak_length;
        Mac::start(aes, self.radix, length as u32, t as u32).update(aes, [&self.prefix]).states[0]
    }
}

/// One value in machine integers.
struct One<'a, S: Symbols> {
    prepared: &'a Prepared,
    symbols: &'a S,
    // Copied, it would be read in larger pieces than it was just written in, and the processor then waits until the
    // call before this one is over.
    shape: &'a Shape<'a>,
    tweak: &'a [u8],
    value: &'a mut [S::Unit],
    direction: Direction,
}

impl<S: Symbols> Work for One<'_, S> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run(self, aes: &impl Aes) -> Result<(), Error> {
        let Self { prepared, symbols, shape, tweak, value, direction } = self;
        let start = prepared.start(aes, value.len(), tweak.len());
        let run = Run { direction, tweaks: tweak, tweak_length: tweak.len(), items: &[] };
        if let Some(text) = symbols.decimal(value)
            && let Some(job) = Decimals::new(&run, shape, start)
            && let Some(good) = aes.decimal(&job, text)
        {
            return if good { Ok(()) } else { symbols.digits(value, &mut Vec::new()) };
        }
        let mut lane = Lanes::<1>::EMPTY;
        let [bad] = symbols.load(shape, value, &[0], &mut lane);
        if bad {
            return symbols.digits(value, &mut Vec::new());
        }
        let mac = start.update(aes, [tweak]);
        lane.tweak(aes, mac, shape);
        aes.one(shape, direction, &mut lane);
        symbols.store(shape, value, &[0], &[true], &lane);
        Ok(())
    }
}

/// One value that is too long for that.
struct LongOne<'a, S: Symbols> {
    prepared: &'a Prepared,
    symbols: &'a S,
    tweak: &'a [u8],
    value: &'a mut [S::Unit],
    direction: Direction,
}

impl<S: Symbols> Work for LongOne<'_, S> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run(self, aes: &impl Aes) -> Result<(), Error> {
        let Self { prepared, symbols, tweak, value, direction } = self;
        let mac = prepared.start(aes, value.len(), tweak.len()).update(aes, [tweak]);
        LongNumerals::new(prepared.radix).crypt_value(aes, mac, symbols, value, direction)
    }
}

/// The fewest digits of this radix that make the least domain.
fn shortest(radix: u32) -> usize {
    let powers = core::iter::successors(Some(1), |power: &u64| power.checked_mul(radix.into()));
    powers.take_while(|&power| power < DOMAIN_LEAST).count()
}

/// Whether the standard allows these lengths.
fn lengths(radix: u32, shortest: usize, length: usize, tweak_length: usize) -> Result<(), Error> {
    u32::try_from(length).map_err(|_| Error::TooLong { length })?;
    u32::try_from(tweak_length).map_err(|_| Error::TweakTooLong { length: tweak_length })?;
    if length < shortest {
        return Err(Error::DomainTooSmall { radix, length });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_of_a_million_is_the_least() {
        for (radix, length) in [(10, 5), (2, 19), (1000, 1), (999, 2), (65536, 1), (2, 0)] {
            assert_eq!(lengths(radix, shortest(radix), length, 0), Err(Error::DomainTooSmall { radix, length }));
        }
        for (radix, length) in [(10, 6), (2, 20), (1000, 2), (65536, 2)] {
            assert_eq!(lengths(radix, shortest(radix), length, 0), Ok(()));
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn lengths_end_at_32_bits() {
        let most = u32::MAX as usize;
        assert_eq!(lengths(10, 6, most, most), Ok(()));
        assert_eq!(lengths(10, 6, most + 1, 0), Err(Error::TooLong { length: most + 1 }));
        assert_eq!(lengths(10, 6, 16, most + 1), Err(Error::TweakTooLong { length: most + 1 }));
    }
}
