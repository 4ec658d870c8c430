//! An authenticator of our own: what a browser would send of it, and what somebody could change of that.

use aws_lc_rs::{
    digest,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::client::{Client, Reply};

/// Where browsers reach the installations of these tests.
pub(crate) const ORIGIN: &str = "https://kms.example.org";

const PRESENT: u8 = 1;
const VERIFIED: u8 = 4;
const ATTESTED: u8 = 64;

/// One passkey.
pub(crate) struct Authenticator {
    pair: EcdsaKeyPair,
    credential_id: Vec<u8>,
    /// How often it has signed.
    pub(crate) count: u32,
    /// What it does otherwise than it should.
    pub(crate) origin: String,
    pub(crate) rp_id: String,
    pub(crate) flags: u8,
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, bytes).as_ref().to_vec()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Authenticator {
    pub(crate) fn new() -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let mut credential_id = vec![0; 20];
        aws_lc_rs::rand::fill(&mut credential_id).unwrap();
        let (origin, rp_id) = (ORIGIN.to_owned(), "kms.example.org".to_owned());
        Self { pair, credential_id, count: 0, origin, rp_id, flags: PRESENT | VERIFIED }
    }

    /// Another one under the name of this one.
    pub(crate) fn with_id_of(self, other: &Self) -> Self {
        Self { credential_id: other.credential_id.clone(), ..self }
    }

    pub(crate) fn id(&self) -> String {
        text(&self.credential_id)
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> Vec<u8> {
        let data = json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false});
        data.to_string().into_bytes()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        [sha256(self.rp_id.as_bytes()), vec![flags], self.count.to_be_bytes().to_vec()].concat()
    }

    /// What a browser answers that was asked for a passkey.
    pub(crate) fn create(&self, options: &Value) -> Value {
        let (x, y) = self.pair.public_key().as_ref()[1..].split_at(32);
        let key = [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20][..], x, &[0x22, 0x58, 0x20], y].concat();
        let id = &self.credential_id;
        let attested = [&[0; 16][..], &u16::try_from(id.len()).unwrap().to_be_bytes(), id, &key].concat();
        let data = [self.data(self.flags | ATTESTED), attested].concat();
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(u8::try_from(data.len()).unwrap());
        object.extend(data);
        let client_data = self.client_data("webauthn.create", &options["challenge"]);
        let response = json!({"clientDataJSON": text(&client_data), "attestationObject": text(&object)});
        json!({"id": self.id(), "rawId": self.id(), "type": "public-key", "response": response, "clientExtensionResults": {}})
    }

    /// What a browser answers that was asked to have this signed.
    pub(crate) fn get(&mut self, options: &Value) -> Value {
        self.count = self.count.wrapping_add(1);
        let (data, client_data) = (self.data(self.flags), self.client_data("webauthn.get", &options["challenge"]));
        let message = [data.clone(), sha256(&client_data)].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &message).unwrap();
        let response = json!({
            "clientDataJSON": text(&client_data), "authenticatorData": text(&data), "signature": text(signature.as_ref()),
            "userHandle": null,
        });
        json!({"id": self.id(), "rawId": self.id(), "type": "public-key", "response": response})
    }

    /// An assertion over one of the statements that the server answered, or over a challenge of a login.
    pub(crate) fn sign(&mut self, statement: &Value) -> Value {
        json!({"ticket": statement["ticket"], "credential": self.get(&statement["publicKey"])})
    }
}

/// Where an identity's passkeys are.
pub(crate) fn passkeys_path(id: &str) -> String {
    format!("/api/v2/identities/{id}/passkeys")
}

/// Enrols a passkey under this name.
pub(crate) async fn enrol(person: &Client, path: &str, name: &str, made: &Authenticator) -> Reply {
    let begun = person.post_nothing(&format!("{path}/begin")).await;
    let begun = begun.response();
    let body = json!({"name": name, "ticket": begun["ticket"], "credential": made.create(&begun["publicKey"])});
    person.post(path, body).await
}

/// Confirms it.
pub(crate) async fn confirm(by: &Client, path: &str, passkey: &Value) -> Reply {
    let uuid = passkey["objInfo"]["uuid"].as_str().unwrap();
    by.post(&format!("{path}/{uuid}/confirm"), json!({"publicKeySha256": passkey["publicKeySha256"]})).await
}
