//! What bounds what is approved beforehand.

use std::time::Duration;

/// What bounds pre-approvals.
#[derive(Clone, Debug)]
pub struct PreApprovalLimits {
    /// Digests of one: as many as people can have checked by a tool, and under a MiB of JSON.
    pub digests_max: usize,
    /// Requests of one submitter that are approved beforehand without knowing what they are.
    pub requests_max: u32,
    /// For how long they are.
    pub window_max: Duration,
}

impl Default for PreApprovalLimits {
    fn default() -> Self {
        Self { digests_max: 10_000, requests_max: 100, window_max: Duration::from_hours(24) }
    }
}
