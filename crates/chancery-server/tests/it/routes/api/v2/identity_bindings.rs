//! /api/v2/identity-bindings.

use chancery_types::RoleId;
use serde_json::json;

use crate::workloads::{BINDINGS, Workloads, application};

#[tokio::test]
async fn a_binding_is_made_read_listed_and_deleted() {
    let workloads = Workloads::new().await;
    let admin = workloads.app.admin().await;
    let asks = json!({"subject": "workload-1", "claims": {"environment": "production"}});
    let made = admin.post(BINDINGS, workloads.binding("app", asks.clone())).await.response().clone();
    admin.saw_audited("IdentityBindingCreate").await;
    assert_eq!((&made["subject"], &made["claims"]), (&asks["subject"], &asks["claims"]));
    let path = format!("{BINDINGS}/{}", made["objInfo"]["uuid"].as_str().unwrap());
    assert_eq!(admin.get(&path).await.response(), &made);
    let other = application(&admin, "other").await;
    let of = async |identity: &str| {
        admin.get(&format!("{BINDINGS}?identityUuid={identity}")).await.response()["results"].clone()
    };
    assert_eq!((of(&workloads.ci).await, of(&other).await), (json!([made]), json!([])));
    let same = workloads.binding_of(&other, "the same", asks);
    admin.post(BINDINGS, same).await.refused(409, "AlreadyExists", Some("/subject"));
    let taken = workloads.binding_of(&other, "APP", json!({"subject": "workload-2"}));
    admin.post(BINDINGS, taken).await.refused(409, "AlreadyExists", Some("/name"));
    admin.delete(&path).await.response();
    admin.saw_audited("IdentityBindingDelete").await;
    admin.get(&path).await.refused(404, "InvalidSelection", None);
    // Whoever is deleted takes the bindings along.
    let made = admin.post(BINDINGS, workloads.binding_of(&other, "other", json!({"subject": "x"}))).await;
    let path = format!("{BINDINGS}/{}", made.response()["objInfo"]["uuid"].as_str().unwrap());
    admin.delete(&format!("/api/v2/identities/{other}")).await.response();
    admin.get(&path).await.refused(404, "InvalidSelection", None);
}

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
