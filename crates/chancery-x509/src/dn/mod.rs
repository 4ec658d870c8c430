//! Distinguished names, read from and printed as one line.
//!
//! Two forms are read: RFC 4514's `CN=…,O=…,C=US`, most specific first, and OpenSSL's `/C=US/O=…/CN=…`, most general
//! first. Both make the same name. In a certificate the most general part stands first.

pub(crate) mod attribute;
mod parse;
mod print;

use std::{fmt, str::FromStr};

use der::{
    Decode, Encode, ErrorKind,
    asn1::{Any, ObjectIdentifier, SetOfVec},
};
use x509_cert::{
    attr::AttributeTypeAndValue,
    name::{Name, RdnSequence, RelativeDistinguishedName},
};

use crate::tsp::oid::is_readable;

/// Bytes of a one-line name. The attributes' own bounds allow somewhat more, but nobody's name is that long.
pub const ONE_LINE_MAX: usize = 4_096;

/// A distinguished name whose every attribute satisfies RFC 5280. There is no way to one that was not checked, wherever
/// it comes from: a line, a request, a certificate from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinguishedName(Name);

/// A name as a certificate has it: to be shown and compared, never to be issued.
#[derive(Clone, Debug)]
pub struct FoundName(Name);

impl From<&Name> for FoundName {
    fn from(name: &Name) -> Self {
        Self(name.clone())
    }
}

impl FoundName {
    /// The first common name, which is what people call the subject.
    pub fn common_name(&self) -> Option<String> {
        common_name(&self.0)
    }

    /// Every attribute: its name as [`attribute_name`] has it and its value, where that is a text.
    pub fn attributes(&self) -> Vec<(String, Option<String>)> {
        attributes(&self.0)
    }
}

impl fmt::Display for FoundName {
    /// RFC 4514: most specific first, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::one_line(&self.0, f)
    }
}

fn common_name(name: &Name) -> Option<String> {
    let cn = attribute::by_name("CN")?;
    name.iter().find(|pair| pair.oid == cn.oid).and_then(|pair| attribute::text(&pair.value))
}

fn attributes(name: &Name) -> Vec<(String, Option<String>)> {
    name.iter().map(|pair| (attribute::name_of(pair.oid), attribute::text(&pair.value))).collect()
}

impl DistinguishedName {
    /// A name of a single common name.
    pub fn common(name: &str) -> Result<Self, DnError> {
        Self::below(&[], name)
    }

    /// The name of who is named by alternative names only.
    pub fn empty() -> Self {
        Self(Name::default())
    }

    /// Whether it names nobody.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A common name below these parts of another name.
    pub fn below(parts: &[&RelativeDistinguishedName], name: &str) -> Result<Self, DnError> {
        let cn = attribute::by_name("CN").ok_or_else(|| DnError::UnknownAttribute("CN".to_owned()))?;
        let mut rdns: Vec<Vec<_>> = parts.iter().map(|part| part.iter().cloned().collect()).collect();
        rdns.push(vec![attribute::encode(cn, name)?]);
        Self::from_rdns(rdns)
    }

    /// A name from outside, each value checked and encoded as if it were given in one line.
    pub fn taken(name: &Name) -> Result<Self, DnError> {
        let pair = |pair: &AttributeTypeAndValue| attribute::encode_der(pair.oid, &pair.value);
        let rdns = name.iter_rdn().map(|rdn| rdn.iter().map(pair).collect());
        Self::from_rdns(rdns.collect::<Result<_, _>>()?)
    }

    /// The name as certificates carry it.
    pub const fn as_name(&self) -> &Name {
        &self.0
    }

    /// The first common name, which is what people call the subject.
    pub fn common_name(&self) -> Option<String> {
        common_name(&self.0)
    }

    /// Every attribute: its name as [`attribute_name`] has it and its value.
    pub fn attributes(&self) -> Vec<(String, Option<String>)> {
        attributes(&self.0)
    }

    /// Takes parts in the order of the certificate: the most general first.
    fn from_rdns(rdns: Vec<Vec<AttributeTypeAndValue>>) -> Result<Self, DnError> {
        let mut sequence = RdnSequence::default();
        for pairs in rdns {
            if pairs.is_empty() {
                return Err(DnError::EmptyPart);
            }
            let mut types: Vec<ObjectIdentifier> = pairs.iter().map(|pair| pair.oid).collect();
            types.sort_unstable();
            if let Some(unreadable) = types.iter().find(|oid| !is_readable(oid.as_bytes())) {
                return Err(DnError::LargeArc(unreadable.to_string()));
            }
            if let Some(twice) = types.windows(2).find(|two| two[0] == two[1]) {
                return Err(DnError::Twice(attribute::name_of(twice[0])));
            }
            sequence.push(RelativeDistinguishedName::from(SetOfVec::try_from(pairs)?));
        }
        // The crate makes a `Name` out of an RDN sequence only by way of its encoding.
        Ok(Self(Name::from_der(&sequence.to_der()?)?))
    }
}

impl FromStr for DistinguishedName {
    type Err = DnError;

    fn from_str(line: &str) -> Result<Self, DnError> {
        if line.len() > ONE_LINE_MAX {
            return Err(DnError::TooLong);
        }
        Self::from_rdns(parse::one_line(line)?)
    }
}

impl fmt::Display for DistinguishedName {
    /// RFC 4514: most specific first, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::one_line(&self.0, f)
    }
}

/// The one name of an attribute that is known by several, or its dotted OID; `None` where it is neither.
pub fn attribute_name(text: &str) -> Option<String> {
    match attribute::by_name(text) {
        Some(known) => Some(known.name.to_owned()),
        None => ObjectIdentifier::new(text).ok().map(attribute::name_of),
    }
}

/// The names of the known attributes, for messages.
pub fn attribute_names() -> String {
    attribute::known_names()
}

/// Why a line is no name that a certificate may carry.
#[expect(missing_docs, reason = "the text of each says what it is")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DnError {
    Empty,
    EmptyPart,
    TooLong,
    NoEquals(String),
    UnknownAttribute(String),
    EmptyValue(String),
    ValueTooLong { attribute: String, max: usize },
    Country,
    NotPrintable(String),
    NotAscii(String),
    NotText(String),
    Hidden(String),
    Escape,
    Unescaped(char),
    Quote,
    Hex,
    Twice(String),
    LargeArc(String),
    Encoding(ErrorKind),
}

impl From<der::Error> for DnError {
    fn from(error: der::Error) -> Self {
        Self::Encoding(error.kind())
    }
}

impl fmt::Display for DnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("The name is empty; something like CN=Example,O=Company,C=US is expected."),
            Self::EmptyPart => f.write_str("A part of the name is empty."),
            Self::TooLong => write!(f, "The name is longer than {ONE_LINE_MAX} bytes."),
            Self::NoEquals(part) => write!(
                f,
                "The part '{part}' of the name has no '='; a separator inside a value is escaped with a backslash."
            ),
            Self::UnknownAttribute(name) => {
                write!(f, "'{name}' is no known attribute; {} or a dotted OID are.", attribute::known_names())
            }
            Self::EmptyValue(name) => write!(f, "The value of {name} is empty."),
            Self::ValueTooLong { attribute, max } => {
                write!(f, "The value of {attribute} is longer than the {max} characters that RFC 5280 allows.")
            }
            Self::Country => f.write_str("C takes exactly two letters, such as US (ISO 3166)."),
            Self::NotPrintable(name) => {
                write!(f, "{name} takes letters, digits, spaces and '()+,-./:=? only (a PrintableString).")
            }
            Self::NotAscii(name) => write!(f, "{name} takes ASCII characters only."),
            Self::NotText(name) => write!(f, "The value of {name} is no text."),
            Self::Hidden(name) => {
                write!(f, "The value of {name} contains a control, format or zero-width character.")
            }
            Self::Escape => f.write_str(
                "After a backslash, one of the characters , + \" \\ < > ; = # / and space or two hexadecimal digits \
                 are expected.",
            ),
            Self::Unescaped(character) => {
                write!(f, "The character {character} inside a value is escaped with a backslash.")
            }
            Self::Quote => f.write_str("A quoted value ends with a quotation mark, and a separator follows."),
            Self::Hex => f.write_str("After '#', the hexadecimal digits of one DER value are expected."),
            Self::Twice(name) => write!(f, "{name} stands twice in one multi-valued part of the name."),
            Self::LargeArc(oid) => {
                write!(
                    f,
                    "The attribute {oid} has a number of 2^28 or more, with which many programs cannot read a certificate."
                )
            }
            Self::Encoding(kind) => write!(f, "The name cannot be encoded: {kind}."),
        }
    }
}

impl std::error::Error for DnError {}

/// One attribute and its value.
fn pair(oid: ObjectIdentifier, value: Any) -> AttributeTypeAndValue {
    AttributeTypeAndValue { oid, value }
}

#[cfg(test)]
mod tests;
