//! /api/v2/identity-bindings/{uuid}, and what lists show of it.

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
