//! What a confirmed passkey keeps whoever has the password from doing with one-time codes.

use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use super::is;
use crate::{
    app::{PASSWORD, TestApp},
    authenticator::{authenticator, confirm, enrol as enrol_passkey, passkeys_path},
    routes::home::v1::login::passkey::{setup, signed, with_passkey},
    second_factor::{Authenticator, CONFIRM, ENROL, REMOVE, enrol, enrol_by, log_in, proof, proof_by},
};

fn with(mut proof: Value, passkey: &Value) -> Value {
    proof["passkey"] = passkey.clone();
    proof
}

#[tokio::test]
async fn the_password_alone_enrols_no_codes_where_there_is_a_confirmed_passkey() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let unknown = app.nobody().post(ENROL, proof("nobody", None)).await;
    // A code of nothing is no factor, either.
    for (source, code) in [(1, None), (2, Some("000000"))] {
        for path in [ENROL, REMOVE] {
            let reply = app.nobody().from([198, 51, 100, source]).post(path, proof("carol", code)).await;
            is(&reply, 401);
            assert_eq!(reply.body, unknown.body, "it says nothing of what was wrong");
        }
    }
    // Neither does it as a login: that takes what it took.
    is(&app.nobody().log_in("carol", PASSWORD).await, 200);

    let passkey = signed(&app, &mut key).await;
    is(&app.nobody().post(ENROL, with(proof_by("carol", "wrong", None), &passkey)).await, 401);
    let foreign = signed(&app, &mut authenticator()).await;
    is(&app.nobody().post(ENROL, with(proof("carol", None), &foreign)).await, 401);
    // A browser says more of it than is needed; what it does not write is refused.
    let mut more = passkey.clone();
    more["credential"]["authenticatorAttachment"] = json!("platform");
    more["credential"]["response"]["userHandle"] = json!("");
    let mut misspelt = passkey.clone();
    misspelt["typo"] = json!(1);
    is(&app.nobody().post(ENROL, with(proof("carol", None), &misspelt)).await, 400);
    let codes = enrol_by(&app, with(proof("carol", None), &more)).await;
    is(&app.nobody().post(ENROL, with(proof("carol", None), &passkey)).await, 401);
    is(&log_in(&app.nobody(), "carol", Some(&codes.code(0))).await, 200);
    let audit = app.admin().await.get("/api/v2/audit?action=TotpEnrol").await;
    let records = audit.response()["items"].as_array().unwrap().clone();
    let done: Vec<_> = records.iter().filter(|record| record["outcome"] == "Success").collect();
    let login = &done[0]["identities"][0]["login"];
    assert_eq!(
        (done.len(), &login["way"], &login["passkey"]["name"]),
        (1, &json!("Password+Passkey"), &json!("laptop"))
    );
}

#[tokio::test]
async fn passwords_without_the_passkey_count_and_delay_as_wrong_ones() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    for _ in 0..5 {
        is(&app.nobody().post(ENROL, proof("carol", None)).await, 401);
    }
    let passkey = signed(&app, &mut key).await;
    is(&app.nobody().post(ENROL, with(proof("carol", None), &passkey)).await, 401);
    is(&app.nobody().from([198, 51, 100, 9]).post(ENROL, with(proof("carol", None), &passkey)).await, 200);
}

#[tokio::test]
async fn a_passkey_demands_from_its_confirmation_on_and_ends_secrets_of_before() {
    let app = TestApp::with(setup()).await;
    let admin = app.admin().await;
    let carol = app.person("carol", &[RoleId::APPROVER]).await;
    let (path, key) = (passkeys_path(&admin.identity_uuid("carol").await), authenticator());
    let made = enrol_passkey(&carol, &path, "laptop", &key).await.response().clone();
    let enrolled = app.nobody().post(ENROL, proof("carol", None)).await;
    is(&enrolled, 200);
    confirm(&admin, &path, &made).await.response();
    let code = Authenticator::of(&app, &enrolled).code(0);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&code))).await, 401);
    is(&app.nobody().post(ENROL, proof("carol", None)).await, 401);
    // Of a former name of the host it cannot be shown, and demands no less.
    app.harm("UPDATE passkeys SET rp_id = 'old.example.org'");
    is(&app.nobody().from([198, 51, 100, 9]).post(ENROL, proof("carol", None)).await, 401);
}

#[tokio::test]
async fn a_present_code_does_as_well_and_a_passkey_in_its_place() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let codes = enrol_by(&app, with(proof("carol", None), &signed(&app, &mut key).await)).await;
    is(&app.nobody().post(ENROL, proof("carol", None)).await, 401);
    let passkey = signed(&app, &mut key).await;
    is(&app.nobody().post(ENROL, with(proof("carol", Some(&codes.wrong())), &passkey)).await, 401);
    is(&app.nobody().post(ENROL, proof("carol", Some(&codes.code(0)))).await, 200);
    let enrolled = app.nobody().post(ENROL, with(proof("carol", None), &passkey)).await;
    is(&enrolled, 200);
    // Only a code of the new secret confirms it; what is shown besides has to be right.
    let passkey = signed(&app, &mut key).await;
    is(&app.nobody().post(CONFIRM, with(proof("carol", None), &passkey)).await, 401);
    let new = Authenticator::of(&app, &enrolled);
    let foreign = signed(&app, &mut authenticator()).await;
    is(&app.nobody().post(CONFIRM, with(proof("carol", Some(&new.code(-1))), &foreign)).await, 401);
    is(&app.nobody().post(CONFIRM, with(proof("carol", Some(&new.code(-1))), &passkey)).await, 200);
    is(&log_in(&app.nobody(), "carol", Some(&new.code(0))).await, 200);
    // And it takes them away.
    let passkey = signed(&app, &mut key).await;
    is(&app.nobody().post(REMOVE, with(proof("carol", None), &passkey)).await, 200);
    is(&app.nobody().log_in("carol", PASSWORD).await, 200);
    let passkey = signed(&app, &mut key).await;
    let none = app.nobody().post(REMOVE, with(proof("carol", None), &passkey)).await;
    assert_eq!(none.status, 409, "{}", none.text());
}

#[tokio::test]
async fn what_is_no_answer_to_a_challenge_of_here_is_named() {
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let good = signed(&app, &mut key).await;
    for path in [ENROL, CONFIRM, REMOVE] {
        for (pointer, says) in [("/ticket", "too old"), ("/credential/response/signature", "base64url")] {
            let mut changed = good.clone();
            *changed.pointer_mut(pointer).unwrap() = json!("not that!");
            let reply = app.nobody().post(path, with(proof("carol", None), &changed)).await;
            assert!(reply.status == 400 && reply.text().contains(says), "{path} {pointer} {}", reply.text());
        }
    }
    let without = TestApp::new().await;
    let reply = without.nobody().post(ENROL, with(proof("Admin1", None), &good)).await;
    assert_eq!((reply.status.as_u16(), &reply.json["status"]), (409, &json!("Failure")), "{}", reply.text());
}

/// Else it would be deleted first.
#[tokio::test]
async fn the_password_alone_deletes_no_confirmed_passkey() {
    let app = TestApp::with(setup()).await;
    let (mut key, admin) = (with_passkey(&app, "carol", &[RoleId::APPROVER]).await, app.admin().await);
    let path = passkeys_path(&admin.identity_uuid("carol").await);
    let thief = app.logged_in(&[("carol", PASSWORD)]).await;
    let of = |passkey: &Value| format!("{path}/{}", passkey["objInfo"]["uuid"].as_str().unwrap());
    let laptop = of(&thief.get(&path).await.response()["results"][0]);
    thief.delete(&laptop).await.refused(403, "NotAuthorized", None);
    // One that waits does nothing yet.
    let waiting = enrol_passkey(&thief, &path, "waits", &authenticator()).await.response().clone();
    thief.delete(&of(&waiting)).await.response();
    // Whoever manages identities and holds less than its person gives them no way in, as with codes.
    let clerks = json!({"name": "clerks", "loginsRequired": 2, "perms": ["Identity:Manage"]});
    let clerks = admin.post("/api/v2/roles", clerks).await.response()["uuid"].as_str().unwrap().parse().unwrap();
    for name in ["eve", "frank"] {
        admin.create_person(name, &[clerks]).await;
    }
    let clerks = app.logged_in(&[("eve", PASSWORD), ("frank", PASSWORD)]).await;
    clerks.delete(&laptop).await.refused(403, "NotAuthorized", None);

    let codes = enrol_by(&app, with(proof("carol", None), &signed(&app, &mut key).await)).await;
    let by_code = app.nobody();
    is(&log_in(&by_code, "carol", Some(&codes.code(0))).await, 200);
    by_code.delete(&laptop).await.response();
    let mut other = with_passkey(&app, "dave", &[RoleId::APPROVER]).await;
    let path = passkeys_path(&admin.identity_uuid("dave").await);
    let laptop =
        format!("{path}/{}", admin.get(&path).await.response()["results"][0]["objInfo"]["uuid"].as_str().unwrap());
    for is_left_open in [true, false] {
        let dave = app.nobody();
        let shown = with(proof("dave", None), &signed(&app, &mut other).await);
        is(&dave.post("/home/v1/login", json!({"authType": "userpass", "authCredentials": shown})).await, 200);
        if is_left_open {
            app.clock.advance_ms(10 * 60_000);
            dave.with_cookie_alone().delete(&laptop).await.refused(403, "NotAuthorized", None);
        } else {
            dave.delete(&laptop).await.response();
        }
    }
    // Without it all is as it was before.
    let _codes = enrol(&app, "dave").await;
}

#[tokio::test]
async fn the_password_alone_sets_no_other_one_where_there_is_a_confirmed_passkey() {
    const OTHER: &str = "another long password";
    let app = TestApp::with(setup()).await;
    let mut key = with_passkey(&app, "carol", &[RoleId::APPROVER]).await;
    let mut body = proof("carol", None);
    body["newPassword"] = json!(Base64::encode(OTHER.as_bytes()));
    is(&app.nobody().post("/home/v1/login/password", body.clone()).await, 401);
    is(&app.nobody().log_in("carol", PASSWORD).await, 200);
    let passkey = signed(&app, &mut key).await;
    is(&app.nobody().post("/home/v1/login/password", with(body, &passkey)).await, 200);
    is(&app.nobody().log_in("carol", OTHER).await, 200);
}
