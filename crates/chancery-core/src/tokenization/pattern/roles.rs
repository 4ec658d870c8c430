//! What each character of a value is: for the tweak, and for masks.

use super::{Group, Layout, Part, Pattern, Taken};
use crate::tokenization::mask::Mask;

/// What stands for an encrypted character in a tweak, less the number of its class: bytes that no UTF-8 text has.
const ENCRYPTED: u8 = 0xFF;

/// What a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is in every value.
    Literal,
    /// It stays.
    Kept,
    /// It becomes another of this class. Check digits count as class 0.
    Encrypted(u8),
}

impl Pattern {
    /// Appends what of a value enters the tweak after domain and initialization vector: the value itself, with a byte
    /// 0xFF in the place of each encrypted character and check digit (0xFE, 0xFD … for those of a group's second, third
    /// … class). The layout is frozen: any change would orphan every token.
    pub(crate) fn append_tweak(&self, taken: &Taken, layout: &Layout, tweak: &mut Vec<u8>) {
        for (character, role) in self.roles(taken, layout) {
            match role {
                Role::Literal | Role::Kept => tweak.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
                Role::Encrypted(class) => tweak.push(ENCRYPTED - class),
            }
        }
    }

    /// Appends `value`, which is laid out as said, as a caller with this mask may see it: the characters of groups and
    /// check digits are counted and masked, literals and what passes through are not.
    pub(crate) fn append_masked(&self, mask: Mask, value: &str, taken: &Taken, layout: &Layout, out: &mut String) {
        let mut roles = self.roles(taken, layout).map(|(_, role)| role != Role::Literal);
        let is_symbol: Vec<bool> = value
            .chars()
            .map(|character| !self.passes_through(character) && roles.next().unwrap_or_default())
            .collect();
        mask.append(out, value.chars().zip(is_symbol), |_, together| self.candidates(together, taken, layout));
    }

    fn roles<'a>(&'a self, taken: &'a Taken, layout: &Layout) -> impl Iterator<Item = (char, Role)> + 'a {
        let mut start = layout.characters.start;
        self.elements.iter().zip(&taken.lengths[layout.lengths.clone()]).flat_map(move |(element, &length)| {
            let here = &taken.characters[start..start + length];
            start += length;
            here.iter().enumerate().map(move |(index, &character)| (character, element.part.role(index, character)))
        })
    }
}

impl Part {
    fn role(&self, index: usize, character: char) -> Role {
        match self {
            Self::Literal(_) => Role::Literal,
            Self::Check => Role::Encrypted(0),
            Self::Kept(Group::Date(dates)) | Self::Encrypted(Group::Date(dates)) if !dates.is_digit(index) => {
                Role::Literal
            }
            Self::Kept(_) => Role::Kept,
            Self::Encrypted(Group::Symbols(symbols)) => {
                let class = symbols.class(character).map_or(0, |(class, _)| class);
                Role::Encrypted(u8::try_from(class).unwrap_or_default())
            }
            Self::Encrypted(Group::Numbers(_) | Group::Date(_)) => Role::Encrypted(0),
        }
    }
}
