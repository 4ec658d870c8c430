//! How many approvals something takes, of whom, and how long it waits for them: as rules in the interface, checked, and
//! as several demand it together.

use chancery_store::{Tx, tables};
use chancery_types::{
    RoleId, SelfApproval,
    wire::{approval::ApprovalRules, signing_policies::ApprovalStep, x509::ValidityPeriod},
};
use chancery_x509::validity::{Period, Validity};

use super::rules::Step;
use crate::{Error, Limits, Result};

/// So many approvals, of these first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    pub(super) count: u32,
    pub(super) steps: Vec<Step>,
    pub(super) self_approval: SelfApproval,
    /// Whether approvals are signed with passkeys.
    pub(super) demands_passkeys: bool,
    /// How long it may wait; the shortest counts.
    lifetimes: Vec<ValidityPeriod>,
}

impl Requirement {
    /// One without a limit of time.
    pub(crate) const fn new(count: u32, steps: Vec<Step>, self_approval: SelfApproval) -> Self {
        Self { count, steps, self_approval, demands_passkeys: false, lifetimes: Vec::new() }
    }

    /// The same, where approvals may have to be signed with passkeys.
    pub(crate) fn with_passkeys(self, demands_passkeys: bool) -> Self {
        Self { demands_passkeys, ..self }
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
        let steps = steps(&rules.approval_steps);
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

    /// How many approvals it takes.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    /// The moment at which what is proposed now stops waiting.
    pub(crate) fn expiry(&self, now_ms: i64) -> Result<Option<i64>> {
        let ends = self.lifetimes.iter().map(|lifetime| end("/requestLifetime", lifetime, now_ms));
        Ok(ends.collect::<Result<Vec<_>>>().map_err(Error::internal)?.into_iter().min())
    }
}

/// Checks what a profile or an authority demands. Fields are those of the rules.
pub(crate) fn check(rules: &ApprovalRules, limits: &Limits) -> Result<()> {
    let num_approvals = check_num_approvals(rules.num_approvals, limits)?;
    check_steps("", &rules.approval_steps, num_approvals, limits)?;
    rules.request_lifetime.as_ref().map(|lifetime| end("/requestLifetime", lifetime, 0)).transpose().map(drop)
}

/// Checks a number of approvals.
pub(crate) fn check_num_approvals(num_approvals: i64, limits: &Limits) -> Result<u32> {
    let count = u32::try_from(num_approvals).ok().filter(|count| *count <= limits.approvals_max);
    count.ok_or_else(|| Error::value("/numApprovals", format!("numApprovals is 0 to {}.", limits.approvals_max)))
}

/// Checks the steps of rules that demand so many approvals. `rules` is where those are in the body.
pub(crate) fn check_steps(rules: &str, steps: &[ApprovalStep], num_approvals: u32, limits: &Limits) -> Result<()> {
    let field = format!("{rules}/approvalSteps");
    check_length(&field, steps.len(), limits)?;
    let mut sum = 0_u32;
    for (index, step) in steps.iter().enumerate() {
        let roles = format!("{field}/{index}/roleUuids");
        if step.role_uuids.is_empty() {
            return Err(Error::value(roles, "A step names at least one role."));
        }
        check_length(&roles, step.role_uuids.len(), limits)?;
        if step.num_approvals == 0 {
            return Err(Error::value(format!("{field}/{index}/numApprovals"), "A step takes at least one approval."));
        }
        sum = sum.saturating_add(step.num_approvals);
    }
    if sum > num_approvals {
        let message = format!("The steps take {sum} approvals together, and the policy demands {num_approvals}.");
        return Err(Error::value(field, message));
    }
    Ok(())
}

/// Checks how many members a part of rules has.
pub(crate) fn check_length(field: &str, len: usize, limits: &Limits) -> Result<()> {
    if len > limits.rule_items_max {
        return Err(Error::too_large(field, format!("At most {} are taken.", limits.rule_items_max)));
    }
    Ok(())
}

/// Looks whether the roles are there that steps name. `rules` is where their rules are in the body.
pub(crate) async fn check_roles(tx: &mut Tx, rules: &str, steps: &[ApprovalStep]) -> Result<()> {
    for (number, step) in steps.iter().enumerate() {
        for (index, role) in step.role_uuids.iter().enumerate() {
            check_role(tx, &format!("{rules}/approvalSteps/{number}/roleUuids/{index}"), *role).await?;
        }
    }
    Ok(())
}

/// Looks whether a role is there.
pub(crate) async fn check_role(tx: &mut Tx, field: &str, role: RoleId) -> Result<()> {
    if tables::roles::by_id(tx, role.into()).await?.is_none() {
        return Err(Error::selection(field, "There is no such role; /api/v2/roles/stubs lists them."));
    }
    Ok(())
}

/// The moment at which a time that starts now is over.
pub(crate) fn end(field: &str, lifetime: &ValidityPeriod, now_ms: i64) -> Result<i64> {
    let refused = |message: String| Error::value(format!("{field}/amount"), message);
    let period = Period::parse(&lifetime.amount, lifetime.unit).map_err(|why| refused(why.to_string()))?;
    let life = Validity::starting(now_ms, period)
        .map_err(|_| refused("This takes at least a second, and its end is a moment of this calendar.".to_owned()))?;
    Ok(life.not_after_s().saturating_mul(1_000).saturating_add(now_ms.rem_euclid(1_000)))
}

/// Steps as the rules of approval read them.
pub(crate) fn steps(steps: &[ApprovalStep]) -> Vec<Step> {
    let step = |step: &ApprovalStep| Step { roles: step.role_uuids.clone(), count: step.num_approvals };
    steps.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use chancery_types::ValidityUnit;

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
        let both = Requirement::all([&rules(1, Some(1), Some("2")), &never]);
        assert_eq!((both.count, both.steps.len(), both.self_approval), (2, 2, SelfApproval::Never));
        assert_eq!(both.expiry(0).unwrap(), Some(3_600_000));
        let same = Requirement::all([&rules(1, Some(1), None), &rules(3, Some(1), None)]);
        assert_eq!((same.count, same.steps.len(), same.self_approval), (3, 1, SelfApproval::DualControl));
        assert_eq!(same.expiry(0).unwrap(), None);
    }

    #[test]
    fn who_demands_nothing_changes_nothing() {
        assert!(Requirement::all([&rules(0, None, None), &rules(0, None, Some("1"))]).is_none());
        let one = rules(2, Some(1), None);
        assert_eq!(Requirement::all([&rules(0, None, Some("1")), &one]), Requirement::all([&one]));
    }
}
