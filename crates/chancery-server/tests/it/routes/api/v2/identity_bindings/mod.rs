//! /api/v2/identity-bindings.

mod uuid;

use chancery_types::RoleId;
use serde_json::json;

use crate::workloads::{BINDINGS, Workloads};

#[tokio::test]
async fn a_binding_is_about_somebody_in_particular() {
    let workloads = Workloads::new().await;
    let admin = workloads.app.admin().await;
    for (asks, code, field) in [
        (json!({}), "InvalidValue", "/subject"),
        (json!({"claims": {"repository": "octo/app", "ref": "refs/heads/main"}}), "InvalidValue", "/subject"),
        (json!({"claims": {"actor_id": "7"}}), "InvalidValue", "/subject"),
        (json!({"subject": ""}), "InvalidValue", "/subject"),
        (json!({"subject": "x", "claims": {"ref": ""}}), "InvalidValue", "/claims/ref"),
        (json!({"subject": "x", "extra": true}), "ArgumentParseError", "/extra"),
    ] {
        let reply = admin.post(BINDINGS, workloads.binding("wrong", asks.clone())).await;
        let said = (reply.json["errorCode"].as_str(), reply.json["response"]["field"].as_str());
        assert_eq!(said, (Some(code), Some(field)), "{asks}: {}", reply.text());
    }
    let nobody = "00000000-0000-4000-8000-000000000001";
    let body = workloads.binding_of(nobody, "of nobody", json!({"subject": "x"}));
    admin.post(BINDINGS, body).await.refused(400, "InvalidSelection", Some("/identityUuid"));
    let admin1 = admin.create_person("carol", &[RoleId::ADMINISTRATOR]).await;
    let body = workloads.binding_of(&admin1, "of an administrator", json!({"subject": "x"}));
    admin.post(BINDINGS, body).await.refused(409, "InvalidState", None);
}
