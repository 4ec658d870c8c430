//! How commands end that talk to a server: the exit code, and what to do next. docs/COMMANDS.md has the same table, and a
//! test compares them.

use std::{error::Error, fmt};

use chancery_client::ClientError;
use chancery_core::{Clock, rfc3339};
use chancery_types::ErrorCode;

use crate::{
    failure::{Failure, describe},
    output,
    shown::Shown,
};

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,
    NotLoggedIn = 3,
    Unreachable = 4,
    Refused = 5,
    Denied = 6,
    Expired = 7,
    Waiting = 8,
    RowsRefused = 9,
    OtherLog = 10,
    HookFailed = 11,
}

impl Exit {
    /// What each of them says.
    pub(crate) const TABLE: [(Self, &'static str); 12] = [
        (Self::Done, "done; for sign: signed and verified"),
        (Self::Failed, "failed: a file could not be read or written, a signature is not good, or a server's fault"),
        (Self::Usage, "the command line is wrong, or what it names is not there or ambiguous"),
        (Self::NotLoggedIn, "nobody is logged in, only half, or not any more"),
        (Self::Unreachable, "the server could not be reached, or is not the one that --ca vouches for"),
        (Self::Refused, "the server refused it: a permission, a rule, a state"),
        (Self::Denied, "people denied the request, or it was taken back"),
        (Self::Expired, "the request's time to wait for approvals is over"),
        (Self::Waiting, "not signed or issued yet: it waits for approvals, and goes on doing so"),
        (Self::RowsRefused, "tokenize, detokenize: done, but for rows that were refused: the file of rejects has them"),
        (Self::OtherLog, "log watch: the log is signed with another key than the one that was kept or given"),
        (Self::HookFailed, "cert renew: the certificate is renewed, but the hook failed"),
    ];

    pub(crate) const fn code(self) -> u8 {
        self as u8
    }
}

/// The table for `--help`.
pub(crate) fn help() -> String {
    let lines = Exit::TABLE.iter().map(|(exit, says)| format!("\n  {}  {says}", exit.code()));
    format!("Exit codes of commands that talk to a server:{}", lines.collect::<String>())
}

/// A failure that knows how the command ends.
#[derive(Debug)]
pub(crate) struct Told {
    exit: Exit,
    message: String,
    next: Option<String>,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Told {}

/// A failure with its end.
pub(crate) fn told(exit: Exit, message: impl Into<String>) -> Failure {
    Told { exit, message: message.into(), next: None }.into()
}

/// A failure with its end, and what to do next.
pub(crate) fn told_with(exit: Exit, message: impl Into<String>, next: impl Into<String>) -> Failure {
    Told { exit, message: message.into(), next: Some(next.into()) }.into()
}

/// What was asked for in a wrong way.
pub(crate) fn usage(message: impl Into<String>) -> Failure {
    told(Exit::Usage, message)
}

/// What failed because of what was asked for.
pub(crate) fn as_usage(failure: &Failure) -> Failure {
    usage(describe(failure.as_ref()))
}

/// The same failure with another end.
pub(crate) fn ends_with(exit: Exit, failure: &Failure) -> Failure {
    Told { exit, message: describe(failure.as_ref()), next: next_of(failure) }.into()
}

/// How a failure ends the command.
pub(crate) fn exit_of(failure: &Failure) -> Exit {
    causes(failure)
        .find_map(|cause| {
            if let Some(told) = cause.downcast_ref::<Told>() {
                return Some(told.exit);
            }
            cause.downcast_ref::<ClientError>().map(exit_of_call)
        })
        .unwrap_or(Exit::Failed)
}

/// Whether to ask again: nobody answered, or somebody who cannot just now.
pub(crate) fn passes(failure: &Failure) -> bool {
    causes(failure).any(|cause| cause.downcast_ref().is_some_and(ClientError::passes))
}

/// What the person may do about it.
pub(crate) fn next_of(failure: &Failure) -> Option<String> {
    causes(failure).find_map(|cause| {
        if let Some(told) = cause.downcast_ref::<Told>() {
            return told.next.clone();
        }
        cause.downcast_ref::<ClientError>().and_then(next_after_call)
    })
}

/// Tells what went wrong, and what to do next.
pub(crate) fn tell(failure: &Failure) {
    output::note(format_args!("chancery: {}", describe(failure.as_ref())));
    for line in next_of(failure).iter().flat_map(|next| next.split('\n')) {
        output::note(format_args!("  {}", Shown(line)));
    }
}

fn exit_of_call(error: &ClientError) -> Exit {
    match error {
        ClientError::Transport(_) => Exit::Unreachable,
        ClientError::Authority(_) | ClientError::Certificate(_) | ClientError::NotSent(_) => Exit::Usage,
        ClientError::Unexpected { .. } => Exit::Failed,
        refused if refused.wants_login() => Exit::NotLoggedIn,
        // The server's fault, or its database's.
        ClientError::Refused { status: 500.., .. } | ClientError::NotLoggedIn { status: 500.., .. } => Exit::Failed,
        ClientError::NotLoggedIn { .. } | ClientError::Refused { .. } => Exit::Refused,
    }
}

fn next_after_call(error: &ClientError) -> Option<String> {
    Some(match error {
        ClientError::Transport(error) => unreached(&error.to_string(), rfc3339(Clock::System.now_ms().div_euclid(1_000))),
        ClientError::Authority(_) => "Give --ca a PEM file, such as chancery-data/tls/ca.pem of the server.".to_owned(),
        ClientError::Certificate(_) => {
            "Give --client-cert the certificate and what stands between it and its authority, PEM, and --client-key its key \
             without a passphrase."
                .to_owned()
        }
        ClientError::NotSent(_) => "Nothing was sent. A key stands in the file of --api-key-file or CHANCERY_API_KEY_FILE, or in CHANCERY_API_KEY."
            .to_owned(),
        ClientError::NotLoggedIn { status: 429, .. } => "Wait a minute, then log in again.".to_owned(),
        off if off.error_code() == Some(ErrorCode::ApiAccessDisabled) => {
            "On the server's host: chancery settings --api-access on".to_owned()
        }
        ClientError::NotLoggedIn { status: 500.., .. } => "It is not the login that is at fault. Try again in a moment.".to_owned(),
        refused @ ClientError::NotLoggedIn { .. } if !refused.wants_login() => return None,
        ClientError::NotLoggedIn { .. } => {
            "Check name, password and one-time code, or the API key, and log in: chancery login. Whose roles all demand a passkey \
             logs in at the console."
                .to_owned()
        },
        ClientError::Refused { error_code: ErrorCode::InvalidAuthToken, .. } => {
            "The login has ended: it was not used for long, or as old as one may be. Log in again: chancery login; chancery \
             whoami says when that one ends."
                .to_owned()
        }
        ClientError::Refused { retry_after: Some(wait), .. } => format!("Try again in {}.", output::counted(wait.as_secs(), "second")),
        ClientError::Refused { error_code: ErrorCode::NotAuthorized, .. } => {
            "Unless the message says what is missing, somebody with another role has to do it; chancery whoami shows what yours may."
                .to_owned()
        }
        ClientError::Unexpected { .. } => {
            "Is it a Chancery server that answers there? Its address is https://HOST:PORT, without a path: chancery status"
                .to_owned()
        }
        ClientError::Refused { .. } => return None,
    })
}

/// What to do where no answer came. The TLS library tells by its words alone why it does not take a certificate.
fn unreached(why: &str, now: impl fmt::Display) -> String {
    let has = |word: &str| why.contains(word);
    if has("certificate not valid yet") {
        format!(
            "This machine's clock says {now}, which is before the server's certificate begins. Which of the two is wrong?"
        )
    } else if has("certificate expired") {
        format!(
            "This machine's clock says {now}. If that is right, the server needs a new certificate: its operator has to \
             renew it."
        )
    } else if has("UnknownIssuer") {
        "Its certificate is not of an authority that --ca names. If it now has another one, get that from its operator and \
         log in again with --ca."
            .to_owned()
    } else {
        "Is the address right (chancery status), and is the server running?".to_owned()
    }
}

fn causes(failure: &Failure) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = failure.as_ref();
    std::iter::successors(Some(first), |cause: &&(dyn Error + 'static)| {
        let cause: &(dyn Error + 'static) = *cause;
        cause.source()
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustls::pki_types::UnixTime;

    use super::*;
    use crate::failure::While as _;

    #[test]
    fn the_document_has_the_table() {
        let document = include_str!("../../../../docs/COMMANDS.md");
        for (exit, says) in Exit::TABLE {
            assert!(document.contains(&format!("| {} | {says} |", exit.code())), "{exit:?}: {says}");
        }
    }

    #[test]
    fn each_way_not_to_take_a_certificate_has_its_own_advice() {
        use rustls::CertificateError;
        let advice = |why: CertificateError| {
            unreached(&rustls::Error::InvalidCertificate(why).to_string(), "2026-01-31T00:00:00Z")
        };
        let (time, not_before) = (UnixTime::now(), UnixTime::since_unix_epoch(Duration::from_secs(1 << 33)));
        let early = advice(CertificateError::NotValidYetContext { time, not_before });
        assert!(early.contains("clock says 2026-01-31T00:00:00Z") && early.contains("before"), "{early}");
        let late = advice(CertificateError::ExpiredContext { time, not_after: time });
        assert!(late.contains("clock says") && late.contains("new certificate"), "{late}");
        assert!(advice(CertificateError::UnknownIssuer).contains("--ca"));
    }

    #[test]
    fn an_end_is_found_below_what_was_being_done() {
        let failed: Result<(), _> = Err(told_with(Exit::Denied, "denied", "ask"));
        let failure = failed.doing("signing").unwrap_err();
        assert_eq!((exit_of(&failure), next_of(&failure).as_deref()), (Exit::Denied, Some("ask")));
        let unreachable: Failure =
            ClientError::NotLoggedIn { status: 401, message: String::new(), error_code: None }.into();
        assert_eq!(exit_of(&unreachable), Exit::NotLoggedIn);
        assert_eq!(exit_of(&"anything".into()), Exit::Failed);
    }
}
