//! `/healthz` and `/readyz`.

use serde::{Deserialize, Serialize};

wire_enum! {
    /// `status` of the answers to an operator's questions.
    pub enum HealthStatus {
        /// All is well.
        Ok = "ok",
    }
}

/// Answer of GET /healthz.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Health {
    /// `ok`; a process that is not well does not answer.
    pub status: HealthStatus,
}

/// Answer of GET /readyz.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Readiness {
    /// `ok`; what is not ready answers 503.
    pub status: HealthStatus,
    /// Whether this is a demonstration: one file holds both halves of dual control.
    pub demo: bool,
    /// Objects that cannot be read from the storage, if there are any: calls to each are Unavailable.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unreadable: u32,
    /// Rows of the database that carry authority and are not what Chancery wrote, as far as this node has met them. They
    /// are refused, and the rest goes on; the log and the audit name them. Absent where there are none.
    #[serde(rename = "refusedRows", default, skip_serializing_if = "is_none")]
    pub refused_rows: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_none(number: &u32) -> bool {
    *number == 0
}
