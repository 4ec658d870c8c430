//! `/api/v2/audit/archives`.

use serde::{Deserialize, Serialize};

/// Which archives.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct ArchiveQuery {
    /// Items a page, 1 to 1,000. Without it the first 10,000 are answered.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// The `next` of an answer.
    pub after: Option<String>,
}

/// Which archive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct DownloadArchiveQuery {
    /// The one that begins with this leaf; without it the oldest one, if there is one.
    #[cfg_attr(feature = "schema", param(minimum = 0))]
    pub first_leaf: Option<i64>,
}

/// Audit records that are not at hand any more: a part of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditArchive {
    /// Its first leaf of the ledger, by which it is named.
    pub first_leaf: i64,
    /// How many leaves it goes over.
    pub leaves: i64,
    /// Records in it: all of these leaves, but for the few that stay at hand for good.
    pub records: i64,
    /// The time of its oldest record (RFC 3339).
    pub from: String,
    /// That of its newest record.
    pub to: String,
    /// When it was made.
    pub made_at: String,
    /// Bytes of its download.
    pub bytes: i64,
    /// SHA-256 of its download, in hexadecimal digits.
    pub sha256: String,
}
