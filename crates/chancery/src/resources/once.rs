//! Secrets of API keys, which a server answers this once.

use std::{
    io::{self, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use chancery_client::{Destination, Readers};
use chancery_types::wire::api_keys::API_KEY_LEN;

use super::{names::Names, show};
use crate::{
    client::{
        connection::{Answer, Connection, Output},
        exit::{Exit, told_with},
    },
    destination::{self, NOT_ASKED},
    failure::{Failure, While as _},
    output,
    shown::{Shown, shell_word},
};

/// Bytes of a secret and its line end, for which there is room before it is made.
const SECRET_LEN: usize = API_KEY_LEN + 1;

/// Whose secret is made: the identity and its key, as they are called.
#[derive(Clone, Copy)]
pub(crate) struct Whose<'a> {
    pub(crate) identity: &'a str,
    pub(crate) key: &'a str,
    /// Whether a secret of before goes on, which another rotation ends.
    pub(crate) goes_on: bool,
}

impl Whose<'_> {
    /// What to do where the secret is made, and nobody has it.
    fn lost(self) -> String {
        let (identity, key) = (shell_word(self.identity), shell_word(self.key));
        let (ends, yes) =
            if self.goes_on { (", which ends the one of before at once", " --yes") } else { Default::default() };
        format!(
            "The secret is made, and lost. Make another one{ends}:\n\
             chancery identity api-key rotate {identity} {key} --overlap 0s{yes}"
        )
    }
}

/// Has a secret made and shows it, or writes it where nobody else reads it and shows the rest. The file is there, and has
/// room, before anything is asked of the server: a secret that could not be written down would be lost.
pub(crate) fn told_once(
    connection: &Connection,
    whose: Whose<'_>,
    out: Option<&Path>,
    make: impl FnOnce() -> Result<Answer, Failure>,
) -> Result<(), Failure> {
    match out {
        Some(path) => written(connection, whose, path, make),
        None => shown(connection, whose, make),
    }
}

fn unread(next: impl Into<String>) -> Failure {
    told_with(Exit::Failed, "standard output: nobody reads it, and the secret is shown there", next)
}

fn shown(
    connection: &Connection,
    whose: Whose<'_>,
    make: impl FnOnce() -> Result<Answer, Failure>,
) -> Result<(), Failure> {
    if !output::is_read(&Destination::Standard)? {
        return Err(unread(NOT_ASKED));
    }
    let mut answer = make()?;
    answer.tell_warnings();
    let told = match connection.output {
        Output::Json => answer.print(),
        Output::Table => show::details(&answer.response, &Names::new(connection)),
    };
    told.map_err(|failure| told_with(Exit::Failed, failure.to_string(), whose.lost()))?;
    if output::was_read() { Ok(()) } else { Err(unread(whose.lost())) }
}

fn written(
    connection: &Connection,
    whose: Whose<'_>,
    path: &Path,
    make: impl FnOnce() -> Result<Answer, Failure>,
) -> Result<(), Failure> {
    let destination = destination::find("--out", path)?;
    if !output::is_read(&destination).doing(format!("--out {}", path.display()))? {
        if destination == Destination::Standard {
            return Err(unread(NOT_ASKED));
        }
        let message = format!("--out {}: nobody reads it, and the secret is shown this once", path.display());
        return Err(told_with(Exit::Failed, message, NOT_ASKED));
    }
    let mut rest = None;
    let written = destination.fill_for(Readers::Owner, |file| {
        file.write_all(&[b'\n'; SECRET_LEN])?;
        file.sync_all()?;
        let mut answer = make()?;
        answer.tell_warnings();
        let secret = answer.response.as_object_mut().and_then(|members| members.remove("apiKey")).unwrap_or_default();
        let secret = secret.as_str().ok_or("the server answered no secret")?;
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        rest = Some(answer);
        Ok(writeln!(file, "{secret}")?)
    });
    written.map_err(|failure: Failure| not_written(path, failure, rest.is_some().then_some(whose)))?;
    let shown = path.display().to_string();
    output::note(format_args!("chancery: {}: the secret of the API key", Shown(&shown)));
    if destination == Destination::Standard {
        return Ok(());
    }
    let rest = rest.ok_or("the server answered no secret")?;
    match connection.output {
        Output::Json => rest.print_without("apiKey"),
        Output::Table => show::details(&rest.response, &Names::new(connection)),
    }
}

/// Why there is no file with the secret, and what to do where there is a secret.
fn not_written(path: &Path, failure: Failure, made: Option<Whose<'_>>) -> Failure {
    match failure.downcast::<io::Error>() {
        Ok(error) => {
            let next = made.map_or_else(|| NOT_ASKED.to_owned(), Whose::lost);
            told_with(Exit::Failed, format!("--out {}: {error}", path.display()), next)
        }
        Err(failure) => failure,
    }
}
