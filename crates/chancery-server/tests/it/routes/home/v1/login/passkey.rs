//! POST /home/v1/login/passkey, and logins with what a passkey has signed.

use chancery_core::{Limits, LoginLimits};
use chancery_types::RoleId;
use serde_json::{Value, json};

use super::refused;
use crate::{
    app::{PASSWORD, Setup, TestApp},
    authenticator::{Authenticator, ORIGIN, authenticator, confirm, enrol, passkeys_path},
    client::{Client, Reply},
    second_factor::{self, proof_by},
};

const CHALLENGE: &str = "/home/v1/login/passkey";

pub(super) fn setup() -> Setup {
    Setup { public_origin: Some(ORIGIN.to_owned()), ..Setup::default() }
}

/// Somebody with a passkey that was confirmed, and the role of approvers besides.
pub(super) async fn with_passkey(app: &TestApp, name: &str, roles: &[RoleId]) -> Authenticator {
    let admin = app.admin().await;
    let path = passkeys_path(&admin.create_person(name, roles).await);
    let (key, person) = (authenticator(), app.logged_in(&[(name, PASSWORD)]).await);
    let made = enrol(&person, &path, "laptop", &key).await.response().clone();
    confirm(&admin, &path, &made).await.response();
    key
}

async fn role(admin: &Client, factor: &str, logins: u32) -> RoleId {
    let body = json!({"name": format!("{factor} {logins}"), "loginsRequired": logins, "perms": ["Audit:Read"], "secondFactor": factor});
    admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().parse().unwrap()
}

/// What a passkey signs of a new challenge.
pub(super) async fn signed(app: &TestApp, key: &mut Authenticator) -> Value {
    key.sign(&app.nobody().post_nothing(CHALLENGE).await.json)
}

/// One-time codes of somebody who has this passkey.
async fn codes_beside(app: &TestApp, name: &str, key: &mut Authenticator) -> second_factor::Authenticator {
    let mut proof = proof_by(name, PASSWORD, None);
    proof["passkey"] = signed(app, key).await;
    second_factor::enrol_by(app, proof).await
}

fn body(name: &str, password: &str, code: Option<&str>, passkey: &Value) -> Value {
    let mut credentials = proof_by(name, password, code);
    credentials["passkey"] = passkey.clone();
    json!({"authType": "userpass", "authCredentials": credentials})
}

async fn log_in(client: &Client, name: &str, passkey: &Value) -> Reply {
    client.post("/home/v1/login", body(name, PASSWORD, None, passkey)).await
}

async fn perms(client: &Client) -> Value {
    client.get("/api/v2/whoami").await.response()["perms"].clone()
}

#[tokio::test]
async fn a_challenge_is_the_same_for_everybody() {
    let app = TestApp::with(setup()).await;
    assert_eq!(app.nobody().get("/home/v1/login/oidc").await.json["passkeys"], true);
    let (one, other) = (app.nobody().post_nothing(CHALLENGE).await, app.nobody().post_nothing(CHALLENGE).await);
    assert_eq!(one.status, 200);
    let without = |reply: &Reply| {
        let mut json = reply.json.clone();
        json["publicKey"]["challenge"] = Value::Null;
        json["ticket"] = Value::Null;
        json
    };
    assert_eq!(without(&one), without(&other));
    assert_ne!(one.json["publicKey"]["challenge"], other.json["publicKey"]["challenge"]);
    let options = json!({
        "challenge": null, "timeout": 300_000, "rpId": "kms.example.org", "allowCredentials": [], "userVerification": "required",
    });
    assert_eq!(without(&one)["publicKey"], options);
    assert!(!one.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn challenges_are_counted_as_logins_are() {
    let limits = Limits { logins: LoginLimits { per_minute: 3, ..LoginLimits::default() }, ..Limits::default() };
    let app = TestApp::with(Setup { limits, ..setup() }).await;
    let client = || app.nobody().from([198, 51, 100, 7]);
    for _ in 0..3 {
        assert_eq!(client().post_nothing(CHALLENGE).await.status, 200);
    }
    let reply = client().post_nothing(CHALLENGE).await;
    assert_eq!((reply.status.as_u16(), &reply.json["status"]), (429, &json!("Failure")));
    assert_eq!(client().log_in("Admin1", PASSWORD).await.status, 429);
}

#[tokio::test]
async fn there_are_none_where_browsers_come_by_no_name() {
    let app = TestApp::new().await;
    assert_eq!(app.nobody().get("/home/v1/login/oidc").await.json["passkeys"], false);
    let reply = app.nobody().post_nothing(CHALLENGE).await;
    assert_eq!((reply.status.as_u16(), &reply.json["status"]), (409, &json!("Failure")));
    assert!(reply.text().contains("--public-origin"), "{}", reply.text());
    let shown = json!({"ticket": "x", "credential": authenticator().get(&json!({"challenge": "x"}))});
    refused(&log_in(&app.nobody(), "Admin1", &shown).await, 409);
    let admin = app.admin().await;
    let demanding = json!({"name": "r", "loginsRequired": 1, "perms": [], "secondFactor": "WebAuthn"});
    admin.post("/api/v2/roles", demanding.clone()).await.refused(409, "InvalidState", Some("/secondFactor"));
    let role = role(&admin, "None", 1).await;
    let patched = admin.patch(&format!("/api/v2/roles/{role}"), json!({"secondFactor": "WebAuthn"})).await;
    patched.refused(409, "InvalidState", Some("/secondFactor"));
}

#[tokio::test]
async fn roles_that_demand_a_passkey_count_for_who_shows_one() {
    let app = TestApp::with(setup()).await;
    let admin = app.admin().await;
    let by_passkey = role(&admin, "WebAuthn", 1).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER, by_passkey]).await;
    let client = app.nobody();
    assert_eq!(log_in(&client, "CAROL", &signed(&app, &mut key).await).await.status, 200);
    assert_eq!(perms(&client).await, json!(["Signing:Approve", "Audit:Read"]));
    let login = client.get("/api/v2/whoami").await.response()["identities"][0]["login"].clone();
    assert_eq!((&login["way"], &login["passkey"]["name"]), (&json!("Password+Passkey"), &json!("laptop")));
    let listed = client.get(&passkeys_path(&admin.identity_uuid("carol").await)).await;
    assert_eq!(listed.response()["results"][0]["lastUsedAt"], "2026-06-21T12:00:00.500Z");
    // Neither the password alone nor a code is enough for it; a passkey is enough where a code would be.
    let authenticator = codes_beside(&app, "carol", &mut key).await;
    let by_code = app.nobody();
    second_factor::log_in(&by_code, "carol", Some(&authenticator.code(0))).await;
    assert_eq!(perms(&by_code).await, json!(["Signing:Approve"]));
    let path = format!("/api/v2/roles/{by_passkey}");
    admin.patch(&path, json!({"secondFactor": "Totp"})).await.response();
    assert_eq!(perms(&by_code).await, json!(["Signing:Approve"]), "a session grows by nothing");
    let by_code = app.nobody();
    second_factor::log_in(&by_code, "carol", Some(&authenticator.code(1))).await;
    assert_eq!(perms(&by_code).await, json!(["Signing:Approve", "Audit:Read"]));
    assert_eq!(perms(&client).await, json!(["Signing:Approve", "Audit:Read"]));
    let app = app.restarted().await;
    let again = app.nobody();
    assert_eq!(log_in(&again, "carol", &signed(&app, &mut key).await).await.status, 200);
    assert_eq!(perms(&again).await, json!(["Signing:Approve", "Audit:Read"]));
}

#[tokio::test]
async fn who_has_only_such_a_role_and_no_passkey_is_refused_like_anybody() {
    let app = TestApp::with(setup()).await;
    let by_passkey = role(&app.admin().await, "WebAuthn", 1).await;
    app.admin().await.create_person("dave", &[by_passkey]).await;
    let unknown = app.nobody().log_in("nobody", PASSWORD).await;
    let reply = app.nobody().log_in("dave", PASSWORD).await;
    assert_eq!((reply.status.as_u16(), &reply.body), (401, &unknown.body));
}

#[tokio::test]
async fn a_refusal_says_nothing_of_what_was_wrong() {
    let app = TestApp::with(setup()).await;
    let mut carol = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let mut dave = with_passkey(&app, "dave", &[RoleId::APPROVER]).await;
    let unknown = app.nobody().log_in("nobody", PASSWORD).await;
    let mut source = 0;
    // Each from another address, so that none is delayed.
    let mut try_by = async |name: &str, password: &str, passkey: &Value| {
        source += 1;
        let client = app.nobody().from([198, 51, 100, source]);
        let reply = client.post("/home/v1/login", body(name, password, None, passkey)).await;
        assert_eq!((reply.status.as_u16(), &reply.body), (401, &unknown.body), "{name} {password} {source}");
    };
    let of_carol = signed(&app, &mut carol).await;
    try_by("nobody", PASSWORD, &of_carol).await;
    try_by("carol", "wrong", &of_carol).await;
    try_by("dave", PASSWORD, &of_carol).await;
    try_by("carol", PASSWORD, &signed(&app, &mut dave).await).await;
    try_by("carol", PASSWORD, &signed(&app, &mut authenticator()).await).await;
    try_by("carol", PASSWORD, &signed(&app, &mut authenticator().with_id_of(&carol)).await).await;
    let changes: [fn(&mut Authenticator); 4] = [
        |key| key.origin = "https://evil.example".to_owned(),
        |key| key.rp_id = "evil.example".to_owned(),
        |key| key.flags = 1,
        |key| key.count = 0,
    ];
    assert_eq!(log_in(&app.nobody(), "carol", &of_carol).await.status, 200, "it was right all the time");
    for change in changes {
        let (origin, rp_id, flags, count) = (carol.origin.clone(), carol.rp_id.clone(), carol.flags, carol.count);
        change(&mut carol);
        try_by("carol", PASSWORD, &signed(&app, &mut carol).await).await;
        (carol.origin, carol.rp_id, carol.flags, carol.count) = (origin, rp_id, flags, count);
    }
    // Of another challenge, and of one that was used.
    let mut mixed = signed(&app, &mut carol).await;
    mixed["ticket"] = app.nobody().post_nothing(CHALLENGE).await.json["ticket"].clone();
    try_by("carol", PASSWORD, &mixed).await;
    try_by("carol", PASSWORD, &of_carol).await;
    // Not confirmed, and of somebody who is locked.
    let (admin, mut new) = (app.admin().await, authenticator());
    let path = passkeys_path(&admin.identity_uuid("carol").await);
    enrol(&app.logged_in(&[("carol", PASSWORD)]).await, &path, "new", &new).await.response();
    try_by("carol", PASSWORD, &signed(&app, &mut new).await).await;
    let uuid = admin.identity_uuid("dave").await;
    admin.post_nothing(&format!("/api/v2/identities/{uuid}/lock")).await.response();
    try_by("dave", PASSWORD, &signed(&app, &mut dave).await).await;
}

#[tokio::test]
async fn what_is_no_answer_to_a_challenge_of_here_is_400_and_does_not_count() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let good = signed(&app, &mut key).await;
    let mut broken = Vec::new();
    for pointer in ["/credential/id", "/credential/response/signature", "/credential/response/clientDataJSON"] {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap() = json!("not base64url!");
        broken.push((changed, pointer));
    }
    // One of another ceremony is none of a login.
    let carol = app.logged_in(&[("carol", PASSWORD)]).await;
    let path = passkeys_path(&app.admin().await.identity_uuid("carol").await);
    let begun = carol.post_nothing(&format!("{path}/begin")).await.response()["ticket"].clone();
    for ticket in [json!(""), json!("AAAA"), json!("x".repeat(9_000)), begun] {
        let mut changed = good.clone();
        changed["ticket"] = ticket;
        broken.push((changed, "/ticket"));
    }
    for (changed, pointer) in broken.iter().cycle().take(20) {
        let reply = log_in(&app.nobody(), "carol", changed).await;
        refused(&reply, 400);
        let says = if *pointer == "/ticket" { "too old" } else { &pointer[1..] };
        assert!(reply.text().contains(says), "{}", reply.text());
    }
    app.clock.advance_ms(299_999);
    assert_eq!(log_in(&app.nobody(), "carol", &good).await.status, 200);
    let old = signed(&app, &mut key).await;
    app.clock.advance_ms(300_000);
    refused(&log_in(&app.nobody(), "carol", &old).await, 400);
}

#[tokio::test]
async fn of_many_who_come_with_one_signature_at_once_one_gets_in() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let others = if app.is_on_postgres() { app.other_node().await } else { app.routes.clone() };
    // First as of an authenticator that never counts: the challenge alone tells.
    for count_before in [u32::MAX, 6] {
        key.count = count_before;
        let passkey = signed(&app, &mut key).await;
        let tries = (0..16).map(|number| {
            let client = if number % 2 == 0 { app.nobody() } else { Client::new(others.clone()) };
            let passkey = passkey.clone();
            tokio::spawn(async move { log_in(&client, "carol", &passkey).await.status.as_u16() })
        });
        let mut statuses = Vec::new();
        for status in tries.collect::<Vec<_>>() {
            statuses.push(status.await.unwrap());
        }
        statuses.sort_unstable();
        assert_eq!((statuses[0], &statuses[1..]), (200, &[401; 15][..]));
    }
}

#[tokio::test]
async fn a_passkey_takes_the_place_of_a_code_and_mends_no_wrong_one() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let codes = codes_beside(&app, "carol", &mut key).await;
    refused(&app.nobody().log_in("carol", PASSWORD).await, 401);
    assert_eq!(log_in(&app.nobody(), "carol", &signed(&app, &mut key).await).await.status, 200);
    let both = async |code: &str, passkey: &Value| {
        app.nobody().post("/home/v1/login", body("carol", PASSWORD, Some(code), passkey)).await
    };
    let passkey = signed(&app, &mut key).await;
    refused(&both(&codes.wrong(), &passkey).await, 401);
    let foreign = signed(&app, &mut authenticator()).await;
    refused(&both(&codes.code(0), &foreign).await, 401);
    assert_eq!(both(&codes.code(0), &passkey).await.status, 200, "neither was used up");
    let passkey = signed(&app, &mut key).await;
    refused(&both(&codes.code(0), &passkey).await, 401);
}

#[tokio::test]
async fn wrong_passkeys_delay_as_wrong_passwords_do() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    for _ in 0..5 {
        let foreign = signed(&app, &mut authenticator()).await;
        refused(&log_in(&app.nobody(), "carol", &foreign).await, 401);
    }
    let good = signed(&app, &mut key).await;
    refused(&log_in(&app.nobody(), "carol", &good).await, 401);
    assert_eq!(log_in(&app.nobody().from([198, 51, 100, 9]), "carol", &good).await.status, 200);
}

#[tokio::test]
async fn of_two_logins_both_show_a_passkey_of_their_own() {
    let app = TestApp::with(setup()).await;
    let admin = app.admin().await;
    let (demanding, plain) = (role(&admin, "WebAuthn", 2).await, role(&admin, "None", 2).await);
    // Logged in to make passkeys, they sit together.
    let mut keys = Vec::new();
    for name in ["carol", "dave"] {
        admin.create_person(name, &[demanding, plain]).await;
    }
    let both = app.logged_in(&[("carol", PASSWORD), ("dave", PASSWORD)]).await;
    for name in ["carol", "dave"] {
        let (key, path) = (authenticator(), passkeys_path(&admin.identity_uuid(name).await));
        let made = enrol(&both, &path, "laptop", &key).await.response().clone();
        confirm(&admin, &path, &made).await.response();
        keys.push(key);
    }
    let [carol, dave] = &mut keys[..] else { unreachable!() };
    let roles = async |client: &Client| {
        client.get("/api/v2/whoami").await.response()["identities"][0]["roles"].as_array().unwrap().len()
    };
    let mixed = app.nobody();
    assert_eq!(log_in(&mixed, "carol", &signed(&app, carol).await).await.json["response"]["fullyLoggedIn"], false);
    assert_eq!(mixed.log_in("dave", PASSWORD).await.json["response"]["fullyLoggedIn"], true);
    assert_eq!(roles(&mixed).await, 1, "the other one logged in without");
    let both = app.nobody();
    log_in(&both, "carol", &signed(&app, carol).await).await;
    refused(&log_in(&both, "dave", &signed(&app, carol).await).await, 401);
    assert_eq!(log_in(&both, "dave", &signed(&app, dave).await).await.json["response"]["fullyLoggedIn"], true);
    assert_eq!(roles(&both).await, 2);
}

#[tokio::test]
async fn a_session_ends_with_the_passkey_that_began_it() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let (by_passkey, by_password) = (app.nobody(), app.logged_in(&[("carol", PASSWORD)]).await);
    log_in(&by_passkey, "carol", &signed(&app, &mut key).await).await;
    let path = passkeys_path(&app.admin().await.identity_uuid("carol").await);
    let uuid = by_passkey.get(&path).await.response()["results"][0]["objInfo"]["uuid"].as_str().unwrap().to_owned();
    by_passkey.patch(&format!("{path}/{uuid}"), json!({"name": "old laptop"})).await.response();
    by_passkey.get("/api/v2/whoami").await.response();
    app.admin().await.delete(&format!("{path}/{uuid}")).await.response();
    by_passkey.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    by_password.get("/api/v2/whoami").await.response();
    refused(&log_in(&app.nobody(), "carol", &signed(&app, &mut key).await).await, 401);
}
