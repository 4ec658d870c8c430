//! GET /api/v2/x509/signing-requests/{uuid}.

use serde_json::json;

use crate::{
    client::Client,
    signing::{REQUESTS, Signing, approve, submit},
};

#[tokio::test]
async fn a_request_in_full() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"payload").await;
    let ann = signing.approver("ann").await;
    approve(&ann, &request).await.response();
    let mut detail = signing.read(&request).await;
    let ids = |value: &mut serde_json::Value| {
        let list = value.as_array_mut().unwrap().iter_mut().map(|one| one["name"].take());
        json!(list.collect::<Vec<_>>())
    };
    assert_eq!(ids(&mut detail["submittedBy"]), json!(["Admin1", "Admin2"]));
    assert_eq!(ids(&mut detail["approvals"][0]["identities"]), json!(["ann"]));
    let members = detail.as_object_mut().unwrap();
    members.remove("submittedBy");
    let decision = members.remove("approvals").unwrap();
    let decision = &decision[0];
    let told = ["decision", "note", "decidedAt"].map(|member| &decision[member]);
    assert_eq!(told, ["Approve", "seen", "2026-06-21T12:00:00Z"]);
    assert_eq!(
        detail,
        json!({
            "objInfo": {"name": "release", "uuid": request},
            "uuid": request,
            "name": "release",
            "state": "Approval",
            "approvalState": "Pending",
            "serviceUuid": service.uuid,
            "policyUuid": service.policy,
            "signingPolicyUuid": service.policy,
            "signingFormat": "CMS",
            "hashAlgorithm": "Sha2_256",
            "digest": "I59Z7VXnN8dxR89VrQwbAwttfudIp0JpUvm4UtWpNeU=",
            "approvalDigest": "I59Z7VXnN8dxR89VrQwbAwttfudIp0JpUvm4UtWpNeU=",
            "signature": "",
            "submittedAt": "2026-06-21T12:00:00Z",
            "approvalsRequired": 2,
            "mayApprove": true,
            "inclusionProof": null,
            "uploadSize": 7,
        })
    );
}

/// What approving it would answer.
#[tokio::test]
async fn whether_the_rules_take_an_approval_of_the_reader_is_told() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let ann = signing.approver("ann").await;
    let role = signing.role("both", &["Signing:Submit", "Signing:Approve"]).await;
    let sam = signing.person("sam", &role).await;
    let request = submit(&sam, &service, b"x").await;
    signing.app.clock.advance_ms(1);
    let late = signing.approver("late").await;
    let path = format!("{REQUESTS}/{request}");
    let told = async |who: &Client| who.get(&path).await.response()["mayApprove"].as_bool().unwrap();
    assert!(told(&ann).await && told(&signing.admin).await);
    assert!(!told(&sam).await, "nobody approves their own alone");
    assert!(!told(&late).await, "it is older than the account");
    for (who, refused) in [(&sam, true), (&late, true), (&ann, false)] {
        assert_eq!(approve(who, &request).await.status == 403, refused);
    }
    assert!(!told(&ann).await && told(&signing.admin).await, "nobody approves twice");
    approve(&signing.admin, &request).await.response();
    assert!(!told(&signing.admin).await, "it waits no more");
}

#[tokio::test]
async fn how_much_was_uploaded_is_told_and_of_a_digest_nothing() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    for (payload, size) in [(&b""[..], 0), (&[7; 100_000][..], 100_000)] {
        let request = signing.submit(&service, payload).await;
        assert_eq!(signing.admin.get(&format!("{REQUESTS}/{request}")).await.response()["uploadSize"], size);
    }
    let digest = json!({"name": "digest", "serviceUuid": service.uuid, "policyUuid": service.policy,
                        "digest": "I59Z7VXnN8dxR89VrQwbAwttfudIp0JpUvm4UtWpNeU="});
    let request = signing.admin.post(REQUESTS, digest).await.response()["uuid"].as_str().unwrap().to_owned();
    assert!(signing.admin.get(&format!("{REQUESTS}/{request}")).await.response().get("uploadSize").is_none());
}

#[tokio::test]
async fn the_payload_comes_on_demand() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"payload").await;
    let path = format!("{REQUESTS}/{request}");
    assert!(signing.admin.get(&path).await.response().get("uploadData").is_none());
    let with = signing.admin.get(&format!("{path}?include=uploadData")).await;
    assert_eq!(with.response()["uploadData"], "cGF5bG9hZA==");
    signing.admin.get(&format!("{path}?include=all")).await.refused(400, "InvalidSelection", Some("/include"));
}

#[tokio::test]
async fn submitters_read_the_own_requests_and_approvers_all() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let (one, other) = (signing.person("one", &role).await, signing.person("other", &role).await);
    let request = submit(&one, &service, b"x").await;
    let path = format!("{REQUESTS}/{request}");
    one.get(&path).await.response();
    other.get(&path).await.refused(403, "NotAuthorized", None);
    signing.approver("ann").await.get(&path).await.response();
    let auditor = signing.role("reader", &["Audit:Read"]).await;
    signing.person("rae", &auditor).await.get(&path).await.refused(403, "NotAuthorized", None);
    signing.app.nobody().get(&path).await.refused(401, "InvalidAuthToken", None);
}

#[tokio::test]
async fn a_request_that_is_not_there() {
    let signing = Signing::new().await;
    for uuid in ["11111111-1111-1111-1111-111111111111", "release"] {
        signing.admin.get(&format!("{REQUESTS}/{uuid}")).await.refused(404, "InvalidSelection", None);
    }
}
