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
    let moved = json!({"name": "moved", "webhook": {"url": "https://other.example.org/"}, "enabled": false});
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
