//! What people sign with their passkeys to approve a signing request, where its policy demands that.

use chancery_types::{
    RequestDecision, SigningRequestId,
    wire::passkeys::{ApprovalAssertion, ApprovalStatements},
};
use chancery_verify::{Subject, policy_digest, signature_consequence, signing_key_digest};

use super::{approval_digest::Besides, credential::Outcome, stored_request::StoredRequest};
use crate::{
    Caller, Error, Grant, Result, Signing,
    approval::{ToSign, Transition, participants, refusal},
};

/// What comes with a decision.
#[derive(Clone, Copy)]
pub(super) struct Says<'a> {
    pub(super) note: &'a str,
    /// What the members of the session signed.
    pub(super) assertions: &'a [ApprovalAssertion],
}

impl<'a> Says<'a> {
    /// By people who sign nothing.
    pub(super) const fn note(note: &'a str) -> Self {
        Self { note, assertions: &[] }
    }
}

impl Signing {
    /// GET /api/v2/x509/signing-requests/{uuid}/approval-statement. Refused where an approval would be.
    pub async fn approval_statement(&self, caller: &Caller, id: SigningRequestId) -> Result<ApprovalStatements> {
        let grant = self.decision_grant(caller, RequestDecision::Approve, Some(id)).await?;
        let stored = self.context.storage.read(&grant, move |tx| Box::pin(StoredRequest::load(tx, id))).await?;
        caller.check_policy(stored.row.service_id.into(), stored.row.policy_id.into())?;
        let mut facts = stored.facts(self.context.hardened, self.context.clock.now_ms());
        let (session, demanded) = (participants(caller), facts.demands_passkeys);
        let approved = facts.take(Transition::Approve(&session));
        approved.map_err(|why| refusal(why, caller, super::decide::standing_in_words))?;
        if !demanded {
            return Ok(ApprovalStatements { demanded, statements: Vec::new() });
        }
        let what = self.request_to_sign(&grant, &stored).await?;
        Ok(ApprovalStatements {
            demanded,
            statements: self.approvals.approval_statements(caller, &grant, &what).await?,
        })
    }

    /// What an approval of a request is of, as it is now. InvalidState where nothing could sign it, or where people have
    /// approved a signature by another key already.
    pub(super) async fn request_to_sign(&self, grant: &Grant, stored: &StoredRequest) -> Result<ToSign> {
        let policy = &stored.policy;
        let page_hashes = self.stored_page_hashes(grant, stored).await?;
        let program = self.stored_program(grant, stored).await?;
        let digest = self.approval_digest(grant, stored, page_hashes.as_deref(), program.as_ref()).await?;
        let content = Besides::of(stored, page_hashes.as_deref(), program.as_ref()).content(stored.row.items);
        let target = match self.read_target(policy.service, policy.id).await? {
            Outcome::Signed(target) => target,
            Outcome::Failed(reason) => return Err(Error::state(reason)),
        };
        let key = signing_key_digest(target.signer.credential.certificate());
        let key = key.ok_or_else(|| Error::internal("a signing certificate cannot be read"))?;
        let choice = &policy.choice;
        let state = serde_json::to_value(policy.clone().body(self.context.hardened)).map_err(Error::internal)?;
        let what = ToSign {
            subject: Subject::Request(stored.row.id.into()),
            digest,
            content: Some(content),
            consequence: signature_consequence(choice.format, choice.hash, choice.rsa_pss, choice.time_stamp),
            key: Some(key),
            policy: Some((policy.id, policy_digest(state))),
            page: "request",
        };
        what.expect_same(stored.statements())?;
        Ok(what)
    }
}
