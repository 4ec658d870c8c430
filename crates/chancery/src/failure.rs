//! Why a command failed, for the person who ran it.

use std::{error::Error, sync::OnceLock};

use crate::shown::Shown;

/// What a cause says to whoever typed the command, where that is not what it says by itself.
static WORDS: OnceLock<fn(&(dyn Error + 'static)) -> String> = OnceLock::new();

/// Has causes told in other words from now on.
pub(crate) fn tell_in(words: fn(&(dyn Error + 'static)) -> String) {
    // The first who says so stays the one: a process runs one command.
    let _first = WORDS.set(words);
}

fn in_words(cause: &(dyn Error + 'static)) -> String {
    WORDS.get().map_or_else(|| cause.to_string(), |words| words(cause))
}

/// Why a command failed. The cause stays attached; [`describe`] says it all.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// A failure with a word on what was being done.
#[derive(Debug)]
struct Doing {
    what: String,
    cause: Failure,
}

impl std::fmt::Display for Doing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for Doing {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.cause.as_ref())
    }
}

/// Says what was being done when something failed.
pub(crate) trait While<T> {
    /// For example `"--listen 127.0.0.1:8443"`.
    fn doing(self, what: impl Into<String>) -> Result<T, Failure>;
}

impl<T, E: Into<Failure>> While<T> for Result<T, E> {
    fn doing(self, what: impl Into<String>) -> Result<T, Failure> {
        self.map_err(|cause| Doing { what: what.into(), cause: cause.into() }.into())
    }
}

/// The failure and its causes, from the outside in, for a terminal.
pub(crate) fn describe(failure: &(dyn Error + 'static)) -> String {
    let mut words = vec![in_words(failure)];
    let mut cause = failure.source();
    while let Some(failure) = cause {
        let (last, word) = (words.len() - 1, in_words(failure));
        if words[last].ends_with('.') {
            words[last].pop();
        }
        words.push(word);
        cause = failure.source();
    }
    words.dedup();
    Shown(&words.join(": ")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_from_the_outside_in() {
        let failed: Result<(), _> = Err("address in use");
        let failure = failed.doing("--listen 127.0.0.1:1").doing("starting").unwrap_err();
        assert_eq!(describe(failure.as_ref()), "starting: --listen 127.0.0.1:1: address in use");
    }
}
