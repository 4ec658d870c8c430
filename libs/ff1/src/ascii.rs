//! ASCII text as numbers.

use alloc::vec::Vec;

use crate::alphabet::Run;
use crate::arith::Divisor64;
use crate::bytes::{put_word, word};
use crate::feistel::{Lanes, Shape};
use crate::octet::Octet;
use crate::symbols::{Digits, Symbols};
use crate::{Alphabet, Error};

/// An alphabet, prepared for reading and writing eight symbols at a time.
pub(crate) struct Ascii {
    /// From symbols to digits.
    read: Vec<Translation>,
    /// From digits to symbols.
    write: Vec<Translation>,
    /// The symbol of the digit 0 in every byte.
    zeros: u64,
    octet: Octet,
    /// The range of an octet.
    range: Divisor64,
    digits: Digits,
}

/// Bytes `from`, `from + 1`, … (`count` of them) become `to`, `to + 1`, …
#[derive(Clone, Copy)]
struct Translation {
    from: u8,
    to: u8,
    count: u8,
}

/// Halves of up to 16 symbols are read as one or two words; longer ones symbol by symbol.
const WORD: usize = 8;

impl Ascii {
    pub(crate) fn new(alphabet: &Alphabet) -> Self {
        let read = |Run { symbol, digit, count }| Translation { from: symbol, to: digit, count };
        let write = |Run { symbol, digit, count }| Translation { from: digit, to: symbol, count };
        let octet = Octet::new(alphabet.size());
        Self {
            read: alphabet.runs().map(read).collect(),
            write: alphabet.runs().map(write).collect(),
            zeros: u64::from_le_bytes([alphabet.symbols()[0]; 8]),
            range: Divisor64::new(octet.range()),
            octet,
            digits: Digits::new(alphabet.size()),
        }
    }

    /// Numbers of N halves of one length.
    #[inline(always)]
    fn num<const N: usize>(&self, halves: [&[u8]; N], bad: &mut [bool; N]) -> [u64; N] {
        let length = halves[0].len();
        if length > 2 * WORD {
            return core::array::from_fn(|k| self.num_long(halves[k], &mut bad[k]));
        }
        let (high, low) = (length.saturating_sub(WORD), WORD);
        let mut numbers = self.num_word(halves.map(|half| &half[high..]), bad);
        if length > low {
            let above = self.num_word(halves.map(|half| &half[..high]), bad);
            for (number, above) in numbers.iter_mut().zip(above) {
                // Wraps only for a half with something else than symbols.
                *number = number.wrapping_add(above.wrapping_mul(self.range.value));
            }
        }
        numbers
    }

    /// Numbers of N strings of at most eight symbols.
    #[inline(always)]
    fn num_word<const N: usize>(&self, strings: [&[u8]; N], bad: &mut [bool; N]) -> [u64; N] {
        let missing = 8 * (WORD - strings[0].len()) as u32;
        let filling = self.zeros & (1u64 << missing).wrapping_sub(1);
        let symbols = strings.map(|string| word(string) << missing | filling);
        let (digits, known) = translate(&self.read, symbols);
        for (bad, known) in bad.iter_mut().zip(known) {
            *bad |= known != u64::MAX;
        }
        // A byte that is no symbol counts as 0, so the sums stay in their lanes.
        digits.map(|digits| self.octet.num(digits))
    }

    fn num_long(&self, half: &[u8], bad: &mut bool) -> u64 {
        let (number, _) = self.digits.num(half.iter().map(|&symbol| {
            let (digit, known) = translate(&self.read, [u64::from(symbol)]);
            *bad |= known[0] as u8 == 0;
            digit[0] as u8 as u16
        }));
        number
    }

    /// N numbers as the symbols of halves of one length, the least significant eight of each and those before them.
    ///
    /// Symbols stand in the highest bytes of a word.
    #[inline(always)]
    fn words<const N: usize>(&self, numbers: &[u64; N], length: usize) -> [[u64; 2]; N] {
        let write = |numbers: [u64; N]| translate(&self.write, numbers.map(|number| self.octet.digits(number))).0;
        if length <= WORD {
            return write(*numbers).map(|low| [low, 0]);
        }
        let parts = numbers.map(|number| self.range.div_rem(number));
        let (high, low) = (write(parts.map(|(high, _)| high)), write(parts.map(|(_, low)| low)));
        core::array::from_fn(|k| [low[k], high[k]])
    }

    fn put_long(&self, half: &mut [u8], number: u64) {
        for (symbol, digit) in half.iter_mut().rev().zip(self.digits.str(number)) {
            *symbol = translate(&self.write, [u64::from(digit)]).0[0] as u8;
        }
    }
}

/// Writes at most 16 symbols from what [`Ascii::words`] gives.
#[inline(always)]
fn put_words(half: &mut [u8], [low, high]: [u64; 2]) {
    let (first, last) = half.split_at_mut(half.len().saturating_sub(WORD));
    for (part, word) in [(first, high), (last, low)] {
        if !part.is_empty() {
            let shift = 8 * (WORD - part.len());
            put_word(part, word >> shift);
        }
    }
}

impl Symbols for Ascii {
    type Unit = u8;

    #[inline(always)]
    fn load<const N: usize>(
        &self,
        shape: &Shape<'_>,
        buffer: &[u8],
        starts: &[usize; N],
        lanes: &mut Lanes<N>,
    ) -> [bool; N] {
        let mut bad = [false; N];
        lanes.a = self.num(starts.map(|start| &buffer[start..start + shape.u]), &mut bad);
        lanes.b = self.num(starts.map(|start| &buffer[start + shape.u..start + shape.u + shape.v]), &mut bad);
        bad
    }

    #[inline(always)]
    fn store<const N: usize>(
        &self,
        shape: &Shape<'_>,
        buffer: &mut [u8],
        starts: &[usize; N],
        keep: &[bool; N],
        lanes: &Lanes<N>,
    ) {
        for (numbers, length, before) in [(&lanes.a, shape.u, 0), (&lanes.b, shape.v, shape.u)] {
            let kept = (0..N).filter(|&k| keep[k]);
            let place = |k: usize| starts[k] + before..starts[k] + before + length;
            if length > 2 * WORD {
                kept.for_each(|k| self.put_long(&mut buffer[place(k)], numbers[k]));
            } else {
                let words = self.words(numbers, length);
                kept.for_each(|k| put_words(&mut buffer[place(k)], words[k]));
            }
        }
    }

    fn digits(&self, value: &[u8], digits: &mut Vec<u16>) -> Result<(), Error> {
        for (position, &symbol) in value.iter().enumerate() {
            let (digit, known) = translate(&self.read, [u64::from(symbol)]);
            if known[0] as u8 == 0 {
                return Err(Error::NotInAlphabet { position });
            }
            digits.push(digit[0] as u8 as u16);
        }
        Ok(())
    }

    fn put_digits(&self, digits: &[u16], value: &mut [u8]) {
        for (symbol, &digit) in value.iter_mut().zip(digits) {
            *symbol = translate(&self.write, [u64::from(digit)]).0[0] as u8;
        }
    }
}

/// Translates every byte of the words; the second result has all bits of each byte that has a translation. Others
/// become 0.
///
/// Every translation is tried on every byte, so that nothing depends on the bytes.
#[inline(always)]
fn translate<const N: usize>(table: &[Translation], words: [u64; N]) -> ([u64; N], [u64; N]) {
    let from = words.map(u64::to_ne_bytes);
    let (mut to, mut known) = ([[0u8; 8]; N], [[0u8; 8]; N]);
    for translation in table {
        for k in 0..8 * N {
            let offset = from.as_flattened()[k].wrapping_sub(translation.from);
            let inside = u8::from(offset < translation.count).wrapping_neg();
            to.as_flattened_mut()[k] |= translation.to.wrapping_add(offset) & inside;
            known.as_flattened_mut()[k] |= inside;
        }
    }
    (to.map(u64::from_ne_bytes), known.map(u64::from_ne_bytes))
}
