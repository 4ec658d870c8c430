//! GET, PATCH and DELETE /api/v2/audit/targets/{uuid}.

use chancery_types::Base64;
use serde_json::json;

use super::{body, path_of, target};
use crate::app::TestApp;

#[tokio::test]
async fn a_target_is_changed_and_told_as_it_was_and_is() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let made = target(&admin, body("archive")).await;
    let path = path_of(&made);
    let moved = json!({"name": "moved", "webhook": {"url": "https://other.example.org/"}, "enabled": false,
        "secret": Base64::encode(&[7; 32])});
    let changed = admin.patch(&path, moved).await.response().clone();
    assert_eq!(
        (&changed["webhook"]["url"], &changed["enabled"]),
        (&json!("https://other.example.org/"), &json!(false))
    );
    assert_eq!(
        (&changed["hasSecret"], &changed["shipping"]["nextSequence"]),
        (&json!(true), &made["shipping"]["nextSequence"])
    );
    let audit = admin.get("/api/v2/audit?action=AuditTargetChange").await;
    assert_eq!(audit.response()["items"][0]["detail"]["changes"].as_array().unwrap().len(), 3);
    for (patch, field) in [
        (json!({"otlp": {"url": "https://a/"}}), "/otlp"),
        (json!({"syslog": {"host": "a"}}), "/syslog"),
        (json!({"webhook": {"url": "http://a/"}}), "/webhook/url"),
        (json!({"secret": "c2hvcnQ="}), "/secret"),
        (json!({"name": ""}), "/name"),
    ] {
        admin.patch(&path, patch).await.refused(400, "InvalidValue", Some(field));
    }
    let secret = json!({"secret": Base64::encode(&[8; 32])});
    assert_eq!(admin.patch(&path, secret).await.response()["hasSecret"], true);
}

/// Whoever does not know a secret has it sent to nobody else.
#[tokio::test]
async fn another_host_takes_the_secret_anew() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let secret = Base64::encode(b"a-token");
    let otlp = |url: &str| json!({"otlp": {"url": url}});
    let made = target(&admin, json!({"name": "n", "otlp": {"url": "https://a.example.org/x"}, "secret": secret})).await;
    let path = path_of(&made);
    for moved in ["https://b.example.org/x", "https://a.example.org:8443/x", "https://a.example.org.b.example.org/x"] {
        admin.patch(&path, otlp(moved)).await.refused(400, "InvalidValue", Some("/otlp/url"));
        let with_it = json!({"otlp": {"url": moved}, "secret": secret});
        assert_eq!(admin.patch(&path, with_it).await.response()["otlp"]["url"], moved);
        let back = json!({"otlp": {"url": "https://a.example.org/x"}, "secret": secret});
        admin.patch(&path, back).await.response();
    }
    for same in ["https://A.example.org/y?z=1", "https://a.example.org:443"] {
        assert_eq!(admin.patch(&path, otlp(same)).await.response()["otlp"]["url"], same);
    }
    let webhook = path_of(&target(&admin, body("archive")).await);
    let moved = json!({"webhook": {"url": "https://b.example.org/"}});
    admin.patch(&webhook, moved).await.refused(400, "InvalidValue", Some("/webhook/url"));
    let without = path_of(&target(&admin, json!({"name": "m", "otlp": {"url": "https://a.example.org/"}})).await);
    admin.patch(&without, otlp("https://b.example.org/")).await.response();
}

#[tokio::test]
async fn a_target_that_is_deleted_is_gone() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let path = path_of(&target(&admin, body("archive")).await);
    admin.delete(&path).await.response();
    for gone in [admin.get(&path).await, admin.delete(&path).await, admin.patch(&path, json!({})).await] {
        gone.refused(404, "InvalidSelection", None);
    }
    assert_eq!(admin.get(super::PATH).await.response()["results"], json!([]));
}
