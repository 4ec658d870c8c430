//! POST /api/v2/x509/signing-requests/{uuid}/approve.

use serde_json::json;

use crate::{
    app::{PASSWORD, Setup},
    signing::{APPROVER, REQUESTS, Signing, approve, bytes, deny, submit},
};

const PAYLOAD_SHA_256: &str = "I59Z7VXnN8dxR89VrQwbAwttfudIp0JpUvm4UtWpNeU=";

#[tokio::test]
async fn an_approval_of_another_digest_approves_nothing() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"payload").await;
    let (ann, path) = (signing.approver("ann").await, format!("{REQUESTS}/{request}/approve"));
    for other in ["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "", "I59Z7VXnN8dxR89VrQwbAwttfudIp0JpUvm4UtWpNQ=="] {
        ann.post(&path, json!({"digest": other})).await.refused(400, "InvalidValue", Some("/digest"));
    }
    ann.post(&path, json!({"digest": "*"})).await.refused(400, "ArgumentParseError", Some("/digest"));
    assert_eq!(signing.read(&request).await["approvals"], json!([]));
    let told = signing.admin.get(&format!("/api/v2/audit?objectUuid={request}&outcome=InvalidValue")).await;
    let told = &told.response()["items"];
    assert_eq!((told.as_array().unwrap().len(), &told[0]["action"]), (3, &json!("SigningRequestApprove")));
    assert_eq!(told[0]["identities"][0]["name"], "ann");
    let approved = ann.post(&path, json!({"digest": PAYLOAD_SHA_256})).await;
    assert_eq!([&approved.response()["state"], &approved.response()["digest"]], ["Signed", PAYLOAD_SHA_256]);
}

#[tokio::test]
async fn an_approval_needs_no_body() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ann = signing.approver("ann").await;
    for (content_type, body) in [(None, ""), (Some("application/json"), ""), (Some("application/json"), "{}")] {
        let path = format!("{REQUESTS}/{}/approve", signing.submit(&service, b"payload").await);
        let approved = ann.send("POST", &path, content_type, body.to_owned()).await;
        assert_eq!(approved.response()["state"], "Signed", "{content_type:?} {body:?}");
    }
}

#[tokio::test]
async fn the_last_approval_answers_the_signature() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"payload").await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let first = approve(&ann, &request).await;
    assert_eq!(
        first.response(),
        &json!({
            "signature": "", "state": "Approval", "approvalState": "Pending", "approvals": {"given": 1, "required": 2},
            "digest": PAYLOAD_SHA_256,
        })
    );
    let second = approve(&bob, &request).await;
    let mut second = second.response().clone();
    let signature = second["signature"].take();
    assert_eq!(
        second,
        json!({
            "signature": null, "state": "Signed", "approvalState": "Approved", "approvals": {"given": 2, "required": 2},
            "digest": PAYLOAD_SHA_256,
        })
    );
    assert_eq!(bytes(&signature)[0], 0x30);
    assert_eq!(signing.read(&request).await["signature"], signature);
}

#[tokio::test]
async fn nobody_approves_twice() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 3).await;
    let request = signing.submit(&service, b"payload").await;
    let ann = signing.approver("ann").await;
    approve(&ann, &request).await.response();
    approve(&ann, &request).await.refused(409, "InvalidState", None);
    let ann_again = signing.app.logged_in(&[("ANN", PASSWORD)]).await;
    approve(&ann_again, &request).await.refused(409, "InvalidState", None);
    assert_eq!(signing.read(&request).await["approvals"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn nothing_is_approved_after_a_decision() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ann = signing.approver("ann").await;
    let (denied, signed) = (signing.submit(&service, b"a").await, signing.submit(&service, b"b").await);
    deny(&signing.admin, &denied).await.response();
    approve(&signing.admin, &signed).await.response();
    for request in [denied, signed] {
        approve(&ann, &request).await.refused(409, "InvalidState", None);
    }
}

#[tokio::test]
async fn a_session_of_two_gives_one_approval_in_the_name_of_both() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"payload").await;
    let both = approve(&signing.admin, &request).await;
    assert_eq!(both.response()["approvals"], json!({"given": 1, "required": 2}));
    approve(&signing.admin, &request).await.refused(409, "InvalidState", None);
    let identities = signing.read(&request).await["approvals"][0]["identities"].clone();
    let names: Vec<_> = identities.as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Admin1", "Admin2"]);
}

#[tokio::test]
async fn submitters_approve_only_as_two() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("both", &["Signing:Submit", "Signing:Approve"]).await;
    let sam = signing.person("sam", &role).await;
    let own = submit(&sam, &service, b"x").await;
    approve(&sam, &own).await.refused(403, "NotAuthorized", None);
    approve(&signing.admin, &own).await.response();
    let admins = signing.submit(&service, b"y").await;
    approve(&signing.admin, &admins).await.response();
}

#[tokio::test]
async fn where_the_policy_says_never_submitters_do_not_approve() {
    let never = async |signing: Signing, change: fn(&mut serde_json::Value)| {
        let service = signing.deploy_with("builds", 1, change).await;
        let request = signing.submit(&service, b"x").await;
        approve(&signing.admin, &request).await.refused(403, "NotAuthorized", None);
        let ann = signing.approver("ann").await;
        approve(&ann, &request).await.response();
    };
    never(Signing::new().await, |body| body["pkisigning"]["selfApproval"] = json!("Never")).await;
    never(Signing::with(Setup { hardened: true, ..Setup::default() }).await, |_| ()).await;
}

#[tokio::test]
async fn machines_do_not_approve() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"x").await;
    let machine = signing.identity("bot", "Application", APPROVER).await;
    let reply = approve(&machine, &request).await;
    reply.refused(403, "NotAuthorized", None);
    assert!(reply.text().contains("Only persons approve, and bot is an application."), "{}", reply.text());
}

/// Of whom it may not say that they are an application.
#[tokio::test]
async fn the_api_key_of_an_approver_approves_nothing() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ann = signing.approver("ann").await;
    let uuid = signing.admin.identity_uuid("ann").await;
    let key = ann.post(&format!("/api/v2/identities/{uuid}/api-keys"), json!({"name": "laptop"})).await;
    let secret = key.response()["apiKey"].as_str().unwrap().to_owned();
    let request = signing.submit(&service, b"x").await;
    let reply = approve(&signing.app.nobody().with_bearer(&secret), &request).await;
    reply.refused(403, "NotAuthorized", None);
    let says = "An API key is a program's and approves nothing, whoever it belongs to";
    assert!(reply.text().contains(says) && !reply.text().contains("application"), "{}", reply.text());
}

#[tokio::test]
async fn whoever_came_later_does_not_approve_what_waits() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    signing.approver("old").await;
    let request = signing.submit(&service, b"x").await;
    signing.app.clock.advance_ms(1);
    let new = signing.approver("new").await;
    approve(&new, &request).await.refused(403, "NotAuthorized", None);

    let stubs = signing.admin.get("/api/v2/identities/stubs?search=old").await;
    let id = stubs.response()["results"][0]["objInfo"]["uuid"].as_str().unwrap().to_owned();
    let password = chancery_types::Base64::encode(b"another password");
    signing.admin.post(&format!("/api/v2/identities/{id}/password"), json!({"password": password})).await.response();
    let reset = signing.app.logged_in(&[("old", "another password")]).await;
    approve(&reset, &request).await.refused(403, "NotAuthorized", None);
    approve(&new, &signing.submit(&service, b"y").await).await.response();
}

#[tokio::test]
async fn a_key_that_can_never_sign_fails_the_request() {
    let signing = Signing::new().await;
    let ann = signing.approver("ann").await;
    let revoked = signing.deploy("revoked", 1).await;
    let disabled = signing.deploy("disabled", 1).await;
    let requests = [signing.submit(&revoked, b"a").await, signing.submit(&disabled, b"b").await];
    let revoke = format!("/api/v2/x509/{}/revoke", revoked.certificate);
    signing.admin.post(&revoke, json!({"reason": "keyCompromise"})).await.response();
    let certificate = signing.admin.get(&format!("/api/v2/x509/{}", disabled.certificate)).await;
    let key = certificate.response()["keyUuid"].as_str().unwrap().to_owned();
    signing.admin.post_nothing(&format!("/api/v2/keys/{key}/disable")).await.response();
    for (request, reason) in requests.iter().zip(["is revoked", "is disabled"]) {
        let reply = approve(&ann, request).await;
        let words = ["state", "approvalState", "signature"].map(|member| &reply.response()[member]);
        assert_eq!(words, ["Failed", "Approved", ""]);
        let detail = signing.read(request).await;
        assert!(detail["reason"].as_str().unwrap().contains(reason), "{detail}");
        approve(&signing.admin, request).await.refused(409, "InvalidState", None);
    }
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestFail").await;
    assert_eq!(audit.response()["total"], 2);
}

#[tokio::test]
async fn an_expired_certificate_fails_the_request() {
    const YEAR_MS: i64 = 365 * 24 * 3_600 * 1_000;
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"a").await;
    signing.approver("ann").await;
    signing.app.clock.advance_ms(YEAR_MS - 1_000);
    let ann = signing.app.logged_in(&[("ann", PASSWORD)]).await;
    signing.app.clock.advance_ms(2_000);
    assert_eq!(approve(&ann, &request).await.response()["state"], "Failed");
}

#[tokio::test]
async fn a_certificate_on_hold_leaves_the_request_as_it_was() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"a").await;
    let revoke = format!("/api/v2/x509/{}/revoke", service.certificate);
    signing.admin.post(&revoke, json!({"reason": "certificateHold"})).await.response();
    let ann = signing.approver("ann").await;
    approve(&ann, &request).await.refused(409, "InvalidState", None);
    let detail = signing.read(&request).await;
    assert_eq!((&detail["state"], &detail["approvals"]), (&json!("Approval"), &json!([])));
}

#[tokio::test]
async fn notes_have_a_limit() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"x").await;
    let path = format!("{REQUESTS}/{request}/approve");
    let ann = signing.approver("ann").await;
    let note = |bytes: usize| json!({"note": "n".repeat(bytes)});
    ann.post(&path, note(4_097)).await.refused(413, "LimitExceeded", Some("/note"));
    ann.post(&path, json!({"note": 7})).await.refused(400, "ArgumentParseError", Some("/note"));
    ann.post(&path, json!([1])).await.refused(400, "ArgumentParseError", None);
    ann.post(&path, note(4_096)).await.response();
    signing.approver("bob").await.post(&path, json!({})).await.response();
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"x").await;
    approve(&signing.app.nobody(), &request).await.refused(401, "InvalidAuthToken", None);
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    approve(&signing.person("sue", &role).await, &request).await.refused(403, "NotAuthorized", None);
    approve(&signing.admin, "11111111-1111-1111-1111-111111111111").await.refused(404, "InvalidSelection", None);
    approve(&signing.admin, "release").await.refused(404, "InvalidSelection", None);
}
