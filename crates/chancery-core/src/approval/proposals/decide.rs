//! Approving, denying, withdrawing and revoking proposals.

use chancery_store::{
    Tx,
    tables::{self, decisions::On},
};
use chancery_types::{
    Action, Base64, IdentityId, Perm, ProposalDecision, ProposalId, ProposalKind,
    wire::{
        passkeys::ApprovalAssertion,
        proposals::Proposed,
        signing_requests::{ApprovalCount, ApproveRequest, DecideRequest},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{ApplyProposal, Effects, StoredProposal};
use crate::{
    Approvals, Caller, Error, Event, Grant, Meaning, Result,
    approval::{
        ATTEMPTS_MAX, Approval, Approved, Facts, NewDecision, SignedApproval, Standing, Transition, other_digest,
        participants_by,
        pre_approval_life::{self, Life},
        refusal, refusal_of_grant, too_many_attempts,
    },
    context::record::Actor,
};

/// Who may try to end a proposal, if it turns out to be the own one or an approver's business.
pub(super) const DECIDERS: [Perm; 5] =
    [Perm::SigningApprove, Perm::ServicesDeploy, Perm::SigningSubmit, Perm::CertManageGenerate, Perm::CertManageManage];

/// The evidence that a proposal has every approval. Made only here.
pub(crate) struct ApprovedProposal {
    /// All identities of the session that proposed it.
    pub(crate) proposers: Vec<IdentityId>,
    /// When they did, in milliseconds since 1970 UTC.
    pub(crate) proposed_at_ms: i64,
    _approved: Approved,
}

/// What a decision leads to.
struct Outcome {
    standing: Standing,
    /// Why it failed.
    reason: Option<String>,
    /// Where a pre-approval stands afterwards, if that changes.
    life: Option<Life>,
    /// What takes effect.
    effect: Option<Box<dyn ApplyProposal>>,
}

/// A decision that is ready to be stored.
struct Decided {
    stored: StoredProposal,
    decision: ProposalDecision,
    row: NewDecision,
    approval: Approval,
    actor: Actor,
    outcome: Outcome,
    effects: Effects,
    hardened: bool,
    now_ms: i64,
}

impl Approvals {
    /// Approves a proposal in the name of all identities of the session; the last approval that is needed puts it into
    /// effect.
    pub async fn approve_proposal(&self, caller: &Caller, id: ProposalId, request: ApproveRequest) -> Result<Proposed> {
        let grant = self.context.grant(caller, Perm::SigningApprove, Action::ProposalApprove, Some(id.into())).await?;
        let ApproveRequest { note, digest, assertions } = request;
        let note = self.note(note)?;
        Box::pin(self.approve_one(caller, &grant, id, (&note, &assertions), digest)).await
    }

    pub(super) async fn approve_one(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: ProposalId,
        (note, assertions): (&str, &[ApprovalAssertion]),
        digest: Option<Base64>,
    ) -> Result<Proposed> {
        // Two do not make the same certificate at the same time.
        let _lock = self.decision_locks.lock(id.into()).await;
        for _ in 0..ATTEMPTS_MAX {
            let now_ms = self.context.clock.now_ms();
            let (stored, mut facts) = self.stored_proposal(grant, id, now_ms).await?;
            let (approved, approval) = self
                .decide_proposal((caller, Perm::SigningApprove), &stored, &mut facts, ProposalDecision::Approve)
                .await?;
            let directory = self.identities.state.directory.load_full();
            if let Err(useless) = stored.effect.check_useful(&directory, stored.submitted_at_ms()) {
                let event = Event::new(Action::ProposalApprove).on(Uuid::from(id));
                return Err(self.context.refused(caller, event, useless).await);
            }
            if let Some(Base64(other)) = digest.as_ref().filter(|given| given.0 != stored.digest()) {
                let message = "This is not the digest of the proposal, so nothing was approved; its detail has it.";
                // Somebody was shown something else than what is to be approved, or says so: an auditor will ask.
                let event = Event::new(Action::ProposalApprove).on(Uuid::from(id));
                return Err(self.context.refused(caller, event, other_digest(message, other)).await);
            }
            let signed = self.sign_proposal(caller, grant, (&stored, &facts), assertions).await;
            let signed = match signed {
                Ok(signed) => signed,
                Err(refusal) => return Err(self.proposal_not_signed(caller, id, refusal).await),
            };
            let outcome = match approved {
                Some(approved) => Box::pin(self.prepare_effect(grant, &stored, &mut facts, approved, now_ms)).await?,
                None => Outcome { standing: facts.standing, reason: None, life: None, effect: None },
            };
            let words = (ProposalDecision::Approve, note);
            let decided = self.decided(caller, stored, words, (approval, signed), outcome, now_ms)?;
            match self.store_decided(grant, decided, &facts).await {
                Ok(Some(proposed)) => return Ok(proposed),
                Ok(None) => {}
                // Such as a passkey that may not sign any more, or has signed this before.
                Err(refusal) => return Err(self.proposal_not_signed(caller, id, refusal).await),
            }
        }
        Err(too_many_attempts())
    }

    /// Denies a proposal; one denial is enough.
    pub async fn deny_proposal(&self, caller: &Caller, id: ProposalId, request: DecideRequest) -> Result<Proposed> {
        self.end_proposal(caller, id, ProposalDecision::Deny, request).await
    }

    /// Takes a proposal back, in the name of whoever made it.
    pub async fn withdraw_proposal(&self, caller: &Caller, id: ProposalId, request: DecideRequest) -> Result<Proposed> {
        self.end_proposal(caller, id, ProposalDecision::Withdraw, request).await
    }

    /// Ends a pre-approval or a grant at once.
    pub async fn revoke_proposal(&self, caller: &Caller, id: ProposalId, request: DecideRequest) -> Result<Proposed> {
        self.end_proposal(caller, id, ProposalDecision::Revoke, request).await
    }

    async fn end_proposal(
        &self,
        caller: &Caller,
        id: ProposalId,
        decision: ProposalDecision,
        request: DecideRequest,
    ) -> Result<Proposed> {
        let grant = self.context.grant_any(caller, &DECIDERS, action(decision), Some(id.into())).await?;
        let note = self.note(request.note)?;
        Box::pin(self.end_one((caller, Perm::SigningApprove), &grant, id, decision, &note)).await
    }

    /// Ends one; `by` is what lets somebody do so who did not make it.
    pub(crate) async fn end_one(
        &self,
        (caller, by): (&Caller, Perm),
        grant: &Grant,
        id: ProposalId,
        decision: ProposalDecision,
        note: &str,
    ) -> Result<Proposed> {
        for _ in 0..ATTEMPTS_MAX {
            let now_ms = self.context.clock.now_ms();
            let (stored, mut facts) = self.stored_proposal(grant, id, now_ms).await?;
            let (is_revoked, standing) = (decision == ProposalDecision::Revoke, facts.standing);
            if is_revoked {
                // Who may deny may revoke: it is the safe direction too.
                facts.standing = Standing::Pending;
            }
            let (_, approval) = self.decide_proposal((caller, by), &stored, &mut facts, decision).await?;
            let end = if is_revoked {
                // Whoever may not is not told where it stands.
                if matches!(stored.life(now_ms), None | Some(Life::Waiting)) {
                    return Err(Error::state(
                        "Only a pre-approval or a grant that took effect is revoked; others are denied.",
                    ));
                }
                facts.standing = standing;
                pre_approval_life::Event::Revoke
            } else {
                pre_approval_life::Event::Deny
            };
            let life = stored.life(now_ms).map(|life| pre_approval_life::next(life, end)).transpose().map_err(over)?;
            let outcome = Outcome { standing: facts.standing, reason: None, life, effect: None };
            let approval = (approval, SignedApproval::not_demanded());
            let decided = self.decided(caller, stored, (decision, note), approval, outcome, now_ms)?;
            if let Some(proposed) = self.store_decided(grant, decided, &facts).await? {
                return Ok(proposed);
            }
        }
        Err(too_many_attempts())
    }

    pub(super) async fn stored_proposal(
        &self,
        grant: &Grant,
        id: ProposalId,
        now_ms: i64,
    ) -> Result<(StoredProposal, Facts)> {
        let effects = self.effects;
        let stored =
            self.context.storage.read(grant, move |tx| Box::pin(StoredProposal::load(tx, effects, id))).await?;
        let facts = stored.facts(self.context.hardened, now_ms);
        Ok((stored, facts))
    }

    /// Takes the decision; a refusal is audited.
    pub(super) async fn decide_proposal(
        &self,
        (caller, by): (&Caller, Perm),
        stored: &StoredProposal,
        facts: &mut Facts,
        decision: ProposalDecision,
    ) -> Result<(Option<Approved>, Approval)> {
        let session = participants_by(caller, by);
        let transition = match decision {
            ProposalDecision::Approve => Transition::Approve(&session),
            ProposalDecision::Deny | ProposalDecision::Revoke => Transition::Deny(&session),
            ProposalDecision::Withdraw => Transition::Withdraw(&session),
            ProposalDecision::Submit => return Err(Error::internal("a submission is not decided on")),
        };
        match facts.take(transition) {
            Ok(approved) => Ok((approved, facts.approval_of(&session))),
            Err(why) => {
                let event = Event::new(action(decision)).on(stored.row.id);
                let why = match stored.effect.kind() {
                    ProposalKind::DetokenizeGrant => refusal_of_grant(why, caller, standing_in_words),
                    ProposalKind::PreApproval
                    | ProposalKind::Policy
                    | ProposalKind::Certificate
                    | ProposalKind::CertProfile
                    | ProposalKind::Issuer => refusal(why, caller, standing_in_words),
                };
                Err(self.context.refused(caller, event, why).await)
            }
        }
    }

    /// What becomes of a proposal that has every approval: what is not possible any more has failed.
    async fn prepare_effect(
        &self,
        grant: &Grant,
        stored: &StoredProposal,
        facts: &mut Facts,
        approved: Approved,
        now_ms: i64,
    ) -> Result<Outcome> {
        let proposers = stored.proposers().collect();
        let evidence = ApprovedProposal { proposers, proposed_at_ms: stored.row.submitted_at_ms, _approved: approved };
        let prepared = stored.effect.prepare(self, grant, evidence).await?;
        let transition = if prepared.is_ok() { Transition::Sign } else { Transition::Fail };
        facts.take(transition).map_err(Error::internal)?;
        let activate = |life| pre_approval_life::next(life, pre_approval_life::Event::Activate);
        let life = stored.life(now_ms).filter(|_| prepared.is_ok()).map(activate).transpose().map_err(over)?;
        let (effect, reason) = prepared.map_or_else(|reason| (None, Some(reason)), |effect| (Some(effect), None));
        Ok(Outcome { standing: facts.standing, reason, life, effect })
    }

    fn decided(
        &self,
        caller: &Caller,
        stored: StoredProposal,
        (decision, note): (ProposalDecision, &str),
        (approval, signed): (Approval, SignedApproval),
        outcome: Outcome,
        now_ms: i64,
    ) -> Result<Box<Decided>> {
        let subject = (stored.row.id, stored.row.version + 1);
        Ok(Box::new(Decided {
            row: NewDecision::new(caller, subject, (decision.as_str(), note), &approval.roles, now_ms, signed)?,
            stored,
            decision,
            approval,
            actor: Actor::of(self.context.node, caller),
            outcome,
            effects: self.effects,
            hardened: self.context.hardened,
            now_ms,
        }))
    }

    /// Stores decision, effect and audit record together; none where the proposal is no longer as it was read.
    async fn store_decided(&self, grant: &Grant, decided: Box<Decided>, facts: &Facts) -> Result<Option<Proposed>> {
        let approvals = ApprovalCount { given: facts.given(), required: facts.required() };
        let Decided { stored, decision, outcome, now_ms, .. } = decided.as_ref();
        let Outcome { standing, reason, .. } = outcome;
        let life = outcome.life.or_else(|| stored.life(*now_ms));
        let proposed = Proposed {
            reason: reason.clone(),
            certificate_uuid: outcome.effect.as_ref().and_then(|effect| effect.certificate()),
            ..stored.proposed(*standing, life, approvals)
        };
        let action = if *standing == Standing::Failed { Action::ProposalFail } else { action(*decision) };
        let mut event = Event::new(action).on(stored.row.id).detail(json!({
            "name": stored.row.name, "kind": stored.row.kind, "policyUuid": stored.row.policy_id,
            "digest": hex::encode(&proposed.digest.0), "state": proposed.state, "reason": reason,
            "approvals": approvals, "certificateUuid": proposed.certificate_uuid,
        }));
        if let Some(passkeys) = decided.row.signed() {
            event = event.also("passkeys", passkeys)?;
        }
        if *standing == Standing::Signed {
            event = stored.effect.recorded(event, &self.context.limits)?;
            if let Some(effect) = stored.effect.access(&self.identities.state.directory.load(), &stored.row.name) {
                event = event.effect(&effect)?;
            }
        }
        match self.context.commit(grant, event, move |tx| Box::pin(decided.insert(tx))).await {
            Ok(()) => Ok(Some(proposed)),
            Err(error) if error.meaning() == Meaning::State => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Decided {
    /// InvalidState where the proposal, or what it is about, is no longer as it was read.
    async fn insert(self: Box<Self>, tx: &mut Tx) -> Result<()> {
        let Self { stored, row, approval, actor, outcome, effects, hardened, now_ms, .. } = *self;
        let Outcome { standing, reason, life, effect } = outcome;
        let certificate_id = effect.as_ref().and_then(|effect| effect.certificate()).map(Uuid::from);
        if let Some(effect) = effect {
            check_count(tx, effects, &stored, approval, hardened, now_ms).await?;
            effect.apply(tx, stored.id(), &actor, now_ms).await?;
        }
        let waits = standing == Standing::Pending;
        let change = tables::proposals::Change {
            state: standing.words().0.as_str().to_owned(),
            reason,
            certificate_id,
            decided_at_ms: (!waits).then_some(now_ms),
        };
        if !tables::proposals::change(tx, &stored.row, &change).await? {
            return Err(Error::state("The proposal changed meanwhile."));
        }
        row.insert(tx, On::Proposal).await?;
        if let Some(life) = life {
            let lifetime_ms = stored.effect.lifetime_ms().filter(|_| life == Life::Active);
            let ends_at_ms = lifetime_ms.map(|lifetime_ms| now_ms.saturating_add(lifetime_ms));
            if stored.effect.kind() == ProposalKind::DetokenizeGrant {
                tables::detokenize_grants::set_state(tx, stored.row.id, life.word(), now_ms, ends_at_ms).await?;
            } else {
                tables::pre_approvals::set_state(tx, stored.row.id, life.word(), ends_at_ms).await?;
            }
        }
        // It ends without a life of its own.
        if standing == Standing::Failed && stored.effect.kind() == ProposalKind::DetokenizeGrant {
            tables::detokenize_grants::forget_tokens(tx, stored.row.id).await?;
        }
        Ok(())
    }
}

/// InvalidState where the last approval is no longer the last: more are demanded since it was read what is.
async fn check_count(
    tx: &mut Tx,
    effects: Effects,
    stored: &StoredProposal,
    last: Approval,
    hardened: bool,
    now_ms: i64,
) -> Result<()> {
    let mut facts = StoredProposal::load(tx, effects, stored.id()).await?.facts(hardened, now_ms);
    facts.approvals.push(last);
    if facts.given() < facts.required() {
        return Err(Error::state("More approvals are demanded meanwhile."));
    }
    Ok(())
}

pub(super) const fn standing_in_words(standing: Standing) -> &'static str {
    match standing {
        Standing::New | Standing::Pending | Standing::Approved => "The proposal waits for approvals.",
        Standing::Signed => "The proposal has every approval and took effect.",
        Standing::Failed => "The proposal was approved already, and failed.",
        Standing::Denied => "The proposal was denied already.",
        Standing::Withdrawn => "The proposal was taken back by whoever made it.",
        Standing::Expired => "The proposal waited too long for its approvals; it can be made again.",
    }
}

pub(super) fn over(life: Life) -> Error {
    Error::state(match life {
        Life::Waiting => "It waits for approvals.",
        Life::Active => "It is in effect.",
        Life::UsedUp => "It is used up.",
        Life::Ended => "Its time is over.",
        Life::Revoked => "It was revoked already.",
    })
}

const fn action(decision: ProposalDecision) -> Action {
    match decision {
        ProposalDecision::Submit => Action::ProposalSubmit,
        ProposalDecision::Approve => Action::ProposalApprove,
        ProposalDecision::Deny => Action::ProposalDeny,
        ProposalDecision::Withdraw => Action::ProposalWithdraw,
        ProposalDecision::Revoke => Action::ProposalRevoke,
    }
}
