//! POST /api/v2/x509/signing-requests.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use chancery_core::Limits;
use chancery_types::Base64;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    app::Setup,
    certificates::{body, with},
    signing::{ED25519, REQUESTS, RSA_2048, RSA_3072, Signing, bytes, submission},
};

/// SHA-256 of the empty text.
const EMPTY_SHA_256: &str = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

#[tokio::test]
async fn without_approvals_a_request_is_signed_at_once() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let request = signing.submit(&service, b"payload").await;
    let detail = signing.read(&request).await;
    let words = [&detail["state"], &detail["approvalState"]];
    assert_eq!(words, ["Signed", "Approved"]);
    assert_eq!(bytes(&detail["signature"])[0], 0x30);
    assert_eq!(detail["submittedAt"], "2026-06-21T12:00:00Z");
    assert_eq!(detail["decidedAt"], detail["submittedAt"]);
}

#[tokio::test]
async fn with_approvals_a_request_waits() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"payload").await;
    let detail = signing.read(&request).await;
    let words = [&detail["state"], &detail["approvalState"], &detail["signature"]];
    assert_eq!(words, ["Approval", "Pending", ""]);
    assert_eq!((&detail["approvalsRequired"], &detail["approvals"]), (&json!(2), &json!([])));
}

#[tokio::test]
async fn an_empty_payload_is_a_payload_and_its_digest_will_do_as_well() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let empty = signing.submit(&service, b"").await;
    assert_eq!(signing.read(&empty).await["digest"], EMPTY_SHA_256);
    let mut by_digest = submission(&service, b"");
    by_digest.as_object_mut().unwrap().remove("uploadData");
    by_digest["digest"] = json!(EMPTY_SHA_256);
    let reply = signing.admin.post(REQUESTS, by_digest).await;
    let by_digest = signing.read(reply.response()["uuid"].as_str().unwrap()).await;
    assert_eq!((&by_digest["digest"], &by_digest["state"]), (&json!(EMPTY_SHA_256), &json!("Signed")));
}

#[tokio::test]
async fn payload_and_digest_exclude_each_other_and_a_digest_has_its_length() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let mut body = submission(&service, b"");
    body["digest"] = json!(EMPTY_SHA_256);
    signing.admin.post(REQUESTS, body.clone()).await.refused(400, "InvalidValue", Some("/digest"));
    body.as_object_mut().unwrap().remove("uploadData");
    for digest in ["", "AAAA", &Base64::encode(&[0; 33])] {
        body["digest"] = json!(digest);
        signing.admin.post(REQUESTS, body.clone()).await.refused(400, "InvalidValue", Some("/digest"));
    }
    body["digest"] = json!("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    let hexadecimal = signing.admin.post(REQUESTS, body.clone()).await;
    hexadecimal.refused(400, "InvalidValue", Some("/digest"));
    assert!(hexadecimal.text().contains("in base64; this looks like hexadecimal"), "{}", hexadecimal.text());
    body.as_object_mut().unwrap().remove("digest");
    signing.admin.post(REQUESTS, body).await.refused(400, "ArgumentParseError", Some("/uploadData"));
}

#[tokio::test]
async fn a_raw_ed25519_signature_needs_the_payload() {
    let signing = Signing::new().await;
    let ed25519 = |format: &'static str| {
        signing.deploy_with(format, 0, move |body| {
            body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(ED25519);
            body["pkisigning"]["hashAlgorithm"] = json!("Sha2_512");
            body["pkisigning"]["signingFormat"] = json!(format);
        })
    };
    let (raw, cms) = (ed25519("Raw").await, ed25519("CMS").await);
    let by_digest = |service| {
        let mut body = submission(service, b"");
        body.as_object_mut().unwrap().remove("uploadData");
        body["digest"] = json!(Base64::encode(&[7; 64]));
        body
    };
    signing.admin.post(REQUESTS, by_digest(&raw)).await.refused(400, "InvalidValue", Some("/digest"));
    signing.admin.post(REQUESTS, by_digest(&cms)).await.response();
    let request = signing.submit(&raw, b"payload").await;
    assert_eq!(bytes(&signing.read(&request).await["signature"]).len(), 64);
}

#[tokio::test]
async fn the_policy_is_the_services_own() {
    let signing = Signing::new().await;
    let (one, other) = (signing.deploy("one", 0).await, signing.deploy("other", 0).await);
    let with = |member: &str, value: &str| {
        let mut body = submission(&one, b"");
        body[member] = json!(value);
        body
    };
    let unknown = "11111111-1111-1111-1111-111111111111";
    for (member, value) in [
        ("policyUuid", other.policy.as_str()),
        ("policyUuid", &one.uuid),
        ("policyUuid", unknown),
        ("policyUuid", "mine"),
        ("serviceUuid", unknown),
        ("serviceUuid", &one.policy),
        ("serviceUuid", ""),
    ] {
        let reply = signing.admin.post(REQUESTS, with(member, value)).await;
        reply.refused(400, "InvalidSelection", Some(&format!("/{member}")));
    }
}

#[tokio::test]
async fn one_callers_flood_has_none_of_anothers_signatures_refused() {
    let limits = Limits { pool_queue_max: 64, pool_wait_max: Duration::from_secs(60), ..Limits::default() };
    let signing = Signing::with(Setup { limits, ..Setup::default() }).await;
    let rsa = |body: &mut Value| body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(RSA_2048);
    let service = signing.deploy_with("builds", 0, rsa).await;
    let role = signing.role("builders", &["Signing:Submit"]).await;
    let quiet = signing.identity("quiet", "Application", &role).await;
    // More RSA keys than wait for one caller, each some tenths of a second of work.
    let wanted = json!({"issuerUuid": signing.root, "newKey": {"keyTypeUuid": RSA_3072}});
    let wanted = with(body(&signing.admin, "TLS Client").await, wanted);
    let refused = AtomicUsize::new(0);
    let generate = async || {
        let reply = signing.admin.post("/api/v2/x509/generate", wanted.clone()).await;
        refused.fetch_add(usize::from(reply.status.as_u16() == 429), Ordering::SeqCst);
    };
    // It goes on for as long as a busy machine may take to commit thirteen signatures.
    let flood = async {
        for _ in 0..20 {
            join_all((0..100).map(|_| generate())).await;
        }
    };
    let others = async {
        // The pool is as full as one caller can have it.
        while refused.load(Ordering::SeqCst) < 10 {
            tokio::task::yield_now().await;
        }
        let submit = || quiet.post(REQUESTS, submission(&service, b"payload"));
        join_all((0..13).map(|_| submit())).await
    };
    // The flood need not come to its end.
    let others = tokio::select! {
        biased;
        _ = flood => panic!("the flood ended before the signatures"),
        others = others => others,
    };
    let statuses: Vec<_> = others.iter().map(|reply| reply.status.as_u16()).collect();
    assert_eq!(statuses, [200; 13]);
}

#[tokio::test]
async fn members_are_checked() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    for (member, value, error_code) in [
        ("uploadData", json!("not base64!"), "ArgumentParseError"),
        ("uploadData", json!(7), "ArgumentParseError"),
        ("digest", json!("?"), "ArgumentParseError"),
        ("name", json!(""), "InvalidValue"),
        ("name", json!("n".repeat(256)), "InvalidValue"),
        ("name", json!("a\nb"), "InvalidValue"),
        ("name", json!(null), "ArgumentParseError"),
    ] {
        let mut body = submission(&service, b"x");
        body[member] = value;
        let reply = signing.admin.post(REQUESTS, body).await;
        reply.refused(400, error_code, Some(&format!("/{member}")));
    }
    for member in ["name", "serviceUuid", "policyUuid"] {
        let mut body = submission(&service, b"x");
        body.as_object_mut().unwrap().remove(member);
        let reply = signing.admin.post(REQUESTS, body).await;
        reply.refused(400, "ArgumentParseError", Some(&format!("/{member}")));
    }
    let mut body = submission(&service, b"x");
    body["name"] = json!("ü".repeat(255));
    signing.admin.post(REQUESTS, body).await.response();
}

#[tokio::test]
async fn a_payload_has_a_limit() {
    let limits = Limits { payload_max: 1_000, signing_body_max: 2_000, ..Limits::default() };
    let signing = Signing::with(Setup { limits, ..Setup::default() }).await;
    let service = signing.deploy("builds", 0).await;
    let at_limit = submission(&service, &[1; 1_000]);
    signing.admin.post(REQUESTS, at_limit).await.response();
    let above = submission(&service, &[1; 1_001]);
    signing.admin.post(REQUESTS, above).await.refused(413, "LimitExceeded", Some("/uploadData"));
    let body_above = submission(&service, &[1; 1_500]);
    signing.admin.post(REQUESTS, body_above).await.refused(413, "LimitExceeded", None);
}

#[tokio::test]
async fn a_large_payload_is_kept_and_signed() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let payload: Vec<u8> = (0..5_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let request = signing.submit(&service, &payload).await;
    let reply = signing.admin.get(&format!("{REQUESTS}/{request}?include=uploadData")).await;
    assert_eq!(reply.response()["state"], "Signed");
    assert!(bytes(&reply.response()["uploadData"]) == payload);
}

#[tokio::test]
async fn a_certificate_that_cannot_sign_takes_no_requests() {
    const YEAR_MS: i64 = 365 * 24 * 3_600 * 1_000;
    let signing = Signing::new().await;
    let (revoked, expiring) = (signing.deploy("revoked", 1).await, signing.deploy("expiring", 1).await);
    let path = format!("/api/v2/x509/{}/revoke", revoked.certificate);
    signing.admin.post(&path, json!({"reason": "superseded"})).await.response();
    signing.admin.post(REQUESTS, submission(&revoked, b"x")).await.refused(409, "InvalidState", None);
    signing.app.clock.advance_ms(YEAR_MS + 1_000);
    let admin = signing.app.admin().await;
    admin.post(REQUESTS, submission(&expiring, b"x")).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn only_holders_of_the_permission_submit() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let approver = signing.approver("ann").await;
    approver.post(REQUESTS, submission(&service, b"x")).await.refused(403, "NotAuthorized", None);
    signing.app.nobody().post(REQUESTS, submission(&service, b"x")).await.refused(401, "InvalidAuthToken", None);
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let machine = signing.identity("ci", "Application", &role).await;
    machine.post(REQUESTS, submission(&service, b"x")).await.response();
}

#[tokio::test]
async fn what_a_submitter_says_is_kept_and_shown_to_approvers_and_in_the_audit() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ann = signing.approver("ann").await;
    let mut body = submission(&service, b"x");
    body["note"] = json!("for customer 7");
    body["metadata"] = json!({"commit": "abc", "branch": "main"});
    let request = signing.admin.post(REQUESTS, body.clone()).await.response()["uuid"].as_str().unwrap().to_owned();
    let detail = ann.get(&format!("{REQUESTS}/{request}")).await;
    let listed = ann.get(REQUESTS).await;
    let audit = signing.admin.get(&format!("/api/v2/audit?objectUuid={request}")).await;
    for shown in [detail.response(), &listed.response()["items"][0], &audit.response()["items"][0]["detail"]] {
        assert_eq!((&shown["note"], &shown["metadata"]), (&body["note"], &body["metadata"]));
    }
    let bare = signing.submit(&service, b"y").await;
    assert_eq!(signing.read(&bare).await.get("note"), None);
}

#[tokio::test]
async fn a_claim_that_shows_what_is_not_there_is_refused() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    for (member, value, status, error_code, field) in [
        ("note", json!("exe.\u{202e}fdp"), 400, "InvalidValue", "/note"),
        ("note", json!("a\u{1b}[2K"), 400, "InvalidValue", "/note"),
        ("note", json!("a\u{200b}b"), 400, "InvalidValue", "/note"),
        ("note", json!("\0"), 400, "InvalidValue", "/note"),
        ("note", json!("x".repeat(4 * 1024 + 1)), 413, "LimitExceeded", "/note"),
        ("note", json!(7), 400, "ArgumentParseError", "/note"),
        ("metadata", json!({"a\rb": "x"}), 400, "InvalidValue", "/metadata"),
        ("metadata", json!({"a": "\u{2066}"}), 400, "InvalidValue", "/metadata"),
        ("metadata", json!({"": "x"}), 400, "InvalidValue", "/metadata"),
        ("metadata", json!({"a": 1}), 400, "ArgumentParseError", "/metadata/a"),
        ("metadata", json!(["a"]), 400, "ArgumentParseError", "/metadata"),
        ("metadata", json!({"a": "x".repeat(4 * 1024)}), 413, "LimitExceeded", "/metadata"),
    ] {
        let mut body = submission(&service, b"x");
        body[member] = value;
        signing.admin.post(REQUESTS, body).await.refused(status, error_code, Some(field));
    }
    let many = |count: u32| (0..count).map(|n| (n.to_string(), json!("x"))).collect::<serde_json::Map<_, _>>();
    let mut body = submission(&service, b"x");
    body["metadata"] = json!(many(65));
    signing.admin.post(REQUESTS, body.clone()).await.refused(413, "LimitExceeded", Some("/metadata"));
    body["metadata"] = json!(many(64));
    body["note"] = json!("é".repeat(2 * 1024));
    signing.admin.post(REQUESTS, body).await.response();
}
