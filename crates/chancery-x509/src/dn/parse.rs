//! Reads both one-line forms.

use der::{
    Decode,
    asn1::{Any, ObjectIdentifier},
};
use x509_cert::attr::AttributeTypeAndValue;

use super::{
    DnError,
    attribute::{self, Attribute},
};

/// Which of the two forms a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `CN=…,O=…,C=…`
    Comma,
    /// `/C=…/O=…/CN=…`
    Slash,
}

impl Form {
    const fn separator(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Slash => '/',
        }
    }
}

/// The parts of the name in the order of the certificate: the most general first.
pub(super) fn one_line(line: &str) -> Result<Vec<Vec<AttributeTypeAndValue>>, DnError> {
    let line = line.trim_start_matches(' ');
    let (form, rest) = match line.strip_prefix('/') {
        Some(rest) => (Form::Slash, rest),
        None => (Form::Comma, line),
    };
    if rest.trim_matches(' ').is_empty() {
        return Err(DnError::Empty);
    }
    let mut rdns = Reader { form, rest }.rdns()?;
    if form == Form::Comma {
        rdns.reverse();
    }
    Ok(rdns)
}

/// What has not been read yet.
struct Reader<'a> {
    form: Form,
    rest: &'a str,
}

impl Reader<'_> {
    fn rdns(&mut self) -> Result<Vec<Vec<AttributeTypeAndValue>>, DnError> {
        let mut rdns = vec![vec![self.pair()?]];
        while let Some(separator) = self.next() {
            let pair = self.pair()?;
            match rdns.last_mut() {
                Some(rdn) if separator == '+' => rdn.push(pair),
                _ => rdns.push(vec![pair]),
            }
        }
        Ok(rdns)
    }

    /// `type = value`, up to the separator or the end.
    fn pair(&mut self) -> Result<AttributeTypeAndValue, DnError> {
        let until = self.rest.find([self.form.separator(), '+']).unwrap_or(self.rest.len());
        let part = &self.rest[..until];
        let Some((name, _)) = part.split_once('=') else {
            return Err(DnError::NoEquals(shortened(part)));
        };
        let kind = Kind::named(name.trim_matches(' '))?;
        self.rest = self.rest[name.len() + 1..].trim_start_matches(' ');
        if self.rest.starts_with('#') {
            return attribute::encode_der(kind.oid(), &self.hex()?);
        }
        let bytes =
            if self.form == Form::Comma && self.rest.starts_with('"') { self.quoted()? } else { self.string()? };
        let text = String::from_utf8(bytes).map_err(|_| DnError::NotText(attribute::name_of(kind.oid())))?;
        match kind {
            Kind::Known(known) => attribute::encode(known, &text),
            Kind::Unknown(oid) => attribute::encode_unknown(oid, &text),
        }
    }

    /// A plain value: escapes are resolved; spaces around it do not count unless they are escaped.
    fn string(&mut self) -> Result<Vec<u8>, DnError> {
        let mut value = Vec::new();
        let mut end = 0;
        while let Some(character) = self.rest.chars().next() {
            match character {
                '+' => break,
                _ if character == self.form.separator() => break,
                '\\' => {
                    self.escape(&mut value)?;
                    end = value.len();
                }
                ';' | '<' | '>' | '"' if self.form == Form::Comma => return Err(DnError::Unescaped(character)),
                _ => {
                    self.next();
                    push(&mut value, character);
                    if character != ' ' {
                        end = value.len();
                    }
                }
            }
        }
        value.truncate(end);
        Ok(value)
    }

    /// A value in quotation marks, in which only backslash and quotation mark are special (RFC 2253, section 4).
    fn quoted(&mut self) -> Result<Vec<u8>, DnError> {
        self.next();
        let mut value = Vec::new();
        loop {
            match self.rest.chars().next().ok_or(DnError::Quote)? {
                '"' => break,
                '\\' => self.escape(&mut value)?,
                character => {
                    self.next();
                    push(&mut value, character);
                }
            }
        }
        self.next();
        self.rest = self.rest.trim_start_matches(' ');
        let ends = self.rest.is_empty() || self.rest.starts_with([self.form.separator(), '+']);
        if ends { Ok(value) } else { Err(DnError::Quote) }
    }

    /// A backslash and what it escapes: a special character, or a byte as two hexadecimal digits.
    fn escape(&mut self, value: &mut Vec<u8>) -> Result<(), DnError> {
        self.next();
        if let Some(byte) = self.rest.get(..2).and_then(|digits| hex::decode(digits).ok()) {
            value.extend(byte);
            self.rest = &self.rest[2..];
            return Ok(());
        }
        match self.next() {
            Some(character) if ",+\"\\<>;=#/ ".contains(character) => {
                push(value, character);
                Ok(())
            }
            _ => Err(DnError::Escape),
        }
    }

    /// `#` and the hexadecimal digits of one DER value.
    fn hex(&mut self) -> Result<Any, DnError> {
        self.next();
        let until = self.rest.find([self.form.separator(), '+']).unwrap_or(self.rest.len());
        let der = hex::decode(self.rest[..until].trim_end_matches(' ')).map_err(|_| DnError::Hex)?;
        self.rest = &self.rest[until..];
        Any::from_der(&der).map_err(|_| DnError::Hex)
    }

    fn next(&mut self) -> Option<char> {
        let mut rest = self.rest.chars();
        let character = rest.next();
        self.rest = rest.as_str();
        character
    }
}

/// What stands before the `=`.
enum Kind {
    Known(&'static Attribute),
    Unknown(ObjectIdentifier),
}

impl Kind {
    /// A name or a dotted OID, also with `OID.` before it.
    fn named(name: &str) -> Result<Self, DnError> {
        if let Some(known) = attribute::by_name(name) {
            return Ok(Self::Known(known));
        }
        let dotted = match name.get(..4) {
            Some(prefix) if prefix.eq_ignore_ascii_case("OID.") => &name[4..],
            _ => name,
        };
        let oid: ObjectIdentifier = dotted.parse().map_err(|_| DnError::UnknownAttribute(shortened(name)))?;
        Ok(attribute::by_oid(oid).map_or(Self::Unknown(oid), Self::Known))
    }

    const fn oid(&self) -> ObjectIdentifier {
        match self {
            Self::Known(known) => known.oid,
            Self::Unknown(oid) => *oid,
        }
    }
}

fn push(value: &mut Vec<u8>, character: char) {
    value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Enough of a text to recognise it in a message.
fn shortened(text: &str) -> String {
    text.trim().chars().filter(|character| !character.is_control()).take(32).collect()
}
