//! Why a function did not do what it was called for: a code of the standard, and where that says too little a sentence.

use std::{env, error::Error, fmt, io::Write as _, num::TryFromIntError};

use chancery_client::ClientError;
use chancery_types::{ErrorCode, Shown};
use cryptoki_sys::{
    CK_RV, CKR_ARGUMENTS_BAD, CKR_DATA_LEN_RANGE, CKR_DEVICE_ERROR, CKR_FUNCTION_FAILED,
    CKR_KEY_FUNCTION_NOT_PERMITTED, CKR_USER_NOT_LOGGED_IN,
};

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// With this variable set, every failure is told on standard error.
const DEBUG: &str = "CHANCERY_PKCS11_DEBUG";

/// A code of the standard, and a sentence for whoever runs the program.
#[derive(Debug)]
pub(crate) struct Failure {
    code: CK_RV,
    says: Option<String>,
    is_told: bool,
}

impl Failure {
    /// One whose code says it all; the sentence is for whoever looks for a fault.
    pub(crate) fn new(code: CK_RV, says: impl fmt::Display) -> Self {
        Self { code, says: Some(says.to_string()), is_told: false }
    }

    /// One that no code tells: its sentence goes to standard error in any case.
    pub(crate) fn told(code: CK_RV, says: impl fmt::Display) -> Self {
        Self { is_told: true, ..Self::new(code, says) }
    }

    /// The same under another code.
    pub(crate) fn with_code(self, code: CK_RV) -> Self {
        Self { code, ..self }
    }

    /// The same, told in any case, and of what.
    pub(crate) fn about(self, what: impl fmt::Display) -> Self {
        Self::told(self.code, format!("{what}: {}", self.says.unwrap_or_default()))
    }

    pub(crate) const fn code(&self) -> CK_RV {
        self.code
    }

    /// Tells it where that is due.
    pub(crate) fn report(&self) {
        if let Some(says) = &self.says
            && (self.is_told || env::var_os(DEBUG).is_some())
        {
            say(says);
        }
    }
}

impl From<CK_RV> for Failure {
    fn from(code: CK_RV) -> Self {
        Self { code, says: None, is_told: false }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let says = with_causes(&error);
        match &error {
            ClientError::Transport(_) | ClientError::Unexpected { .. } => Self::new(CKR_DEVICE_ERROR, says),
            ClientError::NotLoggedIn { .. } | ClientError::NotSent(_) => Self::new(CKR_USER_NOT_LOGGED_IN, says),
            ClientError::Authority(_) | ClientError::Certificate(_) => Self::told(CKR_FUNCTION_FAILED, says),
            ClientError::Refused { error_code, .. } => refused(*error_code, says),
        }
    }
}

/// What is configured cannot be meant.
pub(crate) fn wrong(says: impl fmt::Display) -> Failure {
    Failure::told(CKR_FUNCTION_FAILED, says)
}

/// A length that this machine has no room for.
impl From<TryFromIntError> for Failure {
    fn from(_: TryFromIntError) -> Self {
        CKR_ARGUMENTS_BAD.into()
    }
}

fn refused(error_code: ErrorCode, says: String) -> Failure {
    match error_code {
        ErrorCode::InvalidAuthToken => Failure::new(CKR_USER_NOT_LOGGED_IN, says),
        ErrorCode::NotAuthorized => Failure::told(CKR_KEY_FUNCTION_NOT_PERMITTED, says),
        ErrorCode::LimitExceeded => Failure::told(CKR_DATA_LEN_RANGE, says),
        ErrorCode::RateLimited | ErrorCode::Sealed | ErrorCode::Unavailable | ErrorCode::InternalError => {
            Failure::new(CKR_DEVICE_ERROR, says)
        }
        ErrorCode::Success
        | ErrorCode::ArgumentParseError
        | ErrorCode::InvalidSelection
        | ErrorCode::InvalidValue
        | ErrorCode::InvalidState
        | ErrorCode::AlreadyExists
        | ErrorCode::ApiAccessDisabled => Failure::told(CKR_FUNCTION_FAILED, says),
    }
}

/// An error with what caused it.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut says = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        says = format!("{says}: {error}");
        cause = error.source();
    }
    says
}

/// Tells whoever looks for a fault.
pub(crate) fn debug(says: impl fmt::Display) {
    if env::var_os(DEBUG).is_some() {
        say(says);
    }
}

/// Tells whoever runs the program.
pub(crate) fn say(says: impl fmt::Display) {
    // A program without a standard error has nobody to tell.
    let _untold = writeln!(std::io::stderr(), "chancery-pkcs11: {}", Shown(&says.to_string()));
}
