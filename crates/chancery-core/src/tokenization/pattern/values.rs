//! Values in and out of the work buffers: text to encrypted places, and places to text.

use std::ops::Range;

use super::{Element, End, Group, Part, Pattern, Place, iban};
use crate::tokenization::refusal::{BadPattern, BadValue};

/// The values of a batch, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Their characters but those that pass through.
    pub(super) characters: Vec<char>,
    /// What is encrypted.
    pub(crate) places: Vec<Place>,
    /// How many characters each element of the pattern has.
    pub(super) lengths: Vec<usize>,
}

/// Where one value is in the buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(super) characters: Range<usize>,
    pub(crate) places: Range<usize>,
    pub(super) lengths: Range<usize>,
}

impl Pattern {
    /// Takes a message apart. After a refusal the buffers are as before.
    pub(crate) fn take_message(&self, message: &str, taken: &mut Taken) -> Result<Layout, BadValue> {
        self.take(message, taken, BadValue::Pattern(BadPattern::CheckDigits))
    }

    /// Takes a token apart: it has the form of a message.
    pub(crate) fn take_token(&self, token: &str, taken: &mut Taken) -> Result<Layout, BadValue> {
        self.take(token, taken, BadValue::NoSuchToken)
    }

    fn take(&self, value: &str, taken: &mut Taken, bad_check: BadValue) -> Result<Layout, BadValue> {
        if value.len() > self.value_max {
            return Err(BadValue::TooLarge { bytes_max: self.value_max });
        }
        let starts = (taken.characters.len(), taken.places.len(), taken.lengths.len());
        taken.characters.extend(value.chars().filter(|&character| !self.passes_through(character)));
        let done = self.split(taken, starts.0).and_then(|()| self.check(&taken.characters[starts.0..], bad_check));
        if let Err(bad) = done {
            taken.characters.truncate(starts.0);
            taken.places.truncate(starts.1);
            taken.lengths.truncate(starts.2);
            return Err(self.with_passing(bad, value));
        }
        Ok(Layout {
            characters: starts.0..taken.characters.len(),
            places: starts.1..taken.places.len(),
            lengths: starts.2..taken.lengths.len(),
        })
    }

    /// Splits the characters from `start` on among the elements.
    fn split(&self, taken: &mut Taken, start: usize) -> Result<(), BadValue> {
        let Taken { characters, places, lengths } = taken;
        let mut rest = &characters[start..];
        let total = rest.len();
        for element in &self.elements {
            let position = total - rest.len();
            let length = element.length_in(rest).map_err(|bad| bad.at(position))?;
            let (here, after) = rest.split_at(length);
            element.read(here, places).map_err(|bad| bad.at(position))?;
            lengths.push(length);
            rest = after;
        }
        if rest.is_empty() { Ok(()) } else { Err(BadPattern::Unexpected { position: 0 }.at(total - rest.len())) }
    }

    fn check(&self, value: &[char], bad: BadValue) -> Result<(), BadValue> {
        let passes = !self.has_check_digits() || value[iban::BEFORE..].starts_with(&iban::check_digits(value));
        if passes { Ok(()) } else { Err(bad) }
    }

    /// The same refusal with its position counted in the whole value, with what passes through.
    fn with_passing(&self, bad: BadValue, value: &str) -> BadValue {
        let BadValue::Pattern(bad) = bad else { return bad };
        let whole = |position| {
            let mut counted = value.chars().enumerate().filter(|(_, character)| !self.passes_through(*character));
            counted.nth(position).map_or_else(|| value.chars().count(), |(whole, _)| whole)
        };
        BadValue::Pattern(bad.moved(whole))
    }

    /// Appends the value whose places have changed; `shape` says where the passThrough characters are.
    pub(crate) fn put(&self, shape: &str, taken: &mut Taken, layout: &Layout, out: &mut String) {
        let characters = &mut taken.characters[layout.characters.clone()];
        let mut places = taken.places[layout.places.clone()].iter();
        let mut rest = &mut *characters;
        for (element, &length) in self.elements.iter().zip(&taken.lengths[layout.lengths.clone()]) {
            let (here, after) = rest.split_at_mut(length);
            element.write(&mut places, here);
            rest = after;
        }
        if self.has_check_digits() {
            let digits = iban::check_digits(characters);
            characters[iban::BEFORE..][..digits.len()].copy_from_slice(&digits);
        }
        let mut characters = characters.iter().copied();
        let in_place = |character| if self.passes_through(character) { Some(character) } else { characters.next() };
        out.extend(shape.chars().filter_map(in_place));
    }
}

impl Element {
    /// How many of the characters that are left are this element's.
    fn length_in(&self, rest: &[char]) -> Result<usize, BadPattern> {
        let length = match self.end {
            End::Length(length) => length,
            End::Foreign => rest.iter().take_while(|&&character| self.holds(character)).count(),
            End::Before(tail) => rest.len().checked_sub(tail).ok_or(BadPattern::Ends)?,
        };
        if length > rest.len() {
            // What is there may be wrong already, and that is the better thing to say.
            let wrong = |(index, &character): (usize, &char)| !self.holds_at(index, character);
            let position = rest.iter().enumerate().position(wrong);
            return Err(position.map_or(BadPattern::Ends, |position| BadPattern::Unexpected { position }));
        }
        Ok(length)
    }

    fn holds(&self, character: char) -> bool {
        self.holds_at(0, character)
    }

    fn holds_at(&self, index: usize, character: char) -> bool {
        match &self.part {
            Part::Literal(literal) => literal.get(index) == Some(&character),
            Part::Encrypted(group) | Part::Kept(group) => group.has(character),
            Part::Check => character.is_ascii_digit(),
        }
    }

    /// Checks the characters of this element and appends what of them is encrypted.
    fn read(&self, here: &[char], places: &mut Vec<Place>) -> Result<(), BadPattern> {
        if let Some(position) = (0..here.len()).find(|&index| !self.holds_at(index, here[index])) {
            return Err(BadPattern::Unexpected { position });
        }
        let (group, encrypted) = match &self.part {
            Part::Literal(_) | Part::Check => return Ok(()),
            Part::Encrypted(group) => (group, true),
            Part::Kept(group) => (group, false),
        };
        let mut place = |radix, value| {
            if encrypted {
                places.push(Place { radix, value });
            }
        };
        match group {
            Group::Symbols(symbols) => {
                let (length, min, max) = (here.len(), symbols.min, symbols.max);
                if !(min..=max).contains(&length) {
                    return Err(BadPattern::Length { position: 0, length, min, max });
                }
                for &symbol in here {
                    let (_, class) = symbols.class(symbol).ok_or(BadPattern::Unexpected { position: 0 })?;
                    place(class.radix(), u32::from(class.digit(symbol).unwrap_or_default()));
                }
            }
            Group::Numbers(numbers) => {
                place(numbers.size(), numbers.rank(here).ok_or(BadPattern::Number { position: 0 })?);
            }
            Group::Date(dates) => place(dates.size(), dates.rank(here).ok_or(BadPattern::Date { position: 0 })?),
        }
        Ok(())
    }

    /// Writes what the places say in the place of the old characters.
    fn write<'p>(&self, places: &mut impl Iterator<Item = &'p Place>, here: &mut [char]) {
        let mut value = || places.next().map_or(0, |place| place.value);
        match &self.part {
            Part::Literal(_) | Part::Kept(_) | Part::Check => {}
            Part::Encrypted(Group::Symbols(symbols)) => {
                for character in here {
                    let digit = u16::try_from(value()).unwrap_or_default();
                    if let Some((_, class)) = symbols.class(*character) {
                        *character = class.symbol(digit);
                    }
                }
            }
            Part::Encrypted(Group::Numbers(numbers)) => numbers.put(value(), here),
            Part::Encrypted(Group::Date(dates)) => dates.put(value(), here),
        }
    }
}

impl BadPattern {
    /// The same in a value in which this part of it begins at `start`.
    fn at(self, start: usize) -> BadValue {
        BadValue::Pattern(self.moved(|position| start + position))
    }

    fn moved(self, to: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Unexpected { position } => Self::Unexpected { position: to(position) },
            Self::Length { position, length, min, max } => Self::Length { position: to(position), length, min, max },
            Self::Number { position } => Self::Number { position: to(position) },
            Self::Date { position } => Self::Date { position: to(position) },
            Self::Ends | Self::CheckDigits => self,
        }
    }
}
