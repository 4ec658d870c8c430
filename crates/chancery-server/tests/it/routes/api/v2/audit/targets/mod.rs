//! GET and POST /api/v2/audit/targets.

mod test;
mod uuid;

use chancery_types::Base64;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
};

pub(super) const PATH: &str = "/api/v2/audit/targets";

pub(super) fn body(name: &str) -> Value {
    json!({"name": name, "webhook": {"url": "https://logs.example.org/x"}, "secret": Base64::encode(&[7; 32])})
}

/// A new target, as it is answered.
pub(super) async fn target(client: &Client, body: Value) -> Value {
    client.post(PATH, body).await.response().clone()
}

pub(super) fn path_of(target: &Value) -> String {
    format!("{PATH}/{}", target["uuid"].as_str().unwrap())
}

#[tokio::test]
async fn a_target_is_made_and_listed_without_its_secret() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = admin.post(PATH, body("archive")).await;
    assert!(!made.text().contains(&Base64::encode(&[7; 32])));
    let made = made.response();
    assert_eq!((&made["hasSecret"], &made["enabled"]), (&json!(true), &json!(true)));
    assert_eq!(made["shipping"]["shipped"], 0);
    let mut listed = admin.get(PATH).await.response()["results"][0].clone();
    // Records become leaves meanwhile.
    listed["shipping"] = made["shipping"].clone();
    assert_eq!(&listed, made);
    let syslog = json!({"name": "siem", "syslog": {"host": "logs.example.org"}, "firstSequence": 0});
    let made = target(&admin, syslog).await;
    assert_eq!(made["syslog"], json!({"host": "logs.example.org", "port": 6514, "body": "Json", "transport": "Tls"}));
    assert_eq!((&made["hasSecret"], &made["shipping"]["nextSequence"]), (&json!(false), &json!(0)));
    // As it was read, but for its name.
    let off = json!({"name": "off", "file": {"name": "siem"}, "enabled": false});
    assert_eq!((&target(&admin, off).await["enabled"], &made["enabled"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    target(&admin, body("archive")).await;
    let secret = Base64::encode(&[7; 32]);
    let url = |url: &str| json!({"url": url});
    let syslog = |host: &str, port: i64| json!({"name": "n", "syslog": {"host": host, "port": port}});
    for (body, code, field) in [
        (json!({"name": "n"}), "InvalidValue", "/webhook"),
        (json!({"name": "ARCHIVE", "otlp": url("https://a.example.org/")}), "AlreadyExists", "/name"),
        (json!({"name": "", "otlp": url("https://a.example.org/")}), "InvalidValue", "/name"),
        (json!({"name": "n", "otlp": url("http://a.example.org/")}), "InvalidValue", "/otlp/url"),
        (json!({"name": "n", "webhook": url("ftp://a"), "secret": secret}), "InvalidValue", "/webhook/url"),
        (json!({"name": "n", "webhook": url("https://a.example.org/")}), "InvalidValue", "/secret"),
        (
            json!({"name": "n", "webhook": url("https://a.example.org/"), "secret": "c2hvcnQ="}),
            "InvalidValue",
            "/secret",
        ),
        (json!({"name": "n", "otlp": url("https://a/"), "secret": "YSBi"}), "InvalidValue", "/secret"),
        (json!({"name": "n", "otlp": url("https://a/"), "webhook": url("https://a/")}), "InvalidValue", "/webhook"),
        (json!({"name": "n", "otlp": url("https://a/"), "syslog": {"host": "a"}}), "InvalidValue", "/otlp"),
        (json!({"name": "n", "otlp": url("https://a/"), "firstSequence": 1_000_000}), "InvalidValue", "/firstSequence"),
        (syslog("", 1), "InvalidValue", "/syslog/host"),
        (syslog("a b", 1), "InvalidValue", "/syslog/host"),
        (syslog("https://a", 1), "InvalidValue", "/syslog/host"),
        (syslog("a", 0), "InvalidValue", "/syslog/port"),
        (json!({"name": "n", "syslog": {"host": "a"}, "secret": secret}), "InvalidValue", "/secret"),
        (json!({"name": "n", "syslog": {"host": "a", "body": "Xml"}}), "InvalidSelection", "/syslog/body"),
        (json!({"name": "n", "syslog": {"host": "a", "transport": "Udp"}}), "InvalidSelection", "/syslog/transport"),
        (json!({"name": "n", "file": {"name": "/etc/passwd"}}), "InvalidValue", "/file/name"),
    ] {
        let reply = admin.post(PATH, body).await;
        reply.refused(reply.status.as_u16(), code, Some(field));
    }
}

#[tokio::test]
async fn auditors_see_targets_and_two_persons_make_them() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = target(&admin, body("archive")).await;
    let half_open = app.nobody();
    half_open.log_in("Admin1", PASSWORD).await;
    half_open.post(PATH, body("mine")).await.refused(401, "InvalidAuthToken", None);
    let audit = admin.get("/api/v2/audit?action=AuditTargetCreate").await;
    let audit = &audit.response()["items"][0];
    assert_eq!((&audit["objectUuid"], audit["identities"].as_array().unwrap().len()), (&made["uuid"], 2));
    assert!(!audit.to_string().contains(&Base64::encode(&[7; 32])), "{audit}");
}

/// Where a member of the receiver is dropped, records leave in another form than was asked for, or to another port.
#[tokio::test]
async fn a_receiver_has_no_member_that_nobody_knows() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let url = json!({"url": "https://logs.example.org/x", "typo": 1});
    let syslog = |member: &str| json!({"name": "n", "syslog": {"host": "logs.example.org", member: "Cef"}});
    for (body, field) in [
        (syslog("format"), "/syslog/format"),
        (syslog("Body"), "/syslog/Body"),
        (json!({"name": "n", "webhook": url, "secret": Base64::encode(&[7; 32])}), "/webhook/typo"),
        (json!({"name": "n", "otlp": url}), "/otlp/typo"),
    ] {
        admin.post(PATH, body).await.refused(400, "ArgumentParseError", Some(field));
    }
    for made in [syslog("body"), body("archive"), json!({"name": "otlp", "otlp": {"url": "https://a.example.org/"}})] {
        let made = target(&admin, made).await;
        let member = ["syslog", "webhook", "otlp"].into_iter().find(|member| made[member].is_object()).unwrap();
        let mut read = admin.get(&path_of(&made)).await.response().clone();
        assert_eq!(admin.patch(&path_of(&made), read.clone()).await.response()[member], made[member]);
        read[member]["typo"] = json!(1);
        let field = format!("/{member}/typo");
        admin.patch(&path_of(&made), read).await.refused(400, "ArgumentParseError", Some(&field));
    }
}
