//! The terms of a policy: what is signed how, and after how many approvals.

use chancery_store::tables;
use chancery_types::{HashType, PolicyId, SelfApproval, ServiceId, SigningFormat, wire::signing_policies::PolicyRules};

use super::{algorithms::Choice, policy_rules, service::Policy};
use crate::{Error, Limits, Result, approval::requirement::check_num_approvals};

/// What a policy says, checked.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) choice: Choice,
    pub(crate) num_approvals: u32,
    pub(crate) self_approval: SelfApproval,
    pub(crate) rules: PolicyRules,
}

impl Terms {
    /// Checks what a request says of approvals.
    pub(crate) fn read(
        choice: Choice,
        num_approvals: i64,
        self_approval: Option<SelfApproval>,
        rules: PolicyRules,
        limits: &Limits,
        hardened: bool,
    ) -> Result<Self> {
        let num_approvals = check_num_approvals(num_approvals, limits)?;
        if hardened && self_approval == Some(SelfApproval::DualControl) {
            return Err(Error::selection("/selfApproval", "In hardened mode selfApproval is Never."));
        }
        let self_approval = self_approval.unwrap_or_else(|| default_self_approval(hardened));
        if choice.time_stamp && choice.format == SigningFormat::Raw {
            return Err(Error::value("/timeStamp", "A bare signature has no room for a time stamp."));
        }
        policy_rules::check(&rules, num_approvals, limits)?;
        Ok(Self { choice, num_approvals, self_approval, rules })
    }

    /// The terms of a service that was deployed without a certificate; nothing can be submitted to it.
    pub(crate) fn without_certificate(hardened: bool) -> Self {
        Self {
            choice: Choice { format: SigningFormat::Cms, hash: HashType::Sha2_256, rsa_pss: false, time_stamp: false },
            num_approvals: 1,
            self_approval: default_self_approval(hardened),
            rules: PolicyRules::default(),
        }
    }

    /// Whether they are as strict as each policy that the service has: a laxer one would be a way around the others,
    /// since all of them sign with the same key.
    pub(crate) fn check_beside(&self, policies: &[Policy]) -> Result<()> {
        let highest = policies.iter().map(|policy| policy.num_approvals).max().unwrap_or(0);
        if self.num_approvals < highest {
            let message = format!(
                "The service's policies demand {highest} approvals: none is made, or changed, to demand fewer."
            );
            return Err(Error::value("/numApprovals", message));
        }
        if policies.iter().any(|policy| policy.rules.signed_approvals) && !self.rules.signed_approvals {
            let message = "The service has a policy whose approvals are signed; all of them say the same.";
            return Err(Error::value("/rules/signedApprovals", message));
        }
        let never = policies.iter().any(|policy| policy.self_approval == SelfApproval::Never);
        if never && self.self_approval == SelfApproval::DualControl {
            let message = "The service has a policy whose selfApproval is Never; all of them say the same.";
            return Err(Error::value("/selfApproval", message));
        }
        Ok(())
    }

    /// Whether a policy becomes stricter or laxer by them, in what all policies of its service are held to.
    pub(crate) fn differ_in_strictness(&self, old: &Policy, hardened: bool) -> bool {
        self.num_approvals != old.num_approvals
            || self.self_approval != old.self_approval(hardened)
            || self.rules.signed_approvals != old.rules.signed_approvals
    }

    /// As a policy is stored.
    pub(crate) fn row(&self, id: PolicyId, service: ServiceId, name: String) -> Result<tables::signing_policies::Row> {
        Ok(tables::signing_policies::Row {
            id: id.into(),
            service_id: service.into(),
            name,
            num_approvals: self.num_approvals,
            hash_algorithm: self.choice.hash.as_str().to_owned(),
            rsa_pss: self.choice.rsa_pss,
            time_stamp: self.choice.time_stamp,
            self_approval: self.self_approval.as_str().to_owned(),
            rules: serde_json::to_string(&self.rules).map_err(Error::internal)?,
        })
    }
}

const fn default_self_approval(hardened: bool) -> SelfApproval {
    if hardened { SelfApproval::Never } else { SelfApproval::DualControl }
}
