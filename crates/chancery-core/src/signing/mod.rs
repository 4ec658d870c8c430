//! Code signing: services, policies, requests that people approve, and signatures.

mod algorithms;
mod approval_digest;
mod claim;
mod contents;
mod credential;
mod decide;
mod decide_as_one;
mod decide_many;
mod deploy;
mod embedded;
pub(crate) mod formats;
mod manifest;
mod new_request;
mod page_hashes;
mod payload;
mod pipeline;
mod policy;
mod policy_rules;
mod policy_terms;
mod program;
pub(crate) mod proposals;
mod provenance;
mod read_requests;
mod renew;
mod repeat;
mod service;
mod service_details;
mod statement;
mod stored_request;
mod submission;
mod submit;
mod submitters;
mod target;
#[cfg(test)]
mod testing;
mod time_stamp;

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::{Approvals, Budgets, Context, Identities, Keys, Pki};

pub(crate) use stored_request::StoredRequest;
pub(crate) use submitters::StoredSubmitters;
pub(crate) use target::ReadyTargets;
pub(crate) use time_stamp::Outside;
pub use time_stamp::{OutsideAuthorities, StampTransport, TimeStampAnswer};

#[cfg(feature = "promises")]
pub(crate) use time_stamp::Stamping;

/// Code signing: services, policies, requests and signatures.
pub struct Signing {
    context: Arc<Context>,
    identities: Arc<Identities>,
    approvals: Arc<Approvals>,
    keys: Arc<Keys>,
    budgets: Arc<Budgets>,
    pki: Arc<Pki>,
    outside_stamps: Option<Outside>,
    pub(crate) targets: ReadyTargets,
    stored_submitters: StoredSubmitters,
    /// Who stores a large payload.
    large_payloads: Semaphore,
}

impl Signing {
    pub(crate) fn new(
        context: &Arc<Context>,
        approvals: &Arc<Approvals>,
        budgets: &Arc<Budgets>,
        pki: &Arc<Pki>,
        outside: Option<OutsideAuthorities>,
    ) -> Self {
        Self {
            outside_stamps: outside.map(|authorities| Outside::new(authorities, &context.limits)),
            targets: ReadyTargets::default(),
            stored_submitters: StoredSubmitters::default(),
            large_payloads: Semaphore::new(1),
            context: Arc::clone(context),
            identities: Arc::clone(&approvals.identities),
            approvals: Arc::clone(approvals),
            keys: Arc::clone(&pki.keys),
            budgets: Arc::clone(budgets),
            pki: Arc::clone(pki),
        }
    }
}

impl AsRef<Context> for Signing {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}
