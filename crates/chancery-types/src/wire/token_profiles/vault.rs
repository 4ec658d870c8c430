//! What a Random profile knows of single tokens.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A token of a Random profile.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenRequest {
    /// The token.
    pub token: String,
}

/// What is kept beside a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenRecord {
    /// What tokenize was given; `null`: nothing.
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub metadata: Option<Map<String, Value>>,
    /// When the token was made: RFC 3339, UTC.
    pub created_at: String,
    /// From when on there is no such token; `null`: never.
    pub expires_at: Option<String>,
    /// The version of the key that seals the message.
    pub key_version: u32,
}

/// A message that may have a token.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenizedRequest {
    /// The message.
    pub message: String,
}

/// Whether a message has a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenizedResponse {
    /// Whether it has one that has not expired.
    pub tokenized: bool,
}
