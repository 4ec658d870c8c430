//! What the settings make take a fresh second factor.

use chancery_core::{Host, Limits};
use chancery_types::{FreshFactorFor, RoleId, wire::system::PatchSettings};
use serde_json::json;

use crate::{
    app::{Setup, TestApp},
    authenticator::{ORIGIN, authenticator, confirm, enrol, passkeys_path},
    client::Client,
    second_factor::{self, log_in},
};

const SETTINGS: &str = "/api/v2/system/settings";
const ROLES: &str = "/api/v2/roles";

async fn demand(app: &TestApp, what: &[FreshFactorFor]) {
    let patch = PatchSettings { fresh_factor_for: Some(what.to_vec()), ..PatchSettings::default() };
    app.chancery.change_host_settings(&Host::running("settings"), patch).await.unwrap();
}

async fn make_role(client: &Client, name: &str) -> crate::client::Reply {
    client.post(ROLES, json!({"name": name, "loginsRequired": 1, "perms": ["Audit:Read"]})).await
}

/// The administrators with codes, in a session of both.
async fn coded(app: &TestApp) -> Client {
    let codes = [second_factor::enrol(app, "Admin1").await, second_factor::enrol(app, "Admin2").await];
    let client = app.nobody();
    for (name, codes) in ["Admin1", "Admin2"].into_iter().zip(&codes) {
        assert_eq!(log_in(&client, name, Some(&codes.code(0))).await.status, 200);
    }
    client
}

#[tokio::test]
async fn it_is_demanded_of_everybody_in_the_session_and_lasts_ten_minutes() {
    let app = TestApp::new().await;
    demand(&app, &[FreshFactorFor::Access]).await;
    let by_password = app.admin().await;
    let refused = make_role(&by_password, "a").await;
    refused.refused(403, "NotAuthorized", None);
    assert!(refused.text().contains("second factor"), "{}", refused.text());
    by_password.saw_audited("RoleCreate").await;
    by_password.get("/api/v2/audit").await.response();
    // One of two is not enough.
    let codes = second_factor::enrol(&app, "Admin1").await;
    let mixed = app.nobody();
    log_in(&mixed, "Admin1", Some(&codes.code(0))).await;
    log_in(&mixed, "Admin2", None).await;
    make_role(&mixed, "a").await.refused(403, "NotAuthorized", None);
    second_factor::lose(&app, "Admin1").await;

    let both = coded(&app).await;
    make_role(&both, "a").await.response();
    let minutes = Limits::default().token_lifetime.as_millis() as i64;
    app.clock.advance_ms(minutes - 1);
    make_role(&both, "b").await.response();
    app.clock.advance_ms(1);
    make_role(&both, "c").await.refused(403, "NotAuthorized", None);
    both.get("/api/v2/roles/stubs").await.response();
    // What takes away only is not held up.
    let uuid = both.identity_uuid("Admin1").await;
    both.post_nothing(&format!("/api/v2/identities/{uuid}/lock")).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn for_how_long_records_are_kept_is_changed_by_who_may_export_them() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let retention = json!({"auditRetention": {"atHandDays": 90, "keepDays": 90}});
    demand(&app, &[FreshFactorFor::Access]).await;
    admin.patch(SETTINGS, retention.clone()).await.response();
    demand(&app, &[FreshFactorFor::Exports]).await;
    admin.patch(SETTINGS, retention).await.refused(403, "NotAuthorized", None);
    admin.patch(SETTINGS, json!({"apiAccess": true})).await.response();
}

#[tokio::test]
async fn a_passkey_is_one_too_and_a_key_never_is() {
    let app = TestApp::with(Setup { public_origin: Some(ORIGIN.to_owned()), ..Setup::default() }).await;
    let admin = app.admin().await;
    let (carol, path) =
        (app.person("carol", &[RoleId::AUDITOR]).await, passkeys_path(&admin.identity_uuid("carol").await));
    let mut key = authenticator();
    let made = enrol(&carol, &path, "laptop", &key).await.response().clone();
    confirm(&admin, &path, &made).await.response();
    let uuid = admin.identity_uuid("carol").await;
    let api_key = admin.post(&format!("/api/v2/identities/{uuid}/api-keys"), json!({"name": "k"})).await;
    let by_key = app.nobody().with_bearer(api_key.response()["apiKey"].as_str().unwrap());
    demand(&app, &[FreshFactorFor::Exports]).await;
    const EXPORT: &str = "/api/v2/audit/export";
    for refused in [&carol, &by_key] {
        refused.get(EXPORT).await.refused(403, "NotAuthorized", None);
        refused.get("/api/v2/audit").await.response();
    }
    let by_passkey = app.nobody();
    let passkey = key.sign(&app.nobody().post_nothing("/home/v1/login/passkey").await.json);
    let mut proof = second_factor::proof("carol", None);
    proof["passkey"] = passkey;
    let reply = by_passkey.post("/home/v1/login", json!({"authType": "userpass", "authCredentials": proof})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(by_passkey.get(EXPORT).await.status, 200);
}

#[tokio::test]
async fn who_has_none_neither_demands_it_nor_takes_the_demand_back() {
    let app = TestApp::new().await;
    let by_password = app.admin().await;
    let all = json!({"freshFactorFor": ["Rules", "Access", "Access"]});
    by_password.patch(SETTINGS, all.clone()).await.refused(403, "NotAuthorized", None);
    by_password.patch(SETTINGS, json!({"apiAccess": true})).await.response();
    let both = coded(&app).await;
    assert_eq!(both.patch(SETTINGS, all).await.response()["freshFactorFor"], json!(["Access", "Rules"]));
    by_password.patch(SETTINGS, json!({"freshFactorFor": []})).await.refused(403, "NotAuthorized", None);
    by_password.patch(SETTINGS, json!({"apiAccess": true})).await.response();
    both.patch(SETTINGS, json!({"freshFactorFor": ["Nothing"]})).await.refused(
        400,
        "InvalidSelection",
        Some("/freshFactorFor/0"),
    );
    let records = both.get("/api/v2/audit?action=SettingsChange").await;
    let changed = &records.response()["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["outcome"] == "Success" && one["detail"]["freshFactorFor"].is_array())
        .unwrap()["detail"];
    assert_eq!(changed["changes"][0]["member"], "/freshFactorFor/0", "{changed}");
    // Whoever has lost theirs is helped on the host.
    make_role(&by_password, "a").await.refused(403, "NotAuthorized", None);
    demand(&app, &[]).await;
    make_role(&by_password, "a").await.response();
}

#[tokio::test]
async fn a_session_without_one_becomes_neither_a_password_nor_a_key_of_its_own() {
    let app = TestApp::new().await;
    let carol = app.person("carol", &[RoleId::AUDITOR]).await;
    let own = format!("/api/v2/identities/{}", carol.identity_uuid("carol").await);
    carol.post(&format!("{own}/api-keys"), json!({"name": "before"})).await.response();
    demand(&app, &[FreshFactorFor::Access]).await;
    let password = json!({"password": chancery_types::Base64::encode(b"another long password")});
    carol.post(&format!("{own}/password"), password.clone()).await.refused(403, "NotAuthorized", None);
    carol.saw_audited("PasswordChange").await;
    carol.post(&format!("{own}/api-keys"), json!({"name": "k"})).await.refused(403, "NotAuthorized", None);
    carol.get(&format!("{own}/api-keys")).await.response();
    let codes = second_factor::enrol(&app, "carol").await;
    let fresh = app.nobody();
    assert_eq!(log_in(&fresh, "carol", Some(&codes.code(0))).await.status, 200);
    fresh.post(&format!("{own}/api-keys"), json!({"name": "k"})).await.response();
    fresh.post(&format!("{own}/password"), password).await.response();
}

#[tokio::test]
async fn what_makes_keys_or_ships_the_audit_is_held_up_too() {
    let app = TestApp::new().await;
    demand(&app, FreshFactorFor::ALL).await;
    let by_password = app.admin().await;
    let service = "/api/v2/x509/services/00000000-0000-4000-8000-000000000000/renew";
    for (path, body) in [
        ("/api/v2/x509/import-key", json!({"pkcs12": "AAAA", "password": "AAAA"})),
        (service, json!({})),
        ("/api/v2/x509/import", json!({"certificates": "AAAA", "trustCert": true})),
        ("/api/v2/audit/targets", json!({"name": "away"})),
    ] {
        let refused = by_password.post(path, body).await;
        assert!(refused.status == 403 && refused.text().contains("second factor"), "{path}: {}", refused.text());
    }
}

/// Roles that were given while the clock was ahead make a seat later than its login.
#[tokio::test]
async fn a_clock_that_was_ahead_makes_no_factor_fresher() {
    let app = TestApp::new().await;
    demand(&app, &[FreshFactorFor::Access]).await;
    let codes = [second_factor::enrol(&app, "Admin1").await, second_factor::enrol(&app, "Admin2").await];
    const AHEAD: i64 = 2 * 3_600_000;
    demand(&app, &[]).await;
    app.clock.advance_ms(AHEAD);
    let admin = app.nobody();
    for (name, codes) in ["Admin1", "Admin2"].into_iter().zip(&codes) {
        assert_eq!(log_in(&admin, name, Some(&codes.code(0))).await.status, 200);
    }
    admin.create_person("tim", &[RoleId::AUDITOR]).await;
    app.clock.advance_ms(-AHEAD);
    demand(&app, &[FreshFactorFor::Exports]).await;
    let of_tim = second_factor::enrol(&app, "tim").await;
    let tim = app.nobody();
    assert_eq!(log_in(&tim, "tim", Some(&of_tim.code(0))).await.status, 200);
    assert_eq!(tim.get("/api/v2/audit/export").await.status, 200);
    app.clock.advance_ms(Limits::default().token_lifetime.as_millis() as i64);
    tim.get("/api/v2/audit/export").await.refused(403, "NotAuthorized", None);
}
