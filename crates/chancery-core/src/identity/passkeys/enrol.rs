//! POST /api/v2/identities/{uuid}/passkeys/begin and …/passkeys: the person, logged in, makes a passkey.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::{NewPasskey, PASSKEY_ALGORITHMS, Registration, verify_registration};
use chancery_store::{
    Tx, name_key,
    tables::{self, passkeys::Row},
};
use chancery_types::{
    Action, IdentityId, PasskeyId,
    wire::{
        Empty,
        passkeys::{
            AuthenticatorSelection, CreationOptions, CredentialParameters, EnrolPasskey, Passkey, PasskeyBegun,
            RelyingPartyEntity, UserEntity,
        },
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    stored::{browser_bytes, descriptor, shown},
    ticket::Enrolment,
};
use crate::{
    Caller, Error, Event, Grant, Identities, Limits, Result,
    base::{clock::ms, text::check_name},
    identity::{administration::name_taken, identities::existing},
    time::rfc3339_ms,
};

impl Identities {
    /// What the browser is to be asked for.
    pub async fn begin_passkey(&self, caller: &Caller, id: IdentityId) -> Result<PasskeyBegun> {
        let grant = self.may_enrol_passkey(caller, id).await?;
        let party = self.relying_party()?;
        let identity = Uuid::from(id);
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let row = existing(tx, identity).await?;
                Ok::<_, Error>((row, tables::passkeys::of_identity(tx, identity).await?))
            })
        });
        let (row, known) = read.await?;
        check_count(known.len() as i64, &self.context.limits)?;
        let wait = self.context.limits.logins.passkey_ceremony_max;
        let until_ms = self.context.clock.now_ms().saturating_add(ms(wait));
        let challenge = chancery_keys::random();
        let ticket = Enrolment { identity, session: caller.session(), challenge, until_ms };
        let public_key = CreationOptions {
            rp: RelyingPartyEntity { id: party.id().to_owned(), name: "Chancery".to_owned() },
            user: UserEntity {
                id: URL_SAFE_NO_PAD.encode(identity.as_bytes()),
                name: row.name.clone(),
                display_name: row.name,
            },
            challenge: URL_SAFE_NO_PAD.encode(challenge),
            pub_key_cred_params: PASSKEY_ALGORITHMS
                .map(|alg| CredentialParameters { r#type: "public-key".to_owned(), alg })
                .to_vec(),
            timeout: u64::try_from(wait.as_millis()).map_err(Error::internal)?,
            exclude_credentials: known.iter().map(descriptor).collect(),
            authenticator_selection: AuthenticatorSelection {
                resident_key: "required".to_owned(),
                user_verification: "required".to_owned(),
            },
            attestation: "none".to_owned(),
        };
        let ticket = self.seal_enrolment(&ticket)?;
        Ok(PasskeyBegun { public_key, ticket, expires_at: rfc3339_ms(until_ms) })
    }

    /// The passkey that the browser has made. It signs nothing until it is confirmed.
    pub async fn enrol_passkey(&self, caller: &Caller, id: IdentityId, body: EnrolPasskey) -> Result<Passkey> {
        let grant = self.may_enrol_passkey(caller, id).await?;
        let EnrolPasskey { name, ticket, credential } = body;
        check_name("/name", &name, &self.context.limits)?;
        let refused = || Event::new(Action::PasskeyEnrol).on(Uuid::from(id));
        let now = self.context.clock.now_ms();
        let ticket = self.open_enrolment(&ticket).filter(|ticket| is_of(ticket, caller, id) && now < ticket.until_ms);
        let Some(ticket) = ticket else { return Err(self.context.refused(caller, refused(), over()).await) };
        let decoded = |member: &str, text: &str| browser_bytes(format!("/credential/{member}"), text);
        let client_data = &decoded("response/clientDataJSON", &credential.response.client_data_json)?;
        let attestation_object = &decoded("response/attestationObject", &credential.response.attestation_object)?;
        let said_id = decoded("id", &credential.id)?;
        let party = self.relying_party()?;
        let registration = Registration { client_data, attestation_object };
        let made = verify_registration(&party, &ticket.challenge, registration);
        let made = match made {
            Ok(made) if made.credential_id == said_id => made,
            Ok(_) => return Err(Error::value("/credential/id", "This is not the credential of the response.")),
            Err(why) => {
                let refusal = Error::value("/credential", format!("This passkey is not taken: {why}."));
                return Err(self.context.refused(caller, refused(), refusal).await);
            }
        };
        let row = new_row(caller, &ticket, name, party.id(), made, now)?;
        let hash = self.context.custodian.keyed_hash("passkey enrolment", &ticket.challenge);
        self.store_passkey(caller, &grant, row, (hash, ticket.until_ms)).await
    }

    async fn store_passkey(
        &self,
        caller: &Caller,
        grant: &Grant,
        row: Row,
        (hash, until_ms): ([u8; 32], i64),
    ) -> Result<Passkey> {
        let event = Event::new(Action::PasskeyEnrol).on(row.id);
        let event = event.detail(json!({"identityUuid": IdentityId::from(row.identity_id)}));
        let ((event, told), limits) = (event.told(), self.context.limits.clone());
        let made = shown(&row, &limits)?;
        self.administer_with(caller, grant, event, move |tx| {
            Box::pin(async move {
                if !tables::used_tokens::take(tx, &hash, until_ms).await? {
                    return Err(over());
                }
                check_stored(tx, &row, &limits).await?;
                told.changed(&Empty {}, &made, &limits)?;
                tables::passkeys::insert(tx, &row).await.map_err(name_taken)?;
                Ok(made)
            })
        })
        .await
    }

    /// The person alone makes passkeys, in whatever session it sits; who sits there with it does not count as the second
    /// person. No program does.
    async fn may_enrol_passkey(&self, caller: &Caller, id: IdentityId) -> Result<Grant> {
        let own = self.context.grant_member(caller, id, Action::PasskeyEnrol).filter(|_| !caller.is_of_a_program());
        if let Some(grant) = own {
            return Ok(grant);
        }
        let message = "A passkey is made by the person whose it is, who is logged in here, and by no API key and no token of a workload.";
        Err(self
            .context
            .refused(caller, Event::new(Action::PasskeyEnrol).on(Uuid::from(id)), Error::forbidden(message))
            .await)
    }
}

fn is_of(ticket: &Enrolment, caller: &Caller, id: IdentityId) -> bool {
    ticket.identity == Uuid::from(id) && ticket.session == caller.session()
}

fn over() -> Error {
    Error::state("This was begun in another session or too long ago, or it is done. Begin again.").at("/ticket")
}

fn new_row(caller: &Caller, ticket: &Enrolment, name: String, rp_id: &str, made: NewPasskey, now: i64) -> Result<Row> {
    let session: Vec<_> = caller.members().iter().map(|member| member.id).collect();
    Ok(Row {
        id: PasskeyId::from_random(chancery_keys::random()).into(),
        identity_id: ticket.identity,
        name_key: name_key(&name),
        name,
        rp_id: rp_id.to_owned(),
        credential_id: made.credential_id,
        public_key: made.public_key,
        is_backup_eligible: made.is_backup_eligible,
        enrolled_by: serde_json::to_string(&session).map_err(Error::internal)?,
        created_at_ms: now,
        confirmed_at_ms: None,
        confirmed_by: None,
        sign_count: made.sign_count.0.into(),
        used_at_ms: None,
    })
}

async fn check_stored(tx: &mut Tx, row: &Row, limits: &Limits) -> Result<()> {
    if existing(tx, row.identity_id).await?.locked {
        return Err(Error::forbidden("The identity is locked."));
    }
    check_count(tables::passkeys::count(tx, row.identity_id).await?, limits)?;
    if tables::passkeys::is_known(tx, &row.credential_id, &row.public_key).await? {
        // One key is one person's, under whatever name for it. Whose it is is nobody's business here.
        return Err(Error::exists("/credential", "This passkey is enrolled already; make another one."));
    }
    Ok(())
}

fn check_count(count: i64, limits: &Limits) -> Result<()> {
    let max = limits.logins.passkeys_max;
    if count >= i64::from(max) {
        return Err(Error::too_large("", format!("An identity has at most {max} passkeys; delete one first.")));
    }
    Ok(())
}
