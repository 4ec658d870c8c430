//! GET /api/v2/x509/signing-requests/{uuid}/items.

use chancery_types::Base64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::signing::{REQUESTS, Signing, submit};

#[tokio::test]
async fn items_come_in_their_order_a_page_at_a_time() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let item = |n: u8| json!({"name": format!("file {n}"), "digest": Base64::encode(&Sha256::digest([n]))});
    let items: Vec<_> = (0..3).map(item).collect();
    let body = json!({"name": "release", "serviceUuid": service.uuid, "policyUuid": service.policy, "items": items});
    let request = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let path = format!("{REQUESTS}/{request}/items");
    let page = signing.admin.get(&format!("{path}?page=2&pageSize=2")).await.response().clone();
    let listed = page["items"].as_array().unwrap();
    assert_eq!((&page["total"], listed.len()), (&json!(3), 1));
    assert_eq!((&listed[0]["name"], &listed[0]["state"]), (&json!("file 2"), &json!("Approval")));
    assert_eq!((&listed[0]["digest"], &listed[0]["signature"]), (&items[2]["digest"], &Value::Null));

    for (query, field) in [("pageSize=0", "/pageSize"), ("pageSize=1001", "/pageSize"), ("page=0", "/page")] {
        signing.admin.get(&format!("{path}?{query}")).await.refused(400, "InvalidValue", Some(field));
    }
    let role = signing.role("submitters", &["Signing:Submit"]).await;
    signing.person("other", &role).await.get(&path).await.refused(403, "NotAuthorized", None);
    let nothing = format!("{REQUESTS}/00000000-0000-0000-0000-000000000000/items");
    signing.admin.get(&nothing).await.refused(404, "InvalidSelection", None);
    let single = submit(&signing.admin, &service, b"one file").await;
    let none = signing.admin.get(&format!("{REQUESTS}/{single}/items")).await;
    assert_eq!((&none.response()["items"], &none.response()["total"]), (&json!([]), &json!(0)));
}
