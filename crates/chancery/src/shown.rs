//! Texts from elsewhere on a terminal.

use std::{
    fmt::{self, Write},
    path::Path,
};

use chancery_types::hides;

/// A text as it is shown to a person: what would move the cursor, change the colour, turn the direction of writing or be
/// invisible is written as an escape, so that no name can pretend to be a line of ours.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| {
            if hides(character) { write!(f, "{}", character.escape_unicode()) } else { f.write_char(character) }
        })
    }
}

/// JSON as it is shown: what turns the direction of writing or is invisible stands as an escape, as JSON has them, so that no
/// value looks like another.
pub(crate) fn escaped_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if hides(character) {
            let units =
                character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            shown.push_str(&units);
        } else {
            shown.push(character);
        }
    }
    shown
}

/// What stands for a path between the single quotes of a shell's line.
pub(crate) fn in_quotes(path: &Path) -> String {
    path.display().to_string().replace('\'', r"'\''")
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
}
