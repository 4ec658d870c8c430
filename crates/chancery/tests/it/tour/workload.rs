//! A workload with a provider of its own, whose key is here: an Ed25519 key that OpenSSL makes and signs with.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_testkit::{TempDir, Tool, temp_dir};
use serde_json::{Value, json};

use super::new_name;

pub(crate) struct Workload {
    folder: TempDir,
    pub(crate) issuer: String,
    /// The public key, as a set.
    pub(crate) jwks: String,
}

impl Workload {
    pub(crate) fn new() -> Self {
        let folder = temp_dir();
        let key = folder.path().join("provider.key");
        let _made = Tool::new("openssl").args(["genpkey", "-algorithm", "ed25519", "-out"]).arg(&key).run();
        let public = Tool::new("openssl").args(["pkey", "-pubout", "-outform", "DER", "-in"]).arg(&key).run().stdout;
        // The key is the end of its SubjectPublicKeyInfo (RFC 8410, section 4).
        let x = URL_SAFE_NO_PAD.encode(&public[public.len() - 32..]);
        let jwks = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x}]}).to_string();
        Self { folder, issuer: format!("https://{}.example.org", new_name().replace(' ', "-")), jwks }
    }

    /// A token of the subject `job` for the audience `us`.
    pub(crate) fn token(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let claims = json!({"iss": self.issuer, "aud": "us", "sub": "job", "iat": now, "exp": now + 300});
        let part = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", part(&json!({"alg": "EdDSA"})), part(&claims));
        let message = self.folder.path().join("signed");
        std::fs::write(&message, &signed).unwrap();
        let openssl = Tool::new("openssl").args(["pkeyutl", "-sign", "-rawin", "-in"]).arg(message).arg("-inkey");
        let signature = openssl.arg(self.folder.path().join("provider.key")).run().stdout;
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}
