//! Who has to do with something that waits for approvals, or waited.

use chancery_types::IdentityId;

use super::{
    decisions::participant,
    rules::{Facts, may_approve},
};
use crate::Member;

/// Who submitted a request or a proposal, who decided on it, and by which rules others may.
pub(crate) struct Parties {
    facts: Facts,
    deciders: Vec<IdentityId>,
}

impl Parties {
    pub(crate) const fn new(facts: Facts, deciders: Vec<IdentityId>) -> Self {
        Self { facts, deciders }
    }

    /// Whether somebody submitted it, had it submitted in its name, or decided on it.
    pub(crate) fn has_acted(&self, id: IdentityId) -> bool {
        self.facts.submitters.contains(&id) || self.deciders.contains(&id)
    }

    /// Whether somebody else's approval is waited for, and this one could give it: alone or with another, as its roles
    /// demand.
    pub(crate) fn waits_for(&self, member: &Member) -> bool {
        !self.has_acted(member.id) && may_approve(&self.facts, &[participant(member)])
    }
}
