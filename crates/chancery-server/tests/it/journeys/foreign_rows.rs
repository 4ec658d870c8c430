//! Somebody who may write the database, and nothing else, gains nothing: each row that they change is refused and told,
//! and the others go on. They use psql or sqlite3, and know the tables as well as we do.

use std::time::Duration;

use chancery_types::{Perm, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    certificates::{body, generate, issued, root, with},
    client::Client,
    guards::{token_profile, token_profile_named},
};

/// Makes two tests of each function: `sqlite::name` and `postgres::name`.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $name() {
                super::$name(false).await;
            })*
        }
        mod postgres {
            $(#[tokio::test]
            async fn $name() {
                super::$name(true).await;
            })*
        }
    };
}

mod signing;

on_both!(
    a_foreign_password_hash_logs_nobody_in,
    a_role_that_was_added_raised_or_copied_gives_nothing,
    holders_of_a_role_that_somebody_changed_are_locked_and_lose_roles,
    a_role_whose_assignment_somebody_changed_is_withdrawn_and_given_again,
    a_setting_that_somebody_wrote_opens_nothing,
    a_seat_in_a_session_gives_nothing,
    an_api_key_that_somebody_wrote_lets_nobody_in,
    a_certificate_is_neither_trusted_nor_valid_again_by_the_database,
    an_identity_whose_row_is_damaged_is_no_fault_of_ours,
    control_rules_that_somebody_wrote_reveal_nothing,
    a_revocation_that_somebody_changed_stops_the_list,
);

async fn app(postgres: bool) -> TestApp {
    TestApp::with(Setup { postgres, ..Setup::default() }).await
}

/// Changes rows; somebody who changes none has shown nothing.
fn harm(app: &TestApp, statement: &str) {
    assert_ne!(app.harm(statement), 0, "{statement}");
}

/// A client of a node that starts now, with nothing in its memory.
async fn elsewhere(app: &TestApp, logins: &[&str]) -> Client {
    let mut client = Client::new(app.other_node().await);
    for name in logins {
        assert_eq!(client.log_in(name, PASSWORD).await.status, 200, "{name}");
    }
    let token = client.get("/home/v1/login/token").await;
    client.bearer = token.json["token"].as_str().map(str::to_owned);
    client
}

/// What the audit tells of rows, once it does.
async fn told(client: &Client, count: u64) -> Vec<String> {
    for _ in 0..200 {
        let reply = client.get("/api/v2/audit?action=RowRefuse").await;
        if reply.response()["total"].as_u64().unwrap() >= count {
            let records = reply.response()["items"].as_array().unwrap();
            let table = |record: &Value| record["detail"]["table"].as_str().unwrap().to_owned();
            return records.iter().map(table).collect();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nothing was told");
}

async fn a_foreign_password_hash_logs_nobody_in(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    admin.create_person("eve", &[RoleId::APPLICATION]).await;
    harm(
        &app,
        "UPDATE identities SET password = (SELECT password FROM identities WHERE name = 'eve') WHERE name = 'Admin1'",
    );
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status, 503);
    assert_eq!(app.nobody().log_in("eve", PASSWORD).await.status, 200, "the others go on");
    let ready = app.ready().await;
    assert_eq!(ready.json["refusedRows"], 1, "{}", ready.text());
    assert!(app.nobody().get("/metrics").await.text().contains("chancery_refused_rows"));
    assert_eq!(told(&admin, 1).await, ["identities"]);
    let there = elsewhere(&app, &["Admin2"]).await;
    assert_eq!(there.log_in("Admin1", PASSWORD).await.status, 503);
}

async fn a_role_that_was_added_raised_or_copied_gives_nothing(postgres: bool) {
    let app = app(postgres).await;
    let eve = app.with_perms("eve", &[Perm::AuditRead]).await;
    eve.get("/api/v2/audit").await.response();
    let eve_id = app.admin().await.identity_uuid("eve").await;
    harm(
        &app,
        &format!(
            "INSERT INTO identity_roles (identity_id, role_id, assigned_at_ms, mac) \
             SELECT '{eve_id}', role_id, assigned_at_ms, mac FROM identity_roles WHERE role_id = '{}' LIMIT 1",
            RoleId::SECURITY_OFFICER
        ),
    );
    harm(
        &app,
        "UPDATE roles SET perms = '{\"Identity:Manage\": 1, \"Audit:Read\": 1}', management = 1 WHERE name = 'role of eve'",
    );
    let eve = elsewhere(&app, &["eve"]).await;
    for path in ["/api/v2/system/settings", "/api/v2/audit"] {
        let reply = eve.get(path).await;
        assert!([401, 403, 503].contains(&reply.status.as_u16()), "{path}: {}", reply.text());
    }
    let admin = elsewhere(&app, &["Admin1", "Admin2"]).await;
    admin.get("/api/v2/identities/stubs").await.response();
    let tables = told(&admin, 2).await;
    assert!(tables.iter().any(|table| table == "roles") && tables.iter().any(|table| table == "identity_roles"));
}

async fn role(admin: &Client, name: &str) -> RoleId {
    let body = json!({"name": name, "loginsRequired": 1, "perms": [Perm::AuditRead]});
    admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().parse().unwrap()
}

/// Whoever answers a leak is not held up by it; but nobody gives what cannot be read.
async fn holders_of_a_role_that_somebody_changed_are_locked_and_lose_roles(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let (spoilt, good) = (role(&admin, "spoilt").await, role(&admin, "good").await);
    let eve = format!("/api/v2/identities/{}", admin.create_person("eve", &[spoilt, good]).await);
    let bob = format!("/api/v2/identities/{}", admin.create_person("bob", &[good]).await);
    harm(&app, "UPDATE roles SET perms = '{}' WHERE name = 'spoilt'");
    let give = async |who: &str, roles: &[RoleId]| admin.patch(who, json!({"roleUuids": roles})).await;
    give(&bob, &[good, spoilt]).await.refused(503, "Unavailable", None);
    assert_eq!(give(&eve, &[spoilt]).await.response()["roleUuids"], json!([spoilt]), "it stays, and another goes");
    give(&eve, &[spoilt, good]).await.refused(503, "Unavailable", None);
    assert_eq!(admin.post_nothing(&format!("{eve}/lock")).await.response()["locked"], true);
    admin.post_nothing(&format!("{eve}/unlock")).await.response();
    assert_eq!(give(&eve, &[good]).await.response()["roleUuids"], json!([good]));
    let ann = admin.create_person("ann", &[good]).await;
    harm(&app, "UPDATE roles SET perms = '{}' WHERE name = 'good'");
    admin.delete(&format!("/api/v2/identities/{ann}")).await.response();
    assert_eq!(told(&admin, 2).await, ["roles"; 2]);
}

async fn a_role_whose_assignment_somebody_changed_is_withdrawn_and_given_again(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let (spoilt, good) = (role(&admin, "spoilt").await, role(&admin, "good").await);
    let rows = format!("FROM identity_roles WHERE role_id = '{spoilt}'");
    let eve = format!("/api/v2/identities/{}", admin.create_person("eve", &[spoilt, good]).await);
    let give = async |roles: &[RoleId]| {
        let given = admin.patch(&eve, json!({"roleUuids": roles})).await.response()["roleUuids"].clone();
        given.as_array().unwrap().len()
    };
    harm(&app, &format!("UPDATE identity_roles SET assigned_at_ms = 1 WHERE role_id = '{spoilt}'"));
    assert_eq!(give(&[good]).await, 1);
    assert_eq!(app.harm(&format!("DELETE {rows}")), 0, "nothing is left to restore");
    assert_eq!(give(&[spoilt, good]).await, 2);
    harm(&app, &format!("UPDATE identity_roles SET assigned_at_ms = 1 WHERE role_id = '{spoilt}'"));
    assert_eq!(give(&[spoilt, good]).await, 2, "given again");
    assert_eq!(elsewhere(&app, &["eve"]).await.get("/api/v2/audit").await.status, 200);
}

async fn a_setting_that_somebody_wrote_opens_nothing(postgres: bool) {
    let app = TestApp::with(Setup { postgres, api_access: false, ..Setup::default() }).await;
    harm(&app, "UPDATE settings SET value = 'true' WHERE name = 'apiAccess'");
    let reply = elsewhere(&app, &["Admin1", "Admin2"]).await.get("/api/v2/identities/stubs").await;
    assert_eq!(reply.json["errorCode"], "ApiAccessDisabled", "{}", reply.text());
}

async fn a_seat_in_a_session_gives_nothing(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let eve = app.with_perms("eve", &[Perm::AuditRead]).await;
    let (eve_id, bearer) = (admin.identity_uuid("eve").await, eve.bearer.clone().unwrap());
    for (seat, name) in [(1, "Admin1"), (2, "Admin2")] {
        harm(
            &app,
            &format!(
                "INSERT INTO session_seats (session_id, seat, identity_id, roles, mac) \
                 SELECT mine.session_id, {seat}, theirs.identity_id, theirs.roles, theirs.mac \
                 FROM session_seats AS mine, session_seats AS theirs JOIN identities ON identities.id = theirs.identity_id \
                 WHERE mine.identity_id = '{eve_id}' AND mine.seat = 0 AND identities.name = '{name}' LIMIT 1"
            ),
        );
    }
    let there = Client::new(app.other_node().await).with_bearer(&bearer);
    let reply = there.get("/api/v2/system/settings").await;
    assert!(![200, 500].contains(&reply.status.as_u16()), "{}", reply.text());
    admin.get("/api/v2/system/settings").await.response();
}

/// A secret moved to another identity, a key that ends later, a copy, and a scope taken away.
async fn an_api_key_that_somebody_wrote_lets_nobody_in(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let make = async |name: &str| {
        let body = json!({"name": name, "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
        let made = admin.post("/api/v2/identities", body).await.response().clone();
        let text = |member: &str| made[member].as_str().unwrap().to_owned();
        (text("uuid"), text("apiKey"))
    };
    let (eve, of_eve) = make("eve").await;
    let (till, of_till) = make("till").await;
    let (_, of_bob) = make("bob").await;
    let key = json!({"name": "short", "expiresAt": "2026-06-21T12:05:00Z", "networks": ["10.0.0.0/8"]});
    let short = admin.post(&format!("/api/v2/identities/{till}/api-keys"), key).await.response().clone();
    harm(&app, &format!("UPDATE api_keys SET identity_id = '{till}', name_key = 'x' WHERE identity_id = '{eve}'"));
    harm(&app, "UPDATE api_keys SET expires_at_ms = NULL, content = '{}' WHERE name = 'short'");
    harm(
        &app,
        "INSERT INTO api_keys (id, identity_id, name, name_key, key_hash, version, created_at_ms, content, mac) \
         SELECT '00000000-0000-4000-8000-000000000000', identity_id, name, 'copy', mac, version, created_at_ms, \
         content, mac FROM api_keys WHERE name = 'first key' AND name_key = 'first key' \
         AND identity_id = (SELECT id FROM identities WHERE name = 'bob')",
    );
    let there = app.other_node().await;
    for (secret, status) in
        [(of_eve.as_str(), 401), (short["apiKey"].as_str().unwrap(), 401), (&of_till, 200), (&of_bob, 200)]
    {
        let bearer = Client::new(there.clone()).with_bearer(secret);
        assert_eq!(bearer.get("/api/v2/identities/stubs").await.status, status);
        let credentials = json!({"authType": "apikey", "authCredentials": {"apiKey": secret}});
        assert_eq!(Client::new(there.clone()).post("/home/v1/login", credentials).await.status, status);
    }
    let keys = admin.get(&format!("/api/v2/identities/{till}/api-keys")).await.response()["results"].clone();
    assert_eq!(keys.as_array().unwrap().len(), 1, "only what is as it was written: {keys}");
    let told = told(&admin, 3).await;
    assert!(told.iter().all(|table| table == "api_keys"), "{told:?}");
}

async fn a_certificate_is_neither_trusted_nor_valid_again_by_the_database(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let root = root(&admin).await;
    let issued_one = issued(&admin, "Issuing Certificate Authority", &root).await;
    let revoked = issued_one["certificateUuid"].as_str().unwrap();
    admin.post(&format!("/api/v2/x509/{revoked}/revoke"), json!({"reason": "keyCompromise"})).await.response();
    let untrusted =
        with(body(&admin, "Issuing Certificate Authority").await, json!({"issuerUuid": root, "trustCert": false}));
    let untrusted = generate(&admin, untrusted).await["certificateUuid"].as_str().unwrap().to_owned();
    harm(
        &app,
        &format!("UPDATE certificates SET revoked_at_s = NULL, revocation_reason = NULL WHERE id = '{revoked}'"),
    );
    harm(&app, &format!("UPDATE certificates SET trusted = 1 WHERE id = '{untrusted}'"));
    for issuer in [revoked, &untrusted] {
        let body = with(body(&admin, "Issuing Certificate Authority").await, json!({"issuerUuid": issuer}));
        admin.post("/api/v2/x509/generate", body).await.refused(503, "Unavailable", None);
        admin.get(&format!("/api/v2/x509/{issuer}")).await.refused(503, "Unavailable", None);
    }
    issued(&admin, "Issuing Certificate Authority", &root).await;
    let list = admin.get("/api/v2/x509/certificates/stubs").await;
    assert!(list.status.as_u16() < 500, "{}", list.text());
    let tables = told(&admin, 2).await;
    assert_eq!(tables, ["certificates"; 2]);
}

/// Whatever of its row is damaged, an identity logs in or is refused as unavailable, and is told of.
async fn an_identity_whose_row_is_damaged_is_no_fault_of_ours(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let bytes = if postgres { "'\\x00'" } else { "X'00'" };
    let mut harms = vec![
        "name = 'another'".to_owned(),
        "kind = 'Application'".to_owned(),
        "kind = 'Nothing'".to_owned(),
        "password = 'no hash'".to_owned(),
        "password = NULL".to_owned(),
        format!("api_key_hash = {bytes}"),
        "locked = 7".to_owned(),
        "created_at_ms = created_at_ms + 1".to_owned(),
        "password_changed_at_ms = -1".to_owned(),
        format!("mac = {bytes}"),
        "mac = NULL".to_owned(),
    ];
    if !postgres {
        // Any type in any column.
        harms.extend(["locked = 1.5", "locked = 'x'", "password = X'ff'", "kind = 7", "name = 1.5"].map(str::to_owned));
    }
    for (number, harm_done) in harms.iter().enumerate() {
        let name = format!("person {number}");
        admin.create_person(&name, &[RoleId::APPLICATION]).await;
        let row = format!("WHERE name_key = '{name}'");
        assert_eq!(app.nobody().log_in(&name, PASSWORD).await.status, 200);
        harm(&app, &format!("UPDATE identities SET {harm_done} {row}"));
        for password in [PASSWORD, "wrong password"] {
            let reply = app.nobody().log_in(&name, password).await;
            assert_eq!(reply.status, 503, "{harm_done}: {}", reply.text());
        }
        assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status, 200, "{harm_done}: the others go on");
    }
    // After the last harm: a second opening in one process takes SQLite's locks away, which the other program would need.
    let there = app.other_node().await;
    for (number, harm_done) in harms.iter().enumerate() {
        let reply = Client::new(there.clone()).log_in(&format!("person {number}"), PASSWORD).await;
        assert_eq!(reply.status, 503, "{harm_done}: {}", reply.text());
    }
    let told = told(&admin, harms.len() as u64).await;
    assert!(told.iter().all(|table| table == "identities"), "{told:?}");
}

async fn control_rules_that_somebody_wrote_reveal_nothing(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let [opened, other] = [token_profile(&admin).await, token_profile_named(&admin, "others").await];
    let call = "detokenize";
    let path = |profile: &str| format!("/api/v2/token-profiles/{profile}/{call}");
    let body = json!({"token": "4111111111111111"});
    admin.post(&path(&opened), body.clone()).await.refused(403, "NotAuthorized", None);
    let rule = format!("[{{\"roleUuid\":\"{}\",\"operation\":\"Detokenize\"}}]", RoleId::ADMINISTRATOR);
    harm(&app, &format!("UPDATE token_profiles SET control_rules = '{rule}' WHERE id = '{opened}'"));
    let there = elsewhere(&app, &["Admin1", "Admin2"]).await;
    there.post(&path(&opened), body.clone()).await.refused(503, "Unavailable", None);
    there.post(&path(&other), body).await.refused(403, "NotAuthorized", None);
    assert_eq!(told(&there, 1).await, ["token_profiles"]);
}

async fn a_revocation_that_somebody_changed_stops_the_list(postgres: bool) {
    let app = app(postgres).await;
    let admin = app.admin().await;
    let (root, other) = (root(&admin).await, root(&admin).await);
    for issuer in [&root, &other] {
        let leaf = issued(&admin, "TLS Client", issuer).await;
        let revoke = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
        admin.post(&revoke, json!({"reason": "keyCompromise"})).await.response();
    }
    harm(&app, &format!("UPDATE revocations SET issuer_id = '{other}', serial = '4A4A' WHERE issuer_id = '{root}'"));
    let list = async |issuer: &str| app.nobody().get(&format!("/crl/{issuer}.crl")).await;
    assert_eq!(list(&other).await.status, 503, "a list says nothing of which it does not know");
    harm(&app, "DELETE FROM revocations WHERE serial = '4A4A'");
    assert_eq!(list(&other).await.status, 200);
    assert_eq!(told(&admin, 1).await, ["revocations"]);
}
