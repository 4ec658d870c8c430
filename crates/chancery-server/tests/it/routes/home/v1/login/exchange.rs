//! POST /home/v1/login/exchange, with tokens of a provider that is not ours.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::hmac_sha256;
use chancery_testkit::{IdentityProvider, temp_dir};
use serde_json::{Value, json};

use crate::workloads::{
    AUDIENCE, BINDINGS, EXCHANGE, PROVIDERS, Workloads, application, description, machines_ms, refused,
};

#[tokio::test]
async fn a_workload_exchanges_its_token_for_ours() {
    let (workloads, binding) = Workloads::bound().await;
    for algorithm in ["x-alg: RS256", "x-alg: ES256"] {
        let reply = workloads.exchange(&workloads.token(&[algorithm])).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(!reply.headers.contains_key("set-cookie"), "nothing prolongs it");
        let state = json!({"fullyLoggedIn": true, "hardened": false, "management": false, "perms": ["Signing:Submit"]});
        assert_eq!((&reply.json["expiresIn"], &reply.json["response"]), (&json!(600), &state));
        let client = workloads.app.nobody().with_bearer(reply.json["token"].as_str().unwrap());
        let told = client.get("/api/v2/whoami").await.response().clone();
        assert_eq!(told["sessionEndsAt"], told["tokenExpiresAt"], "{told}");
        let myself = told["identities"][0].clone();
        assert_eq!((&myself["name"], &myself["kind"]), (&json!("ci"), &json!("Application")));
        let token = json!({"bindingUuid": binding, "issuer": workloads.provider.issuer(), "subject": "workload-1"});
        assert_eq!(myself["login"], json!({"way": "TokenExchange", "token": token}));
        workloads.app.clock.advance_ms(599_000);
        client.get("/api/v2/whoami").await.response();
        workloads.app.clock.advance_ms(2_000);
        client.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
        workloads.app.clock.advance_ms(-601_000);
    }
    let records = workloads.app.admin().await.get("/api/v2/audit?action=Login&outcome=Success").await;
    let recorded = records.response()["items"][2]["identities"][0]["login"].clone();
    assert_eq!((&recorded["way"], &recorded["token"]["subject"]), (&json!("TokenExchange"), &json!("workload-1")));
}

#[tokio::test]
async fn a_token_is_taken_once() {
    let (workloads, _) = Workloads::bound().await;
    let token = workloads.token(&[]);
    assert_eq!(workloads.exchange(&token).await.status, 200);
    refused(&workloads.exchange(&token).await);
    // Another node has nothing that is fetched here.
    let provider = format!("{PROVIDERS}/{}", workloads.provider_uuid);
    let admin = workloads.app.admin().await;
    admin.patch(&provider, json!({"jwks": workloads.keys()})).await.response();
    let other = crate::client::Client::new(workloads.app.other_node().await);
    refused(&other.post(EXCHANGE, json!({"subjectToken": token})).await);
    let fresh = workloads.token(&[]);
    assert_eq!(other.post(EXCHANGE, json!({"subjectToken": fresh})).await.status, 200);
    refused(&workloads.exchange(&fresh).await);
    // Of several at the same time one is.
    let token = workloads.token(&[]);
    let replies = futures::future::join_all((0..8).map(|_| workloads.exchange(&token))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    replies.iter().filter(|reply| reply.status != 200).for_each(refused);
    assert_eq!(workloads.reasons().await, ["Replayed"]);
    // For workloads that have their token in a file and cannot ask for another.
    admin.patch(&provider, json!({"singleUse": false})).await.response();
    for _ in 0..2 {
        assert_eq!(workloads.exchange(&token).await.status, 200);
    }
}

#[tokio::test]
async fn a_token_that_is_not_for_us_or_not_good_now_is_refused() {
    let (workloads, _) = Workloads::bound().await;
    refused(&workloads.exchange(&workloads.provider.token("workload-1", "https://elsewhere.example.org", &[])).await);
    assert_eq!(workloads.reasons().await, ["Audience"]);
    let token = workloads.token(&["x-ttl: 600"]);
    workloads.app.clock.advance_ms(-200_000);
    refused(&workloads.exchange(&token).await);
    workloads.app.clock.advance_ms(200_000 + 700_000);
    refused(&workloads.exchange(&token).await);
    assert_eq!(workloads.reasons().await, ["Audience", "Expired", "NotYet"]);
    refused(&workloads.exchange(&workloads.token(&["x-ttl: 100000"])).await);
    refused(&workloads.exchange(&workloads.provider.token("workload-2", AUDIENCE, &["x-ttl: 7200"])).await);
    refused(&workloads.exchange("no token").await);
    refused(&workloads.exchange(&made("none", &json!({"iss": "https://elsewhere.example.org"}), b"")).await);
    let reasons = ["Audience", "Expired", "Issuer", "Lifetime", "Malformed", "NotYet", "Unbound"];
    assert_eq!(workloads.reasons().await, reasons);
    let long = workloads.exchange(&"x".repeat(12_289)).await;
    assert_eq!((long.status.as_u16(), &long.json["status"]), (400, &json!("Failure")));
    assert_eq!(workloads.exchange("").await.status, 400);
    let request = axum::http::Request::post(EXCHANGE).header("Host", "kms.test");
    let request = request.header("Origin", "https://elsewhere.example.org").header("Content-Type", "application/json");
    let body = json!({"subjectToken": workloads.token(&["x-ttl: 7200"])}).to_string();
    assert_eq!(workloads.app.nobody().call(request.body(body.into()).unwrap()).await.status, 403);
}

/// A token of our own making: its algorithm, what it says, and the key of an HMAC.
fn made(algorithm: &str, claims: &Value, key: &[u8]) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&json!({"alg": algorithm, "typ": "JWT", "kid": "one-RS256"})), part(claims));
    let tag =
        if algorithm == "none" { String::new() } else { URL_SAFE_NO_PAD.encode(hmac_sha256(key, signed.as_bytes())) };
    format!("{signed}.{tag}")
}

#[tokio::test]
async fn nobody_signs_with_a_public_key_or_not_at_all() {
    let (workloads, _) = Workloads::bound().await;
    let token = workloads.token(&[]);
    let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("{token}") };
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    let keys = workloads.keys();
    let parsed: Value = serde_json::from_str(&keys).unwrap();
    let modulus = parsed["keys"][0]["n"].as_str().unwrap();
    for key in [keys.as_bytes(), modulus.as_bytes(), &URL_SAFE_NO_PAD.decode(modulus).unwrap(), b""] {
        for algorithm in ["HS256", "none", "RS256"] {
            refused(&workloads.exchange(&made(algorithm, &claims, key)).await);
        }
    }
    let mut others = claims.clone();
    others["sub"] = json!("workload-2");
    let others = URL_SAFE_NO_PAD.encode(others.to_string());
    refused(&workloads.exchange(&format!("{header}.{others}.{signature}")).await);
    refused(&workloads.exchange(&format!("{header}..{signature}")).await);
    let provider = format!("{PROVIDERS}/{}", workloads.provider_uuid);
    workloads.app.admin().await.patch(&provider, json!({"algorithms": ["ES256"]})).await.response();
    refused(&workloads.exchange(&token).await);
    assert_eq!(workloads.exchange(&workloads.token(&["x-alg: ES256"])).await.status, 200);
    assert_eq!(workloads.reasons().await, ["Algorithm", "Malformed", "Signature"]);
}

#[tokio::test]
async fn another_issuer_with_the_same_subject_is_somebody_else() {
    let (workloads, _) = Workloads::bound().await;
    let (folder, admin) = (temp_dir(), workloads.app.admin().await);
    let other = IdentityProvider::start(folder.path(), "one");
    refused(&workloads.exchange(&other.token("workload-1", AUDIENCE, &[])).await);
    // Its keys are given, as those of a cluster that cannot be reached.
    let curl = chancery_testkit::Tool::new("curl").args(["-s", "--cacert"]).arg(other.authority());
    let mut described = description("another", &other.issuer());
    described["jwks"] = json!(curl.arg(format!("{}/jwks", other.issuer())).run().text());
    let trusted = admin.post(PROVIDERS, described).await.response()["objInfo"]["uuid"].clone();
    refused(&workloads.exchange(&other.token("workload-1", AUDIENCE, &[])).await);
    let deploy = application(&admin, "deploy").await;
    let mut binding = workloads.binding_of(&deploy, "of the other", json!({"subject": "workload-1"}));
    binding["providerUuid"] = trusted;
    admin.post(BINDINGS, binding).await.response();
    for (token, name) in [(other.token("workload-1", AUDIENCE, &[]), "deploy"), (workloads.token(&[]), "ci")] {
        let reply = workloads.exchange(&token).await;
        let client = workloads.app.nobody().with_bearer(reply.json["token"].as_str().unwrap());
        assert_eq!(client.get("/api/v2/whoami").await.response()["identities"][0]["name"], name);
    }
}

#[tokio::test]
async fn keys_are_fetched_seldom_whatever_tokens_name() {
    let (workloads, _) = Workloads::bound().await;
    let unknown = |number: u32| {
        let header = URL_SAFE_NO_PAD.encode(json!({"alg": "RS256", "kid": format!("unknown {number}")}).to_string());
        let claims = URL_SAFE_NO_PAD.encode(json!({"iss": workloads.provider.issuer()}).to_string());
        format!("{header}.{claims}.AAAA")
    };
    let replies = futures::future::join_all((0..200).map(|number| {
        let token = unknown(number);
        let workloads = &workloads;
        async move { workloads.exchange(&token).await }
    }));
    replies.await.iter().for_each(refused);
    assert_eq!(workloads.fetched(), 2, "a discovery document, and the keys in it");
    assert_eq!(workloads.exchange(&workloads.token(&[])).await.status, 200, "who has a good token does not wait");
    workloads.app.clock.advance_ms(30_000);
    for number in 0..20 {
        refused(&workloads.exchange(&unknown(number)).await);
    }
    assert_eq!(workloads.fetched(), 4, "once more in half a minute");
}

#[tokio::test]
async fn keys_change_and_go_on_for_an_hour_while_the_provider_is_away() {
    let (mut workloads, _) = Workloads::bound().await;
    let old = workloads.token(&["x-ttl: 7200"]);
    assert_eq!(workloads.exchange(&workloads.token(&[])).await.status, 200);
    workloads.provider.start_again("two");
    let new = workloads.token(&["x-ttl: 7200"]);
    refused(&workloads.exchange(&new).await);
    // On a busy machine the provider takes longer than that to start, and its tokens are of a later time.
    workloads.app.clock.advance_ms((machines_ms() - workloads.app.clock.now_ms()).max(30_000));
    assert_eq!(workloads.exchange(&new).await.status, 200, "the new key is fetched");
    refused(&workloads.exchange(&old).await);
    let tokens = [workloads.token(&["x-ttl: 7200"]), workloads.token(&["x-ttl: 7200"])];
    workloads.provider.stop();
    workloads.app.clock.advance_ms(59 * 60_000);
    assert_eq!(workloads.exchange(&tokens[0]).await.status, 200, "of the keys that were fetched 59 minutes ago");
    workloads.app.clock.advance_ms(2 * 60_000);
    refused(&workloads.exchange(&tokens[1]).await);
    assert_eq!(workloads.reasons().await, ["NoKeys", "UnknownKey"]);
}

#[tokio::test]
async fn claims_are_compared_letter_by_letter() {
    let workloads = Workloads::new().await;
    let admin = workloads.app.admin().await;
    let asks = json!({"claims": {"repository_id": "74", "ref": "refs/heads/main", "/job/protected": "true"}});
    admin.post(BINDINGS, workloads.binding("main", asks)).await.response();
    let says = |claims: Value| workloads.token(&[&format!("x-claims: {claims}")]);
    let good =
        json!({"repository_id": "74", "ref": "refs/heads/main", "job": {"protected": true}, "actor": "somebody"});
    assert_eq!(workloads.exchange(&says(good.clone())).await.status, 200);
    for (name, value) in [
        ("repository_id", json!("75")),
        ("repository_id", json!("740")),
        ("repository_id", json!(["74"])),
        ("ref", json!("refs/heads/Main")),
        ("ref", json!("refs/heads/main2")),
        ("ref", Value::Null),
        ("job", json!({"protected": false})),
        ("job", json!("true")),
    ] {
        let mut other = good.clone();
        other[name] = value;
        refused(&workloads.exchange(&says(other.clone())).await);
    }
    // Two identities: it is not said which.
    let deploy = application(&admin, "deploy").await;
    let binding = workloads.binding_of(&deploy, "of all", json!({"subject": "workload-1"}));
    admin.post(BINDINGS, binding).await.response();
    refused(&workloads.exchange(&says(good)).await);
    assert_eq!(workloads.reasons().await, ["Ambiguous", "Unbound"]);
}

#[tokio::test]
async fn what_is_taken_back_ends_sessions() {
    let (workloads, binding) = Workloads::bound().await;
    let admin = workloads.app.admin().await;
    let begun = async || {
        let reply = workloads.exchange(&workloads.token(&[])).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        workloads.app.nobody().with_bearer(reply.json["token"].as_str().unwrap())
    };
    let provider = format!("{PROVIDERS}/{}", workloads.provider_uuid);
    let session = begun().await;
    admin.patch(&provider, json!({"name": "renamed"})).await.response();
    session.get("/api/v2/whoami").await.response();
    admin.patch(&provider, json!({"enabled": false})).await.response();
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    refused(&workloads.exchange(&workloads.token(&[])).await);
    admin.patch(&provider, json!({"enabled": true})).await.response();
    let session = begun().await;
    admin.post(&format!("/api/v2/identities/{}/lock", workloads.ci), json!({})).await.response();
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    refused(&workloads.exchange(&workloads.token(&[])).await);
    admin.post(&format!("/api/v2/identities/{}/unlock", workloads.ci), json!({})).await.response();
    let session = begun().await;
    admin.delete(&format!("{BINDINGS}/{binding}")).await.response();
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    refused(&workloads.exchange(&workloads.token(&[])).await);
    assert_eq!(workloads.reasons().await, ["Disabled", "Locked", "Unbound"]);
}

#[tokio::test]
async fn a_workload_is_no_person() {
    let workloads = Workloads::new().await;
    let admin = workloads.app.admin().await;
    let carol = admin.create_person("carol", &[chancery_types::RoleId::APPROVER]).await;
    admin
        .post(BINDINGS, workloads.binding_of(&carol, "of a person", json!({"subject": "workload-1"})))
        .await
        .response();
    let reply = workloads.exchange(&workloads.token(&[])).await;
    let client = workloads.app.nobody().with_bearer(reply.json["token"].as_str().unwrap());
    assert_eq!(client.get("/api/v2/whoami").await.response()["identities"][0]["kind"], "Application");
    let password = json!({"password": chancery_types::Base64::encode(b"another long password")});
    client.post(&format!("/api/v2/identities/{carol}/password"), password).await.refused(403, "NotAuthorized", None);
    let key = json!({"name": "mine"});
    client.post(&format!("/api/v2/identities/{carol}/api-keys"), key).await.refused(403, "NotAuthorized", None);
    // A role that demands a second factor is not had by a token.
    let role = json!({"name": "careful", "loginsRequired": 1, "perms": ["Signing:Approve"], "secondFactor": "Totp"});
    let role = admin.post("/api/v2/roles", role).await.response()["uuid"].clone();
    admin.patch(&format!("/api/v2/identities/{carol}"), json!({"roleUuids": [role]})).await.response();
    refused(&workloads.exchange(&workloads.token(&[])).await);
}

#[tokio::test]
async fn rows_that_somebody_else_wrote_give_nothing() {
    let (workloads, binding) = Workloads::bound().await;
    let admin = workloads.app.admin().await;
    let deploy = application(&admin, "deploy").await;
    let write = |statement: &str| assert_eq!(workloads.app.harm(statement), 1, "{statement}");
    write(&format!("UPDATE identity_bindings SET identity_id = '{deploy}' WHERE id = '{binding}'"));
    refused(&workloads.exchange(&workloads.token(&[])).await);
    write(&format!("UPDATE identity_bindings SET identity_id = '{}' WHERE id = '{binding}'", workloads.ci));
    assert_eq!(workloads.exchange(&workloads.token(&[])).await.status, 200);
    let audience = |from: &str, to: &str| {
        write(&format!("UPDATE identity_providers SET content = REPLACE(content, '{from}', '{to}')"));
    };
    audience(AUDIENCE, "https://elsewhere.example.org");
    let elsewhere = workloads.provider.token("workload-1", "https://elsewhere.example.org", &[]);
    let reply = workloads.exchange(&elsewhere).await;
    assert!(reply.status == 401 || reply.status == 503, "{}", reply.text());
    audience("https://elsewhere.example.org", AUDIENCE);
    assert_eq!(workloads.exchange(&workloads.token(&[])).await.status, 200);
}
