//! The attributes that names are made of: their names, their string types and the upper bounds of RFC 5280,
//! appendix A.1 (X.520 where it has none).

use chancery_types::hides;
use der::{
    Tag, Tagged,
    asn1::{Any, Ia5StringRef, ObjectIdentifier, PrintableStringRef, Utf8StringRef},
};
use x509_cert::attr::AttributeTypeAndValue;

use super::{DnError, pair};

/// Characters of a value whose attribute we do not know.
const UNKNOWN_MAX: usize = 256;

/// Which strings an attribute takes and how they are encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// A DirectoryString; new certificates use UTF8String.
    Directory,
    /// PrintableString.
    Printable,
    /// PrintableString of two letters.
    Country,
    /// IA5String: ASCII.
    Ia5,
}

/// A known attribute.
pub(super) struct Attribute {
    pub(super) oid: ObjectIdentifier,
    /// As it is printed.
    pub(super) name: &'static str,
    /// Other names under which it is read.
    also: &'static [&'static str],
    syntax: Syntax,
    /// Upper bound in characters.
    max: usize,
}

const fn known(
    oid: &'static str,
    name: &'static str,
    also: &'static [&'static str],
    syntax: Syntax,
    max: usize,
) -> Attribute {
    Attribute { oid: ObjectIdentifier::new_unwrap(oid), name, also, syntax, max }
}

const KNOWN: &[Attribute] = &[
    known("2.5.4.3", "CN", &["commonName"], Syntax::Directory, 64),
    known("2.5.4.10", "O", &["organizationName"], Syntax::Directory, 64),
    known("2.5.4.11", "OU", &["organizationalUnitName"], Syntax::Directory, 64),
    known("2.5.4.7", "L", &["localityName"], Syntax::Directory, 128),
    known("2.5.4.8", "ST", &["S", "stateOrProvinceName"], Syntax::Directory, 128),
    known("2.5.4.6", "C", &["countryName"], Syntax::Country, 2),
    known("2.5.4.9", "STREET", &["streetAddress"], Syntax::Directory, 128),
    known("2.5.4.17", "postalCode", &[], Syntax::Directory, 40),
    known("0.9.2342.19200300.100.1.25", "DC", &["domainComponent"], Syntax::Ia5, 63),
    known("0.9.2342.19200300.100.1.1", "UID", &["userId"], Syntax::Directory, 256),
    known("1.2.840.113549.1.9.1", "emailAddress", &["E", "email"], Syntax::Ia5, 255),
    known("2.5.4.5", "serialNumber", &[], Syntax::Printable, 64),
    known("2.5.4.46", "dnQualifier", &[], Syntax::Printable, 64),
    known("2.5.4.12", "title", &["T"], Syntax::Directory, 64),
    known("2.5.4.42", "GN", &["G", "givenName"], Syntax::Directory, 64),
    known("2.5.4.4", "SN", &["surname"], Syntax::Directory, 64),
    known("2.5.4.43", "initials", &[], Syntax::Directory, 64),
    known("2.5.4.44", "generationQualifier", &[], Syntax::Directory, 64),
    known("2.5.4.65", "pseudonym", &[], Syntax::Directory, 128),
    known("2.5.4.97", "organizationIdentifier", &[], Syntax::Directory, 256),
];

/// The attribute of this name, in any letter case.
pub(super) fn by_name(name: &str) -> Option<&'static Attribute> {
    KNOWN.iter().find(|known| {
        known.name.eq_ignore_ascii_case(name) || known.also.iter().any(|also| also.eq_ignore_ascii_case(name))
    })
}

/// The attribute of this OID.
pub(super) fn by_oid(oid: ObjectIdentifier) -> Option<&'static Attribute> {
    KNOWN.iter().find(|known| known.oid == oid)
}

/// What people call the attribute of this OID.
pub(super) fn name_of(oid: ObjectIdentifier) -> String {
    by_oid(oid).map_or_else(|| oid.to_string(), |known| known.name.to_owned())
}

/// The names for an error message.
pub(super) fn known_names() -> String {
    let names: Vec<_> = KNOWN.iter().map(|known| known.name).collect();
    names.join(", ")
}

/// Checks a text by the attribute's rules and encodes it.
pub(super) fn encode(known: &Attribute, text: &str) -> Result<AttributeTypeAndValue, DnError> {
    let name = || known.name.to_owned();
    check_text(text, known.max, name)?;
    let value = match known.syntax {
        Syntax::Directory => Any::from(Utf8StringRef::new(text)?),
        Syntax::Printable => PrintableStringRef::new(text).map(Any::from).map_err(|_| DnError::NotPrintable(name()))?,
        Syntax::Country if text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            Any::from(PrintableStringRef::new(text)?)
        }
        Syntax::Country => return Err(DnError::Country),
        Syntax::Ia5 => Ia5StringRef::new(text).map(Any::from).map_err(|_| DnError::NotAscii(name()))?,
    };
    Ok(pair(known.oid, value))
}

/// Encodes the text of an attribute that we do not know.
pub(super) fn encode_unknown(oid: ObjectIdentifier, text: &str) -> Result<AttributeTypeAndValue, DnError> {
    check_text(text, UNKNOWN_MAX, || oid.to_string())?;
    Ok(pair(oid, Any::from(Utf8StringRef::new(text)?)))
}

/// Takes a value given as DER. Its text is checked and encoded like any other, so that this form opens no way around the
/// rules. Of an attribute that we do not know a string type stays that readers may insist on.
pub(super) fn encode_der(oid: ObjectIdentifier, value: &Any) -> Result<AttributeTypeAndValue, DnError> {
    let name = || name_of(oid);
    if value.value().is_empty() {
        return Err(DnError::EmptyValue(name()));
    }
    let text = text(value).ok_or_else(|| DnError::NotText(name()))?;
    if let Some(known) = by_oid(oid) {
        return encode(known, &text);
    }
    let encoded = encode_unknown(oid, &text)?;
    let printable = || PrintableStringRef::new(&text).ok().map(Any::from);
    let ascii = || Ia5StringRef::new(&text).ok().map(Any::from);
    let is = |tag: Tag| value.tag() == tag;
    let kept = if is(Tag::PrintableString) { printable() } else { is(Tag::Ia5String).then(ascii).flatten() };
    Ok(kept.map_or(encoded, |kept| pair(oid, kept)))
}

/// The text of a value of any string type that names were ever written in. TeletexString is read as Latin 1, as everybody
/// who wrote it meant it.
pub(crate) fn text(value: &Any) -> Option<String> {
    let (tag, bytes) = (value.tag(), value.value());
    let plain = [Tag::Utf8String, Tag::PrintableString, Tag::Ia5String, Tag::VisibleString, Tag::NumericString];
    if plain.contains(&tag) {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    if tag == Tag::TeletexString {
        return Some(bytes.iter().copied().map(char::from).collect());
    }
    if tag == Tag::BmpString {
        let units = bytes.chunks(2).map(|unit| unit.try_into().map(u16::from_be_bytes));
        let units: Vec<u16> = units.collect::<Result<_, _>>().ok()?;
        return String::from_utf16(&units).ok();
    }
    None
}

fn check_text(text: &str, max: usize, name: impl Fn() -> String) -> Result<(), DnError> {
    if text.trim().is_empty() {
        return Err(DnError::EmptyValue(name()));
    }
    // A country of three letters is better told what a country is than how long.
    if max > 2 && text.chars().count() > max {
        return Err(DnError::ValueTooLong { attribute: name(), max });
    }
    // NUL has fooled verifiers that compare C strings, the others fool people who read a log or a list.
    if text.chars().any(hides) {
        return Err(DnError::Hidden(name()));
    }
    Ok(())
}
