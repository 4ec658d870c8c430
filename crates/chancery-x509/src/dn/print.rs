//! Prints a name as RFC 4514 says, with the attribute names of the interface.

use std::fmt::{self, Write};

use der::Encode;
use x509_cert::{attr::AttributeTypeAndValue, name::Name};

use super::attribute;

/// Most specific first; what the certificate has first comes last.
pub(super) fn one_line(name: &Name, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let rdns: Vec<_> = name.iter_rdn().collect();
    for (index, rdn) in rdns.into_iter().rev().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        for (index, pair) in rdn.iter().enumerate() {
            if index > 0 {
                f.write_char('+')?;
            }
            attribute_and_value(pair, f)?;
        }
    }
    Ok(())
}

fn attribute_and_value(pair: &AttributeTypeAndValue, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match (attribute::by_oid(pair.oid), attribute::text(&pair.value)) {
        (Some(known), Some(text)) => {
            write!(f, "{}=", known.name)?;
            escaped(&text, f)
        }
        // RFC 4514, 2.4: the value of a dotted OID is printed as its encoding.
        _ => write!(f, "{}=#{}", pair.oid, hex::encode(pair.value.to_der().map_err(|_| fmt::Error)?)),
    }
}

fn escaped(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let last = text.chars().count().saturating_sub(1);
    for (index, character) in text.chars().enumerate() {
        match character {
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => write!(f, "\\{character}")?,
            '#' if index == 0 => f.write_str("\\#")?,
            ' ' if index == 0 || index == last => f.write_str("\\ ")?,
            '\0'..='\x1f' | '\x7f' => write!(f, "\\{:02x}", u32::from(character))?,
            _ => f.write_char(character)?,
        }
    }
    Ok(())
}
