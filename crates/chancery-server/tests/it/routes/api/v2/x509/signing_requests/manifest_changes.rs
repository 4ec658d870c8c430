//! What is new in a manifest: `include=contents` of GET /api/v2/x509/signing-requests/{uuid}, `include=changes` of …/items.

use serde_json::{Value, json};

use super::manifests::{item, items, manifest, submit};
use crate::signing::{REQUESTS, Signing, approve, deny};

async fn changes(signing: &Signing, request: &str) -> Value {
    signing.admin.get(&format!("{REQUESTS}/{request}?include=contents")).await.response()["manifestChanges"].clone()
}

/// Each item's name with what it is beside the last manifest.
async fn marked(signing: &Signing, request: &str) -> Value {
    let found = items(signing, request, "?include=changes").await;
    let marked = found["items"].as_array().unwrap().iter().map(|item| json!([item["name"], item["change"]]));
    json!(marked.collect::<Vec<_>>())
}

#[tokio::test]
async fn beside_the_last_that_was_signed() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let (ann, other) = (signing.approver("ann").await, signing.deploy("others", 1).await);
    let first = submit(&signing, &service, vec![item("a", b"1"), item("b", b"1"), item("c", b"1")]).await;
    let expected = json!({"added": 3, "changed": 0, "same": 0, "gone": 0, "goneNames": []});
    assert_eq!(changes(&signing, &first).await, expected, "there is none before");
    approve(&ann, &first).await.response();
    // Of another policy, denied, waiting: none of them counts. Nor does a single request.
    let elsewhere = submit(&signing, &other, vec![item("new", b"1")]).await;
    approve(&ann, &elsewhere).await.response();
    let denied = submit(&signing, &service, vec![item("new", b"1")]).await;
    deny(&ann, &denied).await.response();
    let _waits = submit(&signing, &service, vec![item("new", b"1")]).await;
    let single = signing.submit(&service, b"new").await;
    approve(&ann, &single).await.response();

    let second = submit(&signing, &service, vec![item("b", b"1"), item("new", b"1"), item("a", b"2")]).await;
    let found = changes(&signing, &second).await;
    assert_eq!(found["since"], json!({"name": "release", "uuid": first}));
    assert_eq!(found["sinceSignedAt"], signing.read(&first).await["decidedAt"]);
    let counts = ["added", "changed", "same", "gone"].map(|name| found[name].as_u64().unwrap());
    assert_eq!((counts, &found["goneNames"]), ([1, 1, 1, 1], &json!(["c"])));
    assert_eq!(marked(&signing, &second).await, json!([["b", "Same"], ["new", "Added"], ["a", "Changed"]]));
    let page = items(&signing, &second, "?include=changes&page=2&pageSize=2").await;
    assert_eq!(page["items"][0]["change"], "Changed");
    assert_eq!(items(&signing, &second, "").await["items"][0].get("change"), None);

    signing.app.clock.advance_ms(1_000);
    approve(&ann, &second).await.response();
    // What was signed keeps what it was beside; what is submitted now has the second before it.
    assert_eq!(changes(&signing, &second).await, found);
    let third = submit(&signing, &service, vec![item("a", b"2")]).await;
    let found = changes(&signing, &third).await;
    assert_eq!((&found["since"]["uuid"], &found["same"], &found["gone"]), (&json!(second), &json!(1), &json!(2)));
}

#[tokio::test]
async fn for_whoever_may_approve() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let _others = submit(&signing, &service, vec![item("of another team", b"1")]).await;
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let one = signing.person("one", &role).await;
    let body = manifest(&service, vec![item("a", b"1")]);
    let request = one.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let path = format!("{REQUESTS}/{request}");
    assert_eq!(one.get(&format!("{path}?include=contents")).await.response().get("manifestChanges"), None);
    let own = one.get(&format!("{path}/items?include=changes")).await;
    assert_eq!(own.response()["items"][0].get("change"), None);
    let ann = signing.approver("ann").await;
    ann.get(&format!("{path}?include=contents")).await.response()["manifestChanges"].as_object().unwrap();
}

/// A name more than are told of by name.
#[tokio::test]
async fn names_that_are_gone_are_counted_and_the_first_told() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let many = (0..1_002).map(|number| item(&format!("{number:04}"), b"1")).collect();
    let _first = submit(&signing, &service, many).await;
    signing.app.clock.advance_ms(1_000);
    let second = submit(&signing, &service, vec![item("0000", b"1")]).await;
    let found = changes(&signing, &second).await;
    let names = found["goneNames"].as_array().unwrap();
    assert_eq!((&found["gone"], names.len()), (&json!(1_001), 1_000));
    assert_eq!((&names[0], &names[999]), (&json!("0001"), &json!("1000")));
}
