//! `chancery recover`, behind the door: who is let in again on the host, who answers for it, and the alarm.

use chancery_core::{Answering, Host, Meaning, Recover, Recovered, RequestId, RequestInfo, Visitor};
use chancery_types::{RecoveredBy, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    authenticator::{self, ORIGIN, authenticator, passkeys_path},
    client::Client,
    second_factor::{carol, enrol, log_in},
};

const HOST: Host = Host::running("chancery recover");

fn by(name: &str, password: &str, code: Option<String>) -> Answering {
    Answering::new(name, password, code)
}

async fn recover(app: &TestApp, name: &str, by: Vec<Answering>, emergency: Option<&str>) -> Result<Recovered, Meaning> {
    let recover = Recover { name: name.to_owned(), by, emergency: emergency.map(str::to_owned), keeps_password: false };
    app.chancery.identities.recover_from_host(&HOST, recover).await.map_err(|error| error.meaning())
}

fn admins() -> Vec<Answering> {
    vec![by("Admin1", PASSWORD, None), by("ADMIN2", PASSWORD, None)]
}

/// How many were recovered by two, by one, and by the host alone. The gauges are the process's, which tests share.
fn alarms(app: &TestApp) -> Vec<usize> {
    let request = RequestInfo { id: RequestId(1), source: [127, 0, 0, 1].into() };
    let counts = app.chancery.identities.recoveries(&Visitor { request });
    let by: Vec<_> = counts.iter().map(|(by, _)| *by).collect();
    assert_eq!(by, [RecoveredBy::Two, RecoveredBy::One, RecoveredBy::Host]);
    counts.into_iter().map(|(_, count)| count).collect()
}

/// The newest record of a recovery.
async fn record(client: &Client) -> Value {
    client.get("/api/v2/audit?action=IdentityRecover").await.response()["items"][0].clone()
}

#[tokio::test]
async fn two_others_let_somebody_in_again_who_lost_the_codes_and_the_password() {
    let app = TestApp::new().await;
    let (authenticator, uuid) = carol(&app).await;
    let session = app.nobody();
    assert_eq!(log_in(&session, "carol", Some(&authenticator.code(0))).await.status, 200);
    let admin = app.admin().await;
    let done = recover(&app, "CAROL", admins(), None).await.unwrap();
    let once = done.password.unwrap();
    let path = format!("/api/v2/identities/{uuid}");
    let shown = admin.get(&path).await.response().clone();
    assert_eq!((shown.get("totp"), &shown["oneTimePasswordUntil"]), (None, &json!("2026-06-22T12:00:00.500Z")));
    assert_eq!((&shown["recovery"]["by"], shown["recovery"].get("reason")), (&json!("Two"), None));
    assert_eq!(shown["recovery"]["identities"][1]["name"], "Admin2");
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    assert_eq!(app.nobody().log_in("carol", PASSWORD).await.status, 401);
    assert_eq!(app.nobody().log_in("carol", &once).await.status, 409);

    let told = record(&admin).await;
    assert_eq!((&told["requestId"], &told["objectUuid"]), (&json!("chancery recover"), &json!(uuid)));
    assert!(told["account"]["uid"].is_number(), "{told}");
    let names: Vec<_> = told["identities"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(
        (names, &told["identities"][0]["login"]["way"]),
        (vec![json!("Admin1"), json!("Admin2")], &json!("Password"))
    );
    assert_eq!((&told["detail"]["by"], &told["detail"]["name"]), (&json!("Two"), &json!("carol")));
    assert!(!told.to_string().contains(once.as_str()), "{told}");
    let notices = admin.get("/api/v2/notices?kind=IdentityRecovered").await;
    let notice = &notices.response()["items"][0];
    assert_eq!((&notice["objectKind"], &notice["objectUuid"]), (&json!("Identity"), &json!(uuid)));
    assert_eq!(alarms(&app), [1, 0, 0]);

    // It stays, also over a restart, until somebody has looked.
    let app = app.restarted().await;
    assert_eq!(alarms(&app), [1, 0, 0]);
    let admin = app.admin().await;
    admin.patch(&path, json!({"recoveryAcknowledged": false})).await.refused(
        400,
        "InvalidValue",
        Some("/recoveryAcknowledged"),
    );
    assert_eq!(admin.patch(&path, json!({"recoveryAcknowledged": true})).await.response().get("recovery"), None);
    admin.saw_audited("IdentityChange").await;
    assert_eq!(alarms(&app), [0, 0, 0]);
    let again = admin.patch(&path, json!({"recoveryAcknowledged": true})).await;
    again.refused(409, "InvalidState", Some("/recoveryAcknowledged"));
}

#[tokio::test]
async fn who_answers_proves_it_and_could_give_as_much() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for (name, role) in [("carol", RoleId::APPROVER), ("dave", RoleId::APPROVER)] {
        admin.create_person(name, &[role]).await;
    }
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let pair = |one: &str, other: &str| vec![by(one, PASSWORD, None), by(other, PASSWORD, None)];
    use Meaning as M;
    let cases = [
        (vec![by("Admin1", PASSWORD, None), by("Admin2", "wrong password", None)], M::Unauthenticated),
        (vec![by("Admin1", PASSWORD, None), by("nobody at all", PASSWORD, None)], M::Unauthenticated),
        (pair("Admin1", "admin1"), M::Value),
        (pair("Admin1", "carol"), M::Value),
        (pair("Admin1", "dave"), M::Forbidden),
        (vec![by("Admin1", PASSWORD, None)], M::State),
        (Vec::new(), M::State),
    ];
    for (number, (answering, expected)) in cases.into_iter().enumerate() {
        assert_eq!(recover(&app, "carol", answering, None).await.err(), Some(expected), "{number}");
    }
    // Officers manage identities, and hold less than an administrator.
    assert_eq!(recover(&app, "Admin1", pair("officer1", "officer2"), None).await.err(), Some(M::Forbidden));
    assert_eq!(recover(&app, "nobody at all", admins(), None).await.err(), Some(M::NotFound));
    assert_eq!(app.nobody().log_in("carol", PASSWORD).await.status, 200);
    let refused = app.admin().await.get("/api/v2/audit?action=IdentityRecover&pageSize=100").await;
    let outcomes: Vec<_> =
        refused.response()["items"].as_array().unwrap().iter().map(|one| one["outcome"].clone()).collect();
    assert_eq!(outcomes.iter().filter(|one| *one == "InvalidAuthToken").count(), 2, "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|one| *one == "NotAuthorized").count(), 2, "{outcomes:?}");
    assert_eq!(alarms(&app), [0, 0, 0]);
}

#[tokio::test]
async fn who_answers_and_has_codes_gives_one_which_is_used_up() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    admin.create_person("carol", &[RoleId::APPROVER]).await;
    let codes = enrol(&app, "Admin1").await;
    let with = |code: Option<String>| vec![by("Admin1", PASSWORD, code), by("Admin2", PASSWORD, None)];
    assert_eq!(recover(&app, "carol", with(None), None).await.err(), Some(Meaning::Unauthenticated));
    assert_eq!(recover(&app, "carol", with(Some("12".to_owned())), None).await.err(), Some(Meaning::Malformed));
    recover(&app, "carol", with(Some(codes.code(0))), None).await.unwrap();
    assert_eq!(log_in(&app.nobody(), "Admin1", Some(&codes.code(0))).await.status, 401);
    assert_eq!(record(&app_admin(&app, &codes.code(1)).await).await["identities"][0]["login"]["way"], "Password+Totp");
}

/// A session of both administrators, of whom the first has codes.
async fn app_admin(app: &TestApp, code: &str) -> Client {
    let client = app.nobody();
    assert_eq!(log_in(&client, "Admin1", Some(code)).await.status, 200);
    assert_eq!(log_in(&client, "Admin2", None).await.status, 200);
    client
}

#[tokio::test]
async fn the_last_two_administrators_are_let_in_by_whoever_has_the_host_and_nobody_misses_it() {
    let app = TestApp::new().await;
    let one = app.admin().await.identity_uuid("Admin1").await;
    for name in ["Admin1", "Admin2"] {
        enrol(&app, name).await;
    }
    let reason = Some("both telephones were lost");
    assert_eq!(app.chancery.identities.who_answers_for(&HOST, "admin1").await.unwrap(), ["Admin2"]);
    let mut passwords = Vec::new();
    for name in ["Admin1", "Admin2"] {
        passwords.push(recover(&app, name, Vec::new(), reason).await.unwrap().password.unwrap());
    }
    assert!(app.chancery.identities.who_answers_for(&HOST, "admin1").await.unwrap().is_empty());
    assert_eq!(alarms(&app), [0, 0, 2]);
    for (name, once) in ["Admin1", "Admin2"].into_iter().zip(&passwords) {
        let mut body = crate::second_factor::proof_by(name, once, None);
        body["newPassword"] = json!(chancery_types::Base64::encode(PASSWORD.as_bytes()));
        assert_eq!(app.nobody().post("/home/v1/login/password", body).await.status, 200);
    }
    let admin = app.admin().await;
    let told = record(&admin).await;
    assert_eq!((&told["identities"], &told["detail"]["reason"]), (&json!([]), &json!(reason)));
    // They have nobody else who could look, so the alarm outlasts them for a day.
    let path = format!("/api/v2/identities/{one}");
    assert_eq!(admin.get(&path).await.response()["recovery"]["reason"], json!(reason));
    let acknowledged = json!({"recoveryAcknowledged": true});
    admin.patch(&path, acknowledged.clone()).await.refused(409, "InvalidState", Some("/recoveryAcknowledged"));
    app.clock.advance_ms(24 * 60 * 60 * 1_000);
    app.admin().await.patch(&path, acknowledged).await.response();
    assert_eq!(alarms(&app), [0, 0, 1]);
}

#[tokio::test]
async fn who_was_recovered_answers_for_nobody_and_acknowledges_nothing_while_others_can() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for name in ["Admin3", "Admin4"] {
        admin.create_person(name, &[RoleId::ADMINISTRATOR, RoleId::SECURITY_OFFICER]).await;
    }
    let uuid = admin.identity_uuid("Admin3").await;
    for name in ["Admin3", "Admin4"] {
        let recover =
            Recover { name: name.to_owned(), by: Vec::new(), emergency: Some("test".to_owned()), keeps_password: true };
        assert!(app.chancery.identities.recover_from_host(&HOST, recover).await.unwrap().password.is_none());
    }
    let pair = vec![by("Admin3", PASSWORD, None), by("Admin4", PASSWORD, None)];
    assert_eq!(recover(&app, "Admin1", pair, None).await.err(), Some(Meaning::Forbidden));
    let (path, body) = (format!("/api/v2/identities/{uuid}"), json!({"recoveryAcknowledged": true}));
    let recovered = app.logged_in(&[("Admin3", PASSWORD), ("Admin4", PASSWORD)]).await;
    recovered.patch(&path, body.clone()).await.refused(403, "NotAuthorized", Some("/recoveryAcknowledged"));
    let mixed = app.logged_in(&[("Admin3", PASSWORD), ("Admin2", PASSWORD)]).await;
    mixed.patch(&path, body).await.response();
}

#[tokio::test]
async fn the_recovered_make_nobody_who_acknowledges_it_or_answers_for_the_next() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for name in ["Admin3", "Admin4"] {
        admin.create_person(name, &[RoleId::ADMINISTRATOR]).await;
    }
    app.clock.advance_ms(1_000);
    let uuid = admin.identity_uuid("Admin1").await;
    for name in ["Admin1", "Admin2"] {
        let emergency = Some("test".to_owned());
        let recover = Recover { name: name.to_owned(), by: Vec::new(), emergency, keeps_password: true };
        app.chancery.identities.recover_from_host(&HOST, recover).await.unwrap();
    }
    app.clock.advance_ms(1_000);
    let recovered = app.admin().await;
    for name in ["Zed", "Zoe"] {
        recovered.create_person(name, &[RoleId::ADMINISTRATOR]).await;
    }
    let (path, body) = (format!("/api/v2/identities/{uuid}"), json!({"recoveryAcknowledged": true}));
    for other in ["Zed", "Admin2"] {
        let session = app.logged_in(&[("Admin1", PASSWORD), (other, PASSWORD)]).await;
        session.patch(&path, body.clone()).await.refused(403, "NotAuthorized", Some("/recoveryAcknowledged"));
    }
    let made = || vec![by("Zed", PASSWORD, None), by("Zoe", PASSWORD, None)];
    assert_eq!(recover(&app, "Admin3", made(), None).await.err(), Some(Meaning::Forbidden));
    assert_eq!(app.chancery.identities.who_answers_for(&HOST, "Admin1").await.unwrap(), ["Admin3", "Admin4"]);
    // Who was there before looks, and from then on everybody counts.
    let others = app.logged_in(&[("Admin3", PASSWORD), ("Admin4", PASSWORD)]).await;
    others.patch(&path, body.clone()).await.response();
    let second = others.identity_uuid("Admin2").await;
    others.patch(&format!("/api/v2/identities/{second}"), body).await.response();
    recover(&app, "Admin3", made(), None).await.unwrap();
}

#[tokio::test]
async fn who_was_recovered_with_the_same_password_decides_on_nothing_that_waited_before() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let before = admin.get(&format!("/api/v2/identities/{}", admin.identity_uuid("Admin1").await)).await;
    assert_eq!(before.response().get("passwordResetAt"), None);
    app.clock.advance_ms(1_000);
    let recover =
        Recover { name: "Admin1".to_owned(), by: Vec::new(), emergency: Some("test".to_owned()), keeps_password: true };
    let done = app.chancery.identities.recover_from_host(&HOST, recover).await.unwrap();
    assert!(done.identity.password_reset_at.is_some(), "trust begins anew");
}

#[tokio::test]
async fn one_other_answers_in_an_emergency() {
    let app = TestApp::new().await;
    enrol(&app, "Admin1").await;
    let one = || vec![by("Admin2", PASSWORD, None)];
    assert_eq!(recover(&app, "Admin1", one(), Some(" ")).await.err(), Some(Meaning::Value));
    let wrong = vec![by("Admin2", "wrong password", None)];
    assert_eq!(recover(&app, "Admin1", wrong, Some("lost")).await.err(), Some(Meaning::Unauthenticated));
    let done = recover(&app, "Admin1", one(), Some("lost")).await.unwrap();
    assert_eq!(done.identity.recovery.unwrap().by, RecoveredBy::One);
    assert_eq!(alarms(&app), [0, 1, 0]);
    assert_eq!(recover(&app, "Admin1", admins(), Some("lost")).await.err(), Some(Meaning::Value));
}

#[tokio::test]
async fn passkeys_and_api_keys_go_and_a_lock_stays() {
    let app = TestApp::with(Setup { public_origin: Some(ORIGIN.to_owned()), ..Setup::default() }).await;
    let admin = app.admin().await;
    let uuid = admin.create_person("carol", &[RoleId::APPROVER]).await;
    let (path, carol) = (passkeys_path(&uuid), app.logged_in(&[("carol", PASSWORD)]).await);
    let made = authenticator::enrol(&carol, &path, "telephone", &authenticator()).await;
    authenticator::confirm(&admin, &path, made.response()).await.response();
    let keys = format!("/api/v2/identities/{uuid}/api-keys");
    admin.post(&keys, json!({"name": "a key"})).await.response();
    admin.post_nothing(&format!("/api/v2/identities/{uuid}/lock")).await.response();
    let done = recover(&app, "carol", admins(), None).await.unwrap();
    assert!(done.identity.locked);
    for (path, list) in [(format!("/api/v2/identities/{uuid}/passkeys"), "results"), (keys, "results")] {
        assert_eq!(admin.get(&path).await.response()[list], json!([]), "{path}");
    }
    assert_eq!(app.nobody().log_in("carol", &done.password.unwrap()).await.status, 401);
}

#[tokio::test]
async fn an_application_gets_another_key_instead() {
    let app = TestApp::new().await;
    let body = json!({"name": "robot", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    app.admin().await.post("/api/v2/identities", body).await.response();
    assert_eq!(recover(&app, "robot", admins(), None).await.err(), Some(Meaning::State));
}
