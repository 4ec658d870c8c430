//! What can go wrong, as meanings. The server's one error table turns a meaning into a status and an errorCode.

use std::{borrow::Cow, error::Error as StdError, fmt};

use chancery_keys::{CustodyError, Failed, GenerateError, OpenError};
use chancery_store::StoreError;
use chancery_types::{ErrorCode, wire::ItemError};
use chancery_x509::csr::CsrError;

/// `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The meanings that the interface knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// A body that is not as described: syntax, a missing member, a wrong type, bad base64.
    Malformed,
    /// A value outside its enumeration, or a member that refers to an object that does not exist.
    Selection,
    /// The object (or path) that was asked for does not exist.
    NotFound,
    /// The path exists, the method does not.
    Method,
    /// A content type other than JSON.
    ContentType,
    /// Well-formed, but the object's rules refuse it.
    Value,
    /// The object's state does not allow this now.
    State,
    /// A name that must be unique is taken.
    Exists,
    /// Nobody that we know, or not completely.
    Unauthenticated,
    /// Somebody, but not one who may.
    Forbidden,
    /// API access is switched off.
    ApiAccessDisabled,
    /// Larger than a limit.
    TooLarge,
    /// Too much at once; try again later.
    Busy,
    /// The root key is not loaded.
    Sealed,
    /// Storage or key hardware is out of reach for now.
    Unavailable,
    /// Our fault. The cause is logged, never sent.
    Internal,
}

impl Meaning {
    /// The errorCode that the interface has for it. The HTTP status beside it is the server's business.
    #[must_use]
    pub const fn error_code(self) -> ErrorCode {
        match self {
            Self::Malformed | Self::ContentType => ErrorCode::ArgumentParseError,
            Self::Selection | Self::NotFound | Self::Method => ErrorCode::InvalidSelection,
            Self::Value => ErrorCode::InvalidValue,
            Self::State => ErrorCode::InvalidState,
            Self::Exists => ErrorCode::AlreadyExists,
            Self::Unauthenticated => ErrorCode::InvalidAuthToken,
            Self::Forbidden => ErrorCode::NotAuthorized,
            Self::ApiAccessDisabled => ErrorCode::ApiAccessDisabled,
            Self::TooLarge => ErrorCode::LimitExceeded,
            Self::Busy => ErrorCode::RateLimited,
            Self::Sealed => ErrorCode::Sealed,
            Self::Unavailable => ErrorCode::Unavailable,
            Self::Internal => ErrorCode::InternalError,
        }
    }
}

/// Why a call was refused or failed: a meaning, one sentence for a person, and where in the request it lies.
///
/// Messages never carry secret values, internal text or causes.
#[derive(Debug)]
pub struct Error {
    meaning: Meaning,
    message: Cow<'static, str>,
    field: Option<String>,
    items: Vec<ItemError>,
    retry_after_s: Option<u32>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of this meaning with one sentence for a person.
    pub fn new(meaning: Meaning, message: impl Into<Cow<'static, str>>) -> Self {
        Self { meaning, message: message.into(), field: None, items: Vec::new(), retry_after_s: None, cause: None }
    }

    /// ArgumentParseError: the member at `field` (a JSON pointer) is missing, of the wrong type or not base64.
    pub fn malformed(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Meaning::Malformed, message).at(field)
    }

    /// InvalidSelection: the member at `field` names nothing that exists; the message says what would be accepted.
    pub fn selection(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Meaning::Selection, message).at(field)
    }

    /// InvalidValue: the member at `field` breaks a rule of the object.
    pub fn value(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Meaning::Value, message).at(field)
    }

    /// The same, of one of several things.
    pub(crate) fn naming(mut self, which: impl fmt::Display) -> Self {
        self.message = format!("{which}: {}", self.message).into();
        self
    }

    /// LimitExceeded: the member at `field` is larger than its limit.
    pub fn too_large(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Meaning::TooLarge, message).at(field)
    }

    /// AlreadyExists: the name at `field` is taken.
    pub fn exists(field: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Meaning::Exists, message).at(field)
    }

    /// InvalidSelection with status 404: there is no such object. `what` is a noun, such as `token profile`.
    pub fn not_found(what: &str) -> Self {
        Self::new(Meaning::NotFound, format!("There is no such {what}."))
    }

    /// InvalidState: the object's state does not allow this now.
    pub fn state(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Meaning::State, message)
    }

    /// NotAuthorized.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Meaning::Forbidden, message)
    }

    /// InvalidAuthToken. One wording for all reasons: nobody learns which part of a forged token was right.
    pub fn unauthenticated() -> Self {
        Self::new(Meaning::Unauthenticated, "A valid bearer token or a completed login is needed.")
    }

    /// RateLimited; `retry_after_s` is what `Retry-After` will say.
    pub fn busy(message: impl Into<Cow<'static, str>>, retry_after_s: u32) -> Self {
        Self { retry_after_s: Some(retry_after_s), ..Self::new(Meaning::Busy, message) }
    }

    /// Unavailable: storage or key hardware is out of reach for now.
    pub fn unavailable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let message = "The storage or the keys are out of reach for now; try again.";
        Self { retry_after_s: Some(1), cause: Some(cause.into()), ..Self::new(Meaning::Unavailable, message) }
    }

    /// Unavailable: somebody else is out of reach for now; `retry_after_s` is what `Retry-After` will say.
    pub fn out_of_reach(message: impl Into<Cow<'static, str>>, retry_after_s: u32) -> Self {
        Self { retry_after_s: Some(retry_after_s), ..Self::new(Meaning::Unavailable, message) }
    }

    /// InternalError: our fault. The cause goes into the log, never into the answer.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        // No word of a request: commands on the host fail like this, too.
        let message = "It failed for a reason inside Chancery, which the log tells.";
        Self { cause: Some(cause.into()), ..Self::new(Meaning::Internal, message) }
    }

    /// The same error, at the member that this JSON pointer names.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same error for a part of a body, placed where that part stands: `/unit` under `/certParams` becomes
    /// `/certParams/unit`.
    #[must_use]
    pub fn under(mut self, parent: &str) -> Self {
        self.field = Some(format!("{parent}{}", self.field.unwrap_or_default()));
        self
    }

    /// The same error with what is wrong with single values of a batch.
    #[must_use]
    pub fn with_items(mut self, items: Vec<ItemError>) -> Self {
        self.items = items;
        self
    }

    /// What it means to the caller.
    pub const fn meaning(&self) -> Meaning {
        self.meaning
    }

    /// One sentence for a person.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The member at fault, as a JSON pointer.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// What is wrong with single values of a batch.
    pub fn items(&self) -> &[ItemError] {
        &self.items
    }

    /// Whether a key is gone for good, as far as what keeps it can tell.
    pub(crate) fn is_of_a_key_that_is_gone(&self) -> bool {
        let cause = self.cause.as_deref().and_then(|cause| cause.downcast_ref());
        matches!(cause, Some(CustodyError::Destroyed(_)))
    }

    /// After how many seconds trying again makes sense.
    pub const fn retry_after_s(&self) -> Option<u32> {
        self.retry_after_s
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// A conflict or a reference that a door method expects is handled there; what arrives here is a fault, or passes.
impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::unavailable(error),
            StoreError::Busy => Self::busy("Too many changes are waiting to be written; try again.", 1),
            StoreError::Unauthentic(_) => Self {
                cause: Some(Box::new(error)),
                ..Self::new(
                    Meaning::Unavailable,
                    "What the database holds of this was changed outside of Chancery; it is refused until it is restored.",
                )
            },
            StoreError::Text => Self::new(Meaning::Value, "A text with a NUL character cannot be kept."),
            StoreError::Conflict(_) | StoreError::Reference(_) | StoreError::Internal(_) => Self::internal(error),
        }
    }
}

/// The one place that says what callers learn of a key that was not used. Only of one that is gone does anybody conclude
/// something for good (`is_of_a_key_that_is_gone`).
impl From<CustodyError> for Error {
    fn from(error: CustodyError) -> Self {
        let message = match error {
            CustodyError::Unreachable(_) => return Self::unavailable(error),
            CustodyError::Destroyed(_) => "The key is gone: nothing can be signed with it any more.",
            CustodyError::Refused(_) => "What keeps the key refuses to sign with it; the log tells why.",
        };
        // Whoever runs the server has to learn of it; the answer does not reach them.
        tracing::error!(error = &error as &dyn std::error::Error, "a key was not used");
        Self { cause: Some(Box::new(error)), ..Self::new(Meaning::State, message) }
    }
}

/// A request (PKCS#10) stands in the member `csr` wherever one is taken.
impl From<CsrError> for Error {
    fn from(error: CsrError) -> Self {
        const FIELD: &str = "/csr";
        match error {
            CsrError::TooLarge(_) => Self::too_large(FIELD, error.to_string()),
            CsrError::Malformed(_) => Self::malformed(FIELD, error.to_string()),
            CsrError::Refused(_) => Self::value(FIELD, error.to_string()),
            CsrError::Encoding(_) => Self::internal(error),
        }
    }
}

macro_rules! internal {
    ($($cause:ty),+) => {$(
        impl From<$cause> for Error {
            fn from(error: $cause) -> Self {
                Self::internal(error)
            }
        }
    )+};
}

// Keys that do not open, or are asked for what they cannot do, are our fault: rules refuse that earlier.
internal!(Failed, GenerateError, OpenError);

/// An error and what caused it, in one line.
pub(crate) fn reason(why: &(dyn StdError + 'static)) -> String {
    let (mut text, mut cause) = (why.to_string(), why.source());
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
