//! An authenticator in software, and the browser around it: what they would answer, and what somebody could change of that.

use aws_lc_rs::{
    digest,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

const PRESENT: u8 = 1;
const VERIFIED: u8 = 4;
const ATTESTED: u8 = 64;

/// One passkey.
pub struct Authenticator {
    pair: EcdsaKeyPair,
    credential_id: Vec<u8>,
    /// How often it has signed.
    pub count: u32,
    /// Where the browser is.
    pub origin: String,
    /// The site that it is for: the host of the origin, where a test does not say otherwise.
    pub rp_id: String,
    /// Whether somebody is present, and verified.
    pub flags: u8,
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest::digest(&digest::SHA256, bytes).as_ref().to_vec()
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Authenticator {
    /// One whose browser is at this origin.
    #[must_use]
    pub fn new(origin: &str) -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("a curve that it has");
        let mut credential_id = vec![0; 20];
        aws_lc_rs::rand::fill(&mut credential_id).expect("randomness");
        let authority = origin.trim_start_matches("https://");
        let rp_id = authority.rsplit_once(':').map_or(authority, |(host, _)| host).to_owned();
        Self { pair, credential_id, count: 0, origin: origin.to_owned(), rp_id, flags: PRESENT | VERIFIED }
    }

    /// This one under the name of another.
    #[must_use]
    pub fn with_id_of(self, other: &Self) -> Self {
        Self { credential_id: other.credential_id.clone(), ..self }
    }

    /// The credential's id.
    #[must_use]
    pub fn id(&self) -> String {
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
    #[must_use]
    pub fn create(&self, options: &Value) -> Value {
        let (x, y) = self.pair.public_key().as_ref()[1..].split_at(32);
        let key = [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20][..], x, &[0x22, 0x58, 0x20], y].concat();
        let id = &self.credential_id;
        let id_len = u16::try_from(id.len()).expect("20 bytes");
        let attested = [&[0; 16][..], &id_len.to_be_bytes(), id, &key].concat();
        let data = [self.data(self.flags | ATTESTED), attested].concat();
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(u8::try_from(data.len()).expect("less than 256 bytes"));
        object.extend(data);
        let client_data = self.client_data("webauthn.create", &options["challenge"]);
        let response = json!({"clientDataJSON": text(&client_data), "attestationObject": text(&object)});
        json!({"id": self.id(), "rawId": self.id(), "type": "public-key", "response": response, "clientExtensionResults": {}})
    }

    /// What a browser answers that was asked to have this signed.
    #[must_use]
    pub fn get(&mut self, options: &Value) -> Value {
        self.count = self.count.wrapping_add(1);
        let (data, client_data) = (self.data(self.flags), self.client_data("webauthn.get", &options["challenge"]));
        let message = [data.clone(), sha256(&client_data)].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &message).expect("a key that signs");
        let response = json!({
            "clientDataJSON": text(&client_data), "authenticatorData": text(&data), "signature": text(signature.as_ref()),
            "userHandle": null,
        });
        json!({"id": self.id(), "rawId": self.id(), "type": "public-key", "response": response})
    }

    /// The same for what came along with a ticket, which goes back with it.
    #[must_use]
    pub fn sign(&mut self, statement: &Value) -> Value {
        json!({"ticket": statement["ticket"], "credential": self.get(&statement["publicKey"])})
    }
}
