//! `…/api-keys/{keyUuid}`.

use serde_json::json;

use super::{log_in_by, make, path, till, use_of};
use crate::{
    app::{TestApp, until},
    client::Client,
};

#[tokio::test]
async fn what_is_changed_of_a_key_is_so_at_once_and_told() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let (key, secret) = make(&admin, &till.id, json!({"name": "laptop"})).await;
    let one = format!("{}/{key}", path(&till.id));
    let bearer = app.nobody().with_bearer(&secret);
    bearer.get("/api/v2/identities/stubs").await.response();
    let change = json!({
        "name": "desk", "expiresAt": "2026-06-22T00:00:00+02:00", "networks": ["10.1.2.3/8", "::ffff:192.0.2.0/120"],
    });
    let changed = admin.patch(&one, change).await.response().clone();
    assert_eq!(changed["networks"], json!(["10.0.0.0/8", "192.0.2.0/24"]));
    assert_eq!(changed["expiresAt"], "2026-06-21T22:00:00.000Z");
    bearer.get("/api/v2/identities/stubs").await.refused(401, "InvalidAuthToken", None);
    let there = app.nobody().from([192, 0, 2, 9]).with_bearer(&secret);
    there.get("/api/v2/identities/stubs").await.response();
    // What was read can be written back, and nulls take away.
    admin.patch(&one, changed).await.response();
    let back = admin.patch(&one, json!({"expiresAt": null, "networks": []})).await.response().clone();
    assert_eq!((back.get("expiresAt"), &back["networks"]), (None, &json!([])));
    bearer.get("/api/v2/identities/stubs").await.response();
    let audit = admin.get("/api/v2/audit?action=ApiKeyChange").await.response()["items"].clone();
    let first = audit.as_array().unwrap().last().unwrap();
    assert_eq!((&first["objectUuid"], &first["detail"]["identity"]), (&json!(key), &json!("till")));
    let name = json!({"member": "/objInfo/name", "before": "laptop", "after": "desk"});
    assert!(first["detail"]["changes"].as_array().unwrap().contains(&name), "{first}");
}

/// Deleting, locking and shortening count on every node within a second.
#[tokio::test]
async fn a_deleted_key_is_refused_on_another_node_within_a_second() {
    let app = TestApp::on_postgres().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let there = app.other_node().await;
    let (key, secret) = make(&admin, &till.id, json!({"name": "laptop"})).await;
    let bearer = Client::new(there.clone()).with_bearer(&secret);
    let session = Client::new(there);
    let answers = async |client: &Client| client.get("/api/v2/identities/stubs").await.status.as_u16();
    until("the other node knows the key", async || answers(&bearer).await == 200).await;
    until("it logs in there", async || log_in_by(&session, &secret).await.status == 200).await;
    assert_eq!(answers(&session).await, 200);
    for reply in use_of(&bearer, &till.profile).await {
        reply.response();
    }
    admin.delete(&format!("{}/{key}", path(&till.id))).await.response();
    for client in [&bearer, &session] {
        until("the other node refuses the key", async || answers(client).await == 401).await;
        client.get("/api/v2/identities/stubs").await.refused(401, "InvalidAuthToken", None);
        for reply in use_of(client, &till.profile).await {
            reply.refused(401, "InvalidAuthToken", None);
        }
    }
}
