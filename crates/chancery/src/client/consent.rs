//! Before what is decided, or cannot be undone: whoever is there is asked, and where nobody is, the command line has to say it.

use super::{
    exit::{Exit, told, told_with},
    inputs::{ask, somebody_is_there},
};
use crate::failure::Failure;

/// Asks at the terminal for the word of what is done. `look` is what to do first where nobody can be asked.
pub(crate) fn asked(word: &str, look: &str) -> Result<(), Failure> {
    asked_or(word, &format!("{look}, then repeat the command with --yes."))
}

/// The same, where something else than `--yes` is to be said.
pub(crate) fn asked_or(word: &str, next: &str) -> Result<(), Failure> {
    if !somebody_is_there() {
        return Err(told_with(Exit::Usage, format!("nobody is there to ask whether to {word} it"), next));
    }
    if ask(&format!("Type {word} to {word} this: "))? == word {
        return Ok(());
    }
    Err(told(Exit::Usage, "nothing was done"))
}
