//! Distinguished names (RFC 4514) with a place for the user name, and what a user name may be.

use std::fmt::Write as _;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use crate::{NotOne, USERNAME};

/// Bytes of a distinguished name.
const TEXT_MAX: usize = 1_024;

/// Characters of a user name.
const USERNAME_MAX: usize = 255;

/// A distinguished name that has the user name in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinguishedName(String);

impl DistinguishedName {
    /// Reads one such as `uid={username},ou=people,dc=example,dc=org`.
    ///
    /// # Errors
    ///
    /// [`NotOne`] where it is none, or has `{username}` in no value.
    pub fn parse(text: &str) -> Result<Self, NotOne> {
        if text.len() > TEXT_MAX || text.chars().any(char::is_control) {
            return Err(NotOne("a name has at most 1024 bytes, without line feeds"));
        }
        let mut has_name = false;
        for part in parts(text) {
            let wrong = NotOne("a name has parts such as uid={username} or dc=example, with commas between them");
            let (attribute, value) = part.split_once('=').ok_or(wrong)?;
            if !is_attribute(attribute.trim()) || value.is_empty() {
                return Err(wrong);
            }
            has_name |= value.contains(USERNAME);
        }
        if has_name { Ok(Self(text.to_owned())) } else { Err(NotOne("the name has {username} nowhere")) }
    }

    /// The name of this user.
    pub(crate) fn of(&self, username: &str) -> String {
        self.0.replace(USERNAME, &escaped(username))
    }
}

/// Parts between commas and plus signs that are not escaped.
fn parts(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut is_escaped) = (Vec::new(), 0, false);
    for (place, byte) in text.bytes().enumerate() {
        if !is_escaped && matches!(byte, b',' | b'+') {
            found.push(&text[start..place]);
            start = place + 1;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    found.push(&text[start..]);
    found
}

/// A value as hexadecimal pairs but for what cannot have a meaning (RFC 4514, 2.4 and 3).
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._@".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing into a string never fails.
            let _written = write!(text, "\\{byte:02x}");
        }
    }
    text
}

/// Whether it is an attribute description (RFC 4512, 2.5): a name or numbers, perhaps with options.
pub(crate) fn is_attribute(text: &str) -> bool {
    let is_of_one = |byte: u8| byte.is_ascii_alphanumeric() || b"-.;".contains(&byte);
    text.bytes().all(is_of_one) && text.starts_with(|first: char| first.is_ascii_alphanumeric())
}

/// Refuses user names that a directory could take for another one: it passes over blanks at the ends, repeated ones, and
/// characters that are not seen, and composes what is not composed (RFC 4518, 2.2, 2.3 and 2.6).
///
/// # Errors
///
/// [`NotOne`] with what a name has.
pub fn check_username(name: &str) -> Result<(), NotOne> {
    let is_of_one = |c: char| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ';
    let is_plain = name.chars().all(is_of_one) && !name.contains("  ") && name.trim() == name;
    if is_plain && name.nfkc().eq(name.chars()) && !name.is_empty() && name.chars().count() <= USERNAME_MAX {
        return Ok(());
    }
    Err(NotOne("a user name has 1 to 255 letters, digits and signs of ASCII, and single blanks between them"))
}

/// What is one name to a directory: without letter case, and without what stands on letters, which Active Directory does not
/// tell apart.
#[must_use]
pub fn counted_username(name: &str) -> String {
    let bare = name.nfkd().filter(|c| !is_combining_mark(*c));
    bare.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_value_whatever_it_has() {
        let people = DistinguishedName::parse("uid={username},ou=people,dc=example,dc=org").unwrap();
        assert_eq!(people.of("ann"), "uid=ann,ou=people,dc=example,dc=org");
        assert_eq!(people.of("ann.b@example-x.org"), "uid=ann.b@example-x.org,ou=people,dc=example,dc=org");
        for (name, value) in [
            ("ann,ou=admins", "ann\\2cou\\3dadmins"),
            ("a+cn=b", "a\\2bcn\\3db"),
            ("a\\", "a\\5c"),
            ("#0403", "\\230403"),
            ("a b", "a\\20b"),
            ("\"a\";<>", "\\22a\\22\\3b\\3c\\3e"),
            ("\u{e4}", "\\c3\\a4"),
            ("{username}", "\\7busername\\7d"),
        ] {
            assert_eq!(people.of(name), format!("uid={value},ou=people,dc=example,dc=org"), "{name}");
        }
        let twice = DistinguishedName::parse("cn={username}+uid={username},o=a\\,b").unwrap();
        assert_eq!(twice.of("n"), "cn=n+uid=n,o=a\\,b");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let long = format!("uid={{username}},ou={}", "x".repeat(TEXT_MAX));
        for wrong in [
            "",
            "{username}",
            "{username}@example.org",
            "uid=ann,dc=org",
            "uid={username},",
            "uid={username},people",
            "{username}=x,dc=org",
            "uid={username}\n,dc=org",
            "uid={username},ou=",
            &long,
        ] {
            assert!(DistinguishedName::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_two_spellings_are_one_name() {
        for good in ["ann", "Ann Lee", "ann.lee+x@example.org", "M\u{fc}ller", "\u{674e}", "o'neil", "(a)*"] {
            check_username(good).unwrap();
        }
        let long = "x".repeat(USERNAME_MAX + 1);
        for wrong in [
            "",
            " ann",
            "ann ",
            "a  b",
            "a\u{ad}nn",
            "ann\u{200b}",
            "ann\0",
            "a\nb",
            "a\tb",
            "ann\u{301}",
            "a\u{a0}b",
            "\u{ff41}nn",
            &long,
        ] {
            assert!(check_username(wrong).is_err(), "{wrong:?}");
        }
        for (one, other) in [("Ann", "ANN"), ("stra\u{df}e", "STRASSE"), ("\u{e4}nn", "ann"), ("\u{3c2}", "\u{3a3}")] {
            assert_eq!(counted_username(one), counted_username(other));
        }
        assert_ne!(counted_username("ann"), counted_username("an n"));
    }
}
