//! /api/v2/identity-providers.

mod uuid;

use serde_json::json;

use crate::{
    app::TestApp,
    workloads::{PROVIDERS, description},
};

const ISSUER: &str = "https://gitlab.example.org";

/// The key of RFC 7515, appendix A.3.
const KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","use":"sig"}]}"#;

#[tokio::test]
async fn a_provider_is_made_read_changed_and_deleted() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = admin.post(PROVIDERS, description("gitlab", ISSUER)).await.response().clone();
    admin.saw_audited("IdentityProviderCreate").await;
    assert_eq!(
        (&made["issuer"], &made["algorithms"], &made["singleUse"], &made["enabled"], made.get("jwks")),
        (&json!(ISSUER), &json!(["RS256", "ES256"]), &json!(true), &json!(true), None)
    );
    let path = format!("{PROVIDERS}/{}", made["objInfo"]["uuid"].as_str().unwrap());
    assert_eq!(admin.get(&path).await.response(), &made);
    assert_eq!(admin.get(&format!("{PROVIDERS}?search=GITLAB")).await.response()["results"], json!([made]));
    let change = json!({"name": "our gitlab", "audiences": ["a", "b"], "algorithms": ["EdDSA"], "jwks": KEYS,
        "singleUse": false, "enabled": false});
    let changed = admin.patch(&path, change.clone()).await.response().clone();
    admin.saw_audited("IdentityProviderChange").await;
    for (name, value) in change.as_object().unwrap().iter().filter(|(name, _)| *name != "name") {
        assert_eq!(changed[name], *value, "{name}");
    }
    assert_eq!((&changed["objInfo"]["name"], &changed["issuer"]), (&json!("our gitlab"), &json!(ISSUER)));
    assert_eq!(admin.patch(&path, json!({"jwks": null})).await.response().get("jwks"), None);
    admin.delete(&path).await.response();
    admin.saw_audited("IdentityProviderDelete").await;
    admin.get(&path).await.refused(404, "InvalidSelection", None);
}

#[tokio::test]
async fn what_is_no_provider_is_refused_with_the_member_at_fault() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let private = KEYS.replace("\"use\"", "\"d\":\"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI\",\"use\"");
    for (name, value, code) in [
        ("issuer", json!("http://gitlab.example.org"), "InvalidValue"),
        ("issuer", json!("https://gitlab.example.org?x"), "InvalidValue"),
        ("audiences", json!([]), "InvalidValue"),
        ("algorithms/0", json!("HS256"), "InvalidSelection"),
        ("algorithms/0", json!("none"), "InvalidSelection"),
        ("jwks", json!("{}"), "InvalidValue"),
        ("jwks", json!(private), "InvalidValue"),
        ("jwks", json!(r#"{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}"#), "InvalidValue"),
    ] {
        let mut body = description("gitlab", ISSUER);
        match name.split_once('/') {
            Some((array, _)) => body[array] = json!([value]),
            None => body[name] = value,
        }
        let reply = admin.post(PROVIDERS, body).await;
        assert_eq!(reply.json["errorCode"], code, "{}", reply.text());
        assert_eq!(reply.json["response"]["field"].as_str(), Some(format!("/{name}").as_str()), "{}", reply.text());
    }
    admin.post(PROVIDERS, description("gitlab", ISSUER)).await.response();
    let again = admin.post(PROVIDERS, description("another", ISSUER)).await;
    again.refused(409, "AlreadyExists", Some("/issuer"));
    let again = admin.post(PROVIDERS, description("GitLab", "https://b.example.org")).await;
    again.refused(409, "AlreadyExists", Some("/name"));
}
