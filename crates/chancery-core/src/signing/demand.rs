//! What is demanded of the approvals of a proposal, by one or by several together.

use chancery_types::{
    SelfApproval,
    wire::{approval::ApprovalRules, x509::ValidityPeriod},
};

use super::{request::Step, rules};
use crate::{Error, Result, pki::approval::policy_rules};

/// So many approvals, of these first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    pub(super) count: u32,
    pub(super) steps: Vec<Step>,
    pub(super) self_approval: SelfApproval,
    /// How long it may wait; the shortest counts.
    lifetimes: Vec<ValidityPeriod>,
}

impl Demand {
    /// A demand without a limit of time.
    pub(super) const fn new(count: u32, steps: Vec<Step>, self_approval: SelfApproval) -> Self {
        Self { count, steps, self_approval, lifetimes: Vec::new() }
    }

    /// What all of them demand together: the highest count, everybody's steps, the strictest about self-approval. Steps
    /// that several demand in the same words are taken once.
    pub(crate) fn all<'a>(rules: impl IntoIterator<Item = &'a ApprovalRules>) -> Self {
        let none = Self::new(0, Vec::new(), SelfApproval::DualControl);
        rules.into_iter().fold(none, Self::and)
    }

    fn and(mut self, rules: &ApprovalRules) -> Self {
        // Read as it was checked when it was stored.
        let count = u32::try_from(rules.num_approvals).unwrap_or(0);
        if count == 0 {
            return self;
        }
        let steps = rules::steps(&policy_rules(rules));
        if !self.steps.ends_with(&steps) {
            self.steps.extend(steps);
        }
        let in_steps = self.steps.iter().fold(0_u32, |sum, step| sum.saturating_add(step.count));
        self.count = self.count.max(count).max(in_steps);
        if rules.self_approval == Some(SelfApproval::Never) {
            self.self_approval = SelfApproval::Never;
        }
        self.lifetimes.extend(rules.request_lifetime.clone());
        self
    }

    /// Whether nobody is to be asked.
    pub(crate) const fn is_none(&self) -> bool {
        self.count == 0
    }

    /// The moment at which what is proposed now stops waiting.
    pub(super) fn expiry(&self, now_ms: i64) -> Result<Option<i64>> {
        let ends = self.lifetimes.iter().map(|lifetime| rules::end("/requestLifetime", lifetime, now_ms));
        Ok(ends.collect::<Result<Vec<_>>>().map_err(Error::internal)?.into_iter().min())
    }
}

#[cfg(test)]
mod tests {
    use chancery_types::{RoleId, ValidityUnit, wire::signing_policies::ApprovalStep};

    use super::*;

    fn rules(num_approvals: i64, role: Option<u128>, hours: Option<&str>) -> ApprovalRules {
        let step = |role| ApprovalStep { role_uuids: vec![RoleId::from_u128(role)], num_approvals: 1 };
        let period = |hours: &str| ValidityPeriod { unit: ValidityUnit::Hour, amount: hours.to_owned() };
        ApprovalRules {
            num_approvals,
            self_approval: None,
            approval_steps: role.map(step).into_iter().collect(),
            request_lifetime: hours.map(period),
        }
    }

    #[test]
    fn together_they_are_as_strict_as_each() {
        let never = ApprovalRules { self_approval: Some(SelfApproval::Never), ..rules(1, Some(2), Some("1")) };
        let both = Demand::all([&rules(1, Some(1), Some("2")), &never]);
        assert_eq!((both.count, both.steps.len(), both.self_approval), (2, 2, SelfApproval::Never));
        assert_eq!(both.expiry(0).unwrap(), Some(3_600_000));
        let same = Demand::all([&rules(1, Some(1), None), &rules(3, Some(1), None)]);
        assert_eq!((same.count, same.steps.len(), same.self_approval), (3, 1, SelfApproval::DualControl));
        assert_eq!(same.expiry(0).unwrap(), None);
    }

    #[test]
    fn who_demands_nothing_changes_nothing() {
        assert!(Demand::all([&rules(0, None, None), &rules(0, None, Some("1"))]).is_none());
        let one = rules(2, Some(1), None);
        assert_eq!(Demand::all([&rules(0, None, Some("1")), &one]), Demand::all([&one]));
    }
}
