//! What people sign with their passkeys to approve a proposal, where a policy demands that.

use chancery_types::{
    Action, Perm, ProposalDecision, ProposalId,
    wire::passkeys::{ApprovalAssertion, ApprovalStatements},
};
use chancery_verify::Subject;
use uuid::Uuid;

use super::StoredProposal;
use crate::{
    Approvals, Caller, Error, Event, Grant, Meaning, Result,
    approval::{Facts, SignedApproval, ToSign},
};

impl Approvals {
    /// GET /api/v2/x509/proposals/{uuid}/approval-statement. Refused where an approval would be.
    pub async fn proposal_statement(&self, caller: &Caller, id: ProposalId) -> Result<ApprovalStatements> {
        let grant = self.context.grant(caller, Perm::SigningApprove, Action::ProposalApprove, Some(id.into())).await?;
        let (stored, mut facts) = self.stored_proposal(&grant, id, self.context.clock.now_ms()).await?;
        self.decide_proposal((caller, Perm::SigningApprove), &stored, &mut facts, ProposalDecision::Approve).await?;
        let demanded = facts.demands_passkeys;
        let statements =
            if demanded { self.approval_statements(caller, &grant, &to_sign(&stored)).await? } else { Vec::new() };
        Ok(ApprovalStatements { demanded, statements })
    }

    /// The evidence that an approval is signed, where that is demanded; a refusal is audited.
    pub(super) async fn sign_proposal(
        &self,
        caller: &Caller,
        grant: &Grant,
        (stored, facts): (&StoredProposal, &Facts),
        assertions: &[ApprovalAssertion],
    ) -> Result<SignedApproval> {
        if !facts.demands_passkeys {
            return SignedApproval::not_demanded_of(assertions);
        }
        self.signed_approval(caller, grant, &to_sign(stored), assertions).await
    }

    /// Records that a passkey may not sign, or what it signed is not what is approved, and hands the refusal back.
    pub(super) async fn proposal_not_signed(&self, caller: &Caller, id: ProposalId, refusal: Error) -> Error {
        if !matches!(refusal.meaning(), Meaning::Forbidden | Meaning::State) {
            return refusal;
        }
        self.context.refused(caller, Event::new(Action::ProposalApprove).on(Uuid::from(id)), refusal).await
    }
}

/// What an approval of a proposal is of: its text says all of it.
fn to_sign(stored: &StoredProposal) -> ToSign {
    ToSign {
        subject: Subject::Proposal(stored.id()),
        digest: stored.digest(),
        content: None,
        consequence: stored.effect.kind().to_string(),
        key: None,
        policy: None,
        page: "proposal",
    }
}
