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

/// A name among other words: in double quotes where it could be taken for more than one name, for a part of the line, or for
/// another name. What is no letter of a script that has no look-alikes of others', no digit and none of a few signs is reason
/// enough, and so are two scripts in one name: quotes harm nobody.
#[derive(Clone, Copy, Debug)]
pub struct ShownName<'a>(pub &'a str);

/// Words that stand between names.
const BETWEEN_NAMES: [&str; 3] = ["and", "or", "+"];

impl ShownName<'_> {
    /// Words with one blank between them, none of which is one that joins names.
    fn is_plain(self) -> bool {
        let is_neutral = |character: char| character.is_ascii_digit() || "._-@/:#+".contains(character);
        let is_of = |script: fn(char) -> bool| self.0.chars().all(|one| one == ' ' || is_neutral(one) || script(one));
        let joins = |word: &str| BETWEEN_NAMES.iter().any(|between| word.eq_ignore_ascii_case(between));
        // An empty word is a blank at an end, or two that look like the gap between columns.
        let are_words = self.0.split(' ').all(|word| !word.is_empty() && !joins(word));
        are_words && (is_of(is_latin) || is_of(is_east_asian))
    }
}

/// Latin letters, with the marks that they have in Europe; none of its letters for phonetics, of which some look like signs.
fn is_latin(character: char) -> bool {
    character.is_alphabetic() && matches!(character, '\0'..='\u{17f}' | '\u{1e00}'..='\u{1eff}')
}

/// Kana, the common ideographs, and the syllables of Hangul.
fn is_east_asian(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

impl fmt::Display for ShownName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str(self.0);
        }
        f.write_char('"')?;
        self.0.chars().try_for_each(|character| match character {
            '"' | '\\' => write!(f, "\\{character}"),
            hidden if hides(hidden) => write!(f, "{}", hidden.escape_unicode()),
            other => f.write_char(other),
        })?;
        f.write_char('"')
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
    fn one_name_never_looks_like_two() {
        for plain in
            ["Admin1", "Release Manager", "alice+test@example.org", "Größe", "発行者", "Andrea", "build-7/x:#1"]
        {
            assert_eq!(ShownName(plain).to_string(), plain);
        }
        for (name, shown) in [
            ("Admin1, Admin2", "\"Admin1, Admin2\""),
            ("Admin1 and Admin2", "\"Admin1 and Admin2\""),
            ("Admin1 AND Admin2", "\"Admin1 AND Admin2\""),
            ("Approver1 + Admin2", "\"Approver1 + Admin2\""),
            ("a or b", "\"a or b\""),
            ("Admin1 ", "\"Admin1 \""),
            (" Admin1", "\" Admin1\""),
            ("Admin1  Admin2", "\"Admin1  Admin2\""),
            ("Admin1\u{a0}and\u{a0}Admin2", "\"Admin1\u{a0}and\u{a0}Admin2\""),
            ("Admin1\u{ff0c} Admin2", "\"Admin1\u{ff0c} Admin2\""),
            ("Admin1\u{a4f9} Admin2", "\"Admin1\u{a4f9} Admin2\""),
            ("Admin1\u{2cf} Admin2", "\"Admin1\u{2cf} Admin2\""),
            ("Admin1 \u{430}nd Admin2", "\"Admin1 \u{430}nd Admin2\""),
            ("Adm\u{456}n1", "\"Adm\u{456}n1\""),
            ("A\u{301}\u{301}", "\"A\u{301}\u{301}\""),
            ("Admin1\u{4e36}Admin2", "\"Admin1\u{4e36}Admin2\""),
            ("Admin1 (Person)", "\"Admin1 (Person)\""),
            ("a\" and \"b", r#""a\" and \"b""#),
            ("a\\", r#""a\\""#),
            ("a\u{202e}b", r#""a\u{202e}b""#),
            ("", "\"\""),
        ] {
            assert_eq!(ShownName(name).to_string(), shown);
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
