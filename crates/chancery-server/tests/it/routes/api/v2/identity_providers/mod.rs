//! /api/v2/identity-providers.

mod uuid;

use serde_json::json;

use crate::{
    app::TestApp,
    client_certificates::{Authority, House},
    workloads::{BINDINGS, PROVIDERS, description},
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

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_of_client_certificates_is_made_read_changed_and_deleted() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let described = json!({"name": "clients", "authorityCertificates": house.root.pem(), "crls": house.root.crl(&[])});
    let made = admin.post(PROVIDERS, described.clone()).await.response().clone();
    assert_eq!(made["issuer"], "CN=Example Clients,O=Example");
    assert_eq!((&made["audiences"], &made["algorithms"], &made["singleUse"]), (&json!([]), &json!([]), &json!(false)));
    assert_eq!(made["authorityCertificates"].as_str().unwrap().trim(), house.root.pem().trim());
    let lists = made["revocationLists"].as_array().unwrap();
    assert_eq!((lists.len(), &lists[0]["issuer"], &lists[0]["revoked"]), (1, &made["issuer"], &json!(0)));
    let path = format!("{PROVIDERS}/{}", made["objInfo"]["uuid"].as_str().unwrap());
    assert_eq!(admin.get(&path).await.response(), &made);
    // Whoever writes back what was read changes nothing.
    assert_eq!(admin.patch(&path, made.clone()).await.response(), &made);
    let _issued = house.ci_certificate("ci");
    house.root.revoke("ci");
    let changed = admin.patch(&path, json!({"crls": house.root.crl(&[])})).await.response().clone();
    assert_eq!(changed["revocationLists"][0]["revoked"], 1);
    let same_name = Authority::root(&house.folder("again"), "/O=Example/CN=Example Clients");
    let both = house.root.pem() + &same_name.pem();
    admin.patch(&path, json!({"authorityCertificates": both})).await.response();
    let other = Authority::root(&house.folder("other"), "/CN=Other").pem();
    let reply = admin.patch(&path, json!({"authorityCertificates": other})).await;
    reply.refused(400, "InvalidValue", Some("/authorityCertificates"));
    admin.patch(&path, json!({"clientId": "kms"})).await.refused(400, "InvalidValue", Some("/clientId"));
    let again = json!({"name": "again", "authorityCertificates": same_name.pem(), "crls": same_name.crl(&[])});
    admin.post(PROVIDERS, again).await.refused(409, "AlreadyExists", Some("/issuer"));
    admin.delete(&path).await.response();
    admin.get(&path).await.refused(404, "InvalidSelection", None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_authority_of_client_certificates_is_refused_with_the_member_at_fault() {
    let house = House::new().await;
    let admin = house.app.admin().await;
    let leaf = std::fs::read_to_string(house.ci_certificate("ci").certificate).unwrap();
    let over = house.root.crl(&["-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200201000000Z"]);
    let other = Authority::root(&house.folder("other"), "/CN=Other");
    let good = json!({"name": "clients", "authorityCertificates": house.root.pem(), "crls": house.root.crl(&[])});
    for (name, value, field) in [
        ("crls", json!(null), "/crls"),
        ("crls", json!("none"), "/crls"),
        ("crls", json!(house.root.pem()), "/crls"),
        ("crls", json!(over), "/crls"),
        ("authorityCertificates", json!("none"), "/authorityCertificates"),
        ("authorityCertificates", json!(leaf), "/authorityCertificates"),
        ("authorityCertificates", json!(house.root.pem() + &other.pem()), "/authorityCertificates"),
        ("authorityCertificates", json!(null), "/crls"),
        ("issuer", json!("CN=Other"), "/issuer"),
        ("audiences", json!(["us"]), "/audiences"),
        ("algorithms", json!(["ES256"]), "/algorithms"),
        ("jwks", json!(KEYS), "/jwks"),
        ("singleUse", json!(true), "/singleUse"),
        ("clientId", json!("kms"), "/clientId"),
        ("clientSecret", json!("secret"), "/clientSecret"),
        ("secondFactorAcr", json!(["mfa"]), "/secondFactorAcr"),
        ("authorityUuid", json!("00000000-0000-4000-8000-000000000001"), "/authorityCertificates"),
    ] {
        let mut body = good.clone();
        body[name] = value;
        body.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        admin.post(PROVIDERS, body).await.refused(400, "InvalidValue", Some(field));
    }
    let mut long = good.clone();
    long["crls"] = json!("x".repeat(512 * 1_024 + 1));
    admin.post(PROVIDERS, long).await.refused(413, "LimitExceeded", Some("/crls"));
    let gitlab = admin.post(PROVIDERS, description("gitlab", ISSUER)).await.response().clone();
    let path = format!("{PROVIDERS}/{}", gitlab["objInfo"]["uuid"].as_str().unwrap());
    let reply = admin.patch(&path, json!({"crls": house.root.crl(&[])})).await;
    reply.refused(400, "InvalidValue", Some("/crls"));
    // A binding is about what certificates say.
    let made = admin.post(PROVIDERS, good).await.response().clone();
    let binding = |asks: serde_json::Value| {
        let mut body = json!({"name": "ci", "identityUuid": house.ci, "providerUuid": made["objInfo"]["uuid"]});
        body.as_object_mut().unwrap().extend(asks.as_object().unwrap().clone());
        body
    };
    for (asks, field) in [
        (json!({}), "/subject"),
        (json!({"subject": "ci"}), "/subject"),
        (json!({"subject": "CN=ci, O=Example"}), "/subject"),
        (json!({"claims": {"repository_id": "74"}}), "/claims/repository_id"),
    ] {
        admin.post(BINDINGS, binding(asks)).await.refused(400, "InvalidValue", Some(field));
    }
}
