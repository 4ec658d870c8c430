//! Approving, denying, withdrawing and revoking proposals.

use chancery_store::{
    Tx,
    tables::{self, decisions::On},
};
use chancery_types::{
    Action, Base64, Perm, ProposalDecision, ProposalId,
    wire::{
        proposals::Proposed,
        signing_requests::{ApprovalCount, ApproveRequest, DecideRequest},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    certificate::Issuing,
    content::{self, Beforehand, Content},
    life::{self, Life},
    policy,
    stored::StoredProposal,
};
use crate::{
    Caller, Chancery, Error, Event, Grant, Limits, Meaning, Member, Result,
    audit::Actor,
    pki::{
        approval::{change_demand, check_demand},
        cert_profile,
    },
    signing::{
        decide::{ATTEMPTS_MAX, actor, too_often},
        decision, refusal,
        request::{self, Event as Step, Given, Refusal, Request, Standing},
    },
};

/// Who may try to end a proposal, if it turns out to be the own one or an approver's business.
pub(super) const DECIDERS: [Perm; 5] =
    [Perm::SigningApprove, Perm::ServicesDeploy, Perm::SigningSubmit, Perm::CertManageGenerate, Perm::CertManageManage];

/// What a decision leads to.
struct Resolved {
    standing: Standing,
    /// Why it failed.
    reason: Option<String>,
    /// Where a pre-approval stands afterwards, if that changes.
    life: Option<Life>,
    /// What is issued.
    issuing: Option<Box<Issuing>>,
}

/// A decision that is ready to be stored.
struct NewDecision {
    stored: StoredProposal,
    row: tables::decisions::Decision,
    given: Given,
    members: Vec<Member>,
    actor: Actor,
    resolved: Resolved,
    hardened: bool,
    limits: Limits,
}

impl Chancery {
    /// Approves a proposal in the name of all identities of the session; the last approval that is needed puts it into
    /// effect.
    pub async fn approve_proposal(&self, caller: &Caller, id: ProposalId, request: ApproveRequest) -> Result<Proposed> {
        let grant = self.grant(caller, Perm::SigningApprove, Action::ProposalApprove, Some(id.into())).await?;
        let note = self.note(request.note)?;
        Box::pin(self.approve_one(caller, &grant, id, &note, request.digest)).await
    }

    pub(super) async fn approve_one(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: ProposalId,
        note: &str,
        digest: Option<Base64>,
    ) -> Result<Proposed> {
        // As for signing requests, whose ids are no proposal's: two do not make the same certificate at the same time.
        let _turn = self.turns.take(Uuid::from(id).into()).await;
        for _ in 0..ATTEMPTS_MAX {
            let now_ms = self.clock.now_ms();
            let (stored, mut facts) = self.stored_proposal(id, now_ms).await?;
            let (standing, given) = self.proposal_step(caller, id, &facts, ProposalDecision::Approve).await?;
            if digest.as_ref().is_some_and(|given| given.0 != content::digest(&stored.row.content)) {
                let message = "This is not the digest of the proposal, so nothing was approved; its detail has it.";
                return Err(Error::value("/digest", message));
            }
            facts.approvals.push(given.clone());
            let (standing, effect) = Box::pin(self.put_into_effect(&stored, &facts, standing)).await?;
            let activate = || stored.life(now_ms).map(|life| life::next(life, life::Event::Activate));
            let life = if standing == Standing::Signed { activate().transpose().map_err(over)? } else { None };
            let (issuing, reason) = effect.map_or_else(|reason| (None, Some(reason)), |issuing| (issuing, None));
            let resolved = Resolved { standing, reason, life, issuing };
            let decision = (ProposalDecision::Approve, note, given);
            let new = self.new_decision(caller, &stored, decision, resolved, now_ms)?;
            if let Some(proposed) = self.store_proposal_decision(grant, new, &facts).await? {
                return Ok(proposed);
            }
        }
        Err(too_often())
    }

    /// Denies a proposal; one denial is enough.
    pub async fn deny_proposal(&self, caller: &Caller, id: ProposalId, request: DecideRequest) -> Result<Proposed> {
        self.end_proposal(caller, id, ProposalDecision::Deny, request).await
    }

    /// Takes a proposal back, in the name of whoever made it.
    pub async fn withdraw_proposal(&self, caller: &Caller, id: ProposalId, request: DecideRequest) -> Result<Proposed> {
        self.end_proposal(caller, id, ProposalDecision::Withdraw, request).await
    }

    /// Ends a pre-approval at once.
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
        let grant = self.grant_any(caller, &DECIDERS, action(decision), Some(id.into())).await?;
        let note = self.note(request.note)?;
        Box::pin(self.end_one(caller, &grant, id, decision, &note)).await
    }

    pub(super) async fn end_one(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: ProposalId,
        decision: ProposalDecision,
        note: &str,
    ) -> Result<Proposed> {
        for _ in 0..ATTEMPTS_MAX {
            let now_ms = self.clock.now_ms();
            let (stored, facts) = self.stored_proposal(id, now_ms).await?;
            let (standing, given, end) = if decision == ProposalDecision::Revoke {
                if matches!(stored.life(now_ms), None | Some(Life::Waiting)) {
                    return Err(Error::state("Only a pre-approval that took effect is revoked; others are denied."));
                }
                // Who may deny may revoke: it is the safe direction too.
                let waiting = Request { standing: Standing::Pending, ..facts.clone() };
                let (_, given) = self.proposal_step(caller, id, &waiting, decision).await?;
                (Standing::Signed, given, life::Event::Revoke)
            } else {
                let (standing, given) = self.proposal_step(caller, id, &facts, decision).await?;
                (standing, given, life::Event::Deny)
            };
            let life = stored.life(now_ms).map(|life| life::next(life, end)).transpose().map_err(over)?;
            let resolved = Resolved { standing, reason: None, life, issuing: None };
            let new = self.new_decision(caller, &stored, (decision, note, given), resolved, now_ms)?;
            if let Some(proposed) = self.store_proposal_decision(grant, new, &facts).await? {
                return Ok(proposed);
            }
        }
        Err(too_often())
    }

    async fn stored_proposal(&self, id: ProposalId, now_ms: i64) -> Result<(StoredProposal, Request)> {
        let stored = self.store.read(move |tx| Box::pin(StoredProposal::load(tx, id))).await?;
        let facts = stored.facts(self.hardened, now_ms);
        Ok((stored, facts))
    }

    /// Takes the decision; a refusal is audited.
    async fn proposal_step(
        &self,
        caller: &Caller,
        id: ProposalId,
        facts: &Request,
        decision: ProposalDecision,
    ) -> Result<(Standing, Given)> {
        let actors: Vec<_> = caller.members().iter().map(actor).collect();
        let step = match decision {
            ProposalDecision::Approve => Step::Approve(&actors),
            ProposalDecision::Deny | ProposalDecision::Revoke => Step::Deny(&actors),
            ProposalDecision::Withdraw => Step::Withdraw(&actors),
            ProposalDecision::Submit => return Err(Error::internal("a submission is not decided on")),
        };
        match request::next(facts, step) {
            Ok(standing) => Ok((standing, facts.approval_of(&actors))),
            Err(refusal) => {
                let event = Event::new(action(decision)).on(Uuid::from(id));
                let refusal = if let Refusal::Standing(standing) = refusal {
                    Error::state(decided(standing))
                } else {
                    refusal::error(refusal, caller)
                };
                Err(self.refused(caller, event, refusal).await)
            }
        }
    }

    /// What becomes of a proposal that has every approval: what is not possible any more has failed.
    async fn put_into_effect(
        &self,
        stored: &StoredProposal,
        facts: &Request,
        standing: Standing,
    ) -> Result<(Standing, Result<Option<Box<Issuing>>, String>)> {
        if standing != Standing::Approved {
            return Ok((standing, Ok(None)));
        }
        let (limits, hardened) = (self.limits.clone(), self.hardened);
        let effect = match stored.content.clone() {
            Content::PreApproval(_) => Ok(None),
            Content::Certificate(new) => self.issuing(&new).await?.map(Some),
            Content::Policy(new) => {
                let service = new.after.service_uuid;
                let check = self.store.read(move |tx| {
                    Box::pin(async move { policy::applicable(tx, service, &new, &limits, hardened).await })
                });
                check.await?.map(|()| None)
            }
            Content::CertProfile(new) => {
                let check = self.store.read(move |tx| {
                    Box::pin(async move { cert_profile::check_change(tx, &new, &limits).await.map(|_| None) })
                });
                policy::lasting(check.await)?
            }
            Content::Issuer(id, new) => {
                let check = self.store.read(move |tx| Box::pin(async move { check_demand(tx, id, &new).await }));
                policy::lasting(check.await)?.map(|()| None)
            }
        };
        let approved = Request { standing, ..facts.clone() };
        let step = if effect.is_err() { Step::Fail } else { Step::Sign };
        Ok((request::next(&approved, step).map_err(Error::internal)?, effect))
    }

    fn new_decision(
        &self,
        caller: &Caller,
        stored: &StoredProposal,
        (decision, note, given): (ProposalDecision, &str, Given),
        resolved: Resolved,
        now_ms: i64,
    ) -> Result<Box<NewDecision>> {
        Ok(Box::new(NewDecision {
            row: tables::decisions::Decision {
                subject_id: stored.row.id,
                version: stored.row.version + 1,
                decision: decision.as_str().to_owned(),
                note: note.to_owned(),
                roles: serde_json::to_string(&given.roles).map_err(Error::internal)?,
                decided_at_ms: now_ms,
            },
            stored: stored.clone(),
            given,
            members: caller.members().to_vec(),
            actor: Actor::of(caller),
            resolved,
            hardened: self.hardened,
            limits: self.limits.clone(),
        }))
    }

    /// Stores decision, effect and audit record together; none where the proposal is no longer as it was read.
    async fn store_proposal_decision(
        &self,
        grant: &Grant,
        new: Box<NewDecision>,
        facts: &Request,
    ) -> Result<Option<Proposed>> {
        let approvals = ApprovalCount { given: facts.given(), required: facts.required() };
        let life = new.resolved.life.or_else(|| new.stored.life(new.row.decided_at_ms));
        let Resolved { standing, reason, issuing, .. } = &new.resolved;
        let proposed = Proposed {
            reason: reason.clone(),
            certificate_uuid: issuing.as_ref().map(|issuing| issuing.id()),
            ..new.stored.proposed(*standing, life, approvals)
        };
        let decision: ProposalDecision = new.row.decision.parse().map_err(Error::internal)?;
        let action = if *standing == Standing::Failed { Action::ProposalFail } else { action(decision) };
        let mut event = Event::new(action).on(new.stored.row.id).detail(json!({
            "name": new.stored.row.name, "kind": new.stored.row.kind, "policyUuid": new.stored.row.policy_id,
            "digest": hex::encode(&proposed.digest.0), "state": proposed.state, "reason": reason,
            "approvals": approvals, "certificateUuid": proposed.certificate_uuid,
        }));
        if *standing == Standing::Signed {
            event = new.stored.content.taking_effect(event, &self.limits)?;
        }
        match self.commit(grant, event, move |tx| Box::pin(new.insert(tx))).await {
            Ok(()) => Ok(Some(proposed)),
            Err(error) if error.meaning() == Meaning::State => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl NewDecision {
    /// InvalidState where the proposal, or what it is about, is no longer as it was read.
    async fn insert(self: Box<Self>, tx: &mut Tx) -> Result<()> {
        let Self { stored, row, given, members, actor, resolved, hardened, limits } = *self;
        let Resolved { standing, reason, life, issuing } = resolved;
        if standing == Standing::Signed {
            check_count(tx, &stored, given, hardened, row.decided_at_ms).await?;
            match stored.content.clone() {
                Content::Policy(new) => policy::apply(tx, new.after.service_uuid, &new, &limits, hardened).await?,
                Content::CertProfile(new) => again(cert_profile::change(tx, *new, limits).await.map(drop))?,
                Content::Issuer(id, new) => again(change_demand(tx, id, *new).await.map(drop))?,
                Content::PreApproval(_) | Content::Certificate(_) => {}
            }
        }
        let certificate_id = issuing.as_ref().map(|issuing| issuing.id().into());
        if let Some(issuing) = issuing {
            issuing.issue(tx, stored.id(), &actor, row.decided_at_ms).await?;
        }
        let waits = standing == Standing::Pending;
        let change = tables::proposals::Change {
            state: standing.words().0.as_str().to_owned(),
            reason,
            certificate_id,
            decided_at_ms: (!waits).then_some(row.decided_at_ms),
        };
        if !tables::proposals::change(tx, &stored.row, &change).await? {
            return Err(Error::state("The proposal changed meanwhile."));
        }
        decision::insert(tx, On::Proposal, &row, &members).await?;
        if let (Some(life), Content::PreApproval(Beforehand { lifetime_ms, .. })) = (life, &stored.content) {
            let ends_at_ms = lifetime_ms
                .filter(|_| life == Life::Active)
                .map(|lifetime_ms| row.decided_at_ms.saturating_add(lifetime_ms));
            tables::pre_approvals::set_state(tx, row.subject_id, life.word(), ends_at_ms).await?;
        }
        Ok(())
    }
}

/// InvalidState where the last approval is no longer the last: more are demanded since it was read what is.
async fn check_count(tx: &mut Tx, stored: &StoredProposal, last: Given, hardened: bool, now_ms: i64) -> Result<()> {
    let mut facts = StoredProposal::load(tx, stored.id()).await?.facts(hardened, now_ms);
    facts.approvals.push(last);
    if facts.given() < facts.required() {
        return Err(Error::state("More approvals are demanded meanwhile."));
    }
    Ok(())
}

/// What can never be done any more is InvalidState here: the next attempt finds out why, and stores that.
fn again(done: Result<()>) -> Result<()> {
    policy::lasting(done)?.map_err(Error::state)
}

const fn decided(standing: Standing) -> &'static str {
    match standing {
        Standing::New | Standing::Pending | Standing::Approved => "The proposal waits for approvals.",
        Standing::Signed => "The proposal has every approval and took effect.",
        Standing::Failed => "The proposal was approved already, and failed.",
        Standing::Denied => "The proposal was denied already.",
        Standing::Withdrawn => "The proposal was taken back by whoever made it.",
        Standing::Expired => "The proposal waited too long for its approvals; it can be made again.",
    }
}

fn over(life: Life) -> Error {
    Error::state(match life {
        Life::Waiting => "The pre-approval waits for approvals.",
        Life::Active => "The pre-approval is in effect.",
        Life::UsedUp => "The pre-approval is used up.",
        Life::Ended => "The time of the pre-approval is over.",
        Life::Revoked => "The pre-approval was revoked already.",
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
