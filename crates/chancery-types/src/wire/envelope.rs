//! The envelope around every answer under `/api/v2` and `/cuserv/v1`.

use serde::{Deserialize, Serialize};

use crate::ErrorCode;

/// `{"success", "errorCode", "response"}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Envelope<T> {
    /// Whether the call succeeded.
    pub success: bool,
    /// `Success`, or why not.
    pub error_code: ErrorCode,
    /// The payload of the call, or an [`ErrorResponse`].
    pub response: T,
}

impl<T> Envelope<T> {
    /// The answer of a call that succeeded.
    pub const fn success(response: T) -> Self {
        Self { success: true, error_code: ErrorCode::Success, response }
    }
}

/// `response` of a call that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ErrorResponse {
    /// One sentence for a person.
    pub message: String,
    /// The id under which the log and the audit records speak of this call; also in the header `X-Request-Id`.
    pub request_id: String,
    /// The member at fault, as a JSON pointer (RFC 6901) into the request's body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// For a batch: the first hundred values at fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ItemError>,
}

/// What is wrong with one value of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ItemError {
    /// Position in the request's array, from 0.
    pub index: usize,
    /// The error this value alone would have been answered with.
    pub error_code: ErrorCode,
    /// One sentence for a person.
    pub message: String,
}
