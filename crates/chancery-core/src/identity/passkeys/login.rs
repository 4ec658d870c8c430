//! POST /home/v1/login/passkey, and what a passkey proves in a login: that the person has it, besides the password.
//!
//! Nobody learns from it who has passkeys. A challenge is the same for everybody, so it lists none; the store is asked for the
//! credential that was shown, and not for those of a name; and where that is nobody's, or another's, a signature is verified
//! all the same.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::{Assertion, Passkey, RelyingParty, SignCount, verify_assertion};
use chancery_store::{
    Tx,
    tables::{self, passkeys::Row},
};
use chancery_types::{
    Action,
    wire::{
        audit::AuditPasskey,
        login::{HomeStatus, PasskeyChallenge, PasskeyProof},
        passkeys::{AssertionCredential, RequestOptions},
    },
};
use tracing::info;

use super::{
    stored::{browser_bytes, note_signature},
    ticket::Challenge,
};
use crate::{Error, Identities, Result, Visitor, base::clock::ms, identity::SigningIn, time::rfc3339_ms};

/// A key that nobody has: the point that RFC 9380, appendix J.1.1, hashes the empty message to. What it verifies counts for
/// nothing; it is there for the time that this takes.
const NOBODYS_KEY: &[u8] =
    b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00\
    \x04\x2c\x15\x23\x0b\x26\xdb\xc6\xfc\x9a\x37\x05\x11\x58\xc9\x5b\x79\
    \x65\x6e\x17\xa1\xa9\x20\xb1\x13\x94\xca\x91\xc4\x42\x47\xd3\xe4\
    \x8a\x7a\x74\x98\x5c\xc5\xc7\x76\xcd\xfe\x4b\x1f\x19\x88\x49\x70\
    \x45\x39\x12\xe9\xd3\x15\x28\xc0\x60\xbe\x9a\xb5\xc4\x3e\x84\x15";

/// What somebody shows who logs in with a passkey. Nothing of it was looked at but its form, and that its challenge is ours.
pub(in crate::identity) struct ShownPasskey {
    party: RelyingParty,
    challenge: [u8; 32],
    until_ms: i64,
    credential_id: Vec<u8>,
    client_data: Vec<u8>,
    authenticator_data: Vec<u8>,
    signature: Vec<u8>,
}

/// A passkey that has signed a challenge of a login. It has to be taken in the transaction that the proof is for.
pub(in crate::identity) struct SignedLogin {
    row: Row,
    count: SignCount,
    /// By what it is remembered that the challenge was used, and until when.
    used: ([u8; 32], i64),
    now_ms: i64,
}

impl SignedLogin {
    /// As records name it.
    pub(in crate::identity) fn recorded(&self) -> AuditPasskey {
        AuditPasskey { uuid: self.row.id.into(), name: self.row.name.clone() }
    }

    /// Takes the challenge and the signature; false where either was taken before, on whatever node, or the passkey may not sign
    /// any more.
    pub(in crate::identity) async fn take(&self, tx: &mut Tx) -> Result<bool> {
        let Self { row, count, used: (hash, until_ms), now_ms } = self;
        Ok(tables::used_tokens::take(tx, hash, *until_ms).await?
            && note_signature(tx, (row.identity_id, row.id), &row.public_key, (*count, *now_ms)).await?)
    }
}

impl Identities {
    /// What a passkey is to sign for a login. Nothing is kept of it.
    pub async fn passkey_challenge(&self, visitor: &Visitor) -> Result<PasskeyChallenge> {
        self.count_try(visitor, Action::Login)?;
        let party = self.relying_party()?;
        let wait = self.context.limits.logins.passkey_ceremony_max;
        let until_ms = self.context.clock.now_ms().saturating_add(ms(wait));
        let challenge = chancery_keys::random();
        let public_key = RequestOptions {
            challenge: URL_SAFE_NO_PAD.encode(challenge),
            timeout: u64::try_from(wait.as_millis()).map_err(Error::internal)?,
            rp_id: party.id().to_owned(),
            allow_credentials: Vec::new(),
            user_verification: "required".to_owned(),
        };
        Ok(PasskeyChallenge {
            message: "Success".to_owned(),
            status: HomeStatus::Success,
            public_key,
            ticket: self.seal_challenge(&Challenge { challenge, until_ms })?,
            expires_at: rfc3339_ms(until_ms),
        })
    }

    /// Reads what is shown, before anything is known of whoever shows it.
    pub(in crate::identity) fn shown_passkey(&self, proof: &PasskeyProof) -> Result<ShownPasskey> {
        let party = self.relying_party()?;
        let PasskeyProof { ticket, credential: AssertionCredential { id, response } } = proof;
        let ticket = self.open_challenge(ticket).filter(|ticket| self.context.clock.now_ms() < ticket.until_ms);
        let ticket = ticket.ok_or_else(|| {
            let message = "The challenge is too old, or none of this installation; have another one signed.";
            Error::value("/ticket", message)
        })?;
        // Answers of logins have no place for the member at fault but their words.
        let bytes = |member: &str, text: &str| {
            let message = format!("credential/{member} of the passkey is base64url without padding.");
            browser_bytes("", text).map_err(|_| Error::malformed(format!("/credential/{member}"), message))
        };
        Ok(ShownPasskey {
            party,
            challenge: ticket.challenge,
            until_ms: ticket.until_ms,
            credential_id: bytes("id", id)?,
            client_data: bytes("response/clientDataJSON", &response.client_data_json)?,
            authenticator_data: bytes("response/authenticatorData", &response.authenticator_data)?,
            signature: bytes("response/signature", &response.signature)?,
        })
    }

    /// Looks at what was shown as a passkey of this identity, with the same work whether there is an identity or a passkey.
    pub(in crate::identity) async fn look_at_passkey(
        &self,
        identity: Option<&tables::identities::Row>,
        shown: &ShownPasskey,
    ) -> Result<Option<SignedLogin>> {
        let credential_id = shown.credential_id.clone();
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move { tables::passkeys::by_credential(tx, &credential_id).await })
        });
        let row = read.await.map_err(Error::from)?.filter(|row| {
            let is_of_it = identity.is_some_and(|identity| identity.id == row.identity_id);
            is_of_it && row.confirmed_at_ms.is_some() && row.rp_id == shown.party.id()
        });
        let passkey = row.as_ref().map_or(Passkey { public_key: NOBODYS_KEY, is_backup_eligible: None }, |row| {
            Passkey { public_key: &row.public_key, is_backup_eligible: Some(row.is_backup_eligible) }
        });
        let ShownPasskey { party, challenge, client_data, authenticator_data, signature, .. } = shown;
        let count =
            verify_assertion(party, challenge, passkey, Assertion { client_data, authenticator_data, signature });
        let Some(row) = row else { return Ok(None) };
        let before = SignCount(u32::try_from(row.sign_count).map_err(Error::internal)?);
        match count.and_then(|count| count.follows(before).map(|()| count)) {
            Ok(count) => {
                let used = (self.context.custodian.keyed_hash("passkey login", challenge), shown.until_ms);
                Ok(Some(SignedLogin { row, count, used, now_ms: self.context.clock.now_ms() }))
            }
            Err(why) => {
                info!(passkey = %row.id, %why, "a passkey was refused in a login");
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chancery_keys::{KeySpec, kind_of_public_key};
    use chancery_types::Curve;

    use super::*;

    #[test]
    fn nobodys_key_costs_what_the_usual_ones_cost() {
        assert_eq!(kind_of_public_key(NOBODYS_KEY), Some(KeySpec::Ec(Curve::P256)));
        chancery_keys::check_public_key(NOBODYS_KEY).unwrap();
    }
}
