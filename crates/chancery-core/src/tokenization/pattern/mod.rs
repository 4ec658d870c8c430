//! Patterns: structured values, of which some groups are encrypted and the rest stays.
//!
//! ```text
//! pattern  = 1*( literal | "{" group "}" | "[" group "]" | "<iban>" )     encrypted, kept, check digits
//! group    = symbols | numbers | date
//! symbols  = class *( "|" class ) ":" length [ ".." length ]              a symbol becomes another of its class
//! class    = set *( "+" set )
//! set      = name of a built-in alphabet | "'" 1*character "'"
//! numbers  = range *( "," range )          range = number [ ".." number ] all of one width, with leading zeros
//! date     = "date:" layout [ "," YYYY-MM-DD ".." YYYY-MM-DD ]            layout of YYYY, MM, DD and - . / or space
//! literal  = any character; { } [ ] < > \ with \ before it
//! ```
//!
//! Every group keeps its length, so a token has the shape of its message, character by character. Where a group ends
//! must be told by what follows it: a character that it cannot hold, or groups of fixed length up to the end. So values
//! are taken apart in one pass, in one way.

mod candidates;
mod check;
mod dates;
mod draw;
mod iban;
mod numbers;
mod parse;
mod rank;
mod roles;
mod values;

use chancery_types::{Luhn, wire::token_profiles::TokenFormat};

pub(crate) use iban::CHECK_DIGITS;
pub(crate) use rank::{Place, from_bits, to_bits, uniform};
pub(crate) use values::{Layout, Taken};

use self::{dates::Dates, numbers::Numbers};
use super::alphabet::Alphabet;
use crate::{Error, Limits, Result};

/// A checked pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    elements: Vec<Element>,
    /// Sorted; none is a character of the pattern.
    pass_through: Box<[char]>,
    value_max: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Element {
    part: Part,
    /// Where it begins in the pattern's text, in characters from 0: for messages.
    position: usize,
    /// How to tell where it ends.
    end: End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(Vec<char>),
    Encrypted(Group),
    Kept(Group),
    /// The check digits of an IBAN.
    Check,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Group {
    Symbols(Symbols),
    Numbers(Numbers),
    Date(Dates),
}

/// Symbols of one or more classes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Symbols {
    /// Disjoint.
    classes: Vec<Alphabet>,
    min: usize,
    max: usize,
}

/// How a value tells where an element ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It has always so many characters.
    Length(usize),
    /// At the first character that it cannot hold.
    Foreign,
    /// So many characters before the end of the value.
    Before(usize),
}

impl Pattern {
    /// Checks the pattern of a format. The other members that say what symbols there are must have their defaults: the
    /// pattern says it.
    pub(crate) fn compile(wire: &TokenFormat, limits: &Limits) -> Result<Self> {
        // Without a wildcard: a member that is added must be dealt with here.
        let TokenFormat {
            alphabet,
            min_length,
            max_length,
            keep_leading,
            keep_trailing,
            pass_through,
            luhn,
            token_length,
            pattern,
            version_prefix,
        } = wire;
        let without = [
            ("/format/alphabet", alphabet.is_some()),
            ("/format/keepLeading", *keep_leading != 0),
            ("/format/keepTrailing", *keep_trailing != 0),
            ("/format/luhn", *luhn != Luhn::Ignore),
            ("/format/tokenLength", token_length.is_some()),
            ("/format/versionPrefix", version_prefix.is_some()),
        ];
        if let Some((field, _)) = without.into_iter().find(|(_, given)| *given) {
            return Err(Error::value(
                field,
                "A pattern says what is kept and what is encrypted: it goes without this.",
            ));
        }
        let pattern = Self::parse(pattern.as_deref().unwrap_or_default(), pass_through, limits)?;
        let (min, max) = pattern.lengths();
        for (field, given, is) in [("minLength", *min_length, min), ("maxLength", *max_length, max)] {
            if super::format::size(given) != is {
                let message = format!("With a pattern {field} follows from it: it is {is}, or left out.");
                return Err(Error::value(format!("/format/{field}"), message));
            }
        }
        Ok(pattern)
    }

    /// Checks a pattern and the characters that pass through.
    pub(crate) fn parse(text: &str, pass_through: &str, limits: &Limits) -> Result<Self> {
        let flaw = |message: String| Error::value("/format/pattern", message);
        if text.is_empty() || text.chars().nth(limits.pattern_max).is_some() {
            return Err(flaw(format!("A pattern has 1 to {} characters.", limits.pattern_max)));
        }
        let at = |Flaw { position, message }| flaw(format!("At position {position} (from 0): {message}"));
        let elements = check::check(parse::parse(text).map_err(at)?).map_err(at)?;
        let pattern = Self { pass_through: super::format::sorted(pass_through), value_max: limits.value_max, elements };
        if let Some(both) = pattern.pass_through.iter().find(|&&character| pattern.has(character)) {
            let message = format!("{both:?} is in the pattern; passThrough has other characters only.");
            return Err(Error::value("/format/passThrough", message));
        }
        let (_, max) = pattern.lengths();
        if max > limits.ff1_symbols_max {
            return Err(flaw(format!(
                "The groups hold up to {max} symbols; at most {} are accepted.",
                limits.ff1_symbols_max
            )));
        }
        let bits = pattern.bits_max();
        if bits > limits.ff1_symbols_max {
            return Err(flaw(format!(
                "Groups of different alphabets become one number, here of up to {bits} bits; at most {} are accepted.",
                limits.ff1_symbols_max
            )));
        }
        Ok(pattern)
    }

    /// The symbols of the shortest and of the longest message: those of the groups, check digits too, not the literals.
    pub(crate) fn lengths(&self) -> (usize, usize) {
        self.elements
            .iter()
            .map(|element| element.part.symbols())
            .fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// The fewest values that the encrypted groups of a message can have are the product of these powers.
    pub(crate) fn domain_min(&self) -> Vec<(u32, usize)> {
        let group = |element: &Element| match &element.part {
            Part::Encrypted(Group::Symbols(symbols)) => Some((symbols.radix_min(), symbols.min)),
            Part::Encrypted(Group::Numbers(numbers)) => Some((numbers.size(), 1)),
            Part::Encrypted(Group::Date(dates)) => Some((dates.size(), 1)),
            Part::Literal(_) | Part::Kept(_) | Part::Check => None,
        };
        self.elements.iter().filter_map(group).collect()
    }

    /// Every radix that encrypted places have.
    pub(crate) fn radices(&self) -> Vec<u32> {
        let mut radices = Vec::new();
        for element in &self.elements {
            match &element.part {
                Part::Encrypted(Group::Symbols(symbols)) => radices.extend(symbols.classes.iter().map(Alphabet::radix)),
                Part::Encrypted(Group::Numbers(numbers)) => radices.push(numbers.size()),
                Part::Encrypted(Group::Date(dates)) => radices.push(dates.size()),
                Part::Literal(_) | Part::Kept(_) | Part::Check => {}
            }
        }
        radices.sort_unstable();
        radices.dedup();
        radices
    }

    /// Those of them in which FF1 can work.
    pub(crate) fn ff1_radices(&self) -> Vec<u32> {
        self.radices().into_iter().filter(|&radix| radix <= rank::RADIX_MAX).collect()
    }

    /// Whether two digits follow from all others.
    pub(crate) fn has_check_digits(&self) -> bool {
        self.elements.iter().any(|element| element.part == Part::Check)
    }

    /// The bits of the largest number that places of different radix make together; 0 where all have one radix.
    pub(crate) fn bits_max(&self) -> usize {
        if self.radices().len() < 2 && self.radices().iter().all(|&radix| radix <= rank::RADIX_MAX) {
            return 0;
        }
        let bits = |radix: u32, places: usize| places * (u32::BITS - (radix - 1).leading_zeros()) as usize;
        let group = |element: &Element| match &element.part {
            Part::Encrypted(Group::Symbols(symbols)) => bits(symbols.radix_max(), symbols.max),
            Part::Encrypted(Group::Numbers(numbers)) => bits(numbers.size(), 1),
            Part::Encrypted(Group::Date(dates)) => bits(dates.size(), 1),
            Part::Literal(_) | Part::Kept(_) | Part::Check => 0,
        };
        self.elements.iter().map(group).sum()
    }

    /// How much work a value of so many bytes is at most, in units of about 10 ns. Numbers of bits are encrypted until
    /// they are in the domain again: less than twice on average, for the domain fills more than half of them.
    pub(crate) fn work(&self, bytes: usize) -> usize {
        let symbols = bytes.min(self.lengths().1);
        let bits = self.bits_max();
        bytes / 2 + symbols + symbols * symbols / 32 + 2 * (bits + bits * bits / 32)
    }

    /// The member that keeps tokens of `old` from being tokens of this pattern for the same message, if one does.
    pub(crate) fn orphans_tokens_of(&self, old: &Self) -> Option<&'static str> {
        let parts = self.elements.iter().zip(&old.elements).all(|(new, old)| new.part.reads(&old.part));
        let passing = old.pass_through.iter().all(|&character| self.passes_through(character));
        let orphans = [
            ("/format/pattern", !parts || self.elements.len() != old.elements.len()),
            ("/format/passThrough", !passing),
        ];
        orphans.into_iter().find_map(|(member, orphans)| orphans.then_some(member))
    }

    /// The lengths that follow from a pattern, for `minLength` and `maxLength`.
    pub(crate) fn lengths_of(text: &str, limits: &Limits) -> Result<(u32, u32)> {
        let (min, max) = Self::parse(text, "", limits)?.lengths();
        let length = |length| u32::try_from(length).map_err(Error::internal);
        Ok((length(min)?, length(max)?))
    }

    pub(crate) fn passes_through(&self, character: char) -> bool {
        self.pass_through.binary_search(&character).is_ok()
    }

    /// Whether groups or check digits are written with this character.
    pub(crate) fn has_symbol(&self, character: char) -> bool {
        self.elements.iter().any(|element| match &element.part {
            Part::Literal(_) => false,
            Part::Encrypted(group) | Part::Kept(group) => group.has(character),
            Part::Check => character.is_ascii_digit(),
        })
    }

    /// Whether values may hold this character but as one that passes through.
    fn has(&self, character: char) -> bool {
        self.elements.iter().any(|element| match &element.part {
            Part::Literal(literal) => literal.contains(&character),
            Part::Encrypted(group) | Part::Kept(group) => group.has(character),
            Part::Check => character.is_ascii_digit(),
        })
    }
}

impl Part {
    /// How many symbols it has at least and at most: what lengths and masks count.
    fn symbols(&self) -> (usize, usize) {
        match self {
            Self::Literal(_) => (0, 0),
            Self::Encrypted(Group::Symbols(symbols)) | Self::Kept(Group::Symbols(symbols)) => {
                (symbols.min, symbols.max)
            }
            Self::Encrypted(Group::Numbers(numbers)) | Self::Kept(Group::Numbers(numbers)) => {
                (numbers.width(), numbers.width())
            }
            Self::Encrypted(Group::Date(_)) | Self::Kept(Group::Date(_)) => (dates::DIGITS, dates::DIGITS),
            Self::Check => (iban::CHECK_DIGITS, iban::CHECK_DIGITS),
        }
    }

    /// The number of characters, where it is always the same.
    fn fixed_length(&self) -> Option<usize> {
        match self {
            Self::Literal(literal) => Some(literal.len()),
            Self::Encrypted(group) | Self::Kept(group) => group.fixed_length(),
            Self::Check => Some(iban::CHECK_DIGITS),
        }
    }

    /// Whether tokens made with `old` in this place are still read. What is kept may be more; what is encrypted may be
    /// longer or shorter, but the numbers that symbols stand for may not change.
    fn reads(&self, old: &Self) -> bool {
        match (self, old) {
            (Self::Encrypted(Group::Symbols(new)), Self::Encrypted(Group::Symbols(old))) => {
                new.classes == old.classes && new.holds_lengths_of(old)
            }
            (Self::Kept(Group::Symbols(new)), Self::Kept(Group::Symbols(old))) => {
                new.holds_lengths_of(old) && old.symbols().all(|symbol| new.class(symbol).is_some())
            }
            (new, old) => new == old,
        }
    }
}

impl Group {
    fn fixed_length(&self) -> Option<usize> {
        match self {
            Self::Symbols(symbols) => (symbols.min == symbols.max).then_some(symbols.min),
            Self::Numbers(numbers) => Some(numbers.width()),
            Self::Date(dates) => Some(dates.width()),
        }
    }

    fn has(&self, character: char) -> bool {
        match self {
            Self::Symbols(symbols) => symbols.class(character).is_some(),
            Self::Numbers(_) => character.is_ascii_digit(),
            Self::Date(dates) => character.is_ascii_digit() || dates.has_separator(character),
        }
    }
}

impl Symbols {
    /// The class of a character.
    fn class(&self, character: char) -> Option<(usize, &Alphabet)> {
        self.classes.iter().enumerate().find(|(_, class)| class.digit(character).is_some())
    }

    fn symbols(&self) -> impl Iterator<Item = char> {
        self.classes.iter().flat_map(Alphabet::symbols)
    }

    fn radix_min(&self) -> u32 {
        self.classes.iter().map(Alphabet::radix).min().unwrap_or_default()
    }

    fn radix_max(&self) -> u32 {
        self.classes.iter().map(Alphabet::radix).max().unwrap_or_default()
    }

    fn holds_lengths_of(&self, old: &Self) -> bool {
        self.min <= old.min && self.max >= old.max
    }
}

/// What is wrong with a pattern.
#[derive(Debug)]
struct Flaw {
    /// In characters from 0.
    position: usize,
    message: String,
}

#[cfg(test)]
mod tests;
