//! POST /api/v2/x509/signing-requests/batch-approve-deny.

use chancery_core::Limits;
use serde_json::{Value, json};

use crate::{
    app::Setup,
    signing::{REQUESTS, Signing, approve, deny},
};

const UNKNOWN: &str = "11111111-1111-1111-1111-111111111111";

fn path() -> String {
    format!("{REQUESTS}/batch-approve-deny")
}

fn told(results: &Value) -> Vec<[&str; 3]> {
    let mut told = Vec::new();
    for item in results.as_array().unwrap() {
        told.push(["errorCode", "state", "approvalState"].map(|member| item[member].as_str().unwrap()));
    }
    told
}

#[tokio::test]
async fn each_request_is_decided_by_itself() {
    let signing = Signing::new().await;
    let (one, two) = (signing.deploy("one", 1).await, signing.deploy("two", 2).await);
    let ann = signing.approver("ann").await;
    let denied = signing.submit(&one, b"a").await;
    deny(&signing.admin, &denied).await.response();
    let (signs, waits) = (signing.submit(&one, b"b").await, signing.submit(&two, b"c").await);
    let approved = signing.submit(&two, b"d").await;
    approve(&ann, &approved).await.response();
    let uuids = [denied.as_str(), &signs, UNKNOWN, &waits, &approved, &signs];
    let reply = ann.post(&path(), json!({"uuids": uuids, "decision": "Approve", "note": "all"})).await;
    let results = &reply.response()["results"];
    assert_eq!(
        told(results),
        [
            ["InvalidState", "Denied", "Denied"],
            ["Success", "Signed", "Approved"],
            ["InvalidSelection", "None", "None"],
            ["Success", "Approval", "Pending"],
            ["InvalidState", "Approval", "Pending"],
            ["InvalidState", "Signed", "Approved"],
        ]
    );
    let answered: Vec<_> = results.as_array().unwrap().iter().map(|item| item["uuid"].as_str().unwrap()).collect();
    assert_eq!(answered, uuids);
    assert!(results[1].get("message").is_none() && results[0]["message"].is_string(), "{results}");

    let reply = ann.post(&path(), json!({"uuids": [waits, UNKNOWN], "decision": "Deny"})).await;
    let told = told(&reply.response()["results"]).concat();
    assert_eq!(told, ["Success", "Denied", "Denied", "InvalidSelection", "None", "None"]);
}

#[tokio::test]
async fn whoever_may_not_read_a_request_is_not_told_where_it_stands() {
    let signing = Signing::new().await;
    let (service, submitters) = (signing.deploy("one", 1).await, signing.role("submitters", &["Signing:Submit"]).await);
    let foreign = signing.submit(&service, b"a").await;
    approve(&signing.approver("ann").await, &foreign).await.response();
    let sue = signing.person("sue", &submitters).await;
    let reply = sue.post(&path(), json!({"uuids": [foreign, UNKNOWN], "decision": "Deny"})).await;
    let told = told(&reply.response()["results"]);
    assert_eq!(told, [["NotAuthorized", "None", "None"], ["InvalidSelection", "None", "None"]]);
}

#[tokio::test]
async fn an_empty_batch_answers_an_empty_array() {
    let signing = Signing::new().await;
    let reply = signing.admin.post(&path(), json!({"uuids": [], "decision": "Deny"})).await;
    assert_eq!(reply.response(), &json!({"results": []}));
}

#[tokio::test]
async fn a_batch_has_a_limit() {
    let limits = Limits { decisions_max: 3, ..Limits::default() };
    let signing = Signing::with(Setup { limits, ..Setup::default() }).await;
    let batch = |uuids: usize| json!({"uuids": vec![UNKNOWN; uuids], "decision": "Deny"});
    signing.admin.post(&path(), batch(3)).await.response();
    signing.admin.post(&path(), batch(4)).await.refused(413, "LimitExceeded", Some("/uuids"));
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    for (body, error_code, field) in [
        (json!({"decision": "Deny"}), "ArgumentParseError", "/uuids"),
        (json!({"uuids": []}), "ArgumentParseError", "/decision"),
        (json!({"uuids": {}, "decision": "Deny"}), "ArgumentParseError", "/uuids"),
        (json!({"uuids": ["x"], "decision": "Deny"}), "InvalidSelection", "/uuids/0"),
        (json!({"uuids": [], "decision": "deny"}), "InvalidSelection", "/decision"),
        (json!({"uuids": [], "decision": "Deny", "note": 7}), "ArgumentParseError", "/note"),
    ] {
        signing.admin.post(&path(), body).await.refused(400, error_code, Some(field));
    }
    let body = json!({"uuids": [UNKNOWN], "decision": "Approve"});
    signing.app.nobody().post(&path(), body.clone()).await.refused(401, "InvalidAuthToken", None);
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    signing.person("sue", &role).await.post(&path(), body).await.refused(403, "NotAuthorized", None);
}
