//! A signing request as it comes out of the store, with everything that the rules and the readers want to know.

use chancery_keys::Digest;
use chancery_store::{
    Tx,
    tables::{self, decisions::On, submitter_sets::Submitter},
};
use chancery_types::{
    ApprovalState, Base64, IdentityId, ProposalId, RequestDecision, SigningRequestId, SigningRequestState,
    wire::{
        ObjInfo,
        log::InclusionProof,
        signing_requests::{Approval, ManifestSummary, SigningRequest, SigningRequestStub},
    },
};

use super::{
    claim::Claim,
    service::{Policy, Service},
};
use crate::{
    Caller, Error, Result,
    approval::{Facts, Parties, Standing, StoredDecision, may_be_approved_by, moment, requirement},
};

/// A signing request without its payload.
#[derive(Clone, Debug)]
pub(crate) struct StoredRequest {
    pub(crate) row: tables::signing_requests::Row,
    /// As stored: see [`facts`](Self::facts) for where it stands at a moment.
    standing: Standing,
    pub(crate) service: Service,
    pub(crate) policy: Policy,
    submitters: Vec<Submitter>,
    decisions: Vec<StoredDecision<RequestDecision>>,
    /// Of a manifest.
    signed_items: u32,
}

impl StoredRequest {
    /// Loads a request; NotFound where there is none.
    pub(crate) async fn load(tx: &mut Tx, id: SigningRequestId) -> Result<Self> {
        let missing = |what: &'static str| move || Error::internal(what);
        let row = tables::signing_requests::by_id(tx, id.into()).await?;
        let row = row.ok_or_else(|| Error::not_found("signing request"))?;
        let service = Service::load(tx, row.service_id.into()).await?;
        let service = service.ok_or_else(missing("a request's service is not there"))?;
        let policy = Policy::load(tx, row.policy_id.into(), &service).await?;
        let policy = policy.ok_or_else(missing("a request's policy is not there"))?;
        let state: SigningRequestState = row.state.parse().map_err(Error::internal)?;
        let decisions = StoredDecision::all(tx, On::Request, id.into()).await?;
        let signed_items = if row.items > 0 { tables::signing_items::signed(tx, row.id).await? } else { 0 };
        let withdrawn = decisions.iter().any(|one| one.decision == RequestDecision::Withdraw);
        Ok(Self {
            standing: if withdrawn { Standing::Withdrawn } else { Standing::stored(state) },
            submitters: tables::submitter_sets::members(tx, row.submitters_id).await?,
            decisions,
            signed_items: u32::try_from(signed_items).map_err(Error::internal)?,
            row,
            service,
            policy,
        })
    }

    /// What the rules see of it at this moment.
    pub(crate) fn facts(&self, hardened: bool, now_ms: i64) -> Facts {
        let approvals = self.decisions.iter().filter(|one| one.decision == RequestDecision::Approve);
        let facts = Facts {
            standing: self.standing,
            submitted_at: self.row.submitted_at_ms,
            submitters: self.submitters().collect(),
            approvals: approvals.map(StoredDecision::approval).collect(),
            steps: requirement::steps(&self.policy.rules.approval_steps),
            required_at_submission: self.row.required_at_submission,
            required_now: self.policy.num_approvals,
            self_approval: self.policy.self_approval(hardened),
            demands_passkeys: self.policy.rules.signed_approvals,
        };
        facts.at(now_ms, self.row.expires_at_ms)
    }

    /// Who has to do with it.
    pub(crate) fn parties(&self, hardened: bool, now_ms: i64) -> Parties {
        let decided = self.decisions.iter().flat_map(StoredDecision::ids);
        Parties::new(self.facts(hardened, now_ms), decided.collect())
    }

    /// What passkeys have signed of the approvals that it has.
    pub(super) fn statements(&self) -> impl Iterator<Item = &str> {
        self.decisions.iter().flat_map(StoredDecision::statements)
    }

    /// Who submitted it.
    pub(super) fn submitters(&self) -> impl Iterator<Item = IdentityId> {
        self.submitters.iter().map(|submitter| submitter.id.into())
    }

    /// Whether one of these identities submitted it.
    pub(crate) fn was_submitted_by(&self, identities: impl Iterator<Item = IdentityId>) -> bool {
        let submitted = |id: IdentityId| self.submitters().any(|submitter| submitter == id);
        identities.into_iter().any(submitted)
    }

    /// The payload's digest.
    pub(crate) fn digest(&self) -> Result<Digest> {
        Digest::new(self.policy.choice.hash, &self.row.digest).map_err(Error::internal)
    }

    /// The request in full; the payload, page hashes and the submitter's claim come apart.
    pub(crate) fn detail(
        self,
        payload: Option<Vec<u8>>,
        approval_digest: Vec<u8>,
        inclusion_proof: Option<InclusionProof>,
        (facts, caller): (&Facts, &Caller),
    ) -> SigningRequest {
        let (state, approval_state) = facts.standing.words();
        let next_step = facts.current_step().filter(|_| facts.standing == Standing::Pending);
        let expired = facts.standing == Standing::Expired;
        let row = self.row;
        let failed = if facts.standing == Standing::Signed { row.items.saturating_sub(self.signed_items) } else { 0 };
        let manifest =
            (row.items > 0).then_some(ManifestSummary { total: row.items, signed: self.signed_items, failed });
        SigningRequest {
            obj_info: ObjInfo { name: row.name.clone(), uuid: row.id.into() },
            uuid: row.id.into(),
            name: row.name,
            state,
            approval_state,
            reason: row.reason.or_else(|| expired.then(|| "It waited too long for its approvals.".to_owned())),
            service_uuid: self.service.id,
            policy_uuid: self.policy.id,
            signing_policy_uuid: self.policy.id,
            signing_format: self.policy.choice.format,
            hash_algorithm: self.policy.choice.hash,
            digest: Base64(row.digest),
            approval_digest: Base64(approval_digest),
            page_hashes: None,
            program_name: None,
            program_url: None,
            manifest,
            signature: Base64(row.signature.unwrap_or_default()),
            submitted_at: moment(row.submitted_at_ms),
            submitted_by: self.submitters.into_iter().map(submitter).collect(),
            note: None,
            metadata: None,
            provenance: None,
            provenance_envelope: None,
            decided_at: row.decided_at_ms.map(moment),
            expires_at: row.expires_at_ms.map(moment),
            approvals_required: facts.required(),
            next_role_uuids: next_step.map(|step| step.roles.clone()),
            may_approve: may_be_approved_by(facts, caller),
            approvals: self.decisions.iter().map(approval).collect(),
            pre_approval_uuid: row.pre_approval_id.map(ProposalId::from),
            repeats_uuid: row.repeats_id.map(SigningRequestId::from),
            inclusion_proof,
            upload_size: None,
            upload_data: payload.map(Base64),
            contents: None,
            manifest_changes: None,
        }
    }
}

fn submitter(one: Submitter) -> ObjInfo<IdentityId> {
    ObjInfo { name: one.name, uuid: one.id.into() }
}

fn approval(decided: &StoredDecision<RequestDecision>) -> Approval {
    Approval {
        decision: decided.decision,
        identities: decided.names(),
        note: decided.row.note.clone(),
        decided_at: moment(decided.row.decided_at_ms),
        statement: decided.statement(),
        signatures: decided.signatures(),
    }
}

/// What a list says of a request at this moment.
pub(super) fn stub(row: tables::signing_requests::Stub, claim: Claim, now_ms: i64) -> Result<SigningRequestStub> {
    let standing = Standing::stored(row.state.parse().map_err(Error::internal)?);
    let expired = standing == Standing::Pending && row.expires_at_ms.is_some_and(|end_ms| end_ms <= now_ms);
    let (state, approval_state): (SigningRequestState, ApprovalState) =
        if expired { Standing::Expired.words() } else { standing.words() };
    Ok(SigningRequestStub {
        obj_info: ObjInfo { name: row.name.clone(), uuid: row.id.into() },
        uuid: row.id.into(),
        name: row.name,
        state,
        approval_state,
        service_uuid: row.service_id.into(),
        policy_uuid: row.policy_id.into(),
        submitted_at: moment(row.submitted_at_ms),
        approval_digest: Base64(row.approval_digest),
        pre_approval_uuid: row.pre_approval_id.map(ProposalId::from),
        note: claim.note,
        metadata: claim.metadata,
    })
}
