//! The one place where a meaning becomes an HTTP status. The errorCode beside it is the meaning's own.

use axum::http::StatusCode;
use chancery_core::Meaning;

/// The status that the interface ties to a meaning.
pub(crate) const fn status(meaning: Meaning) -> StatusCode {
    match meaning {
        Meaning::Malformed | Meaning::Selection | Meaning::Value => StatusCode::BAD_REQUEST,
        Meaning::Unauthenticated => StatusCode::UNAUTHORIZED,
        Meaning::Forbidden | Meaning::ApiAccessDisabled => StatusCode::FORBIDDEN,
        Meaning::NotFound => StatusCode::NOT_FOUND,
        Meaning::Method => StatusCode::METHOD_NOT_ALLOWED,
        Meaning::State | Meaning::Exists => StatusCode::CONFLICT,
        Meaning::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Meaning::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Meaning::Busy => StatusCode::TOO_MANY_REQUESTS,
        Meaning::Sealed | Meaning::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Meaning::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
