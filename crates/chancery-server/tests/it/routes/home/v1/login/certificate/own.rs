//! Client certificates of this installation's own authorities.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, Command, Stdio},
};

use chancery_testkit::Tool;
use chancery_types::{Base64, Perm};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::{
    app::{Setup, TestApp},
    authenticator::{ORIGIN, authenticator, confirm, enrol, passkeys_path},
    certificates::{body, generate, issued, profile, root, with},
    client::Client,
    client_certificates::{Files, House, bind},
    workloads::PROVIDERS,
};

/// A certificate of this authority for a key of openssl, and what was answered; its file is not there yet.
async fn requested(house: &House, admin: &Client, issuer: &str, name: &str, save: bool) -> (Files, Value) {
    let (certificate, key) = (house.folder(&format!("{name}.pem")), house.folder(&format!("{name}.key")));
    let csr = Tool::new("openssl")
        .args(["req", "-new", "-nodes", "-config", "/dev/null", "-newkey", "rsa:2048", "-subj", "/O=Example/CN=ci"])
        .arg("-keyout")
        .arg(&key);
    let csr = spawn_blocking(move || csr.run().text()).await.unwrap();
    let wanted = json!({
        "certProfileUuid": profile(admin, "TLS Client").await, "serviceOrIssuerUuid": issuer, "csr": csr,
        "subjectOneline": "CN=ci,O=Example", "saveCert": save,
    });
    let made = admin.post("/api/v2/x509/requests", wanted).await.response().clone();
    (Files { certificate, key }, made)
}

/// The same, with the chain up to the root in its file.
async fn certificate(house: &House, admin: &Client, issuer: &str, name: &str) -> (Files, String) {
    let (files, made) = requested(house, admin, issuer, name, true).await;
    let uuid = made["certificateUuid"].as_str().unwrap().to_owned();
    let chain = admin.get(&format!("/api/v2/x509/{uuid}/download?format=chain")).await;
    fs::write(&files.certificate, chain.text()).unwrap();
    (files, uuid)
}

async fn trust(house: &House, admin: &Client, authority: &str) -> Value {
    let made = admin.post(PROVIDERS, json!({"name": "own", "authorityUuid": authority})).await.response().clone();
    house.bind(admin, made["objInfo"]["uuid"].as_str().unwrap(), json!({"subject": "CN=ci,O=Example"})).await;
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_revoked_here_is_refused_at_once_and_on_the_same_connection() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let authority = root(&admin).await;
    let made = trust(&house, &admin, &authority).await;
    assert_eq!((&made["authorityUuid"], made.get("revocationLists")), (&json!(authority), None));
    assert!(made["authorityCertificates"].as_str().unwrap().starts_with("-----BEGIN CERTIFICATE-----\n"));
    let (files, uuid) = certificate(&house, &admin, &authority, "ci").await;
    let mut connection = Connection::open(&house, &files);
    assert_eq!(connection.log_in(), 200);
    assert_eq!(house.log_in(Some(&files), &[]).await.status, 200);
    let hold = |what: &str| format!("/api/v2/x509/{uuid}/{what}");
    admin.post(&hold("revoke"), json!({"reason": "certificateHold"})).await.response();
    assert_eq!(connection.log_in(), 401);
    House::refused(&house.log_in(Some(&files), &[]).await);
    admin.post(&hold("release"), json!({})).await.response();
    assert_eq!(connection.log_in(), 200);
    admin.post(&hold("revoke"), json!({"reason": "keyCompromise"})).await.response();
    assert_eq!(connection.log_in(), 401);
    House::refused(&house.log_in(Some(&files), &[]).await);
    assert_eq!(house.reasons().await, ["Revoked"]);
}

/// To issue is as good as to bind.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_issues_a_certificate_holds_as_much_as_whom_it_stands_for() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let authority = root(&admin).await;
    trust(&house, &admin, &authority).await;
    let below = issued(&admin, "Issuing Certificate Authority", &authority).await["certificateUuid"].clone();
    let mallory = house.app.with_perms("mallory", &[Perm::CertManageGenerate]).await;
    let generated = |subject: &str, issuer: &Value| json!({"subjectOneline": subject, "issuerUuid": issuer});
    for issuer in [&json!(authority), &below] {
        let wanted = with(body(&mallory, "TLS Client").await, generated("CN=ci,O=Example", issuer));
        let refused = mallory.post("/api/v2/x509/generate", wanted).await;
        refused.refused(403, "NotAuthorized", None);
        assert!(refused.text().contains("logs in as ci"), "{}", refused.text());
        let wanted = with(body(&mallory, "TLS Client").await, generated("CN=other,O=Example", issuer));
        mallory.post("/api/v2/x509/generate", wanted).await.response();
    }
    // What is for something else logs nobody in.
    let names = generated("CN=ci,O=Example", &json!(authority));
    let wanted = with(body(&mallory, "Code Signing Certificate").await, names);
    mallory.post("/api/v2/x509/generate", wanted).await.response();
    // The administrators hold all that ci does.
    let (files, uuid) = certificate(&house, &admin, &authority, "ci").await;
    assert_eq!(house.log_in(Some(&files), &[]).await.status, 200);
    let again = mallory.post(&format!("/api/v2/x509/{uuid}/renew"), json!({})).await;
    again.refused(403, "NotAuthorized", None);
    // Under an authority that is not trusted with logins names say nothing.
    let elsewhere = with(body(&admin, "Root Certificate Authority").await, json!({"subjectOneline": "CN=Elsewhere"}));
    let elsewhere = generate(&admin, elsewhere).await["certificateUuid"].clone();
    let wanted = with(body(&mallory, "TLS Client").await, generated("CN=ci,O=Example", &elsewhere));
    mallory.post("/api/v2/x509/generate", wanted).await.response();
}

/// A certificate outlasts the session, as an API key does.
#[tokio::test]
async fn with_a_confirmed_passkey_the_password_alone_makes_no_certificate_that_logs_in() {
    let app = TestApp::with(Setup { public_origin: Some(ORIGIN.to_owned()), ..Setup::default() }).await;
    let admin = app.admin().await;
    let authority = root(&admin).await;
    let made = admin.post(PROVIDERS, json!({"name": "own", "authorityUuid": authority})).await.response().clone();
    let ann = app.with_perms("ann", &[Perm::CertManageGenerate]).await;
    let uuid = admin.identity_uuid("ann").await;
    bind(&admin, made["objInfo"]["uuid"].as_str().unwrap(), &uuid, json!({"subject": "CN=ann,O=Example"})).await;
    let wanted = json!({"subjectOneline": "CN=ann,O=Example", "issuerUuid": authority});
    let wanted = with(body(&ann, "TLS Client").await, wanted);
    ann.post("/api/v2/x509/generate", wanted.clone()).await.response();
    let path = passkeys_path(&uuid);
    let passkey = enrol(&ann, &path, "key", &authenticator()).await.response().clone();
    confirm(&admin, &path, &passkey).await.response();
    ann.post("/api/v2/x509/generate", wanted).await.refused(403, "NotAuthorized", None);
    let other = json!({"subjectOneline": "CN=other,O=Example", "issuerUuid": authority});
    ann.post("/api/v2/x509/generate", with(body(&ann, "TLS Client").await, other)).await.response();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_issued_before_its_names_were_bound_logs_nobody_in() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let authority = root(&admin).await;
    let (before, _) = certificate(&house, &admin, &authority, "before").await;
    house.app.clock.advance_ms(1);
    trust(&house, &admin, &authority).await;
    House::refused(&house.log_in(Some(&before), &[]).await);
    let (after, _) = certificate(&house, &admin, &authority, "after").await;
    assert_eq!(house.log_in(Some(&after), &[]).await.status, 200);
    assert_eq!(house.reasons().await, ["BoundLater"]);
}

/// Its number alone is known, under which a stolen copy of the key could sign anything.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_saved_logs_nobody_in() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let authority = root(&admin).await;
    trust(&house, &admin, &authority).await;
    let (files, made) = requested(&house, &admin, &authority, "unsaved", false).await;
    fs::write(&files.certificate, made["certificate"].as_str().unwrap()).unwrap();
    House::refused(&house.log_in(Some(&files), &[]).await);
    assert_eq!(house.reasons().await, ["NotIssuedHere"]);
}

/// Whoever signed it was held against nothing, and to import it asks for less than to issue it.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_own_authority_signed_elsewhere_logs_nobody_in_once_it_is_imported() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let folder = house.folder("root");
    let export = Tool::new("openssl")
        .args(["pkcs12", "-export", "-inkey", "ca.key", "-in", "ca.pem", "-passout", "pass:secret"])
        .folder(&folder);
    let pkcs12 = spawn_blocking(move || export.run().stdout).await.unwrap();
    let wanted = json!({"pkcs12": Base64::encode(&pkcs12), "password": Base64::encode(b"secret")});
    let imported = admin.post("/api/v2/x509/import-key", wanted).await.response().clone();
    let authority = imported["certificateUuid"].as_str().unwrap();
    trust(&house, &admin, authority).await;
    let (here, _) = certificate(&house, &admin, authority, "here").await;
    assert_eq!(house.log_in(Some(&here), &[]).await.status, 200);
    let elsewhere = house.ci_certificate("elsewhere");
    House::refused(&house.log_in(Some(&elsewhere), &[]).await);
    let certificates = fs::read_to_string(&elsewhere.certificate).unwrap();
    let kept = admin.post("/api/v2/x509/import", json!({"certificates": certificates})).await.response().clone();
    assert_eq!(kept["certificates"][0]["issuerUuid"], authority);
    House::refused(&house.log_in(Some(&elsewhere), &[]).await);
    assert_eq!(house.reasons().await, ["NotIssuedHere"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_below_the_one_that_is_trusted_may_have_issued_it() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let authority = root(&admin).await;
    trust(&house, &admin, &authority).await;
    let below = issued(&admin, "Issuing Certificate Authority", &authority).await;
    let below = below["certificateUuid"].as_str().unwrap();
    let (files, _) = certificate(&house, &admin, below, "ci").await;
    assert_eq!(house.log_in(Some(&files), &[]).await.status, 200);
    admin.post(&format!("/api/v2/x509/{below}/revoke"), json!({"reason": "superseded"})).await.response();
    House::refused(&house.log_in(Some(&files), &[]).await);
    assert_eq!(house.reasons().await, ["Revoked"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_authority_here_is_not_trusted() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let authority = root(&admin).await;
    let leaf = issued(&admin, "TLS Client", &authority).await["certificateUuid"].clone();
    let make = |own: Value| json!({"name": "own", "authorityUuid": own});
    admin.post(PROVIDERS, make(leaf)).await.refused(400, "InvalidValue", Some("/authorityUuid"));
    let nobody = json!("00000000-0000-4000-8000-000000000001");
    admin.post(PROVIDERS, make(nobody)).await.refused(400, "InvalidSelection", Some("/authorityUuid"));
    let untrusted = with(body(&admin, "Root Certificate Authority").await, json!({"trustCert": false}));
    let untrusted = crate::certificates::generate(&admin, untrusted).await["certificateUuid"].clone();
    admin.post(PROVIDERS, make(untrusted)).await.refused(400, "InvalidValue", Some("/authorityUuid"));
}

/// No session is resumed where certificates are asked for.
#[tokio::test(flavor = "multi_thread")]
async fn no_connection_is_resumed() {
    let (house, _) = House::trusting().await;
    let files = house.ci_certificate("ci");
    for version in ["-tls1_3", "-tls1_2"] {
        let kept = house.folder("session");
        let s_client = || {
            let tool = Tool::new("openssl").args(["s_client", "-connect", &house.served.address.to_string(), version]);
            tool.arg("-cert")
                .arg(&files.certificate)
                .arg("-key")
                .arg(&files.key)
                .arg("-CAfile")
                .arg(&house.served.ca_file)
        };
        let first = s_client().arg("-sess_out").arg(&kept).input("");
        let first = spawn_blocking(move || first.try_run()).await.unwrap().text();
        assert!(first.contains("New, TLSv1") && !first.contains("Session Ticket"), "{first}");
        if fs::exists(&kept).unwrap() {
            let second = s_client().arg("-sess_in").arg(&kept).input("");
            let second = spawn_blocking(move || second.try_run()).await.unwrap().text();
            assert!(second.contains("New, TLSv1") && !second.contains("Reused"), "{second}");
            fs::remove_file(&kept).unwrap();
        }
    }
}

/// One connection of `openssl s_client`, over which several logins are made.
struct Connection {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
    host: String,
}

impl Connection {
    fn open(house: &House, files: &Files) -> Self {
        let host = house.served.address.to_string();
        let mut command = Command::new("openssl");
        command.args(["s_client", "-quiet", "-connect", &host, "-alpn", "http/1.1", "-CAfile"]);
        command.arg(&house.served.ca_file).arg("-cert").arg(&files.certificate).arg("-key").arg(&files.key);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers, host }
    }

    /// The status of the answer.
    fn log_in(&mut self) -> u16 {
        let body = r#"{"authType":"certificate","authCredentials":{}}"#;
        let request = format!(
            "POST /home/v1/login HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.child.stdin.as_mut().unwrap().write_all(request.as_bytes()).unwrap();
        tokio::task::block_in_place(|| {
            let mut line = String::new();
            self.answers.read_line(&mut line).unwrap();
            let status = line.split_whitespace().nth(1).unwrap_or_else(|| panic!("{line}")).parse().unwrap();
            let mut length = 0;
            loop {
                line.clear();
                self.answers.read_line(&mut line).unwrap();
                match line.trim().to_ascii_lowercase().strip_prefix("content-length:") {
                    Some(bytes) => length = bytes.trim().parse().unwrap(),
                    None if line.trim().is_empty() => break,
                    None => {}
                }
            }
            self.answers.read_exact(&mut vec![0; length]).unwrap();
            status
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
