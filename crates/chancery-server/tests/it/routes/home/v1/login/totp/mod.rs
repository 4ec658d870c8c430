//! POST /home/v1/login/totp, and logins with the codes of what was enrolled.

mod confirm;
mod passkey;
mod remove;

use chancery_types::RoleId;
use serde_json::json;

use crate::{
    app::{PASSWORD, TestApp},
    client::{Client, Reply},
    second_factor::{Authenticator, CONFIRM, ENROL, REMOVE, carol, from_base32, log_in, proof, proof_by},
};

/// Asserts a login with that status; where it was refused, by the one wording.
#[track_caller]
fn is(reply: &Reply, status: u16) {
    assert_eq!(reply.status.as_u16(), status, "{}", reply.text());
    if status == 401 {
        let message = reply.json["message"].as_str().unwrap();
        assert!(message.starts_with("The login is refused: unknown name, wrong password, code or key"), "{message}");
    }
}

#[tokio::test]
async fn a_new_secret_is_shown_once_and_counts_once_it_is_confirmed() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let uuid = admin.create_person("carol", &[RoleId::APPROVER]).await;
    let enrolled = app.nobody().post(ENROL, proof("CAROL", None)).await;
    let secret = enrolled.json["secret"].as_str().unwrap().to_owned();
    let uri =
        format!("otpauth://totp/Chancery:carol?secret={secret}&issuer=Chancery&algorithm=SHA1&digits=6&period=30");
    let rows = &enrolled.json["qrCode"];
    let expected = json!({
        "message": "Success", "status": "Success", "secret": secret, "uri": uri, "qrCode": rows,
        "expiresAt": "2026-06-21T12:15:00.500Z",
    });
    assert_eq!((enrolled.status.as_u16(), &enrolled.json), (200, &expected));
    // What it says is read off a screen by the console's test.
    let size = rows.as_array().unwrap().len();
    assert!(rows.as_array().unwrap().iter().all(|row| row.as_str().unwrap().len() == size && size % 4 == 1), "{rows}");
    assert_eq!(from_base32(&secret).len(), 20);
    is(&app.nobody().log_in("carol", PASSWORD).await, 200);

    let authenticator = Authenticator::of(&app, &enrolled);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&authenticator.wrong()))).await, 401);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&authenticator.code(0)))).await, 200);
    let identity = admin.get(&format!("/api/v2/identities/{uuid}")).await;
    assert_eq!(identity.response()["totp"], json!({"confirmedAt": "2026-06-21T12:00:00.500Z"}));
    is(&app.nobody().log_in("carol", PASSWORD).await, 401);
    let carol = app.nobody();
    is(&log_in(&carol, "carol", Some(&authenticator.code(1))).await, 200);
    let who = carol.get("/api/v2/whoami").await;
    let identity = &who.response()["identities"][0];
    assert_eq!(
        (&identity["login"], &identity["totp"]["confirmedAt"]),
        (&json!({"way": "Password+Totp"}), &json!("2026-06-21T12:00:00.500Z"))
    );
    let audit = admin.get("/api/v2/audit?pageSize=1000").await;
    assert!(!audit.text().contains(&secret), "no record has a secret");
}

#[tokio::test]
async fn a_code_is_good_once_and_none_before_it_any_more() {
    let app = TestApp::new().await;
    let (authenticator, _) = carol(&app).await;
    let other = || app.nobody().from([198, 51, 100, 9]);
    is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(0))).await, 200);
    for client in [app.nobody(), other()] {
        is(&log_in(&client, "carol", Some(&authenticator.code(0))).await, 401);
        is(&log_in(&client, "carol", Some(&authenticator.code(-1))).await, 401);
    }
    is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(1))).await, 200);
    app.clock.advance_ms(30_000);
    is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(0))).await, 401);
    is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(1))).await, 200);
    let app = app.restarted().await;
    is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(1))).await, 401);
}

#[tokio::test]
async fn codes_of_the_step_before_and_after_are_good_and_no_others() {
    let app = TestApp::new().await;
    let (authenticator, _) = carol(&app).await;
    for (distance, status) in [(-2, 401), (2, 401), (-1, 200), (0, 200), (1, 200)] {
        // Far from what was used before.
        app.clock.advance_ms(10 * 60_000);
        is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(distance))).await, status);
    }
}

#[tokio::test]
async fn of_many_who_come_with_one_code_at_once_one_gets_in() {
    let app = TestApp::new().await;
    let (authenticator, _) = carol(&app).await;
    // Of a database that is one process's alone there is no other node.
    let others = if app.is_on_postgres() { app.other_node().await } else { app.routes.clone() };
    let code = authenticator.code(0);
    let tries = (0..16).map(|number| {
        let client = if number % 2 == 0 { app.nobody() } else { Client::new(others.clone()) };
        let code = code.clone();
        tokio::spawn(async move { log_in(&client, "carol", Some(&code)).await.status.as_u16() })
    });
    let mut statuses = Vec::new();
    for status in tries.collect::<Vec<_>>() {
        statuses.push(status.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!((statuses[0], &statuses[1..]), (200, &[401; 15][..]));
}

#[tokio::test]
async fn wrong_codes_delay_as_wrong_passwords_do() {
    let app = TestApp::new().await;
    let (authenticator, _) = carol(&app).await;
    for number in 0..5 {
        let code = (number % 2 == 0).then(|| authenticator.wrong());
        is(&log_in(&app.nobody(), "carol", code.as_deref()).await, 401);
    }
    is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(0))).await, 401);
    is(&log_in(&app.nobody().from([198, 51, 100, 9]), "carol", Some(&authenticator.code(0))).await, 200);
    app.clock.advance_ms(1_000);
    is(&log_in(&app.nobody(), "carol", Some(&authenticator.code(1))).await, 200);
}

#[tokio::test]
async fn a_refusal_says_nothing_of_what_was_wrong() {
    let app = TestApp::new().await;
    let (authenticator, uuid) = carol(&app).await;
    let unknown = app.nobody().log_in("nobody", PASSWORD).await;
    let code = authenticator.code(0);
    let try_by = async |password: &str, code: Option<&str>| {
        let body = json!({"authType": "userpass", "authCredentials": proof_by("carol", password, code)});
        app.nobody().post("/home/v1/login", body).await
    };
    let mut replies = Vec::new();
    for (password, code) in
        [("wrong", None), ("wrong", Some(code.as_str())), (PASSWORD, None), (PASSWORD, Some("000000"))]
    {
        replies.push(try_by(password, code).await);
    }
    app.admin().await.post_nothing(&format!("/api/v2/identities/{uuid}/lock")).await.response();
    replies.push(try_by(PASSWORD, Some(&code)).await);
    for reply in replies {
        assert_eq!((reply.status.as_u16(), &reply.body), (401, &unknown.body));
    }
    let unknown = app.nobody().post(ENROL, proof("nobody", None)).await;
    for path in [ENROL, CONFIRM, REMOVE] {
        for code in [None, Some(code.as_str())] {
            let reply = app.nobody().post(path, proof("carol", code)).await;
            assert_eq!((reply.status.as_u16(), &reply.body), (401, &unknown.body), "{path} of who is locked");
        }
    }
}

#[tokio::test]
async fn what_is_no_code_is_400_and_does_not_count() {
    let app = TestApp::new().await;
    let (authenticator, _) = carol(&app).await;
    for code in [json!(""), json!("12345"), json!("1234567"), json!("12345a"), json!(287_082), json!(["287082"])] {
        let mut body = proof("carol", None);
        body["totp"] = code;
        let login = json!({"authType": "userpass", "authCredentials": body});
        is(&app.nobody().post("/home/v1/login", login).await, 400);
        for path in [ENROL, CONFIRM, REMOVE] {
            is(&app.nobody().post(path, body.clone()).await, 400);
        }
    }
    let code = authenticator.code(0);
    let spaced = format!("{} {}", &code[..3], &code[3..]);
    is(&log_in(&app.nobody(), "carol", Some(&spaced)).await, 200);
}

#[tokio::test]
async fn whoever_has_codes_enrols_anew_with_one() {
    let app = TestApp::new().await;
    let (old, _) = carol(&app).await;
    is(&app.nobody().post(ENROL, proof("carol", None)).await, 401);
    is(&app.nobody().post(ENROL, proof("carol", Some(&old.wrong()))).await, 401);
    let enrolled = app.nobody().post(ENROL, proof("carol", Some(&old.code(0)))).await;
    is(&enrolled, 200);
    is(&log_in(&app.nobody(), "carol", Some(&old.code(0))).await, 401);
    is(&log_in(&app.nobody(), "carol", Some(&old.code(1))).await, 200);
    let new = Authenticator::of(&app, &enrolled);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&new.code(-1)))).await, 200);
    app.clock.advance_ms(60_000);
    is(&log_in(&app.nobody(), "carol", Some(&old.code(0))).await, 401);
    is(&log_in(&app.nobody(), "carol", Some(&new.code(0))).await, 200);
}

#[tokio::test]
async fn codes_are_for_persons() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let password = proof("robot", None)["password"].clone();
    let body =
        json!({"name": "robot", "kind": "Application", "roleUuids": [RoleId::APPLICATION], "password": password});
    admin.post("/api/v2/identities", body).await.response();
    let reply = app.nobody().post(ENROL, proof("robot", None)).await;
    assert_eq!((reply.status.as_u16(), &reply.json["status"]), (403, &json!("Failure")), "{}", reply.text());
    admin.saw_audited("TotpEnrol").await;
    is(&log_in(&app.nobody(), "Admin1", Some("000000")).await, 200);
}

#[tokio::test]
async fn each_step_is_audited_also_when_it_is_refused() {
    let app = TestApp::new().await;
    let (authenticator, uuid) = carol(&app).await;
    for path in [ENROL, CONFIRM, REMOVE] {
        app.nobody().post(path, proof("carol", None)).await;
        app.nobody().post(path, proof("nobody at all", None)).await;
    }
    is(&app.nobody().post(REMOVE, proof("carol", Some(&authenticator.code(0)))).await, 200);
    let app = app.restarted().await;
    let admin = app.admin().await;
    for action in ["TotpEnrol", "TotpConfirm", "TotpRemove"] {
        let audit = admin.get(&format!("/api/v2/audit?action={action}")).await;
        let records = audit.response()["items"].as_array().unwrap().clone();
        let of = |outcome: &str| records.iter().filter(|record| record["outcome"] == outcome).collect::<Vec<_>>();
        let (done, refused) = (of("Success"), of("InvalidAuthToken"));
        assert_eq!((done.len(), done[0]["objectUuid"].as_str()), (1, Some(uuid.as_str())), "{action}");
        assert!(done[0]["identities"][0]["login"]["way"].as_str().unwrap().starts_with("Password"), "{records:?}");
        assert_eq!(refused.len(), 2, "{action}: {records:?}");
        assert!(refused.iter().any(|record| record["objectUuid"] == uuid.as_str()), "{records:?}");
        assert!(refused.iter().any(|record| record["detail"]["nameHash"].is_string()), "{records:?}");
    }
}
