//! Certificates that log nobody in, and why the audit says so.

use std::fs;

use chancery_core::Limits;
use serde_json::json;

use crate::client_certificates::{Authority, CLIENT, Files, House, Wanted};

const SUBJECT: &str = "/O=Example/CN=ci";

/// A certificate of the root that differs from a good one.
fn issued(house: &House, name: &str, change: impl FnOnce(&mut Wanted<'static>)) -> Files {
    let mut wanted = Wanted::new(SUBJECT);
    change(&mut wanted);
    house.root.issue(name, &wanted)
}

/// In the order of the alphabet of reasons.
async fn all_wrong(house: &House) -> Vec<(&'static str, Files)> {
    let foreign = Authority::root(&house.folder("foreign"), "/O=Example/CN=Example Clients");
    let unknown = Authority::root(&house.folder("unknown"), "/O=Else/CN=Clients");
    let constrained = house.root.below(
        &house.folder("constrained"),
        "/O=Example/CN=Constrained",
        "nameConstraints=critical,permitted;dirName:d\n[d]\nO=Other",
    );
    let authority = format!("{CLIENT}\nbasicConstraints=critical,CA:TRUE").leak() as &'static str;
    vec![
        ("IsAuthority", issued(house, "authority", |wanted| wanted.extensions = authority)),
        ("Issuer", unknown.issue("ci", &Wanted::new(SUBJECT))),
        ("Issuer", self_signed(house)),
        ("Names", constrained.issue("ci", &Wanted::new(SUBJECT))),
        ("Purpose", issued(house, "server", |wanted| wanted.extensions = "extendedKeyUsage=serverAuth")),
        ("Purpose", issued(house, "none", |wanted| wanted.extensions = "keyUsage=critical,digitalSignature")),
        (
            "Purpose",
            issued(house, "cipher", |wanted| {
                wanted.extensions = "keyUsage=critical,keyEncipherment\nextendedKeyUsage=clientAuth";
            }),
        ),
        ("Unbound", issued(house, "other", |wanted| wanted.subject = "/O=Example/CN=other")),
        ("Unbound", issued(house, "cased", |wanted| wanted.subject = "/O=Example/CN=CI")),
        ("Untrusted", foreign.issue("ci", &Wanted::new(SUBJECT))),
        (
            "Validity",
            issued(house, "expired", |wanted| {
                wanted.options = &["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"];
            }),
        ),
        (
            "Validity",
            issued(house, "early", |wanted| {
                wanted.options = &["-startdate", "20480101000000Z", "-enddate", "20480201000000Z"];
            }),
        ),
        ("Weak", issued(house, "sha1", |wanted| wanted.options = &["-md", "sha1"])),
    ]
}

/// Of the name that is bound.
fn self_signed(house: &House) -> Files {
    let folder = house.folder("self");
    fs::create_dir_all(&folder).unwrap();
    let (certificate, key) = (folder.join("ci.pem"), folder.join("ci.key"));
    let made = chancery_testkit::Tool::new("openssl")
        .args(["req", "-x509", "-nodes", "-config", "/dev/null", "-days", "3", "-subj", SUBJECT])
        .args(["-newkey", "rsa:2048", "-addext", "extendedKeyUsage=clientAuth", "-addext"])
        .args(["basicConstraints=CA:FALSE", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate);
    let _made = made.run();
    Files { certificate, key }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_wrong_certificate_is_refused_in_one_wording_and_recorded_with_its_reason() {
    let (house, _) = House::trusting().await;
    let good = house.ci_certificate("good");
    assert_eq!(house.log_in(Some(&good), &[]).await.status, 200);
    let wrong = all_wrong(&house).await;
    for (_, files) in &wrong {
        House::refused(&house.log_in(Some(files), &[]).await);
    }
    let mut expected: Vec<_> = wrong.iter().map(|(why, _)| *why).collect();
    let mut found = Vec::new();
    for (detail, identities) in house.app.refused_logins().await {
        assert_eq!(detail["way"], "Certificate");
        assert!(detail["certificate"]["serialNumber"].is_string(), "{detail}");
        assert_eq!(identities, json!([]), "{detail}");
        let count = detail["count"].as_u64().unwrap_or(1);
        found.extend((0..count).map(|_| detail["why"].as_str().unwrap().to_owned()));
        if detail["why"] == "Untrusted" {
            assert_eq!(detail["certificate"]["issuer"], "CN=Example Clients,O=Example");
            assert_eq!(detail["certificate"]["subject"], "CN=ci,O=Example");
        }
    }
    found.sort();
    found.dedup();
    expected.dedup();
    assert_eq!(found, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_are_too_short_end_the_handshake() {
    let (house, _) = House::trusting().await;
    let short = house.root.issue("short", &Wanted { key: &["-newkey", "rsa:1024"], ..Wanted::new(SUBJECT) });
    let (content, text) = house.try_curl(Some(&short), "/healthz", &[]).await;
    assert!(!content && !text.contains("HTTP/2 200"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn revocation_by_lists_is_honoured_at_each_login() {
    let (house, path) = House::trusting().await;
    let admin = house.app.admin().await;
    let files = house.ci_certificate("ci");
    let login = house.log_in(Some(&files), &[]).await;
    assert_eq!(login.status, 200, "{}", login.body);
    let cookie = login.cookie.unwrap();
    house.root.revoke("ci");
    // The list of before does not know.
    assert_eq!(house.log_in(Some(&files), &[]).await.status, 200);
    admin.patch(&path, json!({"crls": house.root.crl(&[])})).await.response();
    House::refused(&house.log_in(Some(&files), &[]).await);
    let session = house.curl(None, "/home/v1/login/token", &["-b", &cookie]).await;
    assert!(session.starts_with("HTTP/2 401"), "a change ends the sessions: {session}");
    // Another one goes on, until the list is over.
    let other = house.ci_certificate("other");
    assert_eq!(house.log_in(Some(&other), &[]).await.status, 200);
    // An authority below whose list nobody gave.
    let below = house.root.below(&house.folder("below"), "/O=Example/CN=Below", "");
    let unlisted = below.issue("ci", &Wanted::new(SUBJECT));
    House::refused(&house.log_in(Some(&unlisted), &[]).await);
    assert_eq!(house.reasons().await, ["RevocationUnknown", "Revoked"]);
    admin.patch(&path, json!({"crls": house.root.crl(&[]) + &below.crl(&[])})).await.response();
    assert_eq!(house.log_in(Some(&unlisted), &[]).await.status, 200);
    house.root.revoke("below");
    admin.patch(&path, json!({"crls": house.root.crl(&[]) + &below.crl(&[])})).await.response();
    House::refused(&house.log_in(Some(&unlisted), &[]).await);
    house.app.clock.advance_ms(29 * 86_400_000);
    assert_eq!(house.log_in(Some(&other), &[]).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_over_refuses() {
    let (house, path) = House::trusting().await;
    let admin = house.app.admin().await;
    let files = house.ci_certificate("ci");
    admin.patch(&path, json!({"crls": house.root.crl(&["-crldays", "2"])})).await.response();
    house.app.clock.advance_ms(86_400_000);
    assert_eq!(house.log_in(Some(&files), &[]).await.status, 200);
    house.app.clock.advance_ms(86_400_000 + 60_000);
    House::refused(&house.log_in(Some(&files), &[]).await);
    assert_eq!(house.reasons().await, ["RevocationListOver"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_off_and_an_identity_that_is_locked_let_nobody_in() {
    let (house, path) = House::trusting().await;
    let admin = house.app.admin().await;
    let files = house.ci_certificate("ci");
    admin.patch(&path, json!({"enabled": false})).await.response();
    House::refused(&house.log_in(Some(&files), &[]).await);
    admin.patch(&path, json!({"enabled": true})).await.response();
    admin.post(&format!("/api/v2/identities/{}/lock", house.ci), json!({})).await.response();
    House::refused(&house.log_in(Some(&files), &[]).await);
    assert_eq!(house.reasons().await, ["Disabled", "Locked"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_is_bounded_in_the_handshake() {
    let (house, _) = House::trusting().await;
    let files = house.ci_certificate("ci");
    let pem = fs::read_to_string(&files.certificate).unwrap();
    let root = house.root.pem();
    fs::write(&files.certificate, format!("{pem}{}", root.repeat(5))).unwrap();
    assert_eq!(house.log_in(Some(&files), &[]).await.status, 200, "six in all");
    fs::write(&files.certificate, format!("{pem}{}", root.repeat(6))).unwrap();
    let (content, text) = house.try_curl(Some(&files), "/healthz", &[]).await;
    assert!(!content, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_are_counted_like_any_login() {
    let mut limits = Limits::default();
    limits.logins.per_minute = 5;
    let house = House::with(limits).await;
    let mut told = Vec::new();
    for _ in 0..5 {
        told.push(house.log_in(None, &[]).await.status);
    }
    // The two administrators of the test have come from there, too.
    assert_eq!(told, [401, 401, 401, 429, 429]);
}
