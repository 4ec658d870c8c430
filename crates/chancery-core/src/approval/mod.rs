//! Approval: what waits until enough people have said yes. Signing requests and proposals follow the same rules (`rules`);
//! a proposal is one kind of object whatever happens once it is approved (`proposals`), and `signing` and `pki` say what
//! that is (`proposals::Effect`). Nothing here knows them.

mod decisions;
mod id_locks;
mod parties;
mod pre_approval;
mod pre_approval_life;
pub(crate) mod proposals;
mod refusal;
pub(crate) mod requirement;
mod rules;
mod signed;

use crate::time::rfc3339;

pub(crate) use self::{
    decisions::{ATTEMPTS_MAX, NewDecision, StoredDecision, participants, participants_by, too_many_attempts},
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

/// A moment as answers have it.
pub(crate) fn moment(at_ms: i64) -> String {
    rfc3339(at_ms.div_euclid(1_000))
}
