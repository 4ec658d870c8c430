//! What serde finds wrong with a body, on its way to becoming an [`Error`].

use std::fmt::{self, Display};

use chancery_core::Error;
use serde::de::{self, Expected, Unexpected};

use super::pointer::Pointer;

/// What is wrong, and where once a frame that knows has seen it pass.
///
/// serde makes these deep inside derived code, which knows no place; the innermost [`Cursor`](super::Cursor) adds it.
/// None of the constructors keeps what was sent: it may be a password, a message or a token.
#[derive(Debug)]
pub(super) struct Fault {
    kind: Kind,
    /// The member's name, where the fault is about a member of the value rather than the value.
    member: Option<&'static str>,
    pointer: Option<String>,
    message: String,
}

#[derive(Debug)]
enum Kind {
    /// Missing, of the wrong type, or not of the form described.
    Malformed,
    /// A value outside its enumeration, or an id that cannot be one.
    Selection,
}

impl Fault {
    fn new(kind: Kind, message: String) -> Self {
        Self { kind, member: None, pointer: None, message }
    }

    /// A member that is none of those known, where others are refused.
    pub(super) fn unknown_member(known: &[&str]) -> Self {
        Self::new(Kind::Malformed, format!("There is no such member; there are {}.", known.join(", ")))
    }

    /// Says where the fault is, unless a frame further inside has said it.
    pub(super) fn at(mut self, pointer: Pointer<'_>) -> Self {
        if self.pointer.is_none() {
            self.pointer = Some(match self.member {
                None => pointer.to_string(),
                Some(name) => Pointer::member(&pointer, name).to_string(),
            });
        }
        self
    }

    /// The meaning of a fault in a body.
    pub(super) fn in_body(self) -> Error {
        self.into_error(Error::malformed)
    }

    /// The meaning of a fault in a query, whose parameters are all strings: none is of the wrong type.
    pub(super) fn in_query(self) -> Error {
        self.into_error(Error::value)
    }

    fn into_error(self, malformed: fn(String, String) -> Error) -> Error {
        let field = self.pointer.unwrap_or_default();
        match self.kind {
            Kind::Malformed => malformed(field, self.message),
            Kind::Selection => Error::selection(field, self.message),
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    /// A type's own words may repeat the value, so they are not used.
    fn custom<T: Display>(_: T) -> Self {
        Self::new(Kind::Malformed, "Not of the form that is documented.".to_owned())
    }

    fn invalid_type(sent: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Kind::Malformed, format!("Must be {}, not {}.", plain(expected), type_of(sent)))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Kind::Malformed, format!("Must be {}.", plain(expected)))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::new(Kind::Malformed, format!("Must be {}.", plain(expected)))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        let message = match expected {
            [one] => format!("Must be {one}."),
            several => format!("Must be one of {}.", several.join(", ")),
        };
        Self::new(Kind::Selection, message)
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(Kind::Malformed, format!("Has a member besides {}.", expected.join(", ")))
    }

    fn missing_field(name: &'static str) -> Self {
        Self { member: Some(name), ..Self::new(Kind::Malformed, "This member is missing.".to_owned()) }
    }

    /// Reached where a member has two names and both were sent.
    fn duplicate_field(name: &'static str) -> Self {
        Self { member: Some(name), ..Self::new(Kind::Malformed, "This member is given under two names.".to_owned()) }
    }
}

/// What serde expects, in the words of JSON rather than of Rust.
fn plain(expected: &dyn Expected) -> String {
    let words = expected.to_string();
    match words.as_str() {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative and not too large".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number that is not too large".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "null".to_owned(),
        rust if rust.starts_with("struct ") => "an object".to_owned(),
        rust if rust.starts_with("enum ") || rust == "variant identifier" => "a string".to_owned(),
        _ => words,
    }
}

fn type_of(sent: Unexpected<'_>) -> &'static str {
    match sent {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "a number",
        Unexpected::Float(_) => "a number with a fraction or an exponent",
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => "a string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq | Unexpected::TupleVariant => "an array",
        Unexpected::Map
        | Unexpected::NewtypeStruct
        | Unexpected::Enum
        | Unexpected::UnitVariant
        | Unexpected::NewtypeVariant
        | Unexpected::StructVariant => "an object",
        Unexpected::Other(_) => "something else",
    }
}
