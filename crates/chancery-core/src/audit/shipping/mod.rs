//! Shipping the audit records to receivers elsewhere: syslog over TLS, webhooks, and OTLP.
//!
//! A target gets the leaves of the ledger in their order, from a cursor in the store. One node at a time ships to it, under
//! a lease: some leaves, then the cursor moves behind them. What it could not write down, because it was killed or the store
//! was away, is shipped again. So a target gets each record at least once, and in the ledger's order once doubles are
//! dropped; the sequence of a record is its leaf, without gaps.

mod cef;
mod item;
mod otlp;
mod send;
mod ship;
mod stored_target;
mod syslog;
mod targets;

#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use uuid::Uuid;

use crate::{Audit, Limits, Visitor, base::pool::Pool};

/// Targets that are sent to at a time.
const SENDS_MAX: usize = 8;

/// What shipping needs while the server runs.
pub(crate) struct Shipping {
    pool: Pool,
    /// Targets to which this node ships just now.
    busy: Mutex<HashSet<Uuid>>,
    counts: Counts,
}

/// What this server did since it started, and what the last look found.
#[derive(Default)]
struct Counts {
    shipped: AtomicU64,
    failed: AtomicU64,
    behind: AtomicU64,
    failing: AtomicU64,
}

/// Figures for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShippingCounts {
    /// Records that this server shipped.
    pub shipped: u64,
    /// Attempts of this server that failed.
    pub failed: u64,
    /// How many records the target is behind that is behind most.
    pub behind: u64,
    /// Targets that take nothing.
    pub failing: u64,
}

impl Shipping {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { pool: Pool::with_slots(SENDS_MAX, limits), busy: Mutex::default(), counts: Counts::default() }
    }
}

impl Audit {
    /// How many audit records were shipped, and how far targets are behind.
    #[must_use]
    pub fn shipping_counts(&self, _visitor: &Visitor) -> ShippingCounts {
        let Counts { shipped, failed, behind, failing } = &self.shipping.counts;
        ShippingCounts {
            shipped: shipped.load(Ordering::Relaxed),
            failed: failed.load(Ordering::Relaxed),
            behind: behind.load(Ordering::Relaxed),
            failing: failing.load(Ordering::Relaxed),
        }
    }
}
