//! Approvals that are signed with passkeys, where a policy demands that: what each member of a session signs, and the evidence
//! that all of them did. What is signed is made anew from what is approved, so a statement is of no use once anything in it
//! is no longer so.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::{Assertion, Passkey, RelyingParty, SignCount, verify_assertion};
use chancery_store::{
    Tx,
    tables::{self, approval_signatures::Row},
};
use chancery_types::{
    Base64, IdentityId, PolicyId,
    wire::passkeys::{
        ApprovalAssertion, ApprovalSignature, ApprovalStatement as WireStatement, AssertionCredential, RequestOptions,
    },
};
use chancery_verify::{ApprovalStatement, Content, Subject, approval_challenge, hexadecimal, installation_digest};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    Approvals, Caller, Error, Grant, Member, Result,
    base::clock::ms,
    identity::{Approving, browser_bytes, note_signature, passkey_descriptor},
    time::rfc3339_ms,
};

/// What is approved, as statements say it.
#[derive(Clone, Debug)]
pub(crate) struct ToSign {
    pub(crate) subject: Subject,
    pub(crate) digest: Vec<u8>,
    pub(crate) content: Option<Content>,
    pub(crate) consequence: String,
    pub(crate) key: Option<[u8; 32]>,
    pub(crate) policy: Option<(PolicyId, Vec<u8>)>,
    /// The console's page where it is approved.
    pub(crate) page: &'static str,
}

impl ToSign {
    /// InvalidState where people have approved something else already: under another policy, by another key.
    pub(crate) fn expect_same<'s>(&self, mut signed: impl Iterator<Item = &'s str>) -> Result<()> {
        let is_same = |text: &str| {
            ApprovalStatement::parse(text).is_some_and(|said| {
                let Self { subject, digest, content, consequence, key, policy, page: _ } = self;
                (&said.subject, &said.digest, &said.content) == (subject, digest, content)
                    && (&said.consequence, &said.key, &said.policy) == (consequence, key, policy)
            })
        };
        if signed.all(is_same) {
            return Ok(());
        }
        let message = "What others have approved is not as it was: the policy was changed, or the service signs with another \
                       key. Submit the request again.";
        Err(Error::state(message))
    }
}

/// The evidence that every member of a session signed an approval, or that nobody has to. Made only here.
#[derive(Clone, Debug, Default)]
pub(crate) struct SignedApproval(Vec<SignedBy>);

#[derive(Clone, Debug)]
struct SignedBy {
    /// Subject and version are those of the decision.
    row: Row,
    count: SignCount,
    /// By what it is remembered that the statement was used, and until when.
    used: ([u8; 32], i64),
}

impl SignedApproval {
    /// Where nobody has to sign.
    pub(crate) const fn not_demanded() -> Self {
        Self(Vec::new())
    }

    /// The same, where somebody signed all the same: what has no effect is refused.
    pub(crate) fn not_demanded_of(assertions: &[ApprovalAssertion]) -> Result<Self> {
        if assertions.is_empty() {
            return Ok(Self::not_demanded());
        }
        let message = "Nobody has to sign this approval with a passkey: leave assertions out.";
        Err(Error::value("/assertions", message))
    }

    /// Which passkeys signed, for the record.
    pub(crate) fn recorded(&self) -> Option<Value> {
        let one = |by: &SignedBy| {
            let id = IdentityId::from(by.row.identity_id);
            json!({"identityUuid": id, "passkeyUuid": by.row.passkey_id, "statement": hexadecimal(&approval_challenge(&by.row.statement))})
        };
        (!self.0.is_empty()).then(|| self.0.iter().map(one).collect())
    }

    /// Stores it with the decision that made this version of its subject. Forbidden where a statement was used before, or a
    /// passkey or its identity may not sign any more.
    pub(crate) async fn insert(&self, tx: &mut Tx, (subject, version): (Uuid, i64), now_ms: i64) -> Result<()> {
        // In one order, so that no two wait for each other's rows.
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable_by_key(|by| by.row.passkey_id);
        for by in all {
            let (hash, until_ms) = &by.used;
            if !tables::used_tokens::take(tx, hash, *until_ms).await? {
                return Err(
                    Error::forbidden("This signature was used before; sign what is shown now.").at("/assertions")
                );
            }
            by.use_passkey(tx, now_ms).await?;
            let row = Row { subject_id: subject, version, ..by.row.clone() };
            tables::approval_signatures::insert(tx, &row).await?;
        }
        Ok(())
    }
}

impl SignedBy {
    async fn use_passkey(&self, tx: &mut Tx, now_ms: i64) -> Result<()> {
        let gone = || Error::forbidden("The passkey, or whose it is, may not sign any more.").at("/assertions");
        let identity = tables::identities::by_id(tx, self.row.identity_id).await?;
        if identity.is_none_or(|identity| identity.locked) {
            return Err(gone());
        }
        let Row { identity_id, passkey_id, public_key, .. } = &self.row;
        let noted = note_signature(tx, (*identity_id, *passkey_id), public_key, (self.count, now_ms));
        if noted.await? { Ok(()) } else { Err(gone()) }
    }
}

/// As the interface shows it.
pub(crate) fn shown(row: &Row) -> ApprovalSignature {
    ApprovalSignature {
        identity_uuid: row.identity_id.into(),
        statement: row.statement.clone(),
        public_key: Base64(row.public_key.clone()),
        credential_id: Base64(row.credential_id.clone()),
        client_data: Base64(row.client_data.clone()),
        authenticator_data: Base64(row.authenticator_data.clone()),
        signature: Base64(row.signature.clone()),
    }
}

impl Approvals {
    /// A statement for each member of the session. Nothing is kept of them.
    pub(crate) async fn approval_statements(
        &self,
        caller: &Caller,
        grant: &Grant,
        what: &ToSign,
    ) -> Result<Vec<WireStatement>> {
        let party = self.identities.relying_party()?;
        let wait = self.context.limits.logins.passkey_ceremony_max;
        let until_ms = self.context.clock.now_ms().saturating_add(ms(wait));
        let mut statements = Vec::new();
        for member in caller.members() {
            let known = self.confirmed_passkeys(grant, member, &party).await?;
            let statement = self.statement(caller, what, member, (chancery_keys::random(), until_ms)).text();
            let challenge = URL_SAFE_NO_PAD.encode(approval_challenge(&statement));
            let approving =
                Approving { identity: member.id.into(), session: caller.session(), statement: statement.clone() };
            statements.push(WireStatement {
                identity: member.named(),
                public_key: RequestOptions {
                    challenge,
                    timeout: u64::try_from(wait.as_millis()).map_err(Error::internal)?,
                    rp_id: party.id().to_owned(),
                    allow_credentials: known.iter().map(passkey_descriptor).collect(),
                    user_verification: "required".to_owned(),
                },
                ticket: self.identities.seal_approving(&approving)?,
                statement,
                expires_at: rfc3339_ms(until_ms),
            });
        }
        Ok(statements)
    }

    /// Whether each member of the session signed this, now, each with a passkey of its own.
    pub(crate) async fn signed_approval(
        &self,
        caller: &Caller,
        grant: &Grant,
        what: &ToSign,
        assertions: &[ApprovalAssertion],
    ) -> Result<SignedApproval> {
        let party = self.identities.relying_party()?;
        if assertions.is_empty() {
            return Err(self.has_to_be_signed(what));
        }
        if assertions.len() != caller.members().len() {
            let message =
                "Each member of the session signs an approval, with a passkey of its own, and nobody else does.";
            return Err(Error::forbidden(message).at("/assertions"));
        }
        let mut all: Vec<SignedBy> = Vec::new();
        for (index, assertion) in assertions.iter().enumerate() {
            let by = self.signed_by(caller, grant, (what, &party), assertion).await;
            let by = by.map_err(|refusal| refusal.under(&format!("/assertions/{index}")))?;
            if all.iter().any(|other| other.row.identity_id == by.row.identity_id) {
                return Err(Error::forbidden("Two signatures are of one person.").at(format!("/assertions/{index}")));
            }
            all.push(by);
        }
        Ok(SignedApproval(all))
    }

    async fn signed_by(
        &self,
        caller: &Caller,
        grant: &Grant,
        (what, party): (&ToSign, &RelyingParty),
        assertion: &ApprovalAssertion,
    ) -> Result<SignedBy> {
        let over = || {
            let message = "The statement is of another session, or too old; sign what is shown now.";
            Error::forbidden(message).at("/ticket")
        };
        let approving = self.identities.open_approving(&assertion.ticket).ok_or_else(over)?;
        let member = caller.members().iter().find(|member| Uuid::from(member.id) == approving.identity);
        let member = member.filter(|_| approving.session == caller.session()).ok_or_else(over)?;
        let statement = ApprovalStatement::parse(&approving.statement).ok_or_else(over)?;
        if statement.until_ms <= self.context.clock.now_ms() {
            return Err(over());
        }
        let now = self.statement(caller, what, member, (statement.nonce, statement.until_ms));
        if now != statement {
            return Err(Error::state("What would be approved changed since it was signed; look at it again."));
        }
        let AssertionCredential { id, response } = &assertion.credential;
        let credential_id = browser_bytes("/credential/id", id)?;
        let client_data = browser_bytes("/credential/response/clientDataJSON", &response.client_data_json)?;
        let authenticator_data = browser_bytes("/credential/response/authenticatorData", &response.authenticator_data)?;
        let signature = browser_bytes("/credential/response/signature", &response.signature)?;
        let known = self.confirmed_passkeys(grant, member, party).await?;
        let passkey = known.into_iter().find(|row| row.credential_id == credential_id).ok_or_else(|| {
            let message = format!("{} has no such passkey that was confirmed by a second person.", member.name);
            Error::forbidden(message).at("/credential")
        })?;
        let count = verify_assertion(
            party,
            &approval_challenge(&approving.statement),
            Passkey { public_key: &passkey.public_key, is_backup_eligible: Some(passkey.is_backup_eligible) },
            Assertion { client_data: &client_data, authenticator_data: &authenticator_data, signature: &signature },
        );
        let before = SignCount(u32::try_from(passkey.sign_count).map_err(Error::internal)?);
        let count = count.and_then(|count| count.follows(before).map(|()| count));
        let count =
            count.map_err(|why| Error::forbidden(format!("The signature does not hold: {why}.")).at("/credential"))?;
        let used = (self.context.custodian.keyed_hash("passkey approval", &statement.nonce), statement.until_ms);
        let row = Row {
            subject_id: Uuid::nil(),
            identity_id: approving.identity,
            version: 0,
            statement: approving.statement,
            passkey_id: passkey.id,
            credential_id,
            public_key: passkey.public_key,
            client_data,
            authenticator_data,
            signature,
        };
        Ok(SignedBy { row, count, used })
    }

    fn has_to_be_signed(&self, what: &ToSign) -> Error {
        let id = match what.subject {
            Subject::Request(id) => id.to_string(),
            Subject::Proposal(id) => id.to_string(),
        };
        let console = self.context.outbound.console().unwrap_or_default();
        let message = format!(
            "The policy demands that approvals are signed with a passkey: approve this in the console, at \
             {console}/#/approvals/{}/{id}.",
            what.page
        );
        Error::forbidden(message).at("/assertions")
    }

    fn statement(
        &self,
        caller: &Caller,
        what: &ToSign,
        member: &Member,
        (nonce, until_ms): ([u8; 16], i64),
    ) -> ApprovalStatement {
        let mut session: Vec<_> = caller.members().iter().map(|member| member.id).collect();
        session.sort_unstable();
        let ToSign { subject, digest, content, consequence, key, policy, page: _ } = what.clone();
        let installation = installation_digest(&self.log.state.0.key);
        let approver = member.id;
        ApprovalStatement {
            installation,
            subject,
            digest,
            content,
            consequence,
            key,
            policy,
            approver,
            session,
            nonce,
            until_ms,
        }
    }

    async fn confirmed_passkeys(
        &self,
        grant: &Grant,
        member: &Member,
        party: &RelyingParty,
    ) -> Result<Vec<tables::passkeys::Row>> {
        let identity = Uuid::from(member.id);
        let read = self.context.storage.read(grant, move |tx| Box::pin(tables::passkeys::of_identity(tx, identity)));
        let rows = read.await.map_err(Error::from)?;
        let may_sign = |row: &tables::passkeys::Row| row.confirmed_at_ms.is_some() && row.rp_id == party.id();
        Ok(rows.into_iter().filter(may_sign).collect())
    }
}
