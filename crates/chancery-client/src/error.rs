//! Why a call did not give what was asked for.

use std::time::Duration;

use chancery_types::{ErrorCode, wire::ErrorResponse};

/// Why a call did not give what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server could not be reached, or is not the one that the certificate authority vouches for.
    #[error("{}", unreached(.0))]
    Transport(Box<ureq::Error>),
    /// The server refused the call.
    #[error("{}{} ({error_code}, status {status}, request {})", at(.response), .response.message, .response.request_id)]
    Refused {
        /// HTTP status.
        status: u16,
        /// The reason as a word.
        error_code: ErrorCode,
        /// The reason as a sentence, and the member at fault.
        response: Box<ErrorResponse>,
        /// When to try again, where the server said so.
        retry_after: Option<Duration>,
    },
    /// The server refused a login or a token.
    #[error("{message} (status {status})")]
    NotLoggedIn {
        /// HTTP status.
        status: u16,
        /// The reason as a sentence.
        message: String,
        /// The reason as a word, where it is another than that nobody is logged in.
        error_code: Option<ErrorCode>,
    },
    /// The answer is not as the interface describes it.
    #[error("the answer (status {status}) is not as described: {why}")]
    Unexpected {
        /// HTTP status.
        status: u16,
        /// What is wrong with it.
        why: String,
    },
    /// The certificate authority's certificate cannot be read.
    #[error("the certificate authority's certificate cannot be read: {0}")]
    Authority(String),
    /// The certificate by which the client is to log in, or its key, cannot be read.
    #[error("the client certificate and its key do not serve: {0}")]
    Certificate(String),
    /// What was given cannot be meant, and was not sent.
    #[error("{0}")]
    NotSent(&'static str),
}

impl ClientError {
    /// The reason as a word, where the server gave one.
    #[must_use]
    pub const fn error_code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused { error_code, .. } => Some(*error_code),
            Self::NotLoggedIn { error_code, .. } => *error_code,
            Self::Transport(_)
            | Self::Unexpected { .. }
            | Self::Authority(_)
            | Self::Certificate(_)
            | Self::NotSent(_) => None,
        }
    }

    /// Whether nobody is logged in any more, or not yet: a new login may help.
    #[must_use]
    pub fn wants_login(&self) -> bool {
        matches!(self, Self::NotLoggedIn { error_code: None, status: 401 | 403, .. })
            || self.error_code() == Some(ErrorCode::InvalidAuthToken)
    }

    /// Whether to ask again later: nobody answered, or somebody who cannot just now, such as a balancer without a server.
    #[must_use]
    pub const fn passes(&self) -> bool {
        match self {
            Self::Transport(_) => true,
            Self::Refused { status, .. } | Self::NotLoggedIn { status, .. } | Self::Unexpected { status, .. } => {
                matches!(status, 429 | 502..=504)
            }
            Self::Authority(_) | Self::Certificate(_) | Self::NotSent(_) => false,
        }
    }
}

/// Silence is no refusal: whoever is told of a timer looks at the wrong end.
fn unreached(error: &ureq::Error) -> String {
    if let ureq::Error::Timeout(_) = error {
        return "the server did not answer in time".to_owned();
    }
    // Without the library's own word for the kind of error.
    let why = if let ureq::Error::Other(inner) = error {
        inner.to_string()
    } else if let ureq::Error::Io(inner) = error {
        inner.to_string()
    } else {
        error.to_string()
    };
    // This one the TLS library has as a name of its code alone.
    if why.contains("CaUsedAsEndEntity") {
        return "the server is not trusted: it shows the certificate of an authority, and has to show one of its own that an \
            authority issued"
            .to_owned();
    }
    format!("the server could not be reached: {why}")
}

/// The member at fault, for the front of the message.
fn at(response: &ErrorResponse) -> String {
    response.field.as_ref().map(|field| format!("{field}: ")).unwrap_or_default()
}

impl From<ureq::Error> for ClientError {
    fn from(error: ureq::Error) -> Self {
        Self::Transport(Box::new(error))
    }
}
