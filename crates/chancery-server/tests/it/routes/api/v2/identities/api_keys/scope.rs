//! Keys that give less than their identity has.

use serde_json::json;

use super::{log_in_by, make, path, profile_for, till, use_of};
use crate::{
    app::TestApp,
    client::Client,
    signing::{REQUESTS, Service, Signing, submission},
};

/// A client that shows the key, and one that has logged in by it.
async fn both_ways(app: &TestApp, secret: &str) -> [Client; 2] {
    let logged_in = app.nobody();
    assert_eq!(log_in_by(&logged_in, secret).await.status, 200);
    [app.nobody().with_bearer(secret), logged_in]
}

#[tokio::test]
async fn a_key_for_a_profile_is_for_no_other_and_for_nothing_else() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let other = profile_for(&admin, "accounts", &till.role).await;
    let scope = json!({"name": "a", "scope": {"tokenProfileUuids": [till.profile]}});
    let (key, secret) = make(&admin, &till.id, scope).await;
    for client in both_ways(&app, &secret).await {
        let [one, many] = use_of(&client, &till.profile).await;
        let token = one.response()["token"].clone();
        many.response();
        let base = format!("/api/v2/token-profiles/{}", till.profile);
        client.post(&format!("{base}/detokenize"), json!({"token": token})).await.response();
        client.get("/api/v2/token-profiles/stubs").await.response();
        for reply in use_of(&client, &other).await {
            reply.refused(403, "NotAuthorized", None);
        }
        let tokens = json!({"tokens": [token]});
        for (call, body) in [
            ("detokenize", json!({"token": token})),
            ("batch-detokenize", tokens.clone()),
            ("rewrap", tokens.clone()),
            ("track-tokenize", json!({"track": ";4111111111111111=2512101?"})),
        ] {
            let path = format!("/api/v2/token-profiles/{other}/{call}");
            client.post(&path, body).await.refused(403, "NotAuthorized", None);
        }
        client.get(REQUESTS).await.refused(403, "NotAuthorized", None);
    }
    // The identity may, and so does its first key.
    for reply in use_of(&app.nobody().with_bearer(&till.first_key), &other).await {
        reply.response();
    }
    let wider = json!({"scope": {"tokenProfileUuids": [till.profile, other]}});
    admin.patch(&format!("{}/{key}", path(&till.id)), wider).await.response();
    for client in both_ways(&app, &secret).await {
        for reply in use_of(&client, &other).await {
            reply.response();
        }
    }
}

#[tokio::test]
async fn a_key_gives_no_more_than_its_identity_has() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let foreign = crate::guards::token_profile_named(&admin, "foreign").await;
    let scope = json!({"name": "a", "scope": {"tokenProfileUuids": [foreign]}});
    let (_, secret) = make(&admin, &till.id, scope).await;
    for client in both_ways(&app, &secret).await {
        for reply in use_of(&client, &foreign).await {
            reply.refused(403, "NotAuthorized", None);
        }
    }
}

/// An application that may submit, and a key of it with this scope.
async fn builder(signing: &Signing, scope: serde_json::Value) -> [Client; 2] {
    let role = signing.role("Builders", &["Signing:Submit", "Audit:Read"]).await;
    let body = json!({"name": "ci", "kind": "Application", "roleUuids": [role]});
    let made = signing.admin.post("/api/v2/identities", body).await.response().clone();
    let id = made["uuid"].as_str().unwrap();
    let (_, secret) = make(&signing.admin, id, json!({"name": "a", "scope": scope})).await;
    let whole = signing.app.nobody().with_bearer(made["apiKey"].as_str().unwrap());
    [signing.app.nobody().with_bearer(&secret), whole]
}

async fn submitted(client: &Client, service: &Service) -> String {
    let reply = client.post(REQUESTS, submission(service, b"release")).await;
    reply.response()["uuid"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_key_for_a_policy_or_service_submits_and_reads_there_alone() {
    let signing = Signing::new().await;
    let (own, other) = (signing.deploy("own", 1).await, signing.deploy("other", 1).await);
    let [key, whole] = builder(&signing, json!({"policyUuids": [own.policy]})).await;
    let mine = submitted(&key, &own).await;
    key.post(REQUESTS, submission(&other, b"release")).await.refused(403, "NotAuthorized", None);
    let theirs = submitted(&whole, &other).await;
    key.get(&format!("{REQUESTS}/{mine}")).await.response();
    for path in [
        format!("{REQUESTS}/{theirs}"),
        format!("{REQUESTS}/{theirs}/signed/download"),
        format!("{REQUESTS}/{theirs}/items"),
        REQUESTS.to_owned(),
        format!("/api/v2/x509/services/{}/signing-requests", own.uuid),
        "/api/v2/x509/proposals".to_owned(),
        "/api/v2/audit".to_owned(),
    ] {
        key.get(&path).await.refused(403, "NotAuthorized", None);
    }
    for call in ["withdraw", "deny", "repeat"] {
        key.post_nothing(&format!("{REQUESTS}/{theirs}/{call}")).await.refused(403, "NotAuthorized", None);
    }
    let pre_approval = json!({"name": "p", "policyUuid": own.policy, "digests": []});
    key.post("/api/v2/x509/pre-approvals", pre_approval).await.refused(403, "NotAuthorized", None);
    key.post_nothing(&format!("{REQUESTS}/{mine}/withdraw")).await.response();
    whole.get(&format!("{REQUESTS}/{theirs}")).await.response();
}

#[tokio::test]
async fn a_key_for_a_service_lists_its_requests() {
    let signing = Signing::new().await;
    let (own, other) = (signing.deploy("own", 1).await, signing.deploy("other", 1).await);
    let [key, _] = builder(&signing, json!({"serviceUuids": [own.uuid]})).await;
    submitted(&key, &own).await;
    let of = |service: &Service| format!("/api/v2/x509/services/{}/signing-requests", service.uuid);
    assert_eq!(key.get(&of(&own)).await.response()["total"], 1);
    key.get(&of(&other)).await.refused(403, "NotAuthorized", None);
    key.post(REQUESTS, submission(&other, b"release")).await.refused(403, "NotAuthorized", None);
}
