//! FF1 for numbers of any size: the path for halves that do not fit a machine integer.
//!
//! Numbers are little-endian 32-bit limbs. How many limbs and steps there are follows from radix and length alone, so
//! time and memory access do not depend on the digits. Halves are never turned into integers to be added: y is taken
//! apart into digits, and the digits are added with carries, which is the same modulo radix^m.

use alloc::vec::Vec;
use zeroize::{Zeroize, Zeroizing};

use crate::aes::Aes;
use crate::arith::Divisor64;
use crate::mac::Mac;
use crate::symbols::Symbols;
use crate::{Direction, Error};

/// One value's radix, lengths and work space; made once and used for many values of one radix.
pub(crate) struct LongNumerals {
    radix: Divisor64,
    /// The greatest power of the radix that is at most 2³²: digits are handled in chunks of `chunk_digits`.
    chunk: Divisor64,
    chunk_digits: usize,
    limbs: Zeroizing<Vec<u32>>,
    bytes: Zeroizing<Vec<u8>>,
}

impl LongNumerals {
    pub(crate) fn new(radix: u32) -> Self {
        let radix = u64::from(radix);
        let (mut chunk, mut chunk_digits) = (radix, 1);
        while chunk * radix <= 1 << 32 {
            chunk *= radix;
            chunk_digits += 1;
        }
        Self {
            radix: Divisor64::new(radix),
            chunk: Divisor64::new(chunk),
            chunk_digits,
            limbs: Zeroizing::default(),
            bytes: Zeroizing::default(),
        }
    }

    /// Reads, encrypts or decrypts, and writes back one value whose lengths are allowed.
    pub(crate) fn crypt_value<S: Symbols>(
        &mut self,
        aes: &impl Aes,
        tweaked: Mac<1>,
        symbols: &S,
        value: &mut [S::Unit],
        direction: Direction,
    ) -> Result<(), Error> {
        let mut digits = Zeroizing::new(Vec::with_capacity(value.len()));
        symbols.digits(value, &mut digits)?;
        self.crypt(aes, tweaked, &mut digits, direction);
        symbols.put_digits(&digits, value);
        Ok(())
    }

    /// Algorithm 7 (encrypt) or 8 (decrypt), in place. `tweaked` has taken in P and T; the digits are below the radix.
    fn crypt(&mut self, aes: &impl Aes, tweaked: Mac<1>, digits: &mut [u16], direction: Direction) {
        // Steps 1 and 2.
        let (a, b_half) = digits.split_at_mut(digits.len() / 2);
        // Steps 3 and 4.
        let b = self.b(b_half.len());
        let d = 4 * b.div_ceil(4) + 4;
        // The zeros of Q do not change from round to round.
        let tweaked = tweaked.pad(aes, b);
        for i in direction.rounds() {
            // Steps 6v, 6viii and 6ix: instead of swapping A and B, the rounds take turns in what they replace.
            let (target, source) = if i.is_multiple_of(2) { (&mut *a, &*b_half) } else { (&mut *b_half, &*a) };
            self.num(source, b);
            self.expand(aes, tweaked.update(aes, [&[i]]), b, d);
            self.add(target, d, direction);
        }
    }

    /// Step 3: b = ⌈⌈v·log₂(radix)⌉/8⌉ is the byte length of radix^v − 1, whose digits are all radix − 1.
    fn b(&mut self, v: usize) -> usize {
        let top = (self.radix.value - 1) as u16;
        self.num(&alloc::vec![top; v], 0);
        let zeros = self.limbs.iter().rev().take_while(|&&limb| limb == 0).count();
        let used = &self.limbs[..self.limbs.len() - zeros];
        let top_bits = used.last().map_or(0, |limb| u32::BITS - limb.leading_zeros());
        4 * used.len().saturating_sub(1) + top_bits.div_ceil(8) as usize
    }

    /// limbs = NUM_radix(digits), at least `bytes` long.
    fn num(&mut self, digits: &[u16], bytes: usize) {
        // A chunk is below 2³², so each adds at most one limb.
        let most = digits.len().div_ceil(self.chunk_digits);
        self.limbs.zeroize();
        self.limbs.resize(most.max(bytes.div_ceil(4)), 0);
        let (first, rest) = digits.split_at(digits.len() % self.chunk_digits);
        let chunks = core::iter::once(first).chain(rest.chunks_exact(self.chunk_digits)).filter(|c| !c.is_empty());
        for (before, chunk) in chunks.enumerate() {
            let mut carry = chunk.iter().fold(0, |value, &digit| value * self.radix.value + u64::from(digit));
            for limb in &mut self.limbs[..=before] {
                let product = u64::from(*limb) * self.chunk.value + carry;
                *limb = product as u32;
                carry = product >> 32;
            }
        }
    }

    /// Steps 6i to 6iv: limbs = y, from the MAC of everything before NUM(B), which is in limbs.
    fn expand(&mut self, aes: &impl Aes, before: Mac<1>, b: usize, d: usize) {
        self.bytes.zeroize();
        self.bytes.extend(self.limbs.iter().rev().flat_map(|limb| limb.to_be_bytes()));
        let surplus = self.bytes.len() - b;
        let [r] = before.update(aes, [&self.bytes[surplus..]]).states;
        // Step 6iii: S = R ‖ CIPH(R ⊕ [1]¹⁶) ‖ CIPH(R ⊕ [2]¹⁶) …, cut to d bytes.
        self.bytes.zeroize();
        for j in 0..d.div_ceil(16) as u128 {
            let mut block = [r ^ j];
            if j > 0 {
                aes.encrypt(&mut block);
            }
            self.bytes.extend(block[0].to_be_bytes());
        }
        self.limbs.zeroize();
        let words = self.bytes[..d].rchunks_exact(4);
        self.limbs.extend(words.map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]])));
    }

    /// Steps 6vi and 6vii: target = (target ± limbs) mod radix^m, digit by digit from the least significant.
    fn add(&mut self, target: &mut [u16], d: usize, direction: Direction) {
        let mut bits = 8 * d;
        let mut carry = 0;
        for chunk in target.rchunks_mut(self.chunk_digits) {
            let used = bits.div_ceil(32);
            let mut y = divide(&mut self.limbs[..used], &self.chunk);
            // The quotient has lost at least this many bits.
            bits = bits.saturating_sub(self.chunk.value.ilog2() as usize);
            for digit in chunk.iter_mut().rev() {
                let (rest, low) = self.radix.div_rem(y);
                y = rest;
                (*digit, carry) = direction.add_digit(*digit, low as u32, carry, self.radix.value as u32);
            }
        }
    }
}

/// Divides the number in `limbs` in place and returns the remainder.
fn divide(limbs: &mut [u32], divisor: &Divisor64) -> u64 {
    let mut remainder = 0;
    for limb in limbs.iter_mut().rev() {
        let (quotient, rest) = divisor.div_rem(remainder << 32 | u64::from(*limb));
        // remainder < divisor ≤ 2³², so the quotient is below 2³².
        *limb = quotient as u32;
        remainder = rest;
    }
    remainder
}
