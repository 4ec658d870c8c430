//! Texts from elsewhere on a terminal.

use std::path::Path;

use chancery_types::hides;
pub(crate) use chancery_types::{Shown, shell_word};

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

/// A path as one word of a shell's line.
pub(crate) fn path_word(path: &Path) -> String {
    shell_word(&path.display().to_string()).into_owned()
}
