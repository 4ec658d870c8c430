//! Control Rules that let a role detokenize in full only after people have approved it: what they demand.

use chancery_types::{
    Operation, RoleId,
    wire::{
        approval::ApprovalRules,
        token_profiles::{ControlRule, GrantRules},
    },
};

use super::{
    Call,
    token_rules::{TokenRules, no_rule},
};
use crate::{
    Error, Limits, Result,
    approval::{Requirement, requirement},
    context::{grant::Entitles, storage::Evidence},
};

/// What is demanded of each role that has such a rule.
#[derive(Debug, Default)]
pub(crate) struct Demands(Vec<(RoleId, GrantRules)>);

/// The evidence that a Control Rule lets somebody ask for approvals. Made only here.
#[derive(Debug)]
pub(crate) struct MayAsk(());

impl Evidence for MayAsk {}
impl Entitles for MayAsk {}

impl Demands {
    fn of(&self, role: RoleId) -> Option<&GrantRules> {
        self.0.iter().find(|(of, _)| *of == role).map(|(_, rules)| rules)
    }

    /// What a call is told that names no grant.
    pub(super) fn needed(&self, roles: &[RoleId], call: Call) -> Error {
        if !call.takes_grant() {
            return Error::forbidden(
                "Your Control Rule takes approvals for each Detokenize, which are not given for this kind of call.",
            );
        }
        let counts = self.0.iter().filter(|(role, _)| roles.contains(role)).map(|(_, rules)| rules.num_approvals);
        let count = counts.min().unwrap_or_default();
        let message = format!(
            "To detokenize in full takes {count} approval{} here: ask for them by POST \
             /api/v2/token-profiles/{{uuid}}/grants, and name the grant in grantUuid.",
            if count == 1 { "" } else { "s" }
        );
        Error::forbidden(message).at("/grantUuid")
    }
}

/// Checks and collects what rules demand.
pub(super) fn compile_demands(rules: &[ControlRule], limits: &Limits) -> Result<Demands> {
    let mut demands = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let Some(approval) = &rule.approval else { continue };
        let at = format!("/controlRules/{index}/approval");
        if rule.operation != Operation::Detokenize {
            return Err(Error::value(at, "Only a Detokenize rule has this member."));
        }
        let is_same = |other: &&ControlRule| (other.role_uuid, other.operation) == (rule.role_uuid, rule.operation);
        if rules.iter().filter(is_same).count() > 1 {
            let message = "A role has one Detokenize rule where that demands approvals; another would go round them.";
            return Err(Error::value(at, message));
        }
        if approval.num_approvals < 1 {
            let message = format!("numApprovals is 1 to {}; without approval nobody is asked.", limits.approvals_max);
            return Err(Error::value(format!("{at}/numApprovals"), message));
        }
        requirement::check(&approval_rules(approval), limits).map_err(|refusal| refusal.under(&at))?;
        demands.push((rule.role_uuid, approval.clone()));
    }
    Ok(Demands(demands))
}

/// The same as other objects demand it.
fn approval_rules(rules: &GrantRules) -> ApprovalRules {
    let GrantRules { num_approvals, approval_steps, request_lifetime } = rules.clone();
    // Whoever asks never approves: `requirement` says so.
    ApprovalRules { num_approvals, self_approval: None, approval_steps, request_lifetime }
}

/// What a grant takes under these rules. Whoever asks never approves, alone or with another.
pub(crate) fn requirement(rules: &GrantRules) -> Requirement {
    let never = Some(chancery_types::SelfApproval::Never);
    Requirement::all([&ApprovalRules { self_approval: never, ..approval_rules(rules) }])
}

impl TokenRules {
    /// The role for which a caller with these roles asks for approvals, and what they take. `named` is the one that the
    /// caller names.
    pub(crate) fn may_ask(&self, roles: &[RoleId], named: Option<RoleId>) -> Result<(RoleId, &GrantRules, MayAsk)> {
        if self.rights(roles).detokenize {
            return Err(Error::state("A Control Rule lets your roles detokenize in full without approvals."));
        }
        let mut own = roles.iter().filter_map(|role| Some((*role, self.demands.of(*role)?)));
        let found = match named {
            Some(named) => own.find(|(role, _)| *role == named).ok_or_else(|| {
                Error::selection("/roleUuid", "No Control Rule takes approvals for this role, or it is none of yours.")
            })?,
            None => {
                let first = own.next().ok_or_else(|| no_rule("Detokenize"))?;
                if own.next().is_some() {
                    let message = "Control Rules take approvals for several of your roles: roleUuid is needed.";
                    return Err(Error::malformed("/roleUuid", message));
                }
                first
            }
        };
        Ok((found.0, found.1, MayAsk(())))
    }
}

#[cfg(test)]
mod tests {
    use chancery_types::{ValidityUnit, wire::x509::ValidityPeriod};

    use super::*;
    use crate::{
        Meaning,
        tokenization::rules::{KeyStanding, Messages, View},
    };

    const KEY: KeyStanding = KeyStanding { tokenize: true, detokenize: true, enabled: true };
    const ONE: RoleId = RoleId::from_u128(1);
    const TWO: RoleId = RoleId::from_u128(2);

    fn rule(role_uuid: RoleId, operation: Operation, num_approvals: Option<i64>) -> ControlRule {
        let approval = num_approvals.map(|num_approvals| GrantRules {
            num_approvals,
            approval_steps: Vec::new(),
            request_lifetime: None,
        });
        let partial = operation == Operation::PartialDetokenize;
        ControlRule {
            role_uuid,
            operation,
            reveal: partial.then_some(4),
            reveal_from: None,
            mask_char: None,
            mask: None,
            budgets: Vec::new(),
            approval,
        }
    }

    fn compile(rules: &[ControlRule]) -> Result<TokenRules> {
        TokenRules::compile(rules, Messages { length_min: 13, check_digits: 1 }, &Limits::default())
    }

    #[test]
    fn a_rule_with_a_demand_shows_nothing_without_a_grant_and_all_with_one() {
        use Operation::{Batch, Detokenize};
        let rules = compile(&[rule(ONE, Detokenize, Some(2)), rule(TWO, Batch, None)]).unwrap();
        let refused = rules.detokenize(&[ONE], Call::Single, KEY).unwrap_err();
        assert_eq!((refused.meaning(), refused.field()), (Meaning::Forbidden, Some("/grantUuid")), "{refused}");
        assert!(refused.message().contains("takes 2 approvals"), "{refused}");
        let granted = rules.detokenize_by_grant(&[ONE], ONE, Call::Single, KEY).unwrap();
        assert_eq!(*granted.view(), View::Full);
        assert!(rules.detokenize_by_grant(&[ONE], ONE, Call::Batch, KEY).is_err(), "Batch is needed besides");
        assert!(rules.detokenize_by_grant(&[ONE, TWO], ONE, Call::Batch, KEY).is_ok());
        assert!(rules.detokenize_by_grant(&[TWO], ONE, Call::Single, KEY).is_err(), "the role is lost");
        assert!(rules.detokenize_by_grant(&[ONE, TWO], TWO, Call::Single, KEY).is_err(), "the rule is lost");
        for call in [Call::Rewrap, Call::Vault] {
            let refused = rules.detokenize(&[ONE, TWO], call, KEY).unwrap_err();
            assert_eq!((refused.meaning(), refused.field()), (Meaning::Forbidden, None), "{call:?}");
        }
    }

    #[test]
    fn masks_and_other_rules_go_on_as_they_were() {
        use Operation::{Detokenize, PartialDetokenize};
        let masked = rule(TWO, PartialDetokenize, None);
        let rules = compile(&[rule(ONE, Detokenize, Some(1)), masked.clone()]).unwrap();
        let seen = rules.detokenize(&[ONE, TWO], Call::Single, KEY).unwrap();
        assert!(matches!(seen.view(), View::Partial(_)), "who names no grant sees what the mask leaves");
        assert!(rules.detokenize(&[ONE, TWO], Call::Track, KEY).is_err());
        let rules = compile(&[rule(ONE, Detokenize, Some(1)), rule(TWO, Detokenize, None)]).unwrap();
        assert_eq!(*rules.detokenize(&[ONE, TWO], Call::Single, KEY).unwrap().view(), View::Full);
        assert_eq!(rules.may_ask(&[ONE, TWO], None).unwrap_err().meaning(), Meaning::State, "nothing to ask for");
    }

    #[test]
    fn who_asks_does_so_for_one_role() {
        use Operation::Detokenize;
        let rules = compile(&[rule(ONE, Detokenize, Some(1)), rule(TWO, Detokenize, Some(3))]).unwrap();
        let asks =
            |roles: &[RoleId], named| rules.may_ask(roles, named).map(|(role, demand, _)| (role, demand.num_approvals));
        assert_eq!(asks(&[TWO], None).unwrap(), (TWO, 3));
        assert_eq!(asks(&[ONE, TWO], Some(ONE)).unwrap(), (ONE, 1));
        for (roles, named, meaning) in [
            (&[ONE, TWO][..], None, Meaning::Malformed),
            (&[ONE], Some(TWO), Meaning::Selection),
            (&[], None, Meaning::Forbidden),
        ] {
            assert_eq!(asks(roles, named).unwrap_err().meaning(), meaning, "{roles:?}");
        }
    }

    #[test]
    fn demands_are_checked_where_they_stand() {
        use Operation::{Detokenize, PartialDetokenize, Tokenize};
        let mut endless = rule(ONE, Detokenize, Some(1));
        endless.approval.as_mut().unwrap().request_lifetime =
            Some(ValidityPeriod { unit: ValidityUnit::Hour, amount: "x".to_owned() });
        for (bad, field) in [
            (vec![rule(ONE, Tokenize, Some(1))], "/controlRules/0/approval"),
            (vec![rule(ONE, PartialDetokenize, Some(1))], "/controlRules/0/approval"),
            (vec![rule(ONE, Detokenize, None), rule(ONE, Detokenize, Some(1))], "/controlRules/1/approval"),
            (vec![rule(ONE, Detokenize, Some(0))], "/controlRules/0/approval/numApprovals"),
            (vec![rule(ONE, Detokenize, Some(65))], "/controlRules/0/approval/numApprovals"),
            (vec![endless], "/controlRules/0/approval/requestLifetime/amount"),
        ] {
            assert_eq!(compile(&bad).unwrap_err().field(), Some(field));
        }
    }
}
