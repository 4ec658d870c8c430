//! Deciding on many proposals in one call, each by itself.

use chancery_types::{
    Action, Decision, ErrorCode, Perm, ProposalDecision, ProposalId,
    wire::proposals::{BatchDecideProposals, BatchDecidedProposal, BatchDecidedProposals},
};
use tracing::error;

use super::decide::DECIDERS;
use crate::{Approvals, Caller, Error, Grant, Meaning, Result};

impl Approvals {
    /// Approves or denies many proposals in the order given, since two may be about the same policy; what is refused for
    /// one leaves the others as they are.
    pub async fn batch_decide_proposals(
        &self,
        caller: &Caller,
        request: BatchDecideProposals,
    ) -> Result<BatchDecidedProposals> {
        let BatchDecideProposals { uuids, decision, note } = request;
        let grant = match decision {
            Decision::Approve => {
                self.context.grant(caller, Perm::SigningApprove, Action::ProposalApprove, None).await?
            }
            Decision::Deny => self.context.grant_any(caller, &DECIDERS, Action::ProposalDeny, None).await?,
        };
        if uuids.len() > self.context.limits.decisions_max {
            let message = format!("At most {} proposals are decided in one call.", self.context.limits.decisions_max);
            return Err(Error::too_large("/uuids", message));
        }
        let note = self.note(note)?;
        let mut results = Vec::with_capacity(uuids.len());
        for id in uuids {
            results.push(self.decide_on_proposal(caller, &grant, id, decision, &note).await);
        }
        Ok(BatchDecidedProposals { results })
    }

    async fn decide_on_proposal(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: ProposalId,
        decision: Decision,
        note: &str,
    ) -> BatchDecidedProposal {
        let decided = match decision {
            Decision::Approve => Box::pin(self.approve_one(caller, grant, id, (note, &[]), None)).await,
            Decision::Deny => {
                Box::pin(self.end_one((caller, Perm::SigningApprove), grant, id, ProposalDecision::Deny, note)).await
            }
        };
        match decided {
            Ok(decided) => {
                BatchDecidedProposal { uuid: id, error_code: ErrorCode::Success, message: None, decided: Some(decided) }
            }
            Err(refusal) => {
                if refusal.meaning() == Meaning::Internal {
                    // The answer as a whole succeeds, so nobody further out sees the cause.
                    error!(error = &refusal as &dyn std::error::Error, "a proposal was not decided");
                }
                BatchDecidedProposal {
                    uuid: id,
                    error_code: refusal.meaning().error_code(),
                    message: Some(refusal.message().to_owned()),
                    decided: None,
                }
            }
        }
    }
}
