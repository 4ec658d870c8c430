//! Making a proposal.

use chancery_keys::random;
use chancery_store::{
    Tx, name_key,
    tables::{self, decisions::On},
};
use chancery_types::{
    Action, ApprovalState, Base64, CertProfileId, CertificateId, ErrorCode, PolicyId, ProposalDecision, ProposalId,
    ProposalState, ServiceId, SigningRequestState,
    wire::{proposals::Proposed, signing_requests::ApprovalCount},
};
use serde_json::json;
use uuid::Uuid;

use super::{
    content::{self, Beforehand, Content},
    life::Life,
};
use crate::{
    Caller, Chancery, Event, Grant, Member, Result,
    audit::{Actor, Entry},
    signing::{NewService, decision},
};

/// A proposal that is ready to be made.
pub(super) struct NewProposal {
    pub(super) name: String,
    pub(super) note: String,
    pub(super) content: Content,
    pub(super) about: About,
    /// A service that comes into being with it.
    pub(super) service: Option<NewService>,
    /// Approvals that it takes: at least one.
    pub(super) required: u32,
    pub(super) expires_at_ms: Option<i64>,
}

/// What a proposal is about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    pub(super) service: Option<ServiceId>,
    pub(super) policy: Option<PolicyId>,
    pub(super) profile: Option<CertProfileId>,
    pub(super) issuer: Option<CertificateId>,
}

impl About {
    /// A signing policy of a service.
    pub(super) fn policy(service: ServiceId, policy: PolicyId) -> Self {
        Self { service: Some(service), policy: Some(policy), ..Self::default() }
    }
}

impl Chancery {
    /// Stores a proposal, which then waits for approvals.
    pub(super) async fn propose(
        &self,
        caller: &Caller,
        grant: &Grant,
        new: NewProposal,
        now_ms: i64,
    ) -> Result<Proposed> {
        let id = ProposalId::from_random(random());
        let NewProposal { name, note, content, about, service: deployed, required, expires_at_ms } = new;
        let About { service, policy, profile, issuer } = about;
        let row = tables::proposals::Row {
            id: id.into(),
            kind: content.kind().as_str().to_owned(),
            service_id: service.map(Uuid::from),
            policy_id: policy.map(Uuid::from),
            profile_id: profile.map(Uuid::from),
            issuer_id: issuer.map(Uuid::from),
            certificate_id: None,
            name_key: name_key(&name),
            name,
            content: content.text()?,
            state: SigningRequestState::Approval.as_str().to_owned(),
            reason: None,
            required_at_submission: required,
            submitted_at_ms: now_ms,
            decided_at_ms: None,
            expires_at_ms,
            version: 1,
        };
        let digest = content::digest(&row.content);
        let event = Event::new(Action::ProposalSubmit).on(Uuid::from(id)).detail(json!({
            "name": row.name, "kind": row.kind, "serviceUuid": service, "policyUuid": policy,
            "certProfileUuid": profile, "issuerUuid": issuer, "digest": hex::encode(&digest),
            "approvalsRequired": required,
        }));
        let (actor, members) = (Actor::of(caller), caller.members().to_vec());
        self.commit(grant, event, move |tx| {
            Box::pin(async move {
                if let Some(deployed) = deployed {
                    let record = deployed.event();
                    deployed.insert(tx, now_ms).await?;
                    Entry::new(now_ms, &actor, record, ErrorCode::Success)?.append(tx).await?;
                }
                insert(tx, row, content, note, members).await
            })
        })
        .await?;
        Ok(Proposed {
            uuid: id,
            digest: Base64(digest),
            state: ProposalState::Approval,
            approval_state: ApprovalState::Pending,
            approvals: ApprovalCount { given: 0, required },
            certificate_uuid: None,
            reason: None,
            warnings: Vec::new(),
        })
    }
}

async fn insert(
    tx: &mut Tx,
    row: tables::proposals::Row,
    content: Content,
    note: String,
    members: Vec<Member>,
) -> Result<()> {
    tables::proposals::insert(tx, &row).await?;
    let submission = tables::decisions::Decision {
        subject_id: row.id,
        version: row.version,
        decision: ProposalDecision::Submit.as_str().to_owned(),
        note,
        roles: "[]".to_owned(),
        decided_at_ms: row.submitted_at_ms,
    };
    decision::insert(tx, On::Proposal, &submission, &members).await?;
    if let Content::PreApproval(Beforehand { policy_uuid, digests, submitter_uuid, max_requests, .. }) = content {
        let pre_approval = tables::pre_approvals::Row {
            id: row.id,
            policy_id: policy_uuid.into(),
            submitter_id: submitter_uuid.map(Uuid::from),
            state: Life::Waiting.word().to_owned(),
            uses: 0,
            uses_max: max_requests,
            ends_at_ms: None,
        };
        tables::pre_approvals::insert(tx, &pre_approval).await?;
        let digests: Vec<_> = digests.unwrap_or_default().into_iter().map(|Base64(digest)| digest).collect();
        tables::pre_approvals::insert_digests(tx, row.id, &digests).await?;
    }
    Ok(())
}
