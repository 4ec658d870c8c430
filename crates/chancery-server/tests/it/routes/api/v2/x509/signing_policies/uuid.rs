//! GET and PATCH /api/v2/x509/signing-policies/{uuid}, and what rules do to requests.

use axum::http::header::RETRY_AFTER;
use serde_json::{Value, json};

use crate::{
    client::{Client, Reply},
    signing::{APPROVER, REQUESTS, Service, Signing, approve, deny, submission, submit},
};

const HOUR_MS: i64 = 3_600_000;

async fn change(client: &Client, service: &Service, change: Value) -> Reply {
    client.patch(&format!("/api/v2/x509/signing-policies/{}", service.policy), change).await
}

async fn submit_named(client: &Client, service: &Service, name: &str) -> Reply {
    let mut body = submission(service, b"payload");
    body["name"] = json!(name);
    client.post(REQUESTS, body).await
}

#[tokio::test]
async fn what_was_read_can_be_changed_and_written_back() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let path = format!("/api/v2/x509/signing-policies/{}", service.policy);
    let rules = json!({
        "approvalSteps": [{"roleUuids": [APPROVER], "numApprovals": 2}], "submitterRoleUuids": [], "fileNames": ["*.exe"],
        "maxSize": 100, "signaturesPerHour": 2, "signaturesPerDay": 3,
        "requestLifetime": {"unit": "Day", "amount": "1"},
    });
    let body = json!({"objInfo": {"name": "nightly"}, "numApprovals": 2, "selfApproval": "Never", "rules": rules});
    let changed = signing.agreed(&change(&signing.admin, &service, body).await).await;
    let told = [&changed["objInfo"]["name"], &changed["numApprovals"], &changed["selfApproval"], &changed["rules"]];
    assert_eq!(told, [&json!("nightly"), &json!(2), &json!("Never"), &rules]);
    let ann = signing.approver("ann").await;
    assert_eq!(ann.get(&path).await.response(), &changed);
    assert_eq!(change(&signing.admin, &service, changed.clone()).await.response(), &changed);
    assert_eq!(change(&signing.admin, &service, json!({})).await.response(), &changed);
    let open = change(&signing.admin, &service, json!({"rules": {}})).await;
    assert_eq!(signing.agreed(&open).await["rules"]["maxSize"], Value::Null);
}

#[tokio::test]
async fn refusals_name_the_member() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let other = json!({"name": "other", "numApprovals": 3, "hashAlgorithm": "Sha2_256"});
    let policies = format!("/api/v2/x509/services/{}/signing-policies", service.uuid);
    signing.agreed(&signing.admin.post(&policies, other).await).await;
    let nobody = "11111111-1111-1111-1111-111111111111";
    let step = |role: &str, count: i64| json!({"approvalSteps": [{"roleUuids": [role], "numApprovals": count}]});
    for (body, error_code, field) in [
        (json!({"numApprovals": 1}), "InvalidValue", "/numApprovals"),
        (json!({"numApprovals": 65}), "InvalidValue", "/numApprovals"),
        (json!({"hashAlgorithm": "Sha2_512"}), "InvalidValue", "/hashAlgorithm"),
        (json!({"rsaPss": true}), "InvalidValue", "/rsaPss"),
        (json!({"signingFormat": "Raw"}), "InvalidValue", "/signingFormat"),
        (json!({"objInfo": {"name": ""}}), "InvalidValue", "/objInfo/name"),
        (json!({"numApprovals": 3, "rules": step(APPROVER, 4)}), "InvalidValue", "/rules/approvalSteps"),
        (json!({"numApprovals": 3, "rules": step(APPROVER, 0)}), "InvalidValue", "/rules/approvalSteps/0/numApprovals"),
        (
            json!({"numApprovals": 3, "rules": step(nobody, 1)}),
            "InvalidSelection",
            "/rules/approvalSteps/0/roleUuids/0",
        ),
        (
            json!({"numApprovals": 3, "rules": {"approvalSteps": [{"roleUuids": [], "numApprovals": 1}]}}),
            "InvalidValue",
            "/rules/approvalSteps/0/roleUuids",
        ),
        (
            json!({"numApprovals": 3, "rules": {"submitterRoleUuids": [nobody]}}),
            "InvalidSelection",
            "/rules/submitterRoleUuids/0",
        ),
        (json!({"numApprovals": 3, "rules": {"fileNames": [""]}}), "InvalidValue", "/rules/fileNames/0"),
        (json!({"numApprovals": 3, "rules": {"maxSize": 0}}), "InvalidValue", "/rules/maxSize"),
        (json!({"rules": {"maxSize": -1}}), "ArgumentParseError", "/rules/maxSize"),
        (json!({"numApprovals": 3, "rules": {"signaturesPerHour": 0}}), "InvalidValue", "/rules/signaturesPerHour"),
        (
            json!({"numApprovals": 3, "rules": {"requestLifetime": {"unit": "Day", "amount": "0"}}}),
            "InvalidValue",
            "/rules/requestLifetime/amount",
        ),
        (
            json!({"rules": {"requestLifetime": {"unit": "Eon", "amount": "1"}}}),
            "InvalidSelection",
            "/rules/requestLifetime/unit",
        ),
    ] {
        change(&signing.admin, &service, body).await.refused(400, error_code, Some(field));
    }
    let many = json!({"numApprovals": 3, "rules": {"fileNames": vec!["*"; 101]}});
    change(&signing.admin, &service, many).await.refused(413, "LimitExceeded", Some("/rules/fileNames"));
    change(&signing.admin, &service, json!({"rules": {"maxSize": 5}})).await.response();
    let limit = json!({"numApprovals": 3, "rules": {"fileNames": vec!["*"; 100]}});
    change(&signing.admin, &service, limit).await.response();
    let taken = json!({"objInfo": {"name": "other"}});
    change(&signing.admin, &service, taken).await.refused(409, "AlreadyExists", Some("/objInfo/name"));
    let ann = signing.approver("ann").await;
    change(&ann, &service, json!({})).await.refused(403, "NotAuthorized", None);
    let unknown = Service { policy: nobody.to_owned(), ..service };
    change(&signing.admin, &unknown, json!({})).await.refused(404, "InvalidSelection", None);
}

#[tokio::test]
async fn only_certain_roles_submit_certain_names_of_a_certain_size() {
    let signing = Signing::new().await;
    let (role, other) = (signing.role("ci", &["Signing:Submit"]).await, signing.role("dev", &["Signing:Submit"]).await);
    let rules = json!({"submitterRoleUuids": [role], "fileNames": ["setup-*.exe", "*.msi"], "maxSize": 7});
    let service = signing.deploy_with("builds", 0, |body| body["pkisigning"]["rules"] = rules).await;
    let (ci, dev) = (signing.person("ci", &role).await, signing.person("dev", &other).await);
    submit_named(&ci, &service, "Setup-1.0.exe").await.response();
    submit_named(&ci, &service, "a.msi").await.response();
    submit_named(&ci, &service, "a.msix").await.refused(400, "InvalidValue", Some("/name"));
    for stranger in [&dev, &signing.admin] {
        submit_named(stranger, &service, "a.msi").await.refused(403, "NotAuthorized", None);
    }
    let mut larger = submission(&service, b"payloads");
    larger["name"] = json!("a.msi");
    ci.post(REQUESTS, larger).await.refused(413, "LimitExceeded", Some("/uploadData"));
    let digest = json!({
        "name": "a.msi", "serviceUuid": service.uuid, "policyUuid": service.policy,
        "digest": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    });
    ci.post(REQUESTS, digest).await.refused(400, "InvalidValue", Some("/digest"));
    let refused = signing.admin.get("/api/v2/audit?action=SigningRequestSubmit&outcome=NotAuthorized").await;
    assert_eq!(refused.response()["total"], 2);
}

#[tokio::test]
async fn so_many_signatures_within_an_hour_and_a_day() {
    let signing = Signing::new().await;
    let rules = json!({"signaturesPerHour": 2, "signaturesPerDay": 3});
    let service = signing.deploy_with("builds", 0, |body| body["pkisigning"]["rules"] = rules).await;
    let free = signing.deploy("free", 0).await;
    let refused_for = async |admin: &Client, seconds: &str| {
        let reply = admin.post(REQUESTS, submission(&service, b"x")).await;
        reply.refused(429, "RateLimited", None);
        assert_eq!(reply.headers[RETRY_AFTER], seconds, "{}", reply.text());
    };
    for _ in 0..2 {
        signing.submit(&service, b"x").await;
    }
    refused_for(&signing.admin, "3601").await;
    signing.submit(&free, b"x").await;
    signing.app.clock.advance_ms(HOUR_MS - 1);
    let admin = signing.app.admin().await;
    refused_for(&admin, "1").await;
    signing.app.clock.advance_ms(1);
    submit(&admin, &service, b"x").await;
    let reply = admin.post(REQUESTS, submission(&service, b"x")).await;
    reply.refused(429, "RateLimited", None);
    assert!(reply.text().contains("24 hours"), "{}", reply.text());
    let listed = admin.get(&format!("/api/v2/x509/services/{}/signing-requests", service.uuid)).await;
    assert_eq!(listed.response()["total"], 3, "what is refused leaves nothing");
}

#[tokio::test]
async fn an_approval_beyond_the_limit_is_not_recorded() {
    let signing = Signing::new().await;
    let rules = json!({"signaturesPerHour": 1});
    let service = signing.deploy_with("builds", 1, |body| body["pkisigning"]["rules"] = rules).await;
    let (first, second) = (signing.submit(&service, b"a").await, signing.submit(&service, b"b").await);
    approve(&signing.approver("ann").await, &first).await.response();
    approve(&signing.approver("bob").await, &second).await.refused(429, "RateLimited", None);
    assert_eq!(signing.read(&second).await["approvals"], json!([]));
    signing.app.clock.advance_ms(HOUR_MS);
    let bob = signing.app.logged_in(&[("bob", crate::app::PASSWORD)]).await;
    assert_eq!(approve(&bob, &second).await.response()["state"], "Signed");
}

#[tokio::test]
async fn a_request_that_waits_too_long_has_failed() {
    let signing = Signing::new().await;
    let rules = json!({"requestLifetime": {"unit": "Minute", "amount": "9"}});
    let service = signing.deploy_with("builds", 2, |body| body["pkisigning"]["rules"] = rules).await;
    let (request, denied) = (signing.submit(&service, b"a").await, signing.submit(&service, b"b").await);
    deny(&signing.admin, &denied).await.response();
    let ann = signing.approver("ann").await;
    approve(&ann, &request).await.response();
    let listed =
        async |state: &str| signing.admin.get(&format!("{REQUESTS}?state={state}")).await.response()["total"].clone();
    signing.app.clock.advance_ms(9 * 60_000 - 1);
    assert_eq!(signing.words(&request).await, ["Approval", "Pending"]);
    assert_eq!([listed("Approval").await, listed("Failed").await], [1, 0]);
    signing.app.clock.advance_ms(1);
    let detail = signing.read(&request).await;
    assert_eq!([&detail["state"], &detail["approvalState"]], ["Failed", "Pending"]);
    assert_eq!(detail["expiresAt"], "2026-06-21T12:09:00Z");
    assert!(detail["reason"].as_str().unwrap().contains("waited too long"), "{detail}");
    assert_eq!([listed("Approval").await, listed("Failed").await, listed("Denied").await], [0, 1, 1]);
    let batch = json!({"uuids": [request], "decision": "Approve"});
    let bob = signing.approver("bob").await;
    let batch = bob.post(&format!("{REQUESTS}/batch-approve-deny"), batch).await;
    let item = &batch.response()["results"][0];
    assert_eq!([&item["errorCode"], &item["state"]], ["InvalidState", "Failed"]);
    for path in ["approve", "deny"] {
        bob.post(&format!("{REQUESTS}/{request}/{path}"), json!({})).await.refused(409, "InvalidState", None);
    }
    assert_eq!(signing.words(&denied).await, ["Denied", "Denied"], "what was decided before stays so");
}

#[tokio::test]
async fn a_stricter_policy_counts_for_requests_that_wait() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let leads = signing.role("leads", &["Signing:Approve"]).await;
    let lead = signing.person("lead", &leads).await;
    let request = signing.submit(&service, b"a").await;
    let body = json!({"numApprovals": 2, "rules": {"approvalSteps": [{"roleUuids": [leads], "numApprovals": 1}]}});
    signing.agreed(&change(&signing.admin, &service, body).await).await;
    let detail = signing.read(&request).await;
    assert_eq!((&detail["approvalsRequired"], &detail["nextRoleUuids"]), (&json!(2), &json!([leads])));
    assert_eq!(detail["mayApprove"], false, "it is the turn of others");
    approve(&signing.admin, &request).await.refused(403, "NotAuthorized", None);
    let theirs = lead.get(&format!("{REQUESTS}/{request}")).await;
    assert_eq!(theirs.response()["mayApprove"], true);
    let approved = approve(&lead, &request).await;
    assert_eq!(approved.response()["approvals"], json!({"given": 1, "required": 2}));
    assert_eq!(approve(&signing.admin, &request).await.response()["state"], "Signed");
}
