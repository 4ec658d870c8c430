//! POST /home/v1/login with `authType` `ldap`.

use std::{cell::Cell, sync::atomic::Ordering, time::Duration};

use chancery_core::Host;
use chancery_types::{Base64, FreshFactorFor, RoleId, wire::system::PatchSettings};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, until},
    authenticator::authenticator,
    directories::{CAROL_ID, CAROL_PASSWORD, DAVE_ID, LOGIN, Mood, SERVICE_PASSWORD, Staff, described},
    people::{OIDC, bind},
    second_factor::enrol,
    workloads::{BINDINGS, PROVIDERS},
};

const REFUSED: &str = "The login is refused: unknown name, wrong password, code or key, or not allowed to log in now.";

#[tokio::test]
async fn whose_password_is_right_and_who_is_bound_logs_in() {
    let staff = Staff::new().await;
    let listed = staff.app.nobody().get(OIDC).await;
    assert_eq!(listed.json["directories"], json!([{"name": "staff", "uuid": staff.provider}]));
    let client = staff.app.nobody();
    let reply = staff.log_in(&client, "carol", CAROL_PASSWORD).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.json["response"]["fullyLoggedIn"], true);
    let whoami = client.get("/api/v2/whoami").await;
    let one = &whoami.response()["identities"][0];
    assert_eq!(one["name"], "carol jones", "{}", whoami.text());
    let token = json!({"bindingUuid": staff.binding, "issuer": "ldaps://ldap.example.org", "subject": CAROL_ID});
    assert_eq!(one["login"], json!({"way": "Ldap", "token": token}));
    let asked = staff.fake.asked.lock().unwrap().clone();
    let found = "by cn=kms,dc=example,dc=org below dc=example,dc=org";
    assert_eq!(asked, [("ldap.example.org:636 entryUUID".to_owned(), found.to_owned(), "carol".to_owned())]);
    // What ends a binding ends the session.
    staff.app.admin().await.delete(&format!("{BINDINGS}/{}", staff.binding)).await.response();
    assert_eq!(client.get("/api/v2/whoami").await.status, 401);
}

#[tokio::test]
async fn a_directory_is_one_way_for_one_of_two() {
    let staff = Staff::new().await;
    let admin = staff.app.admin().await;
    let identity = admin.create_person("root of the directory", &[RoleId::ADMINISTRATOR]).await;
    bind(&admin, &staff.provider, &identity, DAVE_ID).await;
    let client = staff.app.nobody();
    let first = staff.log_in(&client, "dave", CAROL_PASSWORD).await;
    assert_eq!((first.status.as_u16(), &first.json["response"]["fullyLoggedIn"]), (200, &json!(false)));
    let again = staff.log_in(&client, "dave", CAROL_PASSWORD).await;
    assert_eq!(again.status, 401, "the same account is no second person: {}", again.text());
    let second = json!({"authType": "userpass", "authCredentials": {"username": "Admin2", "password": Base64::encode(PASSWORD.as_bytes())}});
    let second = client.post(LOGIN, second).await;
    assert_eq!(
        (second.status.as_u16(), &second.json["response"]["fullyLoggedIn"]),
        (200, &json!(true)),
        "{}",
        second.text()
    );
}

#[tokio::test]
async fn what_no_directory_may_be_asked_is_refused_before() {
    let staff = Staff::new().await;
    let client = staff.app.nobody();
    let body = |change: &dyn Fn(&mut Value)| {
        let mut body = staff.body("carol", CAROL_PASSWORD, None);
        change(&mut body["authCredentials"]);
        body
    };
    let nobody = "00000000-0000-4000-8000-000000000000";
    let signed = json!({"ticket": "x", "credential": authenticator().get(&json!({"challenge": "x"}))});
    let cases: [(Value, &str); 14] = [
        (body(&|proof| proof["password"] = json!("")), "The password of a directory has"),
        (body(&|proof| proof["password"] = json!(Base64::encode(b"\0"))), "The password of a directory has"),
        (body(&|proof| proof["password"] = json!(Base64::encode(b"right\0"))), "The password of a directory has"),
        (body(&|proof| proof["password"] = json!(Base64::encode(&[b'x'; 1_025]))), "The password of a directory has"),
        (body(&|proof| proof["password"] = Value::Null), "authType ldap needs this member"),
        (body(&|proof| proof["username"] = json!("")), "a user name has"),
        (body(&|proof| proof["username"] = json!("carol\0")), "a user name has"),
        (body(&|proof| proof["username"] = json!("carol ")), "a user name has"),
        (body(&|proof| proof["username"] = json!("ca\u{ad}rol")), "a user name has"),
        (body(&|proof| proof["username"] = json!("x".repeat(256))), "a user name has"),
        (body(&|proof| proof["providerUuid"] = Value::Null), "authType ldap needs this member"),
        (body(&|proof| proof["providerUuid"] = json!(nobody)), "Nobody logs in by such a directory"),
        (body(&|proof| proof["totp"] = json!("12345")), "A one-time code has six digits"),
        (body(&|proof| proof["passkey"] = signed.clone()), "A passkey goes with a password of this installation"),
    ];
    for (body, why) in cases {
        let reply = client.post(LOGIN, body.clone()).await;
        assert_eq!(reply.status, 400, "{body}: {}", reply.text());
        assert!(
            reply.json["message"].as_str().is_some_and(|message| message.contains(why)),
            "{body}: {}",
            reply.text()
        );
    }
    // Switched off, it is none.
    staff.change(json!({"enabled": false})).await.response();
    assert_eq!(staff.log_in(&client, "carol", CAROL_PASSWORD).await.status, 400);
    assert_eq!(staff.app.nobody().get(OIDC).await.json["directories"], json!([]));
    assert_eq!(staff.fake.count(), 0);
}

#[tokio::test]
async fn a_refusal_says_nothing_and_the_audit_says_why() {
    let staff = Staff::new().await;
    let admin = staff.app.admin().await;
    let client = staff.app.nobody();
    for (name, password) in
        [("carol", "wrong"), ("nobody", CAROL_PASSWORD), ("twins", CAROL_PASSWORD), ("dave", CAROL_PASSWORD)]
    {
        let reply = staff.log_in(&client, name, password).await;
        assert_eq!((reply.status.as_u16(), &reply.json["message"]), (401, &json!(REFUSED)), "{name}");
    }
    admin.post_nothing(&format!("/api/v2/identities/{}/lock", staff.carol)).await.response();
    assert_eq!(staff.log_in(&client, "carol", CAROL_PASSWORD).await.json["message"], REFUSED);
    staff.fake.set(Mood::NoId);
    assert_eq!(staff.log_in(&client, "carol", CAROL_PASSWORD).await.json["message"], REFUSED);
    let refusals = staff.app.refused_logins().await;
    let mut why: Vec<_> = refusals.iter().map(|(detail, _)| detail["why"].as_str().unwrap().to_owned()).collect();
    why.sort();
    assert_eq!(why, ["Locked", "NoEntry", "NoId", "Password", "SeveralEntries", "Unbound"]);
    for (detail, identities) in &refusals {
        assert_eq!((&detail["way"], &detail["providerUuid"]), (&json!("Ldap"), &json!(staff.provider)));
        assert_eq!(detail["nameHash"].as_str().map(str::len), Some(64), "{detail}");
        let is_known = detail["why"] == "Locked";
        assert_eq!(identities.as_array().unwrap().len(), usize::from(is_known), "{detail}");
    }
}

#[tokio::test]
async fn a_refusal_takes_half_a_second_whatever_was_wrong() {
    let staff = Staff::new().await;
    let client = staff.app.nobody();
    let taken = async |name: &str, password: &str| {
        let began = std::time::Instant::now();
        staff.log_in(&client, name, password).await;
        began.elapsed()
    };
    for (name, password) in [("nobody", "x"), ("carol", "wrong"), ("dave", CAROL_PASSWORD)] {
        assert!(taken(name, password).await >= Duration::from_millis(500), "{name}");
    }
}

#[tokio::test]
async fn wrong_passwords_delay_and_the_directory_is_spared() {
    let staff = Staff::new().await;
    let client = staff.app.nobody();
    for _ in 0..5 {
        assert_eq!(staff.log_in(&client, "carol", "wrong").await.status, 401);
    }
    // Another letter case is the same name, and the right password is not looked at.
    for name in ["carol", "CAROL"] {
        let reply = staff.log_in(&client, name, CAROL_PASSWORD).await;
        assert_eq!((reply.status.as_u16(), &reply.json["message"]), (401, &json!(REFUSED)));
    }
    assert_eq!(staff.fake.count(), 5);
    // Others are not delayed, and neither is carol from elsewhere.
    assert_eq!(staff.log_in(&client, "dave", "wrong").await.status, 401);
    assert_eq!(staff.fake.count(), 6);
    staff.app.clock.advance_ms(1_000);
    assert_eq!(staff.log_in(&client, "carol", CAROL_PASSWORD).await.status, 200);
    assert!(staff.app.refused_logins().await.iter().any(|(detail, _)| detail["why"] == "Delayed"));
}

#[tokio::test]
async fn a_directory_that_is_away_is_no_wrong_password() {
    let staff = Staff::new().await;
    let client = staff.app.nobody();
    for (mood, tries, asked) in [(Mood::BreaksOff, 6, 6), (Mood::Away, 2, 1), (Mood::ServiceAccount, 2, 1)] {
        staff.fake.set(mood);
        let before = staff.fake.count();
        for _ in 0..tries {
            let reply = staff.log_in(&client, "carol", CAROL_PASSWORD).await;
            assert_eq!(reply.status, 503, "{}", reply.text());
            assert_eq!(reply.headers["retry-after"], "10");
        }
        assert_eq!(staff.fake.count() - before, asked);
        staff.app.clock.advance_ms(10_000);
    }
    staff.fake.set(Mood::Usual);
    assert_eq!(staff.log_in(&client, "carol", CAROL_PASSWORD).await.status, 200, "nothing was counted");
    let refusals = staff.app.refused_logins().await;
    assert!(refusals.iter().all(|(detail, _)| detail["why"] == "Provider"), "{refusals:?}");
}

#[tokio::test]
async fn a_source_asks_a_few_times_at_once() {
    let staff = Staff::new().await;
    *staff.fake.takes.lock().unwrap() = Duration::from_secs(60);
    let (clients, busy): (Vec<_>, _) = ((0..8).map(|_| staff.app.nobody()).collect(), Cell::new(0));
    let logins = clients.iter().map(async |client| {
        let reply = staff.log_in(client, "carol", CAROL_PASSWORD).await;
        busy.set(busy.get() + usize::from(reply.status == 429));
        reply
    });
    let release = async {
        until("four are put off", async || busy.get() == 4 && staff.fake.count() == 4).await;
        *staff.fake.takes.lock().unwrap() = Duration::ZERO;
    };
    let (replies, ()) = futures::future::join(futures::future::join_all(logins), release).await;
    let count = |status| replies.iter().filter(|reply| reply.status == status).count();
    assert_eq!((count(200), count(429)), (4, 4));
    assert_eq!(staff.fake.at_once_most.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn who_has_codes_here_needs_one() {
    let staff = Staff::new().await;
    let authenticator = enrol(&staff.app, "carol jones").await;
    let client = staff.app.nobody();
    let with = async |password: &str, code: Option<&str>| client.post(LOGIN, staff.body("carol", password, code)).await;
    for (password, code) in [
        (CAROL_PASSWORD, None),
        (CAROL_PASSWORD, Some(&*authenticator.wrong())),
        ("wrong", Some(&*authenticator.code(0))),
    ] {
        let reply = with(password, code).await;
        assert_eq!((reply.status.as_u16(), &reply.json["message"]), (401, &json!(REFUSED)));
    }
    let code = authenticator.code(0);
    assert_eq!(with(CAROL_PASSWORD, Some(&code)).await.status, 200);
    let whoami = client.get("/api/v2/whoami").await;
    assert_eq!(whoami.response()["identities"][0]["login"]["way"], "Ldap+Totp", "{}", whoami.text());
    // The code is one of ours, and of this moment.
    let patch = PatchSettings { fresh_factor_for: Some(vec![FreshFactorFor::Access]), ..PatchSettings::default() };
    staff.app.chancery.change_host_settings(&Host::running("settings"), patch).await.unwrap();
    let own = format!("/api/v2/identities/{}/password", staff.carol);
    client.post(&own, json!({"password": Base64::encode(b"another long password")})).await.response();
    // A code is taken once.
    assert_eq!(staff.app.nobody().post(LOGIN, staff.body("carol", CAROL_PASSWORD, Some(&code))).await.status, 401);
    let why: Vec<_> = staff.app.refused_logins().await.into_iter().map(|(detail, _)| detail["why"].clone()).collect();
    assert!(why.contains(&json!("Totp")) && why.contains(&json!("Password")), "{why:?}");
}

#[tokio::test]
async fn a_directory_is_described_as_it_can_be_used() {
    let staff = Staff::new().await;
    let admin = staff.app.admin().await;
    let path = format!("{PROVIDERS}/{}", staff.provider);
    let shown = admin.get(&path).await;
    assert!(!shown.text().contains(SERVICE_PASSWORD) && !shown.text().contains("bindPassword"), "{}", shown.text());
    let ldap = json!({"url": "ldaps://ldap.example.org", "bindDn": "cn=kms,dc=example,dc=org", "baseDn": "dc=example,dc=org",
        "filter": "(uid={username})", "idAttribute": "entryUUID"});
    assert_eq!((&shown.response()["ldap"], &shown.response()["issuer"]), (&ldap, &json!("ldaps://ldap.example.org")));
    let refused = async |change: &dyn Fn(&mut Value), field: &str| {
        let mut body = described();
        body["name"] = json!("other");
        body["issuer"] = json!("ldaps://other.example.org");
        change(&mut body);
        let reply = admin.post(PROVIDERS, body).await;
        assert_eq!(
            reply.json["response"]["field"].as_str().or(reply.json["field"].as_str()),
            Some(field),
            "{}",
            reply.text()
        );
    };
    refused(&|body| body["ldap"]["url"] = json!("ldap.example.org"), "/ldap/url").await;
    refused(&|body| body["ldap"]["filter"] = json!("(uid=carol)"), "/ldap/filter").await;
    refused(&|body| body["ldap"]["filter"] = json!("uid={username}"), "/ldap/filter").await;
    refused(&|body| body["ldap"]["bindDn"] = json!(""), "/ldap/bindDn").await;
    refused(&|body| body["ldap"]["bindPassword"] = json!(""), "/ldap/bindPassword").await;
    refused(&|body| body["ldap"]["userDn"] = json!("uid={username},dc=x"), "/ldap/bindDn").await;
    refused(&|body| body["ldap"]["authorities"] = json!("none"), "/ldap/authorities").await;
    refused(&|body| body["issuer"] = json!("https://other.example.org"), "/issuer").await;
    refused(&|body| body["audiences"] = json!(["us"]), "/audiences").await;
    refused(&|body| body["authorityCertificates"] = json!("x"), "/ldap").await;
    // The password is told to no other directory, and a change of what counts ends the sessions.
    let client = staff.app.nobody();
    assert_eq!(staff.log_in(&client, "carol", CAROL_PASSWORD).await.status, 200);
    let elsewhere = json!({"ldap": {"url": "ldaps://elsewhere.example.org"}});
    assert_eq!(staff.change(elsewhere).await.status, 400);
    assert_eq!(client.get("/api/v2/whoami").await.status, 200);
    staff.change(json!({"ldap": {"bindPassword": SERVICE_PASSWORD}})).await.response();
    assert_eq!(client.get("/api/v2/whoami").await.status, 200, "another password of the service gives nobody anything");
    staff.change(json!({"ldap": {"filter": "(cn={username})"}})).await.response();
    assert_eq!(client.get("/api/v2/whoami").await.status, 401);
    // A subject is an id, and never a name.
    for (subject, claims) in [
        (json!("carol"), json!({})),
        (json!(CAROL_ID.to_uppercase()), json!({})),
        (json!(CAROL_ID), json!({"oid": "1"})),
    ] {
        let asks = json!({"name": "wrong", "identityUuid": staff.carol, "providerUuid": staff.provider, "subject": subject, "claims": claims});
        assert_eq!(admin.post(BINDINGS, asks).await.status, 400, "{subject}");
    }
}
