//! GET and PATCH /api/v2/system/settings.

use chancery_core::Host;
use chancery_types::{RoleId, wire::system::PatchSettings};
use serde_json::json;

use crate::app::{PASSWORD, Setup, TestApp};

const SETTINGS: &str = "/api/v2/system/settings";

#[tokio::test]
async fn api_access_can_be_switched_off_and_on_again_by_a_cookie_session() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (bearer, cookie) = (admin.with_bearer(admin.bearer.as_ref().unwrap()), admin.with_cookie_alone());
    let on = json!({"apiAccess": true, "hardened": false, "demo": false, "freshFactorFor": [], "auditRetention": {}});
    let off = json!({"apiAccess": false, "hardened": false, "demo": false, "freshFactorFor": [], "auditRetention": {}});
    assert_eq!(bearer.get(SETTINGS).await.response(), &on);
    assert_eq!(bearer.patch(SETTINGS, json!({"apiAccess": false})).await.response(), &off);
    for client in [&bearer, &admin] {
        client.get(SETTINGS).await.refused(403, "ApiAccessDisabled", None);
        client.patch(SETTINGS, json!({"apiAccess": true})).await.refused(403, "ApiAccessDisabled", None);
    }
    for client in [&bearer, &cookie] {
        client.get("/api/v2/audit").await.refused(403, "ApiAccessDisabled", None);
        client.get("/api/v2/roles/stubs").await.refused(403, "ApiAccessDisabled", None);
    }
    assert_eq!(app.nobody().get("/healthz").await.status.as_u16(), 200);
    assert_eq!(cookie.get(SETTINGS).await.response(), &off);
    assert_eq!(cookie.patch(SETTINGS, json!({})).await.response(), &off, "what is absent stays");
    assert_eq!(cookie.patch(SETTINGS, json!({"apiAccess": true})).await.response(), &on);
    bearer.get("/api/v2/audit").await.response();
}

#[tokio::test]
async fn the_host_can_always_do_it() {
    let app = TestApp::with(Setup { api_access: false, hardened: true, ..Setup::default() }).await;
    let host = Host::running("settings");
    assert!(!app.chancery.host_settings(&host).api_access);
    let on = PatchSettings { api_access: Some(true), ..PatchSettings::default() };
    assert!(app.chancery.change_host_settings(&host, on).await.unwrap().api_access);
    let admin = app.admin().await;
    assert_eq!(admin.get(SETTINGS).await.response()["hardened"], true);
    let records = admin.get("/api/v2/audit?action=SettingsChange").await;
    let record = &records.response()["items"][0];
    assert_eq!(
        (&record["requestId"], &record["detail"]),
        (
            &json!("settings"),
            &json!({"apiAccess": true, "changes": [{"member": "/apiAccess", "before": false, "after": true}]})
        )
    );
}

#[tokio::test]
async fn it_needs_system_manage_also_while_api_access_is_off() {
    let app = TestApp::new().await;
    let clerk = app.person("clerk", &[RoleId::AUDITOR]).await;
    let half_open = app.nobody();
    half_open.log_in("Admin1", PASSWORD).await;
    let off = PatchSettings { api_access: Some(false), ..PatchSettings::default() };
    for patch in [PatchSettings::default(), off] {
        app.chancery.change_host_settings(&Host::running("settings"), patch).await.unwrap();
        let clerk = clerk.with_cookie_alone();
        clerk.get(SETTINGS).await.refused(403, "NotAuthorized", None);
        clerk.patch(SETTINGS, json!({"apiAccess": true})).await.refused(403, "NotAuthorized", None);
        for client in [&app.nobody(), &half_open] {
            client.get(SETTINGS).await.refused(401, "InvalidAuthToken", None);
            client.patch(SETTINGS, json!({"apiAccess": true})).await.refused(401, "InvalidAuthToken", None);
        }
    }
}

#[tokio::test]
async fn what_is_not_as_described_changes_nothing() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for (body, field) in [
        (json!({"apiAccess": "false"}), Some("/apiAccess")),
        (json!({"apiAccess": 0}), Some("/apiAccess")),
        (json!([1]), None),
    ] {
        admin.patch(SETTINGS, body).await.refused(400, "ArgumentParseError", field);
    }
    assert_eq!(admin.get(SETTINGS).await.response()["apiAccess"], true);
}
