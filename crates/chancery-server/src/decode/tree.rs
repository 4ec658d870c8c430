//! A JSON document as it was sent: nothing dropped, nothing merged, strings borrowed where they hold no escapes.

use std::{borrow::Cow, cell::Cell, fmt};

use chancery_core::{Error, Meaning};
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess};
use zeroize::Zeroize;

use super::{DEPTH_MAX, VALUES_MAX, scan::scan};

/// One JSON value.
pub(super) enum Tree<'a> {
    Null,
    Bool(bool),
    Number(Number),
    String(Cow<'a, str>),
    /// The value of a query's parameter, whose type is not written: whatever is asked for, if it reads as that.
    Parameter(Cow<'a, str>),
    Array(Vec<Tree<'a>>),
    /// An array of strings without escapes.
    Strings(Vec<&'a str>),
    /// One of which all have equally many bytes.
    EvenStrings(EvenStrings<'a>),
    /// In the order sent; the names are distinct.
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl Tree<'_> {
    /// How many elements an array of strings has.
    pub(super) fn strings(&self) -> usize {
        if let Self::Strings(elements) = self {
            elements.len()
        } else if let Self::EvenStrings(elements) = self {
            elements.len()
        } else {
            0
        }
    }

    /// Wipes the strings that were copied.
    pub(super) fn wipe(self) {
        match self {
            Self::String(Cow::Owned(mut text)) | Self::Parameter(Cow::Owned(mut text)) => text.zeroize(),
            Self::Array(elements) => elements.into_iter().for_each(Tree::wipe),
            Self::Object(members) => members.into_iter().for_each(|(_, value)| value.wipe()),
            Self::Null
            | Self::Bool(_)
            | Self::Number(_)
            | Self::String(Cow::Borrowed(_))
            | Self::Parameter(Cow::Borrowed(_))
            | Self::Strings(_)
            | Self::EvenStrings(_) => {}
        }
    }
}

/// Strings of equally many bytes without escapes, at least one, as they were sent: with nothing but a comma between two.
#[derive(Clone, Copy)]
pub(super) struct EvenStrings<'a> {
    /// From the first one's quote to the last one's.
    pub(super) json: &'a str,
    /// Bytes of each.
    pub(super) length: usize,
}

impl<'a> EvenStrings<'a> {
    /// Two quotes and a comma.
    pub(super) const AROUND: usize = 3;

    pub(super) const fn len(&self) -> usize {
        (self.json.len() + 1) / (self.length + Self::AROUND)
    }

    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = &'a str> {
        let of = move |index| {
            let start = index * (self.length + Self::AROUND) + 1;
            &self.json[start..start + self.length]
        };
        (0..self.len()).map(of)
    }
}

/// A number, in the widest type that holds it exactly as written.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

/// Reads `bytes` as one JSON document in UTF-8, and nothing after it.
pub(super) fn parse(bytes: &[u8]) -> Result<Tree<'_>, Error> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("The body is not valid UTF-8."))?;
    scan(text).map_or_else(|| parse_generally(text), Ok)
}

/// Reads any document, and finds what is wrong with it.
pub(super) fn parse_generally(text: &str) -> Result<Tree<'_>, Error> {
    if text.trim_ascii().is_empty() {
        return Err(malformed("The body is not valid JSON (line 1, column 0): it is empty."));
    }
    let refusal = Cell::new(Refusal::Syntax);
    let values = Cell::new(0);
    let mut json = serde_json::Deserializer::from_str(text);
    let seed = Seed { depth: 0, values: &values, refusal: &refusal };
    let tree = seed.deserialize(&mut json).and_then(|tree| json.end().map(|()| tree));
    tree.map_err(|at| refusal.get().into_error(&at))
}

/// Why a document is not read. serde_json's own error has room for a text only.
#[derive(Clone, Copy)]
enum Refusal {
    Syntax,
    TooDeep,
    Duplicate,
    TooMany,
}

impl Refusal {
    /// Says where, by line and column: at a syntax error there is no member to point at, and the name of a duplicate
    /// member may be as long as the body.
    fn into_error(self, at: &serde_json::Error) -> Error {
        let (line, column) = (at.line(), at.column());
        match self {
            Self::Syntax => malformed(format!("The body is not valid JSON (line {line}, column {column}).")),
            Self::TooDeep => {
                malformed(format!("The body is nested deeper than {DEPTH_MAX} levels (line {line}, column {column})."))
            }
            Self::Duplicate => {
                malformed(format!("The object that ends at line {line}, column {column} has a member twice."))
            }
            Self::TooMany => Error::new(Meaning::TooLarge, format!("The body holds more than {VALUES_MAX} values.")),
        }
    }
}

/// What is wrong with the whole body rather than with a member.
pub(super) fn malformed(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Meaning::Malformed, message)
}

/// Reads one value at `depth` levels inside the document.
#[derive(Clone, Copy)]
struct Seed<'s> {
    depth: usize,
    values: &'s Cell<usize>,
    refusal: &'s Cell<Refusal>,
}

impl Seed<'_> {
    fn refuse<E: de::Error>(self, why: Refusal) -> E {
        self.refusal.set(why);
        E::custom("")
    }

    /// The seed of what is inside an array or object at this depth.
    fn inside<E: de::Error>(self) -> Result<Self, E> {
        if self.depth == DEPTH_MAX {
            return Err(self.refuse(Refusal::TooDeep));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Tree<'de>;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Tree<'de>, D::Error> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > VALUES_MAX {
            return Err(self.refuse(Refusal::TooMany));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> de::Visitor<'de> for Seed<'_> {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(Number::Unsigned(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(Number::Signed(value)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(Number::Float(value)))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Tree<'de>, A::Error> {
        let inside = self.inside()?;
        let mut elements = Vec::new();
        while let Some(element) = array.next_element_seed(inside)? {
            elements.push(element);
        }
        Ok(Tree::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Tree<'de>, A::Error> {
        let inside = self.inside()?;
        let mut members = Vec::new();
        while let Some(Key(name)) = object.next_key()? {
            members.push((name, object.next_value_seed(inside)?));
        }
        if has_duplicates(&members) {
            return Err(self.refuse(Refusal::Duplicate));
        }
        Ok(Tree::Object(members))
    }
}

/// A member's name, borrowed where it holds no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> de::Deserialize<'de> for Key<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

/// Of more than a few members, sorts rather than compares each with each: an object may have a million.
pub(super) fn has_duplicates(members: &[(Cow<'_, str>, Tree<'_>)]) -> bool {
    const FEW: usize = 8;
    if members.len() <= FEW {
        return members
            .iter()
            .enumerate()
            .any(|(index, (name, _))| members[..index].iter().any(|(other, _)| other == name));
    }
    let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_ref()).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair[0] == pair[1])
}
