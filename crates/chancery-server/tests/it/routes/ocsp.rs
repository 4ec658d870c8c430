//! POST /ocsp and GET /ocsp/{request}.

use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::Base64;
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp, until},
    certificates::{body, generate, issued, key_type, with},
    client::{Client, Reply},
};

/// A second after the time at which every test begins, for OpenSSL.
const NOW: &str = "1782043201";

/// A root in a folder, for a verifier that works on files.
struct Authority {
    app: TestApp,
    client: Client,
    root: Value,
    folder: TempDir,
}

impl Authority {
    async fn new() -> Self {
        Self::with_key("EC P-256 Signing").await
    }

    async fn with_key(name: &str) -> Self {
        let public_url = Some("http://pki.example".to_owned());
        let app = TestApp::with(Setup { public_url, ..Setup::default() }).await;
        let client = app.admin().await;
        let key_type = key_type(&client, name).await;
        let wanted =
            with(body(&client, "Root Certificate Authority").await, json!({"newKey": {"keyTypeUuid": key_type}}));
        let root = generate(&client, wanted).await;
        let folder = temp_dir();
        std::fs::write(folder.path().join("root.pem"), root["certificate"].as_str().unwrap()).unwrap();
        Self { app, client, root, folder }
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    async fn leaf(&self) -> Value {
        let leaf = issued(&self.client, "TLS Client", self.root["certificateUuid"].as_str().unwrap()).await;
        std::fs::write(self.file("leaf.pem"), leaf["certificate"].as_str().unwrap()).unwrap();
        leaf
    }

    /// A request as OpenSSL makes it.
    fn request(&self, options: &[&str]) -> Vec<u8> {
        let (root, leaf, file) = (self.file("root.pem"), self.file("leaf.pem"), self.file("request.der"));
        let mut arguments = options.to_vec();
        arguments.extend(["-issuer", &root, "-cert", &leaf, "-reqout", &file]);
        let _made = Tool::new("openssl35").arg("ocsp").args(arguments).run();
        std::fs::read(self.file("request.der")).unwrap()
    }

    async fn ask(&self, request: Vec<u8>) -> Reply {
        let reply = self.app.nobody().send("POST", "/ocsp", Some("application/ocsp-request"), request).await;
        assert_eq!(reply.status.as_u16(), 200, "{}", reply.text());
        assert_eq!(reply.headers["content-type"], "application/ocsp-response");
        reply
    }

    /// What OpenSSL, having verified the answer, says of the leaf. It would compare nonces only where it asked itself.
    fn verified(&self, answer: &[u8]) -> String {
        self.verified_with("-sha1", answer)
    }

    /// The same, for a request that names the issuer by this hash.
    fn verified_with(&self, hash: &str, answer: &[u8]) -> String {
        let (root, leaf) = (self.file("root.pem"), self.file("leaf.pem"));
        let file = self.file("answer.der");
        std::fs::write(&file, answer).unwrap();
        let ran = Tool::new("openssl35")
            .args(["ocsp", hash, "-respin", &file, "-issuer", &root, "-cert", &leaf, "-CAfile", &root, "-no_nonce"])
            .args(["-attime", NOW, "-validity_period", "100000000"])
            .run();
        assert!(ran.stderr.contains("Response verify OK"), "{}{}", ran.text(), ran.stderr);
        assert!(!ran.stderr.contains("WARNING"), "{}", ran.stderr);
        ran.text()
    }
}

/// The answer that has nothing but a status.
fn status(number: u8) -> Vec<u8> {
    vec![0x30, 3, 0x0a, 1, number]
}

#[tokio::test]
async fn good_revoked_and_held_are_told_by_a_responder_that_openssl_trusts() {
    let authority = Authority::new().await;
    let leaf = authority.leaf().await;
    let request = authority.request(&[]);
    let answer = authority.ask(request.clone()).await;
    assert!(authority.verified(&answer.body).contains("leaf.pem: good"));
    let revoke = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
    for (reason, told) in [("certificateHold", "certificateHold"), ("keyCompromise", "keyCompromise")] {
        authority.client.post(&revoke, json!({"reason": reason})).await.response();
        let text = authority.verified(&authority.ask(request.clone()).await.body);
        assert!(text.contains("leaf.pem: revoked") && text.contains(&format!("Reason: {told}")), "{text}");
    }
}

#[tokio::test]
async fn an_answer_is_given_again_until_something_changes() {
    let authority = Authority::new().await;
    let leaf = authority.leaf().await;
    let path = |what: &str| format!("/api/v2/x509/{}/{what}", leaf["certificateUuid"].as_str().unwrap());
    let plain = authority.request(&["-no_nonce"]);
    let first = authority.ask(plain.clone()).await.body;
    assert_eq!(authority.ask(plain.clone()).await.body, first, "signed once");
    let nonces = [authority.ask(authority.request(&[])).await.body, authority.ask(authority.request(&[])).await.body];
    assert_ne!(nonces[0], nonces[1], "a nonce is signed anew");
    let ask_at =
        async |node: &Client| node.send("POST", "/ocsp", Some("application/ocsp-request"), plain.clone()).await;
    let other_node = Client::new(authority.app.other_node().await);
    for (what, body, told) in [
        ("revoke", json!({"reason": "certificateHold"}), "Reason: certificateHold"),
        ("release", json!({}), "leaf.pem: good"),
        ("revoke", json!({"reason": "keyCompromise"}), "Reason: keyCompromise"),
    ] {
        authority.client.post(&path(what), body).await.response();
        let answer = authority.ask(plain.clone()).await.body;
        assert!(authority.verified(&answer).contains(told), "{what}");
        assert_eq!(authority.ask(plain.clone()).await.body, answer);
        // One that answered before may have heard of the last change before that, and keeps its answer for now.
        let new_node = Client::new(authority.app.other_node().await);
        let elsewhere = ask_at(&new_node).await.body;
        assert!(authority.verified(&elsewhere).contains(told), "{what} on another node, which asks for the first time");
        ask_at(&other_node).await;
        // A node hears of a change within a second, unless the machine is busy.
        let has_heard = async || authority.verified(&ask_at(&other_node).await.body).contains(told);
        until(&format!("{what} on another node"), has_heard).await;
    }
    let before = authority.ask(plain.clone()).await.body;
    authority.app.clock.advance_ms(3_600 * 1_000);
    assert_ne!(authority.ask(plain).await.body, before, "signed again after an hour");
}

#[tokio::test]
async fn a_get_may_be_cached_where_its_answer_is_everybodys() {
    let authority = Authority::new().await;
    authority.leaf().await;
    for (options, cached) in
        [(&["-no_nonce"][..], "public, max-age=300, no-transform, must-revalidate"), (&[], "no-store")]
    {
        let request = Base64::encode(&authority.request(options)).replace('+', "%2B").replace('=', "%3D");
        let reply = authority.app.nobody().get(&format!("/ocsp/{request}")).await;
        assert_eq!((reply.status.as_u16(), &reply.headers["cache-control"]), (200, &cached.parse().unwrap()));
    }
}

#[tokio::test]
async fn every_kind_of_authority_has_a_responder() {
    for name in ["RSA 3072 Signing", "Ed25519 Signing", "ML-DSA-65 Signing"] {
        let authority = Authority::with_key(name).await;
        authority.leaf().await;
        for hash in ["-sha1", "-sha256", "-sha384", "-sha512"] {
            let answer = authority.ask(authority.request(&[hash])).await;
            assert!(authority.verified_with(hash, &answer.body).contains("leaf.pem: good"), "{name} {hash}");
        }
    }
}

#[tokio::test]
async fn answers_stand_before_pkilint() {
    let authority = Authority::new().await;
    let leaf = authority.leaf().await;
    for _ in 0..2 {
        let answer = authority.ask(authority.request(&[])).await;
        std::fs::write(authority.file("answer.der"), &answer.body).unwrap();
        let linter = Tool::new("lint_ocsp_response").args(["lint", "-s", "WARNING"]).arg(authority.file("answer.der"));
        let ran = linter.try_run();
        assert!(ran.status.success() && ran.text().trim().is_empty(), "{}{}", ran.text(), ran.stderr);
        let revoke = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
        // The second time round it is revoked already.
        authority.client.post(&revoke, json!({"reason": "superseded"})).await;
    }
}

#[tokio::test]
async fn a_nonce_is_repeated_and_its_absence_too() {
    let authority = Authority::new().await;
    authority.leaf().await;
    let with_nonce = authority.request(&["-nonce"]);
    let nonce = &with_nonce[with_nonce.len() - 16..];
    let answer = authority.ask(with_nonce.clone()).await;
    assert!(answer.body.windows(16).any(|window| window == nonce));
    assert!(authority.verified(&answer.body).contains("good"));
    let answer = authority.ask(authority.request(&["-no_nonce"])).await;
    assert!(!answer.body.windows(16).any(|window| window == nonce));
}

#[tokio::test]
async fn a_get_carries_the_request_in_its_path() {
    let authority = Authority::new().await;
    authority.leaf().await;
    let request = authority.request(&["-no_nonce"]);
    let encoded = Base64::encode(&request).replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let answer = authority.app.nobody().get(&format!("/ocsp/{encoded}")).await;
    assert_eq!(answer.status.as_u16(), 200);
    assert!(authority.verified(&answer.body).contains("good"));
    for no_request in ["/ocsp/%21", "/ocsp/AA//BB/C"] {
        let answer = authority.app.nobody().get(no_request).await;
        assert_eq!((answer.status.as_u16(), answer.body), (200, status(1)), "{no_request}");
    }
}

#[tokio::test]
async fn a_serial_number_that_was_never_given_out_is_unknown() {
    let authority = Authority::new().await;
    let (root, file) = (authority.file("root.pem"), authority.file("request.der"));
    let serial = ["-issuer", &root, "-serial", "0x4000000000000000000000000000000000000001", "-reqout", &file];
    let _made = Tool::new("openssl35").arg("ocsp").args(serial).run();
    let answer = authority.ask(std::fs::read(&file).unwrap()).await;
    std::fs::write(authority.file("answer.der"), &answer.body).unwrap();
    let text = Tool::new("openssl35")
        .args(["ocsp", "-respin", &authority.file("answer.der"), "-CAfile", &root, "-attime", NOW, "-resp_text"])
        .run()
        .text();
    assert!(text.contains("Cert Status: unknown"), "{text}");
}

#[tokio::test]
async fn what_cannot_be_answered_has_its_status() {
    let authority = Authority::new().await;
    authority.leaf().await;
    let request = authority.request(&[]);
    for malformed in [Vec::new(), b"{}".to_vec(), request[1..].to_vec(), vec![0x30; 20 * 1024]] {
        assert_eq!(authority.ask(malformed).await.body, status(1));
    }
    let foreign = Authority::new().await;
    assert_eq!(foreign.ask(request.clone()).await.body, status(6), "another authority's certificate");
    let disable = format!("/api/v2/keys/{}/disable", authority.root["keyUuid"].as_str().unwrap());
    authority.client.post_nothing(&disable).await.response();
    assert_eq!(authority.ask(request).await.body, status(6), "an authority that cannot sign");
}

#[tokio::test]
async fn a_nonce_of_no_length_or_too_long_and_unknown_critical_extensions_are_malformed() {
    let authority = Authority::new().await;
    authority.leaf().await;
    let plain = authority.request(&["-no_nonce"]);
    // OCSPRequest { TBSRequest { SEQUENCE OF Request { CertID } } }, all with lengths below 128.
    assert_eq!((plain[0], plain[2], plain[4], plain[6]), (0x30, 0x30, 0x30, 0x30));
    let cert_id = plain[8..].to_vec();
    let request = |single: Option<Vec<u8>>, extensions: &[Vec<u8>]| {
        let single = single.map(|extension| tagged(0xa0, &[tagged(0x30, &[extension])]));
        let list = tagged(0x30, &[tagged(0x30, &[vec![cert_id.clone()], single.into_iter().collect()].concat())]);
        let all = (!extensions.is_empty()).then(|| tagged(0xa2, &[tagged(0x30, extensions)]));
        tagged(0x30, &[tagged(0x30, &[vec![list], all.into_iter().collect()].concat())])
    };
    let nonce = |bytes: usize| extension(NONCE, false, &tagged(0x04, &[vec![7; bytes]]));
    let critical = || extension(OTHER, true, &[5, 0]);
    let answered = [
        request(None, &[]),
        request(None, &[nonce(1)]),
        request(None, &[nonce(128), extension(OTHER, false, &[5, 0])]),
        request(None, &[extension(NONCE, true, &tagged(0x04, &[vec![7; 32]]))]),
        request(Some(extension(OTHER, false, &[5, 0])), &[]),
    ];
    for request in answered {
        let answer = authority.ask(request.clone()).await.body;
        assert!(answer.len() > 200, "{answer:?} to {request:?}");
    }
    let malformed = [
        request(None, &[nonce(0)]),
        request(None, &[nonce(129)]),
        request(None, &[extension(NONCE, false, &[])]),
        request(None, &[extension(NONCE, false, &[7; 16])]),
        request(None, &[nonce(16), nonce(16)]),
        request(None, &[critical()]),
        request(None, &[nonce(16), critical()]),
        request(Some(critical()), &[]),
    ];
    for request in malformed {
        assert_eq!(authority.ask(request.clone()).await.body, status(1), "{request:?}");
    }
}

/// id-pkix-ocsp-nonce, and one that nobody knows, in DER.
const NONCE: &[u8] = &[6, 9, 0x2b, 6, 1, 5, 5, 7, 0x30, 1, 2];
const OTHER: &[u8] = &[6, 3, 0x2a, 3, 4];

/// An Extension in DER.
fn extension(oid: &[u8], critical: bool, value: &[u8]) -> Vec<u8> {
    let critical = if critical { vec![1, 1, 0xff] } else { Vec::new() };
    tagged(0x30, &[oid.to_vec(), critical, tagged(0x04, &[value.to_vec()])])
}

fn tagged(tag: u8, parts: &[Vec<u8>]) -> Vec<u8> {
    let content = parts.concat();
    let length = u8::try_from(content.len()).unwrap();
    let head = if length < 128 { vec![tag, length] } else { vec![tag, 0x81, length] };
    [head, content].concat()
}

#[tokio::test]
async fn a_responder_is_made_once_and_renewed_in_time() {
    let authority = Authority::new().await;
    authority.leaf().await;
    let request = authority.request(&["-no_nonce"]);
    let asked = (0..10).map(|_| authority.ask(request.clone()));
    futures::future::join_all(asked).await;
    let count = async || {
        let client = authority.app.admin().await;
        let reply = client.get("/api/v2/x509?search=ocsp%20responder%20of").await;
        reply.response()["results"].as_array().unwrap().len()
    };
    assert_eq!(count().await, 1);
    authority.app.clock.advance_ms(22 * 24 * 3_600 * 1_000);
    authority.ask(request.clone()).await;
    assert_eq!(count().await, 1);
    authority.app.clock.advance_ms(24 * 3_600 * 1_000);
    authority.ask(request).await;
    assert_eq!(count().await, 2);
}
