//! A proposal as it comes out of the store, with everything that the rules and the readers want to know.

use std::sync::Arc;

use chancery_keys::hash;
use chancery_store::{
    Tx,
    tables::{self, decisions::On},
};
use chancery_types::{
    ApprovalState, Base64, CertProfileId, CertificateId, HashType, IdentityId, PolicyId, ProposalDecision, ProposalId,
    ProposalKind, ProposalState, SelfApproval, ServiceId, SigningRequestState, TokenProfileId,
    wire::{
        ObjInfo,
        proposals::{PreApproval, Proposal, ProposalApproval, ProposalStub, Proposed, UsedDigest},
        signing_requests::ApprovalCount,
    },
};

use super::{
    Effect, Effects,
    decide::{over, standing_in_words},
};
use crate::{
    Caller, Error, Result,
    approval::{
        Facts, Parties, Requirement, Standing, StoredDecision, may_be_approved_by, moment, pre_approval_life::Life,
    },
    context::{grant::Entitles, rows::is_unauthentic, storage::Evidence},
};

/// A proposal.
#[derive(Clone)]
pub(crate) struct StoredProposal {
    pub(super) row: tables::proposals::Row,
    pub(super) effect: Arc<dyn Effect>,
    /// As stored: see [`facts`](Self::facts) for where it stands at a moment.
    standing: Standing,
    /// The submission is the first.
    decisions: Vec<StoredDecision<ProposalDecision>>,
    requirement: Requirement,
    pre_approval: Option<tables::pre_approvals::Row>,
    grant: Option<tables::detokenize_grants::Row>,
}

/// The evidence that a session is of those who made a proposal, all of them and nobody else. Made only here.
#[derive(Debug)]
pub(crate) struct IsProposer(());

impl Evidence for IsProposer {}
impl Entitles for IsProposer {}

impl StoredProposal {
    /// Loads a proposal; NotFound where there is none.
    pub(crate) async fn load(tx: &mut Tx, effects: Effects, id: ProposalId) -> Result<Self> {
        let row = tables::proposals::by_id(tx, id.into()).await?;
        let row = row.ok_or_else(|| Error::not_found("proposal"))?;
        Self::of_row(tx, effects, row).await
    }

    /// What belongs to the rows of a list. One of which the database lacks a part, or holds what Chancery has not written, is left
    /// out, as a list leaves out such a row itself: the others go on.
    pub(crate) async fn of_rows(tx: &mut Tx, effects: Effects, rows: Vec<tables::proposals::Row>) -> Result<Vec<Self>> {
        let mut stored = Vec::with_capacity(rows.len());
        for row in rows {
            match Self::of_row(tx, effects, row).await {
                Ok(one) => stored.push(one),
                // It is told already.
                Err(failure) if is_unauthentic(&failure) => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(stored)
    }

    /// What belongs to a row.
    async fn of_row(tx: &mut Tx, effects: Effects, row: tables::proposals::Row) -> Result<Self> {
        let effect = effects.read(&row)?;
        let state: SigningRequestState = row.state.parse().map_err(Error::internal)?;
        let decisions = StoredDecision::all(tx, On::Proposal, row.id).await?;
        if !decisions.iter().any(|one| one.decision == ProposalDecision::Submit) {
            return Err(tables::proposals::refused(tx, row.id).into());
        }
        let withdrawn = decisions.iter().any(|one| one.decision == ProposalDecision::Withdraw);
        let kind = effect.kind();
        let is_pre_approval = kind == ProposalKind::PreApproval;
        let pre_approval = if is_pre_approval { tables::pre_approvals::by_id(tx, row.id).await? } else { None };
        let is_grant = kind == ProposalKind::DetokenizeGrant;
        let grant = if is_grant { tables::detokenize_grants::by_id(tx, row.id).await? } else { None };
        // What took effect may have changed what is demanded; what is used again and again is held against it each time.
        let is_open = state == SigningRequestState::Approval || pre_approval.is_some() || grant.is_some();
        let requirement = if is_open { effect.requirement(tx, &row).await? } else { None };
        let as_submitted = || Requirement::new(row.required_at_submission, Vec::new(), SelfApproval::Never);
        Ok(Self {
            standing: if withdrawn { Standing::Withdrawn } else { Standing::stored(state) },
            requirement: requirement.unwrap_or_else(as_submitted),
            pre_approval,
            grant,
            effect,
            decisions,
            row,
        })
    }

    pub(crate) fn id(&self) -> ProposalId {
        self.row.id.into()
    }

    /// What the rules see of it at this moment.
    pub(in crate::approval) fn facts(&self, hardened: bool, now_ms: i64) -> Facts {
        let approvals = self.decisions.iter().filter(|one| one.decision == ProposalDecision::Approve);
        let facts = Facts {
            standing: self.standing,
            submitted_at: self.row.submitted_at_ms,
            submitters: self.asking(),
            approvals: approvals.map(StoredDecision::approval).collect(),
            steps: self.requirement.steps.clone(),
            required_at_submission: self.row.required_at_submission,
            required_now: self.requirement.count,
            self_approval: if hardened { SelfApproval::Never } else { self.requirement.self_approval },
            demands_passkeys: self.requirement.demands_passkeys,
        };
        let mut facts = facts.at(now_ms, self.row.expires_at_ms);
        // It ended with the identity that asked for it.
        if facts.standing == Standing::Pending && self.life(now_ms) == Some(Life::Revoked) {
            facts.standing = Standing::Withdrawn;
        }
        // A policy that became stricter asks for more approvals; until then its pre-approvals wait again.
        let short = facts.standing == Standing::Signed && facts.given() < facts.required();
        if short && self.life(now_ms) == Some(Life::Active) {
            facts.standing = Standing::Pending;
        }
        facts
    }

    /// Who has to do with it.
    pub(crate) fn parties(&self, hardened: bool, now_ms: i64) -> Parties {
        let decided = self.decisions.iter().flat_map(StoredDecision::ids);
        Parties::new(self.facts(hardened, now_ms), decided.collect())
    }

    /// Who made it, and whose requests it is for: none of them approves a pre-approval.
    fn asking(&self) -> Vec<IdentityId> {
        self.proposers().chain(self.submitter()).collect()
    }

    /// Who made it: all identities of one session.
    pub(super) fn proposers(&self) -> impl Iterator<Item = IdentityId> {
        let made = self.decisions.iter().filter(|one| one.decision == ProposalDecision::Submit);
        made.flat_map(StoredDecision::ids)
    }

    /// Whose requests a pre-approval is for; none where it lists digests.
    pub(in crate::approval) fn submitter(&self) -> Option<IdentityId> {
        self.pre_approval.as_ref()?.submitter_id.map(IdentityId::from)
    }

    /// Where a pre-approval or a grant stands; none for others.
    pub(in crate::approval) fn life(&self, now_ms: i64) -> Option<Life> {
        let pre_approval = self.pre_approval.as_ref().map(|row| (&row.state, row.ends_at_ms));
        let grant = self.grant.as_ref().map(|row| (&row.state, row.ends_at_ms));
        let (state, ends_at_ms) = pre_approval.or(grant)?;
        Life::stored(state, self.uses_left(), ends_at_ms.is_some_and(|end_ms| end_ms <= now_ms))
    }

    /// What was used of a grant; none for others.
    pub(crate) fn grant(&self) -> Option<&tables::detokenize_grants::Row> {
        self.grant.as_ref()
    }

    /// The text that people approve.
    pub(crate) fn content(&self) -> &str {
        &self.row.content
    }

    /// When it was made.
    pub(crate) fn submitted_at_ms(&self) -> i64 {
        self.row.submitted_at_ms
    }

    /// Evidence where those who made it make up the session, and nobody else sits in it.
    pub(crate) fn is_proposer(&self, caller: &Caller) -> Option<IsProposer> {
        let mut proposers: Vec<_> = self.proposers().collect();
        let mut members: Vec<_> = caller.members().iter().map(|member| member.id).collect();
        proposers.sort_unstable();
        members.sort_unstable();
        (proposers == members).then_some(IsProposer(()))
    }

    /// Whether it took effect, whatever became of it since.
    pub(crate) fn took_effect(&self) -> bool {
        self.standing == Standing::Signed
    }

    /// Whether it has its approvals, as many as are demanded now, and can be used.
    pub(crate) fn check_in_effect(&self, hardened: bool, now_ms: i64) -> Result<()> {
        self.check_approved(hardened, now_ms)?;
        match self.life(now_ms) {
            Some(Life::Active) => Ok(()),
            Some(life) => Err(over(life)),
            None => Err(Error::internal("what is used again and again has no life")),
        }
    }

    /// Whether it has its approvals, as many as are demanded now.
    pub(crate) fn check_approved(&self, hardened: bool, now_ms: i64) -> Result<()> {
        let facts = self.facts(hardened, now_ms);
        if facts.standing == Standing::Signed {
            return Ok(());
        }
        if facts.standing == Standing::Pending {
            let (given, required) = (facts.given(), facts.required());
            return Err(Error::state(format!("The grant waits for approvals: it has {given} of {required}.")));
        }
        Err(Error::state(standing_in_words(facts.standing)))
    }

    /// Uses that are left of a pre-approval, values of a grant.
    pub(crate) fn uses_left(&self) -> u32 {
        let pre_approval = self.pre_approval.as_ref().map(|row| (row.uses_max, row.uses));
        let grant = self.grant.as_ref().map(|row| (row.uses_max, row.uses));
        pre_approval.or(grant).map_or(0, |(max, uses)| max.saturating_sub(uses))
    }

    /// Whether one of these identities made it, decided on it, or may use it.
    pub(super) fn concerns(&self, mut identities: impl Iterator<Item = IdentityId>) -> bool {
        let decided = self.decisions.iter().flat_map(StoredDecision::ids);
        let known: Vec<_> = decided.chain(self.submitter()).collect();
        identities.any(|id| known.contains(&id))
    }

    /// The interface's words for where it stands.
    pub(crate) fn words(&self, standing: Standing, life: Option<Life>) -> (ProposalState, ApprovalState) {
        let state = match standing {
            Standing::New | Standing::Pending | Standing::Approved => ProposalState::Approval,
            Standing::Failed | Standing::Expired => ProposalState::Failed,
            Standing::Denied | Standing::Withdrawn => ProposalState::Denied,
            Standing::Signed => match life {
                None if self.effect.kind() == ProposalKind::Certificate => ProposalState::Issued,
                None => ProposalState::Applied,
                Some(Life::Waiting | Life::Active) => ProposalState::Active,
                Some(Life::UsedUp) => ProposalState::UsedUp,
                Some(Life::Ended) => ProposalState::Ended,
                Some(Life::Revoked) => ProposalState::Revoked,
            },
        };
        (state, standing.words().1)
    }

    /// What stands for it when people approve it.
    pub(super) fn digest(&self) -> Vec<u8> {
        digest(&self.row.content)
    }

    /// Where it stands at a moment, in the interface's words, and its approvals.
    pub(crate) fn state_at(&self, hardened: bool, now_ms: i64) -> (ProposalState, ApprovalCount) {
        let facts = self.facts(hardened, now_ms);
        let (state, _) = self.words(facts.standing, self.life(now_ms));
        (state, ApprovalCount { given: facts.given(), required: facts.required() })
    }

    /// Who made it, by the names of that time.
    pub(crate) fn submitted_by(&self) -> Vec<ObjInfo<IdentityId>> {
        let submitted = self.decisions.iter().find(|one| one.decision == ProposalDecision::Submit);
        submitted.map(StoredDecision::names).unwrap_or_default()
    }

    /// What an answer says of it, with these approvals.
    pub(super) fn proposed(&self, standing: Standing, life: Option<Life>, approvals: ApprovalCount) -> Proposed {
        let (state, approval_state) = self.words(standing, life);
        let digest = Base64(self.digest());
        let certificate_uuid = self.row.certificate_id.map(CertificateId::from);
        let reason = self.row.reason.clone();
        Proposed {
            uuid: self.id(),
            digest,
            state,
            approval_state,
            approvals,
            certificate_uuid,
            reason,
            warnings: Vec::new(),
        }
    }

    /// What a list says of it.
    pub(super) fn stub(self, hardened: bool, now_ms: i64) -> ProposalStub {
        let (state, approval_state) = self.words(self.facts(hardened, now_ms).standing, self.life(now_ms));
        ProposalStub {
            kind: self.effect.kind(),
            state,
            approval_state,
            service_uuid: self.row.service_id.map(ServiceId::from),
            policy_uuid: self.row.policy_id.map(PolicyId::from),
            cert_profile_uuid: self.row.profile_id.map(CertProfileId::from),
            issuer_uuid: self.row.issuer_id.map(CertificateId::from),
            token_profile_uuid: self.row.token_profile_id.map(TokenProfileId::from),
            certificate_uuid: self.row.certificate_id.map(CertificateId::from),
            submitted_at: moment(self.row.submitted_at_ms),
            obj_info: ObjInfo { name: self.row.name, uuid: self.row.id.into() },
        }
    }

    /// The proposal in full, with the digests that were used.
    pub(super) fn detail(
        self,
        caller: &Caller,
        used: Vec<tables::pre_approvals::Used>,
        hardened: bool,
        now_ms: i64,
    ) -> Proposal {
        let (facts, digest) = (self.facts(hardened, now_ms), self.digest());
        let (state, approval_state) = self.words(facts.standing, self.life(now_ms));
        let next_step = facts.current_step().filter(|_| facts.standing == Standing::Pending);
        let expired = facts.standing == Standing::Expired;
        let submitted_by = self.submitted_by();
        let used = used.into_iter();
        let used_digests =
            used.map(|one| UsedDigest { digest: Base64(one.digest), request_uuid: one.request_id.into() });
        let pre_approval = self.pre_approval.map(|row| PreApproval {
            submitter_uuid: row.submitter_id.map(IdentityId::from),
            max_requests: row.uses_max,
            uses: row.uses,
            ends_at: row.ends_at_ms.map(moment),
            used_digests: used_digests.collect(),
        });
        let proposal = Proposal {
            obj_info: ObjInfo { name: self.row.name, uuid: self.row.id.into() },
            kind: self.effect.kind(),
            state,
            approval_state,
            reason: self.row.reason.or_else(|| expired.then(|| "It waited too long for its approvals.".to_owned())),
            service_uuid: self.row.service_id.map(ServiceId::from),
            policy_uuid: self.row.policy_id.map(PolicyId::from),
            cert_profile_uuid: self.row.profile_id.map(CertProfileId::from),
            issuer_uuid: self.row.issuer_id.map(CertificateId::from),
            token_profile_uuid: self.row.token_profile_id.map(TokenProfileId::from),
            certificate_uuid: self.row.certificate_id.map(CertificateId::from),
            digest: Base64(digest),
            content: self.row.content,
            submitted_at: moment(self.row.submitted_at_ms),
            submitted_by,
            decided_at: self.row.decided_at_ms.map(moment),
            expires_at: self.row.expires_at_ms.map(moment),
            approvals_required: facts.required(),
            next_role_uuids: next_step.map(|step| step.roles.clone()),
            may_approve: may_be_approved_by(&facts, caller),
            self_approval: (facts.standing == Standing::Pending).then_some(facts.self_approval),
            approvals: self.decisions.iter().map(approval).collect(),
            pre_approval,
            policy: None,
            certificate: None,
            cert_profile: None,
            issuer_approval: None,
            detokenize_grant: None,
            effect: None,
        };
        self.effect.shown(proposal)
    }
}

/// What stands for a text when people approve it.
pub(super) fn digest(content: &str) -> Vec<u8> {
    hash(HashType::Sha2_256, content.as_bytes()).as_bytes().to_vec()
}

fn approval(decided: &StoredDecision<ProposalDecision>) -> ProposalApproval {
    ProposalApproval {
        decision: decided.decision,
        identities: decided.names(),
        note: decided.row.note.clone(),
        decided_at: moment(decided.row.decided_at_ms),
        signatures: decided.signatures(),
    }
}
