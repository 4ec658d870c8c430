//! GET and POST /home/v1/login/oidc.

mod callback;
mod second;

use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    people::{Begun, Fake, ISSUER, LOGIN_COOKIE, OIDC, ORIGIN, People, SECRET},
    workloads::{BINDINGS, EXCHANGE, PROVIDERS, application},
};

#[tokio::test]
async fn people_are_told_by_whom_they_may_log_in() {
    let people = People::new().await;
    let admin = people.app.admin().await;
    let workloads = json!({"name": "ci", "issuer": "https://ci.example.org", "audiences": ["us"]});
    admin.post(PROVIDERS, workloads).await.response();
    let listed = people.app.nobody().get(OIDC).await;
    let one = json!([{"name": "staff", "uuid": people.provider}]);
    assert_eq!(
        (listed.status.as_u16(), &listed.json),
        (
            200,
            &json!({"message": "Success", "status": "Success", "providers": one, "certificates": false, "passkeys": true, "directories": []})
        )
    );
    people.change_provider(json!({"enabled": false})).await;
    assert_eq!(people.app.nobody().get(OIDC).await.json["providers"], json!([]));
    let reply = people.app.nobody().post(OIDC, json!({"providerUuid": people.provider})).await;
    assert_eq!((reply.status.as_u16(), reply.headers.get("set-cookie")), (400, None), "{}", reply.text());
}

#[tokio::test]
async fn a_request_says_what_it_must_and_its_secrets_are_sealed() {
    let people = People::new().await;
    let browser = people.app.nobody();
    let reply = browser.post(OIDC, json!({"providerUuid": people.provider})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let url = reply.json["authorizationUrl"].as_str().unwrap();
    assert!(url.starts_with("https://login.example.org/authorize?response_type=code&client_id=kms&"), "{url}");
    let begun = Begun::of(&reply);
    assert_eq!(begun.asked["redirect_uri"], format!("{ORIGIN}/home/v1/login/oidc/callback"));
    assert_eq!((&*begun.asked["scope"], &*begun.asked["code_challenge_method"]), ("openid", "S256"));
    assert!(!begun.asked.contains_key("prompt"), "{url}");
    let cookie = reply.headers["set-cookie"].to_str().unwrap();
    let attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600";
    assert!(cookie.starts_with("__Host-chancery-login=") && cookie.ends_with(attributes), "{cookie}");
    let sealed = browser.cookie_value(LOGIN_COOKIE).unwrap();
    for known in ["state", "nonce", "code_challenge"] {
        assert!(!sealed.contains(&begun.asked[known]), "{known}");
    }
    // Each has its own.
    let again = people.begin(&browser).await;
    for own in ["state", "nonce", "code_challenge"] {
        assert_ne!(begun.asked[own], again.asked[own]);
    }
}

#[tokio::test]
async fn nobody_begins_what_could_not_end() {
    let people = People::new().await;
    let admin = people.app.admin().await;
    let workloads = json!({"name": "ci", "issuer": "https://ci.example.org", "audiences": ["us"]});
    let workloads = admin.post(PROVIDERS, workloads).await.response()["objInfo"]["uuid"].clone();
    let browser = people.app.nobody();
    for (body, status) in [
        (json!({"providerUuid": workloads}), 400),
        (json!({"providerUuid": "5d0c6a1e-7f0b-4a53-9b2e-3f6f0c1d9a77"}), 400),
        (json!({"providerUuid": "staff"}), 400),
        (json!({"providerUuid": people.provider, "state": "mine"}), 400),
        (json!({}), 400),
    ] {
        let reply = browser.post(OIDC, body.clone()).await;
        assert_eq!(reply.status.as_u16(), status, "{body}: {}", reply.text());
        assert!(!reply.headers.contains_key("set-cookie"), "{body}");
    }
    let request = axum::http::Request::post(OIDC).header("Host", "kms.test");
    let request = request.header("Origin", "https://elsewhere.example.org").header("Content-Type", "application/json");
    let body = json!({"providerUuid": people.provider}).to_string();
    assert_eq!(browser.call(request.body(body.into()).unwrap()).await.status, 403);
    people.fake.set(|behaviour| behaviour.is_away = true);
    let reply = browser.post(OIDC, json!({"providerUuid": people.provider})).await;
    assert_eq!(reply.status, 503, "{}", reply.text());
    assert_eq!(reply.headers["retry-after"], "30");
}

#[tokio::test]
async fn without_an_address_of_its_own_a_server_logs_nobody_in() {
    let app = TestApp::with(Setup { providers: Some(Fake::new()), ..Setup::default() }).await;
    let admin = app.admin().await;
    let described = json!({"name": "staff", "issuer": ISSUER, "audiences": [], "clientId": "kms"});
    let provider = admin.post(PROVIDERS, described).await.response()["objInfo"]["uuid"].clone();
    assert_eq!(app.nobody().get(OIDC).await.json["providers"], json!([]));
    let reply = app.nobody().post(OIDC, json!({"providerUuid": provider})).await;
    assert_eq!(reply.status, 409, "{}", reply.text());
    assert!(reply.json["message"].as_str().unwrap().contains("--public-origin"), "{}", reply.text());
}

#[tokio::test]
async fn a_client_is_shown_without_its_secret() {
    let people = People::new().await;
    let admin = people.app.admin().await;
    let path = format!("{PROVIDERS}/{}", people.provider);
    let shown = admin.get(&path).await.response().clone();
    assert_eq!((&shown["clientId"], &shown["hasClientSecret"]), (&json!("kms"), &json!(true)));
    assert_eq!((shown.get("clientSecret"), shown.get("secondFactorAcr")), (None, None));
    let changed = people.change_provider(json!({"clientSecret": null, "secondFactorAcr": ["gold"]})).await;
    assert_eq!((&changed["hasClientSecret"], &changed["secondFactorAcr"]), (&json!(false), &json!(["gold"])));
    people.change_provider(json!({"clientSecret": SECRET})).await;
    let other = people.change_provider(json!({"clientId": "kms2"})).await;
    assert_eq!((&other["hasClientSecret"], &other["secondFactorAcr"]), (&json!(false), &json!(["gold"])));
    for (change, field) in [
        (json!({"clientId": null}), "/audiences"),
        (json!({"audiences": ["kms2"]}), "/clientId"),
        (json!({"clientId": ""}), "/clientId"),
        (json!({"clientSecret": ""}), "/clientSecret"),
        (json!({"secondFactorAcr": ["a b"]}), "/secondFactorAcr/0"),
        (json!({"audiences": ["us"], "clientId": null, "clientSecret": "s"}), "/clientSecret"),
    ] {
        admin.patch(&path, change).await.refused(400, "InvalidValue", Some(field));
    }
    let without = people.change_provider(json!({"audiences": ["us"], "clientId": null})).await;
    for gone in ["clientId", "hasClientSecret", "secondFactorAcr"] {
        assert_eq!(without.get(gone), None);
    }
    let records = admin.get("/api/v2/audit?action=IdentityProviderChange").await;
    let text = records.text();
    assert!(text.contains("hasClientSecret") && !text.contains("cret: of ours"), "{text}");
    let workloads = json!({"name": "w", "issuer": "https://w.example.org", "audiences": ["us"], "clientSecret": "s"});
    admin.post(PROVIDERS, workloads).await.refused(400, "InvalidValue", Some("/clientSecret"));
}

#[tokio::test]
async fn people_are_bound_by_subjects_and_exchange_nothing() {
    let people = People::with(chancery_core::Limits::default(), json!({"audiences": ["us"], "clientId": "kms"})).await;
    let admin = people.app.admin().await;
    let binding = |identity: &str, asks: Value| {
        let mut binding = json!({"name": "another", "identityUuid": identity, "providerUuid": people.provider});
        binding.as_object_mut().unwrap().extend(asks.as_object().unwrap().clone());
        binding
    };
    let claims = binding(&people.carol, json!({"claims": {"oid": "74"}}));
    admin.post(BINDINGS, claims).await.refused(400, "InvalidValue", Some("/subject"));
    // Administrators take two logins: no workload could stand for them, and a person can.
    let dora = admin.create_person("dora", &[chancery_types::RoleId::ADMINISTRATOR]).await;
    admin.post(BINDINGS, binding(&dora, json!({"subject": "sub-dora"}))).await.response();
    // What a person is bound by is no workload's, whatever its audience.
    let now_s = people.app.clock.now_ms() / 1_000;
    let token = |subject: &str, audience: &str| {
        let claims = json!({"iss": ISSUER, "aud": audience, "sub": subject, "iat": now_s, "exp": now_s + 300});
        people.fake.token(&claims)
    };
    for audience in ["us", "kms"] {
        let reply = people.app.nobody().post(EXCHANGE, json!({"subjectToken": token("sub-carol", audience)})).await;
        crate::workloads::refused(&reply);
    }
    let ci = application(&admin, "ci").await;
    let mut of_ci = binding(&ci, json!({"subject": "job"}));
    of_ci["name"] = json!("job");
    admin.post(BINDINGS, of_ci).await.response();
    let reply = people.app.nobody().post(EXCHANGE, json!({"subjectToken": token("job", "us")})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(people.reasons().await, ["Audience", "Kind"]);
}
