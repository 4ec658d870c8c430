//! Texts from elsewhere on a terminal, and in lines that people copy to a shell.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

use crate::hides;

/// A text as it is shown to a person: what would move the cursor, change the colour, turn the direction of writing or be
/// invisible is written as an escape, so that no name can pretend to be a line of ours.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| {
            if hides(character) { write!(f, "{}", character.escape_unicode()) } else { f.write_char(character) }
        })
    }
}

/// A text as one word of a shell's line, in single quotes where it needs them: a line that is offered to be copied does with
/// any name what it says.
#[must_use]
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_@%+=:,./-".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_deceives_is_escaped_and_nothing_else() {
        for plain in ["CN=Example GmbH, O=Überall", "発行者", "a\\u{1b}"] {
            assert_eq!(Shown(plain).to_string(), plain);
        }
        for (text, shown) in [
            ("a\nverified", "a\\u{a}verified"),
            ("\u{1b}[2Kverified\r", "\\u{1b}[2Kverified\\u{d}"),
            ("\u{9b}1A\u{202e}fdp\u{200b}", "\\u{9b}1A\\u{202e}fdp\\u{200b}"),
            ("\u{e0041}\u{feff}", "\\u{e0041}\\u{feff}"),
        ] {
            assert_eq!(Shown(text).to_string(), shown);
        }
    }

    #[test]
    fn a_word_of_a_shell_is_one_word() {
        for (text, word) in [
            ("tool.bin", "tool.bin"),
            ("", "''"),
            ("a tool", "'a tool'"),
            ("q; touch x", "'q; touch x'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("ü.exe", "'ü.exe'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }
}
