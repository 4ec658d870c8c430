//! Approving, denying and withdrawing signing requests.

use std::sync::Arc;

use chancery_keys::{Digest, hash};
use chancery_store::{
    Tx,
    tables::{self, decisions::On, signing_items::Item},
};
use chancery_types::{
    Action, Base64, CertificateId, Perm, RequestDecision, SigningRequestId,
    wire::signing_requests::{ApprovalCount, ApproveRequest, Approved as Answer, DecideRequest, Denied},
};
use chancery_verify::manifest_digest;
use serde_json::json;
use uuid::Uuid;

use super::{
    credential::{Credential, Outcome, Signer},
    formats::{self, Content},
    made::{Made, Usable},
    manifest::Output,
    stored::StoredRequest,
};
use crate::{
    Caller, Chancery, Error, Event, Grant, Meaning, Result,
    approval::{
        ATTEMPTS_MAX, Approval, Approved, Facts, NewDecision, Standing, Transition, participants, refusal,
        too_many_attempts,
    },
};

/// What a decision leads to.
struct Resolved {
    standing: Standing,
    output: Option<Output>,
    /// Why it failed.
    reason: Option<String>,
}

/// A decision that is ready to be stored.
struct Decided {
    /// The request as it was read.
    before: tables::signing_requests::Row,
    row: NewDecision,
    change: tables::signing_requests::Change,
    /// The signatures, where there are some, and what they were made with.
    made: Option<(Made, CertificateId)>,
    /// Those of the items of a manifest.
    item_signatures: Vec<Option<Vec<u8>>>,
}

impl Chancery {
    /// Approves a request in the name of all identities of the session; the last approval that is needed signs it.
    pub async fn approve_signing_request(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        request: ApproveRequest,
    ) -> Result<Answer> {
        let grant = self.decision_grant(caller, RequestDecision::Approve, Some(id)).await?;
        let ApproveRequest { note, digest } = request;
        let note = self.note(note)?;
        self.approve(caller, &grant, id, &note, digest).await
    }

    /// Denies a request; one denial is enough.
    pub async fn deny_signing_request(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        request: DecideRequest,
    ) -> Result<Denied> {
        let grant = self.decision_grant(caller, RequestDecision::Deny, Some(id)).await?;
        let note = self.note(request.note)?;
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
        let note = self.note(request.note)?;
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
        self.grant_any(caller, perms, action(decision), id.map(Uuid::from)).await
    }

    pub(super) async fn approve(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: SigningRequestId,
        note: &str,
        digest: Option<Base64>,
    ) -> Result<Answer> {
        let _lock = self.decision_locks.lock(id.into()).await;
        for _ in 0..ATTEMPTS_MAX {
            let now_ms = self.clock.now_ms();
            let (stored, mut facts) = self.stored_request(id, now_ms).await?;
            let (approved, approval) = self.decide(caller, id, &mut facts, RequestDecision::Approve).await?;
            let approval_digest = self.expect_approval_digest(&stored, digest.as_ref()).await?;
            let approvals = ApprovalCount { given: facts.given(), required: facts.required() };
            let resolved = match approved {
                Some(approved) => self.resolve(&stored, &mut facts, approved, now_ms).await?,
                None => Resolved { standing: facts.standing, output: None, reason: None },
            };
            let (state, approval_state) = resolved.standing.words();
            let (signature, manifest) = Output::told(resolved.output.as_ref(), stored.row.items);
            let event = event(RequestDecision::Approve, &stored, &resolved, Some(approvals));
            let digest = Base64(approval_digest);
            let decided = Decided::new(caller, &stored, (RequestDecision::Approve, note), &approval, resolved, now_ms)?;
            if self.store_decision(grant, event, decided).await? {
                return Ok(Answer { signature, digest, state, approval_state, approvals, manifest });
            }
        }
        Err(too_many_attempts())
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
        // Not in turn: a denial need not wait for a signature that it makes void.
        for _ in 0..ATTEMPTS_MAX {
            let now_ms = self.clock.now_ms();
            let (stored, mut facts) = self.stored_request(id, now_ms).await?;
            let (_, approval) = self.decide(caller, id, &mut facts, decision).await?;
            let (state, approval_state) = facts.standing.words();
            let resolved = Resolved { standing: facts.standing, output: None, reason: None };
            let event = event(decision, &stored, &resolved, None);
            let decided = Decided::new(caller, &stored, (decision, note), &approval, resolved, now_ms)?;
            if self.store_decision(grant, event, decided).await? {
                return Ok(Denied { state, approval_state });
            }
        }
        Err(too_many_attempts())
    }

    async fn stored_request(&self, id: SigningRequestId, now_ms: i64) -> Result<(StoredRequest, Facts)> {
        let stored = self.store.read(move |tx| Box::pin(StoredRequest::load(tx, id))).await?;
        let facts = stored.facts(self.hardened, now_ms);
        Ok((stored, facts))
    }

    /// Takes the decision; a refusal is audited.
    async fn decide(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        facts: &mut Facts,
        decision: RequestDecision,
    ) -> Result<(Option<Approved>, Approval)> {
        let session = participants(caller);
        let transition = match decision {
            RequestDecision::Approve => Transition::Approve(&session),
            RequestDecision::Deny => Transition::Deny(&session),
            RequestDecision::Withdraw => Transition::Withdraw(&session),
        };
        match facts.take(transition) {
            Ok(approved) => Ok((approved, facts.approval_of(&session))),
            Err(why) => {
                let event = Event::new(action(decision)).on(Uuid::from(id));
                Err(self.refused(caller, event, refusal(why, caller, standing_in_words)).await)
            }
        }
    }

    /// Signs what has every approval that it needs. What the key made is worth nothing until it is stored.
    async fn resolve(&self, stored: &StoredRequest, facts: &mut Facts, _: Approved, at_ms: i64) -> Result<Resolved> {
        let certificate = stored.certificate()?;
        let credential = self.store.read(move |tx| Box::pin(Credential::load(tx, certificate))).await?;
        let outcome = match self.open_signer(credential, at_ms).await? {
            Outcome::Failed(reason) => Outcome::Failed(reason),
            Outcome::Signed(signer) if stored.row.items > 0 => {
                let id = stored.row.id;
                let digest = stored.row.digest.clone();
                let items = self.store.read(move |tx| Box::pin(approved_items(tx, id, digest))).await?;
                let program = self.stored_program(stored).await?;
                self.sign_items(&signer, stored.policy.choice, items, program.as_ref(), at_ms).await?.map(Output::Each)
            }
            Outcome::Signed(signer) => self.sign_stored(stored, &signer, at_ms).await?.map(Output::One),
        };
        let (transition, output, reason) = match outcome {
            Outcome::Signed(output) => (Transition::Sign, Some(output), None),
            Outcome::Failed(reason) => (Transition::Fail, None, Some(reason)),
        };
        facts.take(transition).map_err(Error::internal)?;
        Ok(Resolved { standing: facts.standing, output, reason })
    }

    async fn sign_stored(&self, stored: &StoredRequest, signer: &Signer, at_ms: i64) -> Result<Outcome> {
        let (id, choice) = (stored.row.id, stored.policy.choice);
        let payload = if formats::needs_payload(choice.format, signer.credential.scheme(choice)?) {
            let payload =
                self.store.read(move |tx| Box::pin(async move { tables::signing_requests::payload(tx, id).await }));
            let (payload, digest) = (payload.await?.map(Arc::new), stored.digest()?);
            self.expect_payload(id, payload.clone(), digest).await?;
            payload
        } else {
            None
        };
        let page_hashes = self.stored_page_hashes(stored).await?;
        let program = self.stored_program(stored).await?;
        let content = Content { digest: stored.digest()?, payload, page_hashes, program, at_ms };
        match (self.make_signature(signer, choice, content).await?, self.stored_container(stored).await?) {
            (Outcome::Signed(signature), Some(container)) => {
                Ok(match self.embed(container, signature.clone(), stored.row.digest.clone()).await? {
                    Ok(_signed) => Outcome::Signed(signature),
                    Err(why) => Outcome::Failed(format!("The file cannot carry its signature: {why}")),
                })
            }
            (made, _) => Ok(made),
        }
    }

    /// Refuses a payload that is not the one that was approved: it has no MAC, but the request's digest has.
    async fn expect_payload(&self, id: Uuid, payload: Option<Arc<Vec<u8>>>, digest: Digest) -> Result<()> {
        let Some(payload) = payload else { return Ok(()) };
        let found = self.pool.run(move || hash(digest.hash(), &payload)).await?;
        if found.as_bytes() == digest.as_bytes() {
            return Ok(());
        }
        let refused = self.store.read(move |tx| Box::pin(async move { Err(tx.refuse("signing_payloads", id)) }));
        Ok(refused.await?)
    }

    /// Stores decision, signature and audit record together; false where the request is no longer as it was read.
    async fn store_decision(&self, grant: &Grant, event: Event, decided: Decided) -> Result<bool> {
        match self.commit(grant, event, move |tx| Box::pin(decided.insert(tx))).await {
            Ok(()) => Ok(true),
            Err(error) if error.meaning() == Meaning::State => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// A manifest's items, which are what people approved: they have no MACs, but the request's digest has, and it stands for
/// them.
async fn approved_items(tx: &mut Tx, id: Uuid, digest: Vec<u8>) -> Result<Vec<Item>> {
    let items = tables::signing_items::of_request(tx, id).await?;
    let found = manifest_digest(items.iter().map(|item| (item.name.as_str(), item.digest.as_slice())));
    if found == digest { Ok(items) } else { Err(tx.refuse("signing_items", id).into()) }
}

impl Decided {
    fn new(
        caller: &Caller,
        stored: &StoredRequest,
        (decision, note): (RequestDecision, &str),
        approval: &Approval,
        resolved: Resolved,
        now_ms: i64,
    ) -> Result<Self> {
        let Resolved { standing, output, reason } = resolved;
        let made = match &output {
            Some(output) => {
                let nothing = Made::new(stored.policy.clone(), now_ms);
                Some((output.made(nothing, &stored.row.digest), stored.certificate()?))
            }
            None => None,
        };
        let (signature, item_signatures) = output.map(Output::stored).unwrap_or_default();
        Ok(Self {
            before: stored.row.clone(),
            row: NewDecision::new(
                caller,
                (stored.row.id, stored.row.version + 1),
                (decision.as_str(), note),
                &approval.roles,
                now_ms,
            )?,
            made,
            item_signatures,
            change: tables::signing_requests::Change {
                state: standing.words().0.as_str().to_owned(),
                reason,
                signature,
                decided_at_ms: (standing != Standing::Pending).then_some(now_ms),
            },
        })
    }

    /// InvalidState where the request, or what signed it, is no longer as it was read.
    async fn insert(self, tx: &mut Tx) -> Result<()> {
        let Self { before, row, change, made, item_signatures } = self;
        let allowed = match made {
            Some((made, certificate)) => {
                let usable = Usable::of(tx, certificate, &made).await?;
                Some(made.told(before.id.into(), usable.certificate())?.allow(tx, usable).await?)
            }
            None => None,
        };
        if !tables::signing_requests::change(tx, &before, &change).await? {
            return Err(Error::state("The request changed meanwhile."));
        }
        if let Some(allowed) = allowed {
            allowed.tell(tx).await?;
        }
        tables::signing_items::insert_results(tx, before.id, &item_signatures).await?;
        row.insert(tx, On::Request).await
    }
}

const fn action(decision: RequestDecision) -> Action {
    match decision {
        RequestDecision::Approve => Action::SigningRequestApprove,
        RequestDecision::Deny => Action::SigningRequestDeny,
        RequestDecision::Withdraw => Action::SigningRequestWithdraw,
    }
}

fn event(decision: RequestDecision, stored: &StoredRequest, to: &Resolved, approvals: Option<ApprovalCount>) -> Event {
    let action = if to.standing == Standing::Failed { Action::SigningRequestFail } else { action(decision) };
    Event::new(action).on(stored.row.id).detail(json!({
        "name": stored.row.name,
        "digest": hex::encode(&stored.row.digest),
        "approvalDigest": stored.row.approval_digest.as_deref().map(hex::encode),
        "state": to.standing.words().0,
        "reason": to.reason,
        "approvals": approvals,
    }))
}

const fn standing_in_words(standing: Standing) -> &'static str {
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
