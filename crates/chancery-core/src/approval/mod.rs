//! Approval: what waits until enough people have said yes. Signing requests and proposals follow the same rules (`rules`);
//! a proposal is one kind of object whatever happens once it is approved (`proposals`), and `signing` and `pki` say what
//! that is (`proposals::Effect`). Nothing here knows them.

mod decisions;
mod hexadecimal;
mod id_locks;
mod parties;
mod pre_approval;
mod pre_approval_life;
pub(crate) mod proposals;
mod refusal;
pub(crate) mod requirement;
mod rules;
mod signed;

use std::{
    any::{Any, TypeId},
    sync::Arc,
};

use crate::{Context, Error, Identities, Log, Result, approval::proposals::Effects, base::above::Above, time::rfc3339};

pub(crate) use self::{
    decisions::{
        ATTEMPTS_MAX, NewDecision, StoredDecision, may_be_approved_by, participants, participants_by, too_many_attempts,
    },
    hexadecimal::{hexadecimal_hint, other_digest},
    id_locks::IdLocks,
    parties::Parties,
    pre_approval::PreApproved,
    pre_approval_life::Life as PreApprovalLife,
    proposals::IsProposer,
    refusal::{error as refusal, of_grant as refusal_of_grant},
    requirement::Requirement,
    rules::{Approval, Approved, Facts, Standing, Transition},
    signed::{SignedApproval, ToSign},
};

/// What waits until enough people have said yes.
pub struct Approvals {
    pub(crate) context: Arc<Context>,
    pub(crate) identities: Arc<Identities>,
    log: Arc<Log>,
    /// Held for a request or a proposal while an approval of it is worked on.
    pub(crate) decision_locks: IdLocks,
    /// What proposals do, in the words of whoever proposes them.
    pub(crate) effects: Effects,
    /// Who does it.
    pub(crate) domains: Above<dyn Domains>,
}

/// The domains whose proposals take effect here. Which ones there are nobody here knows.
pub(crate) trait Domains: Send + Sync {
    /// The domain of this type.
    fn of(&self, domain: TypeId) -> Option<&(dyn Any + Send + Sync)>;
}

impl dyn Domains {
    /// The domain that knows what its proposals do.
    pub(crate) fn domain<T: Any>(&self) -> Result<&T> {
        let found = self.of(TypeId::of::<T>()).and_then(<dyn Any + Send + Sync>::downcast_ref);
        found.ok_or_else(|| Error::internal("a proposal is of a domain that is not there"))
    }
}

impl Approvals {
    pub(crate) fn new(context: &Arc<Context>, identities: &Arc<Identities>, log: &Arc<Log>, effects: Effects) -> Self {
        Self {
            decision_locks: IdLocks::default(),
            effects,
            domains: Above::default(),
            context: Arc::clone(context),
            identities: Arc::clone(identities),
            log: Arc::clone(log),
        }
    }
}

impl AsRef<Context> for Approvals {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

/// A moment as answers have it.
pub(crate) fn moment(at_ms: i64) -> String {
    rfc3339(at_ms.div_euclid(1_000))
}
