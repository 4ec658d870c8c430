//! GET /api/v2/audit/archives.

mod download;

use chancery_core::Host;
use serde_json::{Value, json};

use crate::{app::TestApp, client::Client};

const PATH: &str = "/api/v2/audit/archives";
const DAY_MS: i64 = 86_400_000;

/// An installation of which all first records are archived, who administers it, and the archives.
async fn archived() -> (TestApp, Client, Vec<Value>) {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let retention = json!({"atHandDays": 92, "keepDays": 365});
    let settings = admin.patch("/api/v2/system/settings", json!({"auditRetention": retention})).await;
    assert_eq!(settings.response()["auditRetention"], retention);
    app.chancery.audit.keep_archives_now(&Host::running("test")).await.unwrap();
    app.clock.advance_ms(94 * DAY_MS);
    let kept = app.chancery.audit.keep_archives_now(&Host::running("test")).await.unwrap();
    assert_eq!((kept.made, kept.removed), (1, 0));
    let admin = app.admin().await;
    let listed = admin.get(PATH).await.response().clone();
    assert_eq!(listed["total"], 1);
    (app, admin, listed["items"].as_array().unwrap().clone())
}

#[tokio::test]
async fn archives_are_listed_and_what_is_in_them_is_not() {
    let (app, admin, archives) = archived().await;
    let archive = &archives[0];
    // The record of the setting stays at hand.
    let records = archive["leaves"].as_i64().map(|leaves| leaves - 1);
    assert_eq!((archive["firstLeaf"].as_i64(), archive["records"].as_i64()), (Some(0), records));
    assert!(archive["from"].as_str() <= archive["to"].as_str() && archive["to"].as_str() < archive["madeAt"].as_str());
    let at_hand = admin.get("/api/v2/audit?action=Provision").await;
    assert_eq!(at_hand.response()["items"], json!([]));
    let told = admin.get("/api/v2/audit?action=AuditArchive").await.response()["items"][0].clone();
    for member in ["firstLeaf", "leaves", "records", "from", "to", "bytes", "sha256"] {
        assert_eq!(told["detail"][member], archive[member], "{member}");
    }
    assert_eq!((told["requestId"].as_str(), &told["identities"]), (Some("test"), &json!([])), "the host did it");
    app.nobody().get(PATH).await.refused(401, "InvalidAuthToken", None);
    admin.get("/api/v2/audit/archives?pageSize=0").await.refused(400, "InvalidValue", Some("/pageSize"));
    admin.get("/api/v2/audit/archives?after=x").await.refused(400, "InvalidValue", Some("/after"));
}

#[tokio::test]
async fn what_is_kept_is_said_by_who_administers_and_refused_at_its_member() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let set =
        async |retention: Value| admin.patch("/api/v2/system/settings", json!({"auditRetention": retention})).await;
    for (retention, pointer) in [
        (json!({"atHandDays": 30}), "/auditRetention/atHandDays"),
        (json!({"atHandDays": 92, "keepDays": 91}), "/auditRetention/keepDays"),
        (json!({"keepDays": 365}), "/auditRetention/atHandDays"),
        (json!({"atHandDays": 92, "beyondAuthoritiesDays": 730}), "/auditRetention/beyondAuthoritiesDays"),
    ] {
        set(retention).await.refused(400, "InvalidValue", Some(pointer));
    }
    set(json!({"atHandDays": 92})).await.response();
    let told = admin.get("/api/v2/audit?action=SettingsChange&pageSize=1").await.response()["items"][0].clone();
    let change = json!({"member": "/auditRetention/atHandDays", "after": 92});
    assert_eq!(told["detail"]["changes"], json!([change]));
    set(json!({})).await.response();
    assert_eq!(admin.get("/api/v2/system/settings").await.response()["auditRetention"], json!({}));
}
