//! `/api/v2/activity`.

use serde::{Deserialize, Serialize};

/// How much all servers together have done in each hour of the last day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Activity {
    /// The last 24 hours of the clock (UTC), the oldest first. The last one is not over yet.
    pub hours: Vec<ActivityHour>,
}

/// What was done in one hour of the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ActivityHour {
    /// When the hour begins (RFC 3339).
    pub starts_at: String,
    /// How many values became tokens, also those of batches and tracks; not what was refused, nor tokens that `rewrap` made
    /// of others.
    pub tokenized: u64,
    /// How many tokens became values again, in full or in part.
    pub detokenized: u64,
    /// How many signatures were made under signing policies; one of a manifest for each of its digests.
    pub signed: u64,
    /// How many certificates were issued.
    pub issued: u64,
}
