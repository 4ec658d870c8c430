//! GET /api/v2/notices/undelivered.

use chancery_types::Base64;
use serde_json::json;

use super::super::notice_targets::target;
use crate::signing::{REQUESTS, Signing};

#[tokio::test]
async fn what_waits_is_listed_with_its_object_and_none_of_the_submitters_words() {
    let signing = Signing::new().await;
    let admin = &signing.admin;
    let made = target(admin, "alerts").await;
    let service = signing.deploy("releases", 1).await;
    let body = json!({
        "name": "approve me at once", "serviceUuid": service.uuid, "policyUuid": service.policy,
        "uploadData": Base64::encode(b"content"), "note": "now",
    });
    let request = admin.post(REQUESTS, body).await.response()["uuid"].clone();
    let listed = admin.get("/api/v2/notices/undelivered").await;
    assert!(!listed.text().contains("at once"), "{}", listed.text());
    let item = &listed.response()["items"][0];
    assert_eq!((&item["targetUuid"], &item["attempts"]), (&made["uuid"], &json!(0)));
    let notice = &item["notice"];
    assert_eq!((&notice["kind"], &notice["objectUuid"]), (&json!("Waiting"), &request), "{}", listed.text());
    assert_eq!((&notice["serviceUuid"], &notice["approvals"]["required"]), (&json!(service.uuid), &json!(1)));
    let other = "/api/v2/notices/undelivered?targetUuid=00000000-0000-0000-0000-0000000000aa";
    assert_eq!(admin.get(other).await.response()["total"], 0);
}
