//! Texts from elsewhere on a terminal.

use std::path::Path;

pub(crate) use chancery_types::{Shown, ShownName, shell_word};
use chancery_types::{hides, wire::ObjInfo};

/// Those who act together, each as one.
pub(crate) fn together<T>(identities: &[ObjInfo<T>]) -> String {
    names(identities.iter().map(|one| one.name.as_str()), " and ")
}

/// Names in a line, so that none of them can be taken for two.
pub(crate) fn names<'a>(names: impl IntoIterator<Item = &'a str>, between: &str) -> String {
    names.into_iter().map(|name| ShownName(name).to_string()).collect::<Vec<_>>().join(between)
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

/// A path as one word of a shell's line.
pub(crate) fn path_word(path: &Path) -> String {
    shell_word(&path.display().to_string()).into_owned()
}
