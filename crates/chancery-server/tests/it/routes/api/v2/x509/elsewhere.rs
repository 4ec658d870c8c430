//! Authorities and certificates that OpenSSL made, elsewhere.

use chancery_core::Clock;
use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::Base64;
use serde_json::{Value, json};

use super::import_key::PATH;
use crate::{
    app::{Setup, TestApp},
    client::Client,
};

/// What the certificates of an authority say.
pub(super) const CA: &str = "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign \
                             -addext subjectKeyIdentifier=hash";

/// A folder in which OpenSSL works.
pub(super) struct Bench(TempDir);

impl Bench {
    pub(super) fn new() -> Self {
        Self(temp_dir())
    }

    pub(super) fn openssl(&self, line: &str) -> Vec<u8> {
        Tool::new("openssl35").args(line.split_whitespace()).folder(self.0.path()).run().stdout
    }

    pub(super) fn path(&self) -> &std::path::Path {
        self.0.path()
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.path().join(name), content).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// A root with a new key: `NAME.key` and `NAME.pem`.
    pub(super) fn root(&self, name: &str, algorithm: &str) {
        self.openssl(&format!("genpkey {algorithm} -out {name}.key"));
        let subject = format!("-subj /C=US/O=Elsewhere/CN={name}");
        self.openssl(&format!(
            "req -x509 -new -config /dev/null -key {name}.key {subject} -days 3000 {CA} -out {name}.pem"
        ));
    }

    /// An authority below another.
    pub(super) fn below(&self, name: &str, issuer: &str, extensions: &str) {
        self.openssl(&format!("genpkey {EC} -out {name}.key"));
        let request =
            format!("req -new -config /dev/null -key {name}.key -subj /C=US/O=Elsewhere/CN={name} {extensions}");
        let request = self.openssl(&request);
        self.write("request.pem", request);
        self.openssl(&format!(
            "x509 -req -in request.pem -CA {issuer}.pem -CAkey {issuer}.key -days 2000 -copy_extensions copyall \
             -out {name}.pem"
        ));
    }

    /// A root whose key is imported, so that it issues here; answers its uuid.
    pub(super) async fn imported_root(&self, client: &Client) -> String {
        self.root("root", EC);
        self.import(client, "root", "").await["certificateUuid"].as_str().unwrap().to_owned()
    }

    /// Imports an authority with its key; `options` are those of `openssl pkcs12`.
    pub(super) async fn import(&self, client: &Client, name: &str, options: &str) -> Value {
        let body = json!({"pkcs12": self.pkcs12(name, options), "password": Base64::encode(b"secret")});
        client.post(PATH, body).await.response().clone()
    }

    pub(super) fn pkcs12(&self, name: &str, options: &str) -> String {
        let line = format!("pkcs12 -export -inkey {name}.key -in {name}.pem {options} -passout pass:secret");
        Base64::encode(&self.openssl(&line))
    }
}

pub(super) const EC: &str = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256";

/// OpenSSL looks at the real time.
pub(super) async fn installation() -> TestApp {
    let public_url = Some("http://pki.example".to_owned());
    TestApp::with(Setup { clock: Clock::System, public_url, ..Setup::default() }).await
}

/// What OpenSSL says of the leaf, having verified the responder's answer up to the root that it made itself.
pub(super) async fn ocsp(app: &TestApp, bench: &Bench) -> String {
    bench.openssl("ocsp -issuer root.pem -cert leaf.pem -no_nonce -reqout request.der");
    let request = std::fs::read(bench.0.path().join("request.der")).unwrap();
    let answer = app.nobody().send("POST", "/ocsp", Some("application/ocsp-request"), request).await.body;
    bench.write("answer.der", answer);
    let line = "ocsp -respin answer.der -issuer root.pem -cert leaf.pem -CAfile root.pem -no_nonce";
    let ran = Tool::new("openssl35").args(line.split(' ')).folder(bench.0.path()).run();
    assert!(ran.stderr.contains("Response verify OK"), "{}", ran.stderr);
    ran.text().lines().next().unwrap_or_default().to_owned()
}
