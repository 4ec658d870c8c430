//! GET /api/v2/x509/signing-requests.

use serde_json::{Value, json};

use crate::signing::{REQUESTS, Signing, deny, submission, submit};

fn uuids(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["uuid"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn requests_are_listed_by_name_and_filtered() {
    let signing = Signing::new().await;
    let (waiting, at_once) = (signing.deploy("waiting", 1).await, signing.deploy("at once", 0).await);
    let mut body = submission(&waiting, b"a");
    body["name"] = json!("zebra");
    let zebra = signing.admin.post(REQUESTS, body).await;
    let zebra = zebra.response()["uuid"].as_str().unwrap();
    let signed = signing.submit(&at_once, b"b").await;
    let denied = signing.submit(&waiting, b"c").await;
    deny(&signing.admin, &denied).await.response();

    let all = signing.admin.get(REQUESTS).await;
    let mut expected = [signed.as_str(), &denied];
    expected.sort_unstable();
    assert_eq!((uuids(all.response()), &all.response()["total"]), ([&expected[..], &[zebra]].concat(), &json!(3)));
    for (query, expected) in [
        ("state=Approval", vec![zebra]),
        ("state=Signed", vec![&signed]),
        ("state=Denied", vec![&denied]),
        ("state=Failed", vec![]),
        ("search=EBR", vec![zebra]),
        ("page=3&pageSize=1", vec![zebra]),
    ] {
        let reply = signing.admin.get(&format!("{REQUESTS}?{query}")).await;
        assert_eq!(uuids(reply.response()), expected, "{query}");
    }
    let item = signing.admin.get(&format!("{REQUESTS}?state=Signed")).await;
    assert_eq!(
        item.response()["items"][0],
        json!({
            "objInfo": {"name": "release", "uuid": signed},
            "uuid": signed,
            "name": "release",
            "state": "Signed",
            "approvalState": "Approved",
            "serviceUuid": at_once.uuid,
            "policyUuid": at_once.policy,
            "submittedAt": "2026-06-21T12:00:00Z",
        })
    );
}

#[tokio::test]
async fn submitters_see_the_own_requests() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let (one, other) = (signing.person("one", &role).await, signing.person("other", &role).await);
    let request = submit(&one, &service, b"x").await;
    signing.submit(&service, b"y").await;
    let seen = one.get(REQUESTS).await;
    assert_eq!((uuids(seen.response()), &seen.response()["total"]), (vec![request.as_str()], &json!(1)));
    assert_eq!(other.get(REQUESTS).await.response()["total"], 0);
    assert_eq!(signing.approver("ann").await.get(REQUESTS).await.response()["total"], 2);
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    signing.admin.get(&format!("{REQUESTS}?state=signed")).await.refused(400, "InvalidSelection", Some("/state"));
    signing.admin.get(&format!("{REQUESTS}?pageSize=0")).await.refused(400, "InvalidValue", Some("/pageSize"));
    signing.app.nobody().get(REQUESTS).await.refused(401, "InvalidAuthToken", None);
    let role = signing.role("reader", &["Audit:Read"]).await;
    signing.person("rae", &role).await.get(REQUESTS).await.refused(403, "NotAuthorized", None);
}
