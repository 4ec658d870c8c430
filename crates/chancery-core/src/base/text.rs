//! Names and notes: the texts that people give to objects and decisions; and texts within addresses.

use chancery_types::hides;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use unicode_normalization::UnicodeNormalization;

use crate::{Error, Limits, Result};

/// All but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as part of an address, or as a value of a form.
pub(crate) fn percent_encoded(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, RESERVED)
}

/// Checks a new name: as one that is stored, and without blanks at its ends, with which it would look like another one.
pub(crate) fn check_name(field: &str, name: &str, limits: &Limits) -> Result<()> {
    check_stored_name(field, name, limits)?;
    if name.starts_with(char::is_whitespace) || name.ends_with(char::is_whitespace) {
        let message = "A name does not begin or end with a blank: with and without it, it would look the same.";
        return Err(Error::value(field, message));
    }
    Ok(())
}

/// Checks the name that an object shall have. The one that it has may be written back, also where it is of a release that took
/// blanks at its ends.
pub(crate) fn check_renamed(field: &str, name: &str, was: &str, limits: &Limits) -> Result<()> {
    if name == was { Ok(()) } else { check_name(field, name, limits) }
}

/// Checks the new name of somebody who acts, or of what lets them act: it is not written like another one.
pub(crate) fn check_own_name(field: &str, name: &str, limits: &Limits) -> Result<()> {
    check_name(field, name, limits)?;
    let plain: String = name.nfkc().collect();
    if plain != name || name.contains("  ") {
        let plain = plain.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        let message = format!(
            "An identity or role has no name that looks like another one but is written otherwise (Unicode's form NFKC, single \
             blanks): {plain}."
        );
        return Err(Error::value(field, message));
    }
    Ok(())
}

/// [`check_renamed`] for these.
pub(crate) fn check_own_name_anew(field: &str, name: &str, was: &str, limits: &Limits) -> Result<()> {
    if name == was { Ok(()) } else { check_own_name(field, name, limits) }
}

/// Checks a name as it may be stored: 1 to 255 characters, all of which can be seen.
pub(crate) fn check_stored_name(field: &str, name: &str, limits: &Limits) -> Result<()> {
    let length = name.chars().count();
    if length == 0 || length > limits.name_max {
        return Err(Error::value(field, format!("A name has 1 to {} characters.", limits.name_max)));
    }
    if let Some(position) = name.chars().position(hides) {
        let message = format!(
            "The character at position {position} (from 0) cannot be seen, or turns those beside it round: a name has no \
             control, format and zero-width characters."
        );
        return Err(Error::value(field, message));
    }
    Ok(())
}

/// What two names have in common that differ in letter case or in how accents are written only: file systems take them
/// for one, and so do people.
#[must_use]
pub fn folded(name: &str) -> String {
    // Lower first: the capital sharp s (U+1E9E) is its own upper case, and its lower case is written SS.
    let lower = name.nfkc().flat_map(char::to_lowercase);
    lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
}

/// Checks a text that people read before they decide: nothing in it makes it look like another one. Tabs and line feeds are
/// no harm.
pub(crate) fn check_shown(field: &str, text: &str) -> Result<()> {
    if text.chars().any(|character| hides(character) && !matches!(character, '\n' | '\t')) {
        let why = "Control characters (but tabs and line feeds), and characters without a width or that turn the \
                   direction of a text, are not taken.";
        return Err(Error::value(field, why));
    }
    Ok(())
}

/// Checks a note: at most 4 KiB of text without NUL, which PostgreSQL cannot keep.
pub(crate) fn check_note(field: &str, note: &str, limits: &Limits) -> Result<()> {
    if note.len() > limits.note_max {
        return Err(Error::too_large(field, format!("A note has at most {} bytes.", limits.note_max)));
    }
    if note.contains('\0') {
        return Err(Error::value(field, "A note has no NUL character."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_what_it_looks_like() {
        let check = |name: &str| check_name("/name", name, &Limits::default());
        for good in ["setup.exe", "Größe", "مرحبا", "ファイル", "a b", "naïve"] {
            assert!(check(good).is_ok(), "{good:?}");
        }
        for (bad, position) in [
            ("a\u{7}", "position 1"),
            ("gpj.\u{202e}exe", "position 4"),
            ("set\u{200b}up.exe", "position 3"),
            ("\u{feff}x", "position 0"),
            ("a\u{2066}b", "position 1"),
            ("a\u{e0041}", "position 1"),
            ("soft\u{ad}hyphen", "position 4"),
            ("two\u{2028}lines", "position 3"),
            ("\u{2800}", "position 0"),
        ] {
            let refusal = check(bad).unwrap_err();
            assert_eq!(refusal.field(), Some("/name"));
            assert!(refusal.message().contains(position), "{bad:?}: {refusal}");
        }
    }

    #[test]
    fn a_new_name_has_no_blanks_at_its_ends() {
        let limits = Limits::default();
        for blank in [' ', '\u{a0}', '\u{1680}', '\u{2003}', '\u{202f}', '\u{205f}', '\u{3000}'] {
            for bad in [format!("{blank}x"), format!("x{blank}"), blank.to_string()] {
                let refusal = check_name("/name", &bad, &limits).unwrap_err();
                assert_eq!(refusal.field(), Some("/name"));
                assert!(refusal.message().contains("begin or end with a blank"), "{bad:?}: {refusal}");
                check_stored_name("/name", &bad, &limits).unwrap();
                check_renamed("/name", &bad, &bad, &limits).unwrap();
                check_renamed("/name", &bad, "x", &limits).unwrap_err();
            }
            check_name("/name", &format!("x{blank}y"), &limits).unwrap();
        }
    }

    #[test]
    fn letter_case_and_spelling_make_no_other_name() {
        for (one, two) in [
            ("Setup.EXE", "setup.exe"),
            ("STRASSE", "straße"),
            ("STRASSE", "STRA\u{1e9e}E"),
            ("straße", "stra\u{1e9e}e"),
            ("ΟΔΟΣ", "οδος"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("ﬁle", "file"),
            ("K", "\u{212a}"),
        ] {
            assert_eq!(folded(one), folded(two), "{one:?} {two:?}");
        }
        assert_ne!(folded("a.exe"), folded("b.exe"));
    }
}
