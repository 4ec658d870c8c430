//! Storing a proposal: a change, already checked and granted, that waits for approvals.

use std::sync::Arc;

use chancery_keys::random;
use chancery_store::{
    Tx, name_key,
    tables::{self, decisions::On},
};
use chancery_types::{
    Action, ApprovalState, Base64, CertProfileId, CertificateId, PolicyId, ProposalDecision, ProposalId, ProposalState,
    ServiceId, SigningRequestState, TokenProfileId,
    wire::{proposals::Proposed, signing_requests::ApprovalCount},
};
use futures::future::BoxFuture;
use serde_json::json;
use uuid::Uuid;

use super::{Effect, stored_proposal::digest};
use crate::{
    Approvals, Caller, Event, Grant, Result,
    approval::{NewDecision, Requirement, SignedApproval},
    context::record::Actor,
};

/// Something to be stored in the transaction of a proposal.
pub(crate) type StoreFirst = Box<dyn for<'t> FnOnce(&'t mut Tx, &'t Actor) -> BoxFuture<'t, Result<()>> + Send>;

/// A proposal that is ready to be made.
pub(crate) struct NewProposal {
    pub(crate) name: String,
    pub(crate) note: String,
    pub(crate) effect: Arc<dyn Effect>,
    pub(crate) about: About,
    /// Stores, before the proposal, what comes into being with it, or looks whether there is room for it.
    pub(crate) first: Option<StoreFirst>,
    /// Approvals that it takes: at least one.
    pub(crate) required: u32,
    pub(crate) expires_at_ms: Option<i64>,
}

/// What a proposal is about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct About {
    pub(crate) service: Option<ServiceId>,
    pub(crate) policy: Option<PolicyId>,
    pub(crate) profile: Option<CertProfileId>,
    pub(crate) issuer: Option<CertificateId>,
    pub(crate) token_profile: Option<TokenProfileId>,
}

impl NewProposal {
    /// A proposal that takes what is demanded.
    pub(crate) fn demanded(
        requirement: &Requirement,
        name: String,
        about: About,
        effect: Arc<dyn Effect>,
        now_ms: i64,
    ) -> Result<Self> {
        let (required, expires_at_ms) = (requirement.count(), requirement.expiry(now_ms)?);
        Ok(Self { name, note: String::new(), effect, about, first: None, required, expires_at_ms })
    }
}

impl Approvals {
    /// Stores a proposal, which then waits for approvals.
    pub(crate) async fn propose(
        &self,
        caller: &Caller,
        grant: &Grant,
        new: NewProposal,
        now_ms: i64,
    ) -> Result<Proposed> {
        let id = ProposalId::from_random(random());
        let NewProposal { name, note, effect, about, first, required, expires_at_ms } = new;
        let About { service, policy, profile, issuer, token_profile } = about;
        let row = tables::proposals::Row {
            id: id.into(),
            kind: effect.kind().as_str().to_owned(),
            service_id: service.map(Uuid::from),
            policy_id: policy.map(Uuid::from),
            profile_id: profile.map(Uuid::from),
            issuer_id: issuer.map(Uuid::from),
            certificate_id: None,
            name_key: name_key(&name),
            name,
            content: effect.text()?,
            state: SigningRequestState::Approval.as_str().to_owned(),
            reason: None,
            required_at_submission: required,
            submitted_at_ms: now_ms,
            decided_at_ms: None,
            expires_at_ms,
            version: 1,
            token_profile_id: token_profile.map(Uuid::from),
        };
        let digest = digest(&row.content);
        let event = Event::new(Action::ProposalSubmit).on(Uuid::from(id)).detail(json!({
            "name": row.name, "kind": row.kind, "serviceUuid": service, "policyUuid": policy, "certProfileUuid": profile,
            "issuerUuid": issuer, "digest": hex::encode(&digest), "approvalsRequired": required,
        }));
        let event = effect.submitted(event, &self.context.limits)?;
        let words = (ProposalDecision::Submit.as_str(), note.as_str());
        let submission =
            NewDecision::new(caller, (row.id, row.version), words, &[], now_ms, SignedApproval::not_demanded())?;
        let actor = Actor::of(self.context.node, caller);
        self.context
            .commit(grant, event, move |tx| {
                Box::pin(async move {
                    if let Some(first) = first {
                        first(tx, &actor).await?;
                    }
                    tables::proposals::insert(tx, &row).await?;
                    submission.insert(tx, On::Proposal).await?;
                    effect.submit(tx, id).await
                })
            })
            .await?;
        Ok(waiting(id, digest, required))
    }
}

/// The answer to whoever proposed it.
fn waiting(uuid: ProposalId, digest: Vec<u8>, required: u32) -> Proposed {
    Proposed {
        uuid,
        digest: Base64(digest),
        state: ProposalState::Approval,
        approval_state: ApprovalState::Pending,
        approvals: ApprovalCount { given: 0, required },
        certificate_uuid: None,
        reason: None,
        warnings: Vec::new(),
    }
}
