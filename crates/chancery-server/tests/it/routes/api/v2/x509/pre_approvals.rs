//! POST /api/v2/x509/pre-approvals, and what a pre-approval does to requests.

use chancery_types::Base64;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup},
    client::{Client, Reply},
    signing::{APPROVER, PROPOSALS, REQUESTS, Service, Signing, submission, submit},
};

const PRE_APPROVALS: &str = "/api/v2/x509/pre-approvals";
const HOUR_MS: i64 = 3_600_000;

/// SHA-256 of `a`, `b` and `c`.
const A: &str = "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=";
const B: &str = "PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=";
const C: &str = "Ln0sA6lQeuJl7PW1NWiFpTOTogKdJBOUmXJloaJa78Y=";

async fn list(client: &Client, service: &Service, digests: &[&str]) -> Reply {
    client.post(PRE_APPROVALS, json!({"name": "nightly", "policyUuid": service.policy, "digests": digests})).await
}

async fn window(client: &Client, service: &Service, submitter: &str, max_requests: u32, hours: &str) -> Reply {
    let lifetime = json!({"unit": "Hour", "amount": hours});
    let body = json!({
        "name": "window", "policyUuid": service.policy, "submitterUuid": submitter, "maxRequests": max_requests,
        "lifetime": lifetime,
    });
    client.post(PRE_APPROVALS, body).await
}

fn uuid(reply: &Reply) -> String {
    reply.response()["uuid"].as_str().unwrap().to_owned()
}

async fn decide(client: &Client, proposal: &str, how: &str) -> Reply {
    client.post(&format!("{PROPOSALS}/{proposal}/{how}"), json!({})).await
}

async fn submitter(signing: &Signing, name: &str) -> Client {
    let role = signing.role(&format!("role of {name}"), &["Signing:Submit"]).await;
    signing.person(name, &role).await
}

async fn state(signing: &Signing, client: &Client, service: &Service, payload: &[u8]) -> Value {
    signing.read(&submit(client, service, payload).await).await["state"].clone()
}

async fn detail(signing: &Signing, proposal: &str) -> Value {
    signing.admin.get(&format!("{PROPOSALS}/{proposal}")).await.response().clone()
}

#[tokio::test]
async fn listed_digests_are_signed_once_each() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let ci = submitter(&signing, "ci").await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let proposed = list(&ci, &service, &[A, B]).await;
    assert_eq!([&proposed.response()["state"], &proposed.response()["approvalState"]], ["Approval", "Pending"]);
    let id = uuid(&proposed);
    assert_eq!(state(&signing, &ci, &service, b"a").await, "Approval", "nobody has approved yet");
    decide(&ci, &id, "approve").await.refused(403, "NotAuthorized", None);
    assert_eq!(decide(&ann, &id, "approve").await.response()["approvals"], json!({"given": 1, "required": 2}));
    decide(&ann, &id, "approve").await.refused(409, "InvalidState", None);
    assert_eq!(state(&signing, &ci, &service, b"a").await, "Approval", "one of two");
    let digest = detail(&signing, &id).await["digest"].clone();
    let last = bob.post(&format!("{PROPOSALS}/{id}/approve"), json!({"digest": digest})).await;
    assert_eq!([&last.response()["state"], &last.response()["approvalState"]], ["Active", "Approved"]);

    let request = submit(&ci, &service, b"a").await;
    let signed = signing.read(&request).await;
    let words = ["state", "approvalState", "preApprovalUuid"].map(|member| signed[member].as_str().unwrap());
    assert_eq!(words, ["Signed", "Approved", id.as_str()]);
    assert_eq!((&signed["approvals"], &signed["approvalsRequired"]), (&json!([]), &json!(2)));
    for (payload, expected) in [(b"a", "Approval"), (b"c", "Approval"), (b"b", "Signed"), (b"b", "Approval")] {
        assert_eq!(state(&signing, &ci, &service, payload).await, expected, "{payload:?}");
    }
    let used = detail(&signing, &id).await;
    assert_eq!((&used["state"], &used["preApproval"]["uses"]), (&json!("UsedUp"), &json!(2)));
    let digests = used["preApproval"]["usedDigests"].as_array().unwrap();
    assert!(digests.contains(&json!({"digest": A, "requestUuid": request})), "{used}");
    decide(&ann, &id, "revoke").await.refused(409, "InvalidState", None);

    let listed = signing.admin.get(&format!("{REQUESTS}?preApprovalUuid={id}")).await;
    assert_eq!(listed.response()["total"], 2);
    assert_eq!(listed.response()["items"][0]["preApprovalUuid"], id.as_str());
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestSubmit").await;
    let uses = audit.response()["items"].as_array().unwrap();
    assert_eq!(uses.iter().filter(|record| record["detail"]["preApprovalUuid"] == id.as_str()).count(), 2);
}

#[tokio::test]
async fn page_hashes_and_names_that_nobody_has_seen() {
    let signing = Signing::new().await;
    let service =
        signing.deploy_with("programs", 1, |body| body["pkisigning"]["signingFormat"] = json!("Authenticode"));
    let service = service.await;
    let ci = submitter(&signing, "ci").await;
    let ann = signing.approver("ann").await;
    let id = uuid(&list(&ci, &service, &[A]).await);
    assert_eq!(decide(&ann, &id, "approve").await.response()["state"], "Active");
    let mut body = submission(&service, b"");
    body.as_object_mut().unwrap().remove("uploadData");
    body["digest"] = json!(A);
    let plain = body.clone();
    body["pageHashes"] = json!(Base64::encode(&[&[0; 4][..], &[7; 32], &[0, 2, 0, 0], &[0; 32]].concat()));
    let mut named = plain.clone();
    named["programName"] = json!("Somebody else's program");
    for (body, expected) in [(body, "Approval"), (named, "Approval"), (plain, "Signed")] {
        let request = uuid(&ci.post(REQUESTS, body).await);
        assert_eq!(signing.read(&request).await["state"], expected);
    }
}

#[tokio::test]
async fn what_people_approve_is_the_text_they_read() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ci = submitter(&signing, "ci").await;
    let id = uuid(&list(&ci, &service, &[A]).await);
    let detail = detail(&signing, &id).await;
    let content: Value = serde_json::from_str(detail["content"].as_str().unwrap()).unwrap();
    assert_eq!(content["PreApproval"]["digests"], json!([A]));
    assert_eq!(content["PreApproval"]["policyUuid"], service.policy.as_str());
    let folder = chancery_testkit::temp_dir();
    std::fs::write(folder.path().join("content"), detail["content"].as_str().unwrap()).unwrap();
    let openssl =
        chancery_testkit::Tool::new("openssl").args(["dgst", "-sha256", "-binary", "-out", "digest", "content"]);
    let _ran = openssl.folder(folder.path()).run();
    let digest = std::fs::read(folder.path().join("digest")).unwrap();
    assert_eq!(detail["digest"], Base64::encode(&digest));
}

#[tokio::test]
async fn none_of_the_approvers_is_the_submitter() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("both", &["Signing:Submit", "Signing:Approve"]).await;
    let (sam, sue) = (signing.person("sam", &role).await, signing.person("sue", &role).await);
    let id = uuid(&list(&sam, &service, &[A, B]).await);
    decide(&sam, &id, "approve").await.refused(403, "NotAuthorized", None);
    decide(&sue, &id, "approve").await.response();
    assert_eq!(state(&signing, &sue, &service, b"a").await, "Approval", "sue approved it, so she cannot use it");
    assert_eq!(state(&signing, &sam, &service, b"a").await, "Signed");
    // Not even as two, where requests could be approved so.
    let own = uuid(&list(&signing.admin, &service, &[C]).await);
    decide(&signing.admin, &own, "approve").await.refused(403, "NotAuthorized", None);
    let sue_uuid = signing.admin.identity_uuid("sue").await;
    let for_sue = uuid(&window(&signing.admin, &service, &sue_uuid, 1, "1").await);
    decide(&sue, &for_sue, "approve").await.refused(403, "NotAuthorized", None);
    let machine = signing.identity("bot", "Application", APPROVER).await;
    decide(&machine, &for_sue, "approve").await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn sixty_four_submitters_at_a_time_get_no_use_more_than_was_approved() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let (ci, other) = (submitter(&signing, "ci").await, submitter(&signing, "other").await);
    let ci_uuid = signing.admin.identity_uuid("ci").await;
    let id = uuid(&window(&signing.admin, &service, &ci_uuid, 10, "24").await);
    decide(&signing.approver("ann").await, &id, "approve").await.response();
    assert_eq!(state(&signing, &other, &service, b"x").await, "Approval", "it is for ci alone");
    let requests = join_all((0..64).map(|n: u8| {
        let (ci, service) = (&ci, &service);
        async move { submit(ci, service, &[n]).await }
    }))
    .await;
    let mut signed = 0;
    for request in &requests {
        let words = signing.words(request).await;
        signed += u32::from(words == ["Signed", "Approved"]);
        assert!(words == ["Signed", "Approved"] || words == ["Approval", "Pending"], "{words:?}");
    }
    assert_eq!(signed, 10);
    let used = detail(&signing, &id).await;
    assert_eq!((&used["state"], &used["preApproval"]["uses"]), (&json!("UsedUp"), &json!(10)));
}

#[tokio::test]
async fn a_digest_is_used_once_by_however_many() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ci = submitter(&signing, "ci").await;
    let id = uuid(&list(&ci, &service, &[A, B]).await);
    decide(&signing.approver("ann").await, &id, "approve").await.response();
    let requests = join_all((0..16).map(|_| submit(&ci, &service, b"a"))).await;
    let mut signed = 0;
    for request in &requests {
        signed += u32::from(signing.words(request).await == ["Signed", "Approved"]);
    }
    assert_eq!(signed, 1);
    assert_eq!(detail(&signing, &id).await["preApproval"]["uses"], 1);
}

#[tokio::test]
async fn a_window_ends_and_restrictions_hold_in_it() {
    let signing = Signing::new().await;
    let rules = json!({"fileNames": ["release*"], "maxSize": 3, "signaturesPerHour": 1});
    let service = signing.deploy_with("builds", 1, |body| body["pkisigning"]["rules"] = rules).await;
    let ci = submitter(&signing, "ci").await;
    let ci_uuid = signing.admin.identity_uuid("ci").await;
    let id = uuid(&window(&signing.admin, &service, &ci_uuid, 100, "2").await);
    decide(&signing.approver("ann").await, &id, "approve").await.response();
    let mut named = submission(&service, b"a");
    named["name"] = json!("setup");
    ci.post(REQUESTS, named).await.refused(400, "InvalidValue", Some("/name"));
    ci.post(REQUESTS, submission(&service, b"abcd")).await.refused(413, "LimitExceeded", Some("/uploadData"));
    assert_eq!(state(&signing, &ci, &service, b"a").await, "Signed");
    ci.post(REQUESTS, submission(&service, b"b")).await.refused(429, "RateLimited", None);
    assert_eq!(detail(&signing, &id).await["preApproval"]["uses"], 1, "what is refused uses nothing");
    signing.app.clock.advance_ms(2 * HOUR_MS);
    let (ci, admin) = (signing.app.logged_in(&[("ci", PASSWORD)]).await, signing.app.admin().await);
    let request = submit(&ci, &service, b"b").await;
    assert_eq!(admin.get(&format!("{REQUESTS}/{request}")).await.response()["state"], "Approval");
    let ended = admin.get(&format!("{PROPOSALS}/{id}")).await;
    assert_eq!(ended.response()["state"], "Ended");
}

#[tokio::test]
async fn revoked_at_once_by_any_approver() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ci = submitter(&signing, "ci").await;
    let ci_uuid = signing.admin.identity_uuid("ci").await;
    let id = uuid(&window(&signing.admin, &service, &ci_uuid, 100, "1").await);
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    decide(&bob, &id, "revoke").await.refused(409, "InvalidState", None);
    decide(&ann, &id, "approve").await.response();
    assert_eq!(state(&signing, &ci, &service, b"a").await, "Signed");
    let stranger = submitter(&signing, "stranger").await;
    decide(&stranger, &id, "revoke").await.refused(403, "NotAuthorized", None);
    stranger.get(&format!("{PROPOSALS}/{id}")).await.refused(403, "NotAuthorized", None);
    assert_eq!(stranger.get(PROPOSALS).await.response()["total"], 0);
    assert_eq!(ci.get(PROPOSALS).await.response()["items"][0]["state"], "Active");
    assert_eq!(decide(&bob, &id, "revoke").await.response()["state"], "Revoked");
    assert_eq!(state(&signing, &ci, &service, b"b").await, "Approval");
    for how in ["revoke", "deny", "approve", "withdraw"] {
        let reply = decide(&signing.admin, &id, how).await;
        reply.refused(409, "InvalidState", None);
    }
    let listed = signing.admin.get(&format!("{PROPOSALS}?kind=PreApproval&policyUuid={}", service.policy)).await;
    assert_eq!((&listed.response()["total"], &listed.response()["items"][0]["state"]), (&json!(1), &json!("Revoked")));
}

#[tokio::test]
async fn a_policy_that_becomes_stricter_asks_for_more_approvals() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ci = submitter(&signing, "ci").await;
    let ci_uuid = signing.admin.identity_uuid("ci").await;
    let id = uuid(&window(&signing.admin, &service, &ci_uuid, 100, "1").await);
    decide(&signing.approver("ann").await, &id, "approve").await.response();
    assert_eq!(state(&signing, &ci, &service, b"a").await, "Signed");
    let stricter = json!({"numApprovals": 2});
    let path = format!("/api/v2/x509/signing-policies/{}", service.policy);
    signing.agreed(&signing.admin.patch(&path, stricter).await).await;
    assert_eq!(state(&signing, &ci, &service, b"b").await, "Approval");
    let short = detail(&signing, &id).await;
    assert_eq!((&short["state"], &short["approvalsRequired"]), (&json!("Approval"), &json!(2)));
    let again = decide(&signing.approver("bob").await, &id, "approve").await;
    assert_eq!(again.response()["state"], "Active");
    assert_eq!(state(&signing, &ci, &service, b"c").await, "Signed");
}

#[tokio::test]
async fn refusals_name_the_member() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let admin_uuid = signing.admin.identity_uuid("Admin1").await;
    let hours = |amount: &str| json!({"unit": "Hour", "amount": amount});
    let nobody = "11111111-1111-1111-1111-111111111111";
    for (body, error_code, field) in [
        (json!({}), "ArgumentParseError", "/digests"),
        (json!({"digests": []}), "InvalidValue", "/digests"),
        (json!({"digests": [A, A]}), "InvalidValue", "/digests/1"),
        (json!({"digests": [A, "AA=="]}), "InvalidValue", "/digests/1"),
        (json!({"digests": [A], "maxRequests": 1}), "InvalidValue", "/maxRequests"),
        (json!({"digests": [A], "submitterUuid": admin_uuid}), "InvalidValue", "/digests"),
        (json!({"digests": [A], "name": ""}), "InvalidValue", "/name"),
        (json!({"digests": [A], "policyUuid": nobody}), "InvalidSelection", "/policyUuid"),
        (json!({"submitterUuid": admin_uuid, "lifetime": hours("1")}), "ArgumentParseError", "/maxRequests"),
        (json!({"submitterUuid": admin_uuid, "maxRequests": 1}), "ArgumentParseError", "/lifetime"),
        (
            json!({"submitterUuid": admin_uuid, "maxRequests": 0, "lifetime": hours("1")}),
            "InvalidValue",
            "/maxRequests",
        ),
        (
            json!({"submitterUuid": admin_uuid, "maxRequests": 101, "lifetime": hours("1")}),
            "InvalidValue",
            "/maxRequests",
        ),
        (
            json!({"submitterUuid": admin_uuid, "maxRequests": 100, "lifetime": hours("25")}),
            "InvalidValue",
            "/lifetime/amount",
        ),
        (
            json!({"submitterUuid": nobody, "maxRequests": 100, "lifetime": hours("24")}),
            "InvalidSelection",
            "/submitterUuid",
        ),
    ] {
        let mut full = json!({"name": "p", "policyUuid": service.policy});
        full.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        signing.admin.post(PRE_APPROVALS, full).await.refused(400, error_code, Some(field));
    }
    let free = signing.deploy("free", 0).await;
    list(&signing.admin, &free, &[A]).await.refused(409, "InvalidState", None);
    let digests: Vec<_> = (0..10_001_u32).map(|n| Base64::encode(&[&n.to_be_bytes()[..], &[0; 28]].concat())).collect();
    let digests: Vec<_> = digests.iter().map(String::as_str).collect();
    list(&signing.admin, &service, &digests).await.refused(413, "LimitExceeded", Some("/digests"));
    list(&signing.admin, &service, &digests[1..]).await.response();
}

#[tokio::test]
async fn in_hardened_mode_digests_alone() {
    let signing = Signing::with(Setup { hardened: true, ..Setup::default() }).await;
    let service = signing.deploy("builds", 1).await;
    let admin_uuid = signing.admin.identity_uuid("Admin1").await;
    let refused = window(&signing.admin, &service, &admin_uuid, 1, "1").await;
    refused.refused(400, "InvalidSelection", Some("/submitterUuid"));
    let id = uuid(&list(&signing.admin, &service, &[A]).await);
    decide(&signing.approver("ann").await, &id, "approve").await.response();
    assert_eq!(state(&signing, &signing.admin, &service, b"a").await, "Signed");
}
