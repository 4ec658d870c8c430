//! /api/v2/identity-providers/{uuid}.

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::PASSWORD,
    workloads::{BINDINGS, PROVIDERS, Workloads},
};

#[tokio::test]
async fn a_provider_that_something_is_bound_to_stays() {
    let (workloads, binding) = Workloads::bound().await;
    let admin = workloads.app.admin().await;
    let path = format!("{PROVIDERS}/{}", workloads.provider_uuid);
    admin.delete(&path).await.refused(409, "InvalidState", None);
    admin.delete(&format!("{BINDINGS}/{binding}")).await.response();
    admin.delete(&path).await.response();
}

#[tokio::test]
async fn nobody_says_whose_tokens_count_for_somebody_who_holds_more() {
    let workloads = Workloads::new().await;
    let admin = workloads.app.admin().await;
    let role = json!({"name": "makes certificates", "loginsRequired": 1, "perms": ["CertManage:Generate"]});
    let role = admin.post("/api/v2/roles", role).await.response()["uuid"].clone();
    let made = json!({"name": "issuing", "kind": "Application", "roleUuids": [role]});
    let issuing = admin.post("/api/v2/identities", made).await.response()["uuid"].as_str().unwrap().to_owned();
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = workloads.app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    let asks = |name: &str| workloads.binding_of(&issuing, name, json!({"subject": "workload-1"}));
    officers.post(BINDINGS, asks("theirs")).await.refused(403, "NotAuthorized", None);
    admin.post(BINDINGS, asks("ours")).await.response();
    let path = format!("{PROVIDERS}/{}", workloads.provider_uuid);
    let change = |audiences: Value| json!({"audiences": audiences});
    officers.patch(&path, change(json!(["https://theirs.example.org"]))).await.refused(403, "NotAuthorized", None);
    // What counts again when it is switched on is no part of switching off.
    for also in [json!({"enabled": false, "audiences": ["elsewhere"]}), json!({"enabled": false, "singleUse": false})] {
        officers.patch(&path, also).await.refused(403, "NotAuthorized", None);
    }
    officers.patch(&path, json!({"enabled": false})).await.response();
    officers.patch(&path, json!({"audiences": ["elsewhere"]})).await.refused(403, "NotAuthorized", None);
}
