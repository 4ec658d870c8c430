//! Approving, denying and withdrawing signing requests.

use std::sync::Arc;

use chancery_store::{
    Tx,
    tables::{self, decisions::On},
};
use chancery_types::{
    Action, Base64, Perm, RequestDecision, SigningRequestId,
    wire::signing_requests::{
        ApprovalCount, ApproveRequest, Approved as Answer, DecideRequest, Denied, ManifestSummary, Statement,
    },
};
use chancery_verify::signing_key_digest;
use serde_json::json;
use uuid::Uuid;

use super::{
    credential::Outcome,
    pipeline::{Failure, Logged, Signatures},
    statement::Says,
    stored_request::StoredRequest,
};
use crate::{
    Caller, Error, Event, Grant, Meaning, Result, Signing,
    approval::{
        ATTEMPTS_MAX, Approval, Approved, Facts, NewDecision, SignedApproval, Standing, Transition, participants,
        refusal, too_many_attempts,
    },
    budgets::Counted,
};

/// A decision on a request as it was read.
pub(super) struct Decided {
    pub(super) stored: StoredRequest,
    decision: RequestDecision,
    row: NewDecision,
    /// With the decision.
    facts: Facts,
    /// SHA-256 of the public key with which people have signed that they approve; none where they need not.
    key: Option<[u8; 32]>,
    now_ms: i64,
}

/// What a decision led to: signatures, or why there can be none; neither where it was not the last approval.
pub(super) enum Ending {
    Decided,
    Signed(Logged),
    Failed(String),
}

/// A decision and what it led to, to be stored.
pub(super) struct Ready {
    pub(super) event: Event,
    pub(super) write: Write,
    pub(super) stored: Stored,
}

/// What its transaction writes.
pub(super) struct Write {
    before: tables::signing_requests::Row,
    change: tables::signing_requests::Change,
    logged: Option<Logged>,
    decision: NewDecision,
}

/// What became of a request by a decision that is stored.
pub(super) struct Stored {
    pub(super) standing: Standing,
    approvals: ApprovalCount,
    signature: Base64,
    manifest: Option<ManifestSummary>,
}

impl Signing {
    /// Approves a request in the name of all identities of the session; the last approval that is needed signs it.
    pub async fn approve_signing_request(
        self: &Arc<Self>,
        caller: &Caller,
        id: SigningRequestId,
        request: ApproveRequest,
    ) -> Result<Answer> {
        let grant = Arc::new(self.decision_grant(caller, RequestDecision::Approve, Some(id)).await?);
        let ApproveRequest { note, digest, assertions } = request;
        let note = self.approvals.note(note)?;
        let says = Says { note: &note, assertions: &assertions };
        Box::pin(self.approve(caller, &grant, id, says, digest)).await
    }

    /// Denies a request; one denial is enough.
    pub async fn deny_signing_request(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        request: DecideRequest,
    ) -> Result<Denied> {
        let grant = self.decision_grant(caller, RequestDecision::Deny, Some(id)).await?;
        let note = self.approvals.note(request.note)?;
        self.end(caller, &grant, id, RequestDecision::Deny, &note).await
    }

    /// Takes a request back, in the name of whoever submitted it.
    pub async fn withdraw_signing_request(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        request: DecideRequest,
    ) -> Result<Denied> {
        let grant = self.decision_grant(caller, RequestDecision::Withdraw, Some(id)).await?;
        let note = self.approvals.note(request.note)?;
        self.end(caller, &grant, id, RequestDecision::Withdraw, &note).await
    }

    /// Approvers decide; whoever submits may also deny, if the request turns out to be the own one.
    pub(super) async fn decision_grant(
        &self,
        caller: &Caller,
        decision: RequestDecision,
        id: Option<SigningRequestId>,
    ) -> Result<Grant> {
        let perms: &[Perm] = match decision {
            RequestDecision::Approve => &[Perm::SigningApprove],
            RequestDecision::Deny => &[Perm::SigningApprove, Perm::SigningSubmit],
            RequestDecision::Withdraw => &[Perm::SigningSubmit],
        };
        self.context.grant_any(caller, perms, action(decision), id.map(Uuid::from)).await
    }

    pub(super) async fn approve(
        self: &Arc<Self>,
        caller: &Caller,
        grant: &Arc<Grant>,
        id: SigningRequestId,
        says: Says<'_>,
        digest: Option<Base64>,
    ) -> Result<Answer> {
        let _lock = self.approvals.decision_locks.lock(id.into()).await;
        for _ in 0..ATTEMPTS_MAX {
            let (decided, approved) = self.decide(caller, grant, id, RequestDecision::Approve, says).await?;
            let digest = self.expect_approval_digest(grant, &decided.stored, digest.as_ref()).await;
            let approved_digest = Base64(self.or_other_digest(caller, id, digest).await?);
            let stored = match approved {
                Some(approved) => {
                    let (signing, by) = (Arc::clone(self), Arc::clone(grant));
                    let store =
                        move |decided: Decided, ending| async move { decided.store(&signing, &by, ending).await };
                    self.sign_approved(grant, decided, approved, store).await
                }
                None => decided.store(self, grant, Ending::Decided).await,
            };
            let stored = match stored {
                Ok(stored) => stored,
                // Such as a passkey that may not sign any more, or has signed this before.
                Err(refusal) => {
                    return Err(self.decision_refused(caller, id, RequestDecision::Approve, refusal).await);
                }
            };
            if let Some(Stored { standing, approvals, signature, manifest }) = stored {
                let (state, approval_state) = standing.words();
                return Ok(Answer { signature, digest: approved_digest, state, approval_state, approvals, manifest });
            }
        }
        Err(too_many_attempts())
    }

    /// Records an approval of another digest: somebody was shown something else than what would be signed, or says so.
    async fn or_other_digest<T>(&self, caller: &Caller, id: SigningRequestId, digest: Result<T>) -> Result<T> {
        match digest {
            Err(other) if other.meaning() == Meaning::Value => {
                let event = Event::new(Action::SigningRequestApprove).on(Uuid::from(id));
                Err(self.context.refused(caller, event, other).await)
            }
            digest => digest,
        }
    }

    /// Denies or withdraws.
    pub(super) async fn end(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: SigningRequestId,
        decision: RequestDecision,
        note: &str,
    ) -> Result<Denied> {
        // Without the lock: a denial need not wait for a signature that it makes void.
        for _ in 0..ATTEMPTS_MAX {
            let (decided, _) = self.decide(caller, grant, id, decision, Says::note(note)).await?;
            if let Some(Stored { standing, .. }) = decided.store(self, grant, Ending::Decided).await? {
                let (state, approval_state) = standing.words();
                return Ok(Denied { state, approval_state });
            }
        }
        Err(too_many_attempts())
    }

    /// Reads the request and takes the decision; a refusal is audited.
    async fn decide(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: SigningRequestId,
        decision: RequestDecision,
        says: Says<'_>,
    ) -> Result<(Decided, Option<Approved>)> {
        match self.take(caller, grant, id, decision, says).await {
            Err(refusal) => Err(self.decision_refused(caller, id, decision, refusal).await),
            taken => taken,
        }
    }

    /// Records that somebody may not decide, or not any more, and hands the refusal back.
    pub(super) async fn decision_refused(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        decision: RequestDecision,
        refusal: Error,
    ) -> Error {
        if !matches!(refusal.meaning(), Meaning::Forbidden | Meaning::State) {
            return refusal;
        }
        self.context.refused(caller, Event::new(action(decision)).on(Uuid::from(id)), refusal).await
    }

    /// Reads the request and takes the decision.
    pub(super) async fn take(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: SigningRequestId,
        decision: RequestDecision,
        says: Says<'_>,
    ) -> Result<(Decided, Option<Approved>)> {
        let now_ms = self.context.clock.now_ms();
        let stored = self.context.storage.read(grant, move |tx| Box::pin(StoredRequest::load(tx, id))).await?;
        caller.check_policy(stored.row.service_id.into(), stored.row.policy_id.into())?;
        let mut facts = stored.facts(self.context.hardened, now_ms);
        let session = participants(caller);
        let transition = match decision {
            RequestDecision::Approve => Transition::Approve(&session),
            RequestDecision::Deny => Transition::Deny(&session),
            RequestDecision::Withdraw => Transition::Withdraw(&session),
        };
        let approved = facts.take(transition).map_err(|why| refusal(why, caller, standing_in_words))?;
        let (signed, key) = if decision == RequestDecision::Approve && facts.demands_passkeys {
            let what = self.request_to_sign(grant, &stored).await?;
            (self.approvals.signed_approval(caller, grant, &what, says.assertions).await?, what.key)
        } else {
            (SignedApproval::not_demanded_of(says.assertions)?, None)
        };
        let Approval { roles, .. } = facts.approval_of(&session);
        let subject = (stored.row.id, stored.row.version + 1);
        let row = NewDecision::new(caller, subject, (decision.as_str(), says.note), &roles, now_ms, signed)?;
        Ok((Decided { stored, decision, row, facts, key, now_ms }, approved))
    }

    /// Signs what has every approval that it needs, and goes on with `then`. None where what would sign it is no longer as
    /// it was read.
    pub(super) async fn sign_approved<T, S, F>(
        self: &Arc<Self>,
        grant: &Arc<Grant>,
        decided: Decided,
        approved: Approved,
        then: S,
    ) -> Result<Option<T>>
    where
        T: Send + 'static,
        S: FnOnce(Decided, Ending) -> F + Send + 'static,
        F: Future<Output = Result<Option<T>>> + Send + 'static,
    {
        let policy = &decided.stored.policy;
        let target = match self.read_target(policy.service, policy.id).await? {
            Outcome::Signed(target) => target,
            Outcome::Failed(reason) => return then(decided, Ending::Failed(reason)).await,
        };
        if target.policy != *policy {
            return Ok(None);
        }
        // People said with which key, and it may have been renewed since.
        if decided.key.is_some() && decided.key != signing_key_digest(target.signer.credential.certificate()) {
            return Ok(None);
        }
        let prepared = self.prepare_stored(grant, &decided.stored, target, decided.now_ms).await?;
        let then = move |signed: Result<Logged, Failure>| {
            then(decided, signed.map_or_else(|failure| Ending::Failed(failure.reason()), Ending::Signed))
        };
        prepared.approved(approved).sign(self, then).await
    }
}

impl Decided {
    /// Stores decision, signature and audit record together; none where the request, or what signed it, is no longer as it
    /// was read.
    async fn store(self, signing: &Signing, grant: &Grant, ending: Ending) -> Result<Option<Stored>> {
        let Ready { event, write, stored } = self.ready(ending, None)?;
        let keep = |counted: Option<Counted>| counted.map_or((), Counted::keep);
        let stored_all =
            signing.context.commit(grant, event, move |tx| Box::pin(async move { write.insert(tx).await.map(keep) }));
        match stored_all.await {
            Ok(()) => Ok(Some(stored)),
            Err(error) if error.meaning() == Meaning::State => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What is to be stored, as a part of a statement or by itself.
    pub(super) fn ready(mut self, ending: Ending, statement: Option<&Statement>) -> Result<Ready> {
        let (logged, reason) = match ending {
            Ending::Decided => (None, None),
            Ending::Signed(logged) => {
                self.facts.take(Transition::Sign).map_err(Error::internal)?;
                (Some(logged), None)
            }
            Ending::Failed(reason) => {
                self.facts.take(Transition::Fail).map_err(Error::internal)?;
                (None, Some(reason))
            }
        };
        let Self { stored, decision, mut row, facts, key: _, now_ms } = self;
        let (standing, before) = (facts.standing, stored.row);
        let approvals = ApprovalCount { given: facts.given(), required: facts.required() };
        let signatures = logged.as_ref().map(Logged::signatures);
        let (signature, manifest) = Signatures::answered(signatures, before.items);
        let action = if standing == Standing::Failed { Action::SigningRequestFail } else { action(decision) };
        let mut detail = json!({
            "name": before.name,
            "digest": hex::encode(&before.digest),
            "approvalDigest": before.approval_digest.as_deref().map(hex::encode),
            "state": standing.words().0,
            "reason": reason,
            "approvals": (decision == RequestDecision::Approve).then_some(approvals),
        });
        if let Some(passkeys) = row.signed() {
            detail["passkeys"] = passkeys;
        }
        if let Some(statement) = statement {
            row.of_statement(statement);
            detail["statement"] = json!({"digest": hex::encode(&statement.digest.0), "rows": statement.rows});
        }
        let event = Event::new(action).on(before.id).detail(detail);
        let change = tables::signing_requests::Change {
            state: standing.words().0.as_str().to_owned(),
            reason,
            signature: None,
            decided_at_ms: (standing != Standing::Pending).then_some(now_ms),
        };
        let write = Write { before, change, logged, decision: row };
        Ok(Ready { event, write, stored: Stored { standing, approvals, signature, manifest } })
    }
}

impl Write {
    /// How many signatures it stores.
    pub(super) fn signatures(&self) -> u32 {
        self.logged.as_ref().map_or(0, Logged::count)
    }

    /// InvalidState where the request, or what signed it, is no longer as it was read. Answers how its signatures are counted,
    /// for the end of the transaction's work.
    pub(super) async fn insert(self, tx: &mut Tx) -> Result<Option<Counted>> {
        let Self { before, mut change, logged, decision } = self;
        let mut admitted = None;
        if let Some(logged) = logged {
            let (signature, signatures) = logged.admit(tx).await?;
            (change.signature, admitted) = (signature, Some(signatures));
        }
        if !tables::signing_requests::change(tx, &before, &change).await? {
            return Err(Error::state("The request changed meanwhile."));
        }
        let counted = match admitted {
            Some(admitted) => Some(admitted.store(tx, before.id).await?),
            None => None,
        };
        decision.insert(tx, On::Request).await?;
        Ok(counted)
    }
}

const fn action(decision: RequestDecision) -> Action {
    match decision {
        RequestDecision::Approve => Action::SigningRequestApprove,
        RequestDecision::Deny => Action::SigningRequestDeny,
        RequestDecision::Withdraw => Action::SigningRequestWithdraw,
    }
}

pub(super) const fn standing_in_words(standing: Standing) -> &'static str {
    match standing {
        Standing::New => "The request has not been submitted.",
        Standing::Pending => "The request waits for approvals.",
        Standing::Approved => "The request is approved and being signed.",
        Standing::Signed => "The request is signed already.",
        Standing::Failed => "The request was approved already, and failed.",
        Standing::Denied => "The request was denied already.",
        Standing::Withdrawn => "The request was withdrawn by its submitter.",
        Standing::Expired => "The request waited too long for its approvals; it can be submitted again.",
    }
}
