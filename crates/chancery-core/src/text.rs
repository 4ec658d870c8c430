//! Names and notes: the texts that people give to objects and decisions.

use crate::{Error, Limits, Result};

/// Checks a name: 1 to 255 characters, without control characters.
pub(crate) fn check_name(field: &str, name: &str, limits: &Limits) -> Result<()> {
    let length = name.chars().count();
    if length == 0 || length > limits.name_max {
        return Err(Error::value(field, format!("A name has 1 to {} characters.", limits.name_max)));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::value(field, "A name has no control characters."));
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
