//! Random tokens of a format or pattern.

use std::borrow::Cow;

use chancery_keys::random;

use super::super::{
    format::Format,
    mask::Mask,
    pattern::{Layout, Pattern, Taken},
    refusal::BadValue,
    values::{Parts, plain},
};

/// How many tokens there are for a message, as far as it matters.
pub(crate) type Space = u64;

/// What messages and tokens look like.
pub(crate) enum Values {
    /// Symbols of an alphabet.
    Symbols(Format),
    /// Structured values.
    Pattern(Pattern),
}

impl Values {
    /// Whether it is a message.
    pub(crate) fn check_message(&self, message: &str) -> Result<(), BadValue> {
        match self {
            Self::Symbols(format) => format.take_message(message, &mut Vec::new()).map(drop),
            Self::Pattern(pattern) => pattern.take_message(message, &mut Taken::default()).map(drop),
        }
    }

    /// Whether it may be a token.
    pub(crate) fn check_token(&self, token: &str) -> Result<(), BadValue> {
        match self {
            Self::Symbols(format) => format.take_token(token, &mut Vec::new()).map(drop),
            Self::Pattern(pattern) => pattern.take_token(token, &mut Taken::default()).map(drop),
        }
    }

    /// Whether values are decimal digits.
    pub(crate) fn is_decimal(&self) -> bool {
        match self {
            Self::Symbols(format) => format.alphabet().is_decimal(),
            Self::Pattern(_) => false,
        }
    }

    /// Appends a message as somebody with a partial rule may see it.
    pub(crate) fn put_masked(&self, mask: Mask, message: &str, out: &mut String) -> Result<(), BadValue> {
        match self {
            Self::Symbols(format) => format.put_masked(&mask, message, out),
            Self::Pattern(pattern) => {
                let mut taken = Taken::default();
                let layout = pattern.take_message(message, &mut taken)?;
                pattern.append_masked(mask, message, &taken, &layout, out);
            }
        }
        Ok(())
    }

    /// A value without its passThrough characters: what the vault knows it by.
    pub(crate) fn plain<'v>(&self, value: &'v str) -> Cow<'v, str> {
        plain(value, |character| self.passes_through(character))
    }

    /// Appends a value of the vault with passThrough characters where they are in `shape`.
    pub(crate) fn put_plain(&self, shape: &str, plain: &str, out: &mut String) {
        let mut symbols = plain.chars();
        for character in shape.chars() {
            if self.passes_through(character) {
                out.push(character);
            } else {
                out.extend(symbols.next());
            }
        }
        out.push_str(symbols.as_str());
    }

    fn passes_through(&self, character: char) -> bool {
        match self {
            Self::Symbols(format) => format.passes_through(character),
            Self::Pattern(pattern) => pattern.passes_through(character),
        }
    }
}

/// Random numbers; randomness is fetched for many at a time.
pub(crate) struct Dice {
    bytes: [u8; 512],
    used: usize,
}

impl Default for Dice {
    fn default() -> Self {
        Self { bytes: [0; 512], used: 512 }
    }
}

impl Dice {
    /// A digit below the radix (2 to 65,536), each as likely as the others.
    fn digit(&mut self, radix: u32) -> u16 {
        // Numbers from `fair` on would make small digits more likely.
        let fair = (1 << 16) - (1 << 16) % radix;
        loop {
            let number = u32::from(u16::from_be_bytes(self.bytes()));
            if number < fair {
                return u16::try_from(number % radix).expect("below a radix of at most 2^16");
            }
        }
    }

    /// So many random bytes; at most 512.
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        if self.used + N > self.bytes.len() {
            self.bytes = random();
            self.used = 0;
        }
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[self.used..self.used + N]);
        self.used += N;
        bytes
    }
}

/// A message that was accepted, ready to draw tokens for.
pub(crate) enum Draw<'f> {
    Symbols { format: &'f Format, message: &'f str, digits: Vec<u16>, parts: Parts },
    Pattern { pattern: &'f Pattern, message: &'f str, taken: Taken, layout: Layout },
}

impl<'f> Draw<'f> {
    /// For a message without passThrough characters.
    pub(crate) fn of(values: &'f Values, message: &'f str) -> Result<Self, BadValue> {
        Ok(match values {
            Values::Symbols(format) => {
                let mut digits = Vec::new();
                let parts = format.take_message(message, &mut digits)?;
                Self::Symbols { format, message, digits, parts }
            }
            Values::Pattern(pattern) => {
                let mut taken = Taken::default();
                let layout = pattern.take_message(message, &mut taken)?;
                Self::Pattern { pattern, message, taken, layout }
            }
        })
    }

    /// How many tokens there are, this message's own among them.
    pub(crate) fn space(&self) -> Space {
        match self {
            Self::Symbols { format, parts, .. } => {
                let symbols = u32::try_from(parts.encrypted.len()).unwrap_or(u32::MAX);
                Space::from(format.alphabet().radix()).saturating_pow(symbols)
            }
            Self::Pattern { taken, layout, .. } => {
                let radices = taken.places[layout.places.clone()].iter().map(|place| Space::from(place.radix));
                radices.fold(1, Space::saturating_mul)
            }
        }
    }

    /// A token, each as likely as the others. It may be the message itself.
    pub(crate) fn token(&mut self, dice: &mut Dice) -> String {
        match self {
            Self::Symbols { format, digits, parts, .. } => {
                let radix = format.alphabet().radix();
                digits[parts.encrypted.clone()].iter_mut().for_each(|digit| *digit = dice.digit(radix));
                self.written()
            }
            Self::Pattern { pattern, message, taken, layout } => {
                let mut token = String::new();
                pattern.draw(message, taken, layout, || u64::from_be_bytes(dice.bytes()), &mut token);
                token
            }
        }
    }

    /// All tokens, in the order of their digits. Messages with the same first one have the same tokens.
    pub(crate) fn all(mut self) -> impl Iterator<Item = String> {
        match &mut self {
            Self::Symbols { digits, parts, .. } => digits[parts.encrypted.clone()].fill(0),
            Self::Pattern { taken, layout, .. } => {
                taken.places[layout.places.clone()].iter_mut().for_each(|place| place.value = 0);
            }
        }
        let mut there = true;
        std::iter::from_fn(move || {
            let token = there.then(|| self.written())?;
            there = self.count_up();
            Some(token)
        })
    }

    /// What the digits say.
    fn written(&mut self) -> String {
        let mut token = String::new();
        match self {
            // On a copy: with luhn Invalid the check digit that is written is not the one that is counted.
            Self::Symbols { format, message, digits, parts } => {
                format.put_token(message, &mut digits.clone(), parts, &mut token);
            }
            Self::Pattern { pattern, message, taken, layout } => pattern.put(message, taken, layout, &mut token),
        }
        token
    }

    /// The next number; whether there is one.
    fn count_up(&mut self) -> bool {
        match self {
            Self::Symbols { format, digits, parts, .. } => {
                let last = u16::try_from(format.alphabet().radix() - 1).expect("a radix is at most 2^16");
                digits[parts.encrypted.clone()].iter_mut().rev().any(|digit| next(digit, last))
            }
            Self::Pattern { taken, layout, .. } => {
                let places = taken.places[layout.places.clone()].iter_mut();
                places.rev().any(|place| next(&mut place.value, place.radix - 1))
            }
        }
    }
}

/// Counts one digit up, or back to 0 from the last; whether nothing is carried.
fn next<D: Copy + Ord + Default + std::ops::Add<Output = D> + From<u8>>(digit: &mut D, last: D) -> bool {
    let carries = *digit >= last;
    *digit = if carries { D::default() } else { *digit + D::from(1) };
    !carries
}
