//! `/api/v2/identities/{uuid}/api-keys`, and what such a key does.

mod key_uuid;
mod refusals;
mod rotate;
mod scope;

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::{Client, Reply},
    guards::token_profile_named,
};

/// An application, with a role of its own and a token profile whose rules name that role.
struct Till {
    id: String,
    role: String,
    profile: String,
    first_key: String,
}

/// Makes one.
async fn till(admin: &Client) -> Till {
    let role = json!({"name": "Tills", "loginsRequired": 1, "perms": ["Signing:Submit"]});
    let role = admin.post("/api/v2/roles", role).await.response()["uuid"].as_str().unwrap().to_owned();
    let profile = profile_for(admin, "cards", &role).await;
    let body = json!({"name": "till", "kind": "Application", "roleUuids": [role]});
    let made = admin.post("/api/v2/identities", body).await.response().clone();
    let text = |member: &str| made[member].as_str().unwrap().to_owned();
    Till { id: text("uuid"), role, profile, first_key: text("apiKey") }
}

async fn profile_for(admin: &Client, name: &str, role: &str) -> String {
    let profile = token_profile_named(admin, name).await;
    let rule = |operation: &str| json!({"roleUuid": role, "operation": operation});
    let rules = json!({"controlRules": [rule("Tokenize"), rule("Detokenize"), rule("Batch")]});
    admin.patch(&format!("/api/v2/token-profiles/{profile}/permissions"), rules).await.response();
    profile
}

fn path(id: &str) -> String {
    format!("/api/v2/identities/{id}/api-keys")
}

/// Makes a key; answers its id and its secret.
async fn make(admin: &Client, id: &str, body: Value) -> (String, String) {
    let made = admin.post(&path(id), body).await.response().clone();
    (made["uuid"].as_str().unwrap().to_owned(), made["apiKey"].as_str().unwrap().to_owned())
}

/// A call by which the caller must be known, and which its role allows: once round the router, once through it.
async fn use_of(client: &Client, profile: &str) -> [Reply; 2] {
    let base = format!("/api/v2/token-profiles/{profile}");
    let one = client.post(&format!("{base}/tokenize"), json!({"message": "4111111111111111"})).await;
    let many = client.post(&format!("{base}/batch-tokenize"), json!({"messages": ["4111111111111111"]})).await;
    [one, many]
}

async fn log_in_by(client: &Client, secret: &str) -> Reply {
    client.post("/home/v1/login", json!({"authType": "apikey", "authCredentials": {"apiKey": secret}})).await
}

#[tokio::test]
async fn a_key_is_the_bearer_of_any_call_and_logs_in() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let (key, secret) = make(&admin, &till.id, json!({"name": "laptop"})).await;
    for secret in [&till.first_key, &secret] {
        assert!(secret.starts_with("chk_") && secret.len() == 47, "{secret}");
        let bearer = app.nobody().with_bearer(secret);
        for reply in use_of(&bearer, &till.profile).await {
            reply.response();
        }
        bearer.get("/api/v2/identities/stubs").await.response();
        bearer.get("/api/v2/x509/signing-requests").await.response();
        let state = bearer.get("/home/v1/login").await;
        assert_eq!(state.json["response"]["fullyLoggedIn"], true);
        assert_eq!(state.json["response"]["identities"], json!([{"name": "till", "uuid": till.id}]));
        let logged_in = app.nobody();
        assert_eq!(log_in_by(&logged_in, secret).await.status, 200);
        logged_in.get("/api/v2/identities/stubs").await.response();
    }
    let listed = admin.get(&path(&till.id)).await;
    assert!(!listed.text().contains(&secret) && !listed.text().contains("hash"), "{}", listed.text());
    let listed = &listed.response()["results"];
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|key| &key["objInfo"]["name"]).collect();
    assert_eq!(names, ["first key", "laptop"]);
    let expected = json!({
        "objInfo": {"name": "laptop", "uuid": key}, "version": 1, "createdAt": "2026-06-21T12:00:00.500Z",
        "lastUsedAt": "2026-06-21T12:00:00.500Z", "networks": [],
    });
    assert_eq!(listed[1], expected);
}

#[tokio::test]
async fn a_key_that_is_shown_with_a_call_has_no_session() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let bearer = app.nobody().with_bearer(&till.first_key);
    for (method, path) in [("GET", "/home/v1/login/token"), ("POST", "/home/v1/logout")] {
        let reply = bearer.send(method, path, None, "").await;
        assert_eq!((reply.status.as_u16(), &reply.json["status"]), (401, &json!("Failure")), "{path}");
        assert!(reply.json["message"].as_str().unwrap().contains("API key"), "{}", reply.text());
    }
    bearer.get("/api/v2/identities/stubs").await.response();
}

#[tokio::test]
async fn bodies_are_refused_at_the_member_at_fault() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    make(&admin, &till.id, json!({"name": "laptop"})).await;
    let nowhere = "00000000-0000-0000-0000-0000000000aa";
    let many: Vec<_> = (0..101).map(|n| format!("10.0.0.{n}")).collect();
    for (body, status, code, field) in [
        (json!({}), 400, "ArgumentParseError", "/name"),
        (json!({"name": ""}), 400, "InvalidValue", "/name"),
        (json!({"name": "LAPTOP"}), 409, "AlreadyExists", "/name"),
        (json!({"name": "a", "expiresAt": "tomorrow"}), 400, "InvalidValue", "/expiresAt"),
        (json!({"name": "a", "expiresAt": "2026-06-21T12:00:00Z"}), 400, "InvalidValue", "/expiresAt"),
        (json!({"name": "a", "networks": ["10.0.0.0/8", "x"]}), 400, "InvalidValue", "/networks/1"),
        (json!({"name": "a", "networks": many}), 413, "LimitExceeded", "/networks"),
        (json!({"name": "a", "scope": {}}), 400, "InvalidValue", "/scope"),
        (json!({"name": "a", "scope": {"profiles": []}}), 400, "ArgumentParseError", "/scope/profiles"),
        (json!({"name": "a", "network": ["10.0.0.0/8"]}), 400, "ArgumentParseError", "/network"),
        (
            json!({"name": "a", "scope": {"tokenProfileUuids": [till.profile, nowhere]}}),
            400,
            "InvalidSelection",
            "/scope/tokenProfileUuids/1",
        ),
        (json!({"name": "a", "scope": {"policyUuids": [nowhere]}}), 400, "InvalidSelection", "/scope/policyUuids/0"),
        (json!({"name": "a", "scope": {"serviceUuids": [nowhere]}}), 400, "InvalidSelection", "/scope/serviceUuids/0"),
    ] {
        admin.post(&path(&till.id), body).await.refused(status, code, Some(field));
    }
    admin.get(&path(nowhere)).await.refused(404, "InvalidSelection", None);
    admin.post(&path(nowhere), json!({"name": "a"})).await.refused(404, "InvalidSelection", None);
    admin.delete(&format!("{}/{nowhere}", path(&till.id))).await.refused(404, "InvalidSelection", None);
    let other = admin.identity_uuid("Admin1").await;
    let (key, _) = make(&admin, &till.id, json!({"name": "b"})).await;
    admin.delete(&format!("{}/{key}", path(&other))).await.refused(404, "InvalidSelection", None);
    admin.post(&path(&other), json!({"name": "a"})).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn an_identity_has_so_many_keys() {
    let api_keys = chancery_core::ApiKeyLimits { keys_max: 2, entries_max: 100 };
    let limits = chancery_core::Limits { api_keys, ..Default::default() };
    let app = TestApp::with(crate::app::Setup { limits, ..Default::default() }).await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let (key, _) = make(&admin, &till.id, json!({"name": "second"})).await;
    admin.post(&path(&till.id), json!({"name": "third"})).await.refused(413, "LimitExceeded", None);
    admin.delete(&format!("{}/{key}", path(&till.id))).await.response();
    make(&admin, &till.id, json!({"name": "third"})).await;
}

/// As with passwords: who makes a key can act by it.
#[tokio::test]
async fn keys_are_made_by_those_who_hold_as_much_or_for_oneself() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    let (key, secret) = make(&admin, &till.id, json!({"name": "laptop"})).await;
    let one = format!("{}/{key}", path(&till.id));
    // Control Rules name the role, which officers could not write.
    officers.post(&path(&till.id), json!({"name": "a"})).await.refused(403, "NotAuthorized", None);
    officers.patch(&one, json!({"networks": []})).await.refused(403, "NotAuthorized", None);
    officers.post_nothing(&format!("{one}/rotate")).await.refused(403, "NotAuthorized", None);
    officers.get(&path(&till.id)).await.response();
    // An application makes none, whether it shows a key or has logged in by it.
    let bearer = app.nobody().with_bearer(&secret);
    let logged_in = app.nobody();
    log_in_by(&logged_in, &secret).await;
    for client in [&bearer, &logged_in] {
        client.post(&path(&till.id), json!({"name": "a"})).await.refused(403, "NotAuthorized", None);
        client.patch(&one, json!({"expiresAt": null})).await.refused(403, "NotAuthorized", None);
        client.get(&path(&till.id)).await.refused(403, "NotAuthorized", None);
    }
    // A session that a key began does not prolong it, and no key touches another.
    logged_in.post_nothing(&format!("{one}/rotate")).await.refused(403, "NotAuthorized", None);
    logged_in.delete(&one).await.refused(403, "NotAuthorized", None);
    let first = app.nobody().with_bearer(&till.first_key);
    first.delete(&one).await.refused(403, "NotAuthorized", None);
    bearer.delete(&one).await.response();
    bearer.get("/api/v2/identities/stubs").await.refused(401, "InvalidAuthToken", None);
    // Whoever may lock may also delete.
    let keys = officers.get(&path(&till.id)).await.response()["results"].clone();
    let left = keys[0]["objInfo"]["uuid"].as_str().unwrap();
    officers.delete(&format!("{}/{left}", path(&till.id))).await.response();
}

#[tokio::test]
async fn a_key_of_a_person_is_no_person() {
    let app = TestApp::new().await;
    let carol = app.person("carol", &[RoleId::APPROVER]).await;
    let id = app.admin().await.identity_uuid("carol").await;
    let (key, secret) = make(&carol, &id, json!({"name": "script"})).await;
    let bearer = app.nobody().with_bearer(&secret);
    let password = json!({"password": "YW5vdGhlciBwYXNzd29yZA=="});
    for client in [&bearer, &{
        let client = app.nobody();
        log_in_by(&client, &secret).await;
        client
    }] {
        client.get("/api/v2/x509/signing-requests").await.response();
        client.post(&format!("/api/v2/identities/{id}/password"), password.clone()).await.refused(
            403,
            "NotAuthorized",
            None,
        );
        client.post(&path(&id), json!({"name": "a"})).await.refused(403, "NotAuthorized", None);
    }
    assert_eq!(carol.get(&path(&id)).await.response()["results"][0]["objInfo"]["uuid"], key);
    carol.delete(&format!("{}/{key}", path(&id))).await.response();
    let other = app.admin().await.identity_uuid("Admin1").await;
    carol.get(&path(&other)).await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn records_say_which_key_was_used_and_from_where() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let (key, secret) = make(&admin, &till.id, json!({"name": "laptop"})).await;
    for source in [[192, 0, 2, 1], [192, 0, 2, 2]] {
        let bearer = app.nobody().from(source).with_bearer(&secret);
        for reply in use_of(&bearer, &till.profile).await {
            reply.response();
        }
        bearer.get("/api/v2/audit").await.refused(403, "NotAuthorized", None);
    }
    let app = app.restarted().await;
    let admin = app.admin().await;
    for action in ["Tokenize", "BatchTokenize", "AuditRead"] {
        let found = admin.get(&format!("/api/v2/audit?action={action}&identityUuid={}", till.id)).await;
        let found = found.response()["items"].as_array().unwrap().clone();
        let mut sources: Vec<_> = found.iter().map(|record| record["identities"][0]["source"].clone()).collect();
        sources.sort_by_key(ToString::to_string);
        assert_eq!(sources, ["192.0.2.1", "192.0.2.2"], "{action}");
        let login = json!({"way": "ApiKey", "apiKey": {"uuid": key, "name": "laptop", "version": 1}});
        assert!(found.iter().all(|record| record["identities"][0]["login"] == login), "{found:?}");
    }
    let by_key = admin.get(&format!("/api/v2/audit?identityUuid={key}")).await;
    assert_eq!(by_key.response()["items"], json!([]), "a key is no identity");
    let listed = admin.get(&path(&till.id)).await.response()["results"][1].clone();
    assert_eq!(listed["lastUsedAt"], "2026-06-21T12:00:00.500Z", "it was written down");
}

#[tokio::test]
async fn a_secret_is_not_answered_again() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let again = async |path: &str, body: &str| {
        let request = axum::http::Request::builder().method("POST").uri(path).header("Host", "kms.test");
        let request = request.header("Content-Type", "application/json").header("Idempotency-Key", path);
        let request = request.header("Authorization", format!("Bearer {}", admin.bearer.as_ref().unwrap()));
        admin.call(request.body(body.to_owned().into()).unwrap()).await
    };
    let keys = path(&till.id);
    let made = again(&keys, r#"{"name":"a"}"#).await.response().clone();
    again(&keys, r#"{"name":"a"}"#).await.refused(409, "InvalidState", None);
    let rotate = format!("{keys}/{}/rotate", made["uuid"].as_str().unwrap());
    assert!(again(&rotate, "{}").await.response()["apiKey"].is_string());
    again(&rotate, "{}").await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn the_end_of_a_key_is_told_once_each_before() {
    const DAY_MS: i64 = 24 * 3_600_000;
    let mut app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    make(&admin, &till.id, json!({"name": "soon", "expiresAt": "2026-08-01T00:00:00Z"})).await;
    make(&admin, &till.id, json!({"name": "later", "expiresAt": "2027-08-01T00:00:00Z"})).await;
    for (passed, told_days) in [(12, json!([30])), (23, json!([7, 30]))] {
        app.clock.advance_ms(passed * DAY_MS);
        app = app.restarted().await;
        let admin = app.admin().await;
        let mut days = Vec::new();
        for _ in 0..400 {
            let told = admin.get("/api/v2/audit?action=ApiKeyExpiry").await.response()["items"].clone();
            let told = told.as_array().unwrap();
            assert!(told.iter().all(|record| record["detail"]["name"] == "soon"), "{told:?}");
            days = told.iter().map(|record| record["detail"]["days"].clone()).collect();
            if json!(days) == told_days {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!(json!(days), told_days);
    }
}
