//! What the settings make take a fresh second factor.

use chancery_core::{Host, Limits};
use chancery_testkit::Tool;
use chancery_types::{FreshFactorFor, Perm, RoleId, wire::system::PatchSettings};
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    authenticator::{ORIGIN, authenticator, confirm, enrol, passkeys_path},
    certificates::{body, issued, profile, root, with},
    client::{Client, Reply},
    client_certificates::bind,
    routes::tsa,
    second_factor::{self, log_in},
    signing::{DEPLOY, EC_P256, Signing},
    workloads::{BINDINGS, PROVIDERS, Workloads},
};

const SETTINGS: &str = "/api/v2/system/settings";
const ROLES: &str = "/api/v2/roles";

async fn demand(app: &TestApp, what: &[FreshFactorFor]) {
    let patch = PatchSettings { fresh_factor_for: Some(what.to_vec()), ..PatchSettings::default() };
    app.chancery.change_host_settings(&Host::running("settings"), patch).await.unwrap();
}

async fn make_role(client: &Client, name: &str) -> Reply {
    client.post(ROLES, json!({"name": name, "loginsRequired": 1, "perms": ["Audit:Read"]})).await
}

#[track_caller]
fn wants_a_factor(reply: &Reply) {
    assert!(reply.status == 403 && reply.text().contains("second factor"), "{}", reply.text());
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

#[tokio::test]
async fn a_certificate_that_logs_in_is_a_way_in_as_a_key_is() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let authority = root(&admin).await;
    let provider = admin.post(PROVIDERS, json!({"name": "own", "authorityUuid": authority})).await.response().clone();
    let role = json!({"name": "issuing", "loginsRequired": 1, "perms": [Perm::CertManageGenerate]});
    let role = admin.post(ROLES, role).await.response()["uuid"].as_str().unwrap().to_owned();
    let carol = app.person("carol", &[role.parse().unwrap()]).await;
    let ci = json!({"name": "ci", "kind": "Application", "roleUuids": [role]});
    let ci = admin.post("/api/v2/identities", ci).await.response().clone();
    for (name, identity) in
        [("carol", admin.identity_uuid("carol").await), ("ci", ci["uuid"].as_str().unwrap().to_owned())]
    {
        let subject = json!({"subject": format!("CN={name},O=Example")});
        bind(&admin, provider["objInfo"]["uuid"].as_str().unwrap(), &identity, subject).await;
    }
    let by_key = app.nobody().with_bearer(ci["apiKey"].as_str().unwrap());
    let least = body(&admin, "TLS Client").await;
    let generate = async |client: &Client, name: &str| {
        let names = json!({"subjectOneline": format!("CN={name},O=Example"), "issuerUuid": authority});
        client.post("/api/v2/x509/generate", with(least.clone(), names)).await
    };
    demand(&app, &[FreshFactorFor::Access]).await;
    wants_a_factor(&generate(&carol, "carol").await);
    let told = admin.get("/api/v2/audit?action=CertificateGenerate&outcome=NotAuthorized").await;
    assert_eq!(told.response()["total"], 1, "{}", told.text());
    wants_a_factor(&generate(&carol, "ci").await);
    wants_a_factor(&generate(&admin, "ci").await);
    wants_a_factor(&generate(&by_key, "carol").await);
    // Daily work, and what renews itself.
    generate(&carol, "other").await.response();
    generate(&by_key, "ci").await.response();
    // As the command line does it.
    let by_login = app.nobody();
    let login = json!({"authType": "apikey", "authCredentials": {"apiKey": ci["apiKey"]}});
    assert_eq!(by_login.post("/home/v1/login", login).await.status, 200);
    generate(&by_login, "ci").await.response();
    // Also where it would wait for approvals.
    admin.json("PUT", &format!("/api/v2/x509/{authority}/approval"), &json!({"numApprovals": 1})).await.response();
    wants_a_factor(&generate(&carol, "carol").await);
    let told = admin.get("/api/v2/audit?action=CertificateGenerate&outcome=NotAuthorized").await;
    assert_eq!(told.response()["total"], 5, "{}", told.text());
    let codes = second_factor::enrol(&app, "carol").await;
    let fresh = app.nobody();
    assert_eq!(log_in(&fresh, "carol", Some(&codes.code(0))).await.status, 200);
    assert_eq!(generate(&fresh, "carol").await.response()["state"], "Approval");
}

#[tokio::test]
async fn a_token_that_was_exchanged_becomes_no_certificate() {
    let workloads = Workloads::new().await;
    let admin = workloads.app.admin().await;
    let authority = root(&admin).await;
    let provider = admin.post(PROVIDERS, json!({"name": "own", "authorityUuid": authority})).await.response().clone();
    let role = json!({"name": "issuing", "loginsRequired": 1, "perms": [Perm::CertManageGenerate]});
    let role = admin.post(ROLES, role).await.response()["uuid"].clone();
    let pod = json!({"name": "pod", "kind": "Application", "roleUuids": [role]});
    let pod = admin.post("/api/v2/identities", pod).await.response()["uuid"].as_str().unwrap().to_owned();
    let names = json!({"subject": "CN=pod,O=Example"});
    bind(&admin, provider["objInfo"]["uuid"].as_str().unwrap(), &pod, names).await;
    let by_subject = workloads.binding_of(&pod, "by subject", json!({"subject": "workload-1"}));
    admin.post(BINDINGS, by_subject).await.response();
    let exchanged = workloads.exchange(&workloads.token(&[])).await;
    let client = workloads.app.nobody().with_bearer(exchanged.json["token"].as_str().unwrap());
    let names = json!({"subjectOneline": "CN=pod,O=Example", "issuerUuid": authority});
    let wanted = with(body(&admin, "TLS Client").await, names);
    client.post("/api/v2/x509/generate", wanted.clone()).await.response();
    demand(&workloads.app, &[FreshFactorFor::Access]).await;
    wants_a_factor(&client.post("/api/v2/x509/generate", wanted).await);
}

#[tokio::test]
async fn a_service_is_deployed_by_whoever_may_make_its_key() {
    let signing = Signing::new().await;
    for what in [FreshFactorFor::Custody, FreshFactorFor::Rules] {
        demand(&signing.app, &[what]).await;
        wants_a_factor(&tsa::deploy(&signing, "stamps", EC_P256, json!({})).await);
        wants_a_factor(&signing.admin.post(DEPLOY, signing.deployment("builds", 0)).await);
    }
    let told = signing.admin.get("/api/v2/audit?action=ServiceDeploy&outcome=NotAuthorized").await;
    assert_eq!(told.response()["total"], 4, "{}", told.text());
    demand(&signing.app, &[FreshFactorFor::Custody]).await;
    let both = coded(&signing.app).await;
    both.post(DEPLOY, signing.deployment("builds", 0)).await.response();
    let signing = Signing { admin: both, ..signing };
    tsa::deploy(&signing, "stamps", EC_P256, json!({})).await.response();
}

#[tokio::test]
async fn an_authority_for_whatever_key_and_the_end_of_a_hold_are_held_up_as_keys_are() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let authority = root(&admin).await;
    let leaf = issued(&admin, "TLS Client", &authority).await;
    let request = async |client: &Client, name: &str| {
        let csr = Tool::new("openssl").args(["req", "-new", "-nodes", "-config", "/dev/null", "-keyout", "/dev/null"]);
        let csr = csr.args(["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=outside"]).run();
        let wanted = json!({
            "serviceOrIssuerUuid": authority, "csr": csr.text(), "certProfileUuid": profile(client, name).await,
            "certParams": {"validityPeriod": {"unit": "Day", "amount": "30"}},
        });
        client.post("/api/v2/x509/requests", wanted).await
    };
    let path = |made: &Value, what: &str| format!("/api/v2/x509/{}/{what}", made["certificateUuid"].as_str().unwrap());
    let stamp = request(&admin, "Time Stamping").await.response().clone();
    demand(&app, &[FreshFactorFor::Custody]).await;
    for name in ["Issuing Certificate Authority", "Time Stamping"] {
        wants_a_factor(&request(&admin, name).await);
    }
    admin.saw_audited("CertificateRequest").await;
    wants_a_factor(&admin.post(&path(&stamp, "renew"), json!({})).await);
    // Daily work.
    request(&admin, "TLS Client").await.response();
    admin.post(&path(&leaf, "renew"), json!({})).await.response();
    // To stop it is not held up.
    admin.post(&path(&leaf, "revoke"), json!({"reason": "certificateHold"})).await.response();
    wants_a_factor(&admin.post_nothing(&path(&leaf, "release")).await);
    admin.saw_audited("CertificateRelease").await;
    let both = coded(&app).await;
    request(&both, "Issuing Certificate Authority").await.response();
    assert_eq!(both.post_nothing(&path(&leaf, "release")).await.response()["status"], "Valid");
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
