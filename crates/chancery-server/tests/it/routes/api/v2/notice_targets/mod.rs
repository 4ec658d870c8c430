//! GET and POST /api/v2/notice-targets.

mod test;
mod uuid;

use chancery_types::Base64;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
};

pub(super) const PATH: &str = "/api/v2/notice-targets";

pub(super) fn body(name: &str) -> Value {
    let webhook = json!({"url": "https://hooks.example.org/x", "shape": "Chancery"});
    json!({"name": name, "webhook": webhook, "secret": Base64::encode(&[7; 32])})
}

/// A new target, as it is answered.
pub(super) async fn target(client: &Client, name: &str) -> Value {
    client.post(PATH, body(name)).await.response().clone()
}

pub(super) fn path_of(target: &Value) -> String {
    format!("{PATH}/{}", target["uuid"].as_str().unwrap())
}

#[tokio::test]
async fn a_target_is_made_and_listed_without_its_secret() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = admin.post(PATH, body("alerts")).await;
    assert!(!made.text().contains(&Base64::encode(&[7; 32])));
    assert_eq!(made.response()["hasSecret"], true);
    assert_eq!(admin.get(PATH).await.response()["results"], json!([made.response()]));
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    target(&admin, "alerts").await;
    for (pointer, value, code, field) in [
        ("/name", json!("ALERTS"), (409, "AlreadyExists"), "/name"),
        ("/name", json!(""), (400, "InvalidValue"), "/name"),
        ("/webhook/url", json!("http://hooks.example.org/"), (400, "InvalidValue"), "/webhook/url"),
        ("/webhook/shape", json!("Carrier pigeon"), (400, "InvalidSelection"), "/webhook/shape"),
        ("/secret", json!("c2hvcnQ="), (400, "InvalidValue"), "/secret"),
        ("/secret", json!(null), (400, "InvalidValue"), "/secret"),
    ] {
        let mut body = body("other");
        *body.pointer_mut(pointer).unwrap() = value;
        let reply = admin.post(PATH, body.clone()).await;
        reply.refused(code.0, code.1, Some(field));
    }
    let mut unknown = body("other");
    unknown["serviceUuids"] = json!(["00000000-0000-0000-0000-0000000000aa"]);
    let reply = admin.post(PATH, unknown).await;
    reply.refused(reply.status.as_u16(), "InvalidSelection", Some("/serviceUuids/0"));
}

#[tokio::test]
async fn a_mailbox_is_a_target_too_and_its_address_ends_no_line() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let mailbox = |address: &str| json!({"name": "releases", "email": {"address": address}, "kinds": ["Waiting"]});
    for wrong in ["", "releases", "a@b\r\nBcc: c@d", "a@b,c@d", "\"a b\"@c"] {
        admin.post(PATH, mailbox(wrong)).await.refused(400, "InvalidValue", Some("/email/address"));
    }
    let mut both = mailbox("a@example.org");
    both["webhook"] = json!({"url": "https://hooks.example.org/x", "shape": "Slack"});
    admin.post(PATH, both).await.refused(400, "InvalidValue", Some("/email"));
    admin.post(PATH, json!({"name": "nowhere"})).await.refused(400, "InvalidValue", Some("/webhook"));
    let mut signed = mailbox("a@example.org");
    signed["secret"] = json!(Base64::encode(&[7; 32]));
    admin.post(PATH, signed).await.refused(400, "InvalidValue", Some("/secret"));

    let made = admin.post(PATH, mailbox("releases@example.org")).await.response().clone();
    assert_eq!((&made["email"], &made["webhook"]), (&json!({"address": "releases@example.org"}), &Value::Null));
    let tested = admin.post(&format!("{}/test", path_of(&made)), json!({})).await;
    assert_eq!((&tested.response()["delivered"], &tested.response()["status"]), (&json!(true), &json!(250)));
    let webhook = json!({"webhook": {"url": "https://hooks.example.org/x", "shape": "Slack"}});
    admin.patch(&path_of(&made), webhook).await.refused(400, "InvalidValue", Some("/webhook"));
    let moved = admin.patch(&path_of(&made), json!({"email": {"address": "other@example.org"}})).await;
    assert_eq!(moved.response()["email"]["address"], "other@example.org");
    let hook = target(&admin, "hook").await;
    let moved = json!({"email": {"address": "a@example.org"}});
    admin.patch(&path_of(&hook), moved).await.refused(400, "InvalidValue", Some("/email"));
    assert_eq!(admin.patch(&path_of(&hook), json!({"kinds": ["Denied"]})).await.response()["webhook"], hook["webhook"]);
}

/// What the door asks besides, whether two persons are there, nobody can fail today: roles do not allow it.
#[tokio::test]
async fn nobody_alone_comes_to_decide_on_targets() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let role = json!({"name": "operators", "loginsRequired": 1, "perms": ["System:Manage"]});
    admin.post("/api/v2/roles", role).await.refused(400, "InvalidValue", Some("/loginsRequired"));
    let half_open = app.nobody();
    half_open.log_in("Admin1", PASSWORD).await;
    half_open.post(PATH, body("mine")).await.refused(401, "InvalidAuthToken", None);
}

#[tokio::test]
async fn a_receiver_has_no_member_that_nobody_knows() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let mut misspelt = body("other");
    misspelt["webhook"]["kinds"] = json!(["KeyDestroyed"]);
    admin.post(PATH, misspelt).await.refused(400, "ArgumentParseError", Some("/webhook/kinds"));
    let mail = json!({"name": "mail", "email": {"address": "a@example.org", "adress": "b@example.org"}});
    admin.post(PATH, mail).await.refused(400, "ArgumentParseError", Some("/email/adress"));
    let made = target(&admin, "alerts").await;
    let mut read = admin.get(&path_of(&made)).await.response().clone();
    read["webhook"]["url"] = json!("https://hooks.example.org/x");
    admin.patch(&path_of(&made), read.clone()).await.response();
    read["webhook"]["typo"] = json!(1);
    admin.patch(&path_of(&made), read).await.refused(400, "ArgumentParseError", Some("/webhook/typo"));
}
