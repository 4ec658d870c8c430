//! ASCII text as numbers.

use alloc::vec::Vec;

use crate::alphabet::Run;
use crate::arith::Divisor64;
use crate::feistel::{Lanes, Shape, lanes_of};
use crate::octet::Octet;
use crate::symbols::{Digits, Symbols};
use crate::windows::{Half, Windows};
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
    /// Whether the alphabet is `0-9`.
    decimal: bool,
}

/// Bytes `from`, `from + 1`, … (`count` of them) become `to`, `to + 1`, …
#[derive(Clone, Copy)]
struct Translation {
    from: u8,
    to: u8,
    count: u8,
}

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
            decimal: *alphabet == Alphabet::DECIMAL,
        }
    }

    /// Numbers of N halves.
    #[inline(always)]
    fn num<const N: usize>(&self, half: &Half<N>, wide: bool, bad: &mut [bool; N]) -> [u64; N] {
        let low: [u64; N] = self.num_word(&half.low, bad);
        if !wide {
            return low;
        }
        let high: [u64; N] = self.num_word(&half.high, bad);
        // Wraps only for a half with something else than symbols.
        lanes_of(|k| low[k].wrapping_add(high[k].wrapping_mul(self.range.value)))
    }

    /// Numbers of N words of eight symbols.
    #[inline(always)]
    fn num_word<const N: usize>(&self, symbols: &[u64; N], bad: &mut [bool; N]) -> [u64; N] {
        let (digits, known) = translate(&self.read, symbols);
        for (bad, known) in bad.iter_mut().zip(known) {
            *bad |= known != u64::MAX;
        }
        // A byte that is no symbol counts as 0, so the sums stay in their lanes.
        lanes_of(|k| self.octet.num(digits[k]))
    }

    #[inline(never)]
    fn num_long(&self, half: &[u8], bad: &mut bool) -> u64 {
        let (number, _) = self.digits.num(half.iter().map(|&symbol| {
            let (digit, known) = translate(&self.read, &[u64::from(symbol)]);
            *bad |= known[0] as u8 == 0;
            digit[0] as u8 as u16
        }));
        number
    }

    /// N numbers as halves.
    #[inline(always)]
    fn half<const N: usize>(&self, numbers: &[u64; N], wide: bool) -> Half<N> {
        if !wide {
            return Half { high: [0; N], low: self.word(numbers) };
        }
        let parts: [(u64, u64); N] = lanes_of(|k| self.range.div_rem(numbers[k]));
        Half { high: self.word(&lanes_of(|k| parts[k].0)), low: self.word(&lanes_of(|k| parts[k].1)) }
    }

    /// N numbers below radix⁸ as symbols.
    #[inline(always)]
    fn word<const N: usize>(&self, numbers: &[u64; N]) -> [u64; N] {
        translate(&self.write, &lanes_of(|k| self.octet.digits(numbers[k]))).0
    }

    #[inline(never)]
    fn put_long(&self, half: &mut [u8], number: u64) {
        for (symbol, digit) in half.iter_mut().rev().zip(self.digits.str(number)) {
            *symbol = translate(&self.write, &[u64::from(digit)]).0[0] as u8;
        }
    }
}

impl Symbols for Ascii {
    type Unit = u8;

    #[inline(always)]
    fn decimal<'a>(&self, text: &'a mut [u8]) -> Option<&'a mut [u8]> {
        self.decimal.then_some(text)
    }

    #[inline(always)]
    fn load<const N: usize>(
        &self,
        shape: &Shape<'_>,
        buffer: &[u8],
        starts: &[usize; N],
        lanes: &mut Lanes<N>,
    ) -> [bool; N] {
        let mut bad = [false; N];
        if let Some(windows) = Windows::new(shape) {
            let [a, b] = windows.read(buffer, starts, self.zeros);
            lanes.a = self.num(&a, windows.is_wide(), &mut bad);
            lanes.b = self.num(&b, windows.is_wide(), &mut bad);
        } else {
            for k in 0..N {
                let (a, b) = buffer[starts[k]..][..shape.length()].split_at(shape.u);
                (lanes.a[k], lanes.b[k]) = (self.num_long(a, &mut bad[k]), self.num_long(b, &mut bad[k]));
            }
        }
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
        if let Some(windows) = Windows::new(shape) {
            let halves = [self.half(&lanes.a, windows.is_wide()), self.half(&lanes.b, windows.is_wide())];
            windows.write(buffer, starts, keep, &halves);
        } else {
            for k in (0..N).filter(|&k| keep[k]) {
                let (a, b) = buffer[starts[k]..][..shape.length()].split_at_mut(shape.u);
                self.put_long(a, lanes.a[k]);
                self.put_long(b, lanes.b[k]);
            }
        }
    }

    fn digits(&self, value: &[u8], digits: &mut Vec<u16>) -> Result<(), Error> {
        for (position, &symbol) in value.iter().enumerate() {
            let (digit, known) = translate(&self.read, &[u64::from(symbol)]);
            if known[0] as u8 == 0 {
                return Err(Error::NotInAlphabet { position });
            }
            digits.push(digit[0] as u8 as u16);
        }
        Ok(())
    }

    fn put_digits(&self, digits: &[u16], value: &mut [u8]) {
        for (symbol, &digit) in value.iter_mut().zip(digits) {
            *symbol = translate(&self.write, &[u64::from(digit)]).0[0] as u8;
        }
    }
}

/// Translates every byte of the words; the second result has all bits of each byte that has a translation. Others
/// become 0.
///
/// Every translation is tried on every byte, so that nothing depends on the bytes.
#[inline(always)]
fn translate<const N: usize>(table: &[Translation], words: &[u64; N]) -> ([u64; N], [u64; N]) {
    let from: [[u8; 8]; N] = lanes_of(|k| words[k].to_ne_bytes());
    let (mut to, mut known) = ([[0u8; 8]; N], [[0u8; 8]; N]);
    for translation in table {
        for k in 0..8 * N {
            let offset = from.as_flattened()[k].wrapping_sub(translation.from);
            let inside = u8::from(offset < translation.count).wrapping_neg();
            to.as_flattened_mut()[k] |= translation.to.wrapping_add(offset) & inside;
            known.as_flattened_mut()[k] |= inside;
        }
    }
    (lanes_of(|k| u64::from_ne_bytes(to[k])), lanes_of(|k| u64::from_ne_bytes(known[k])))
}
