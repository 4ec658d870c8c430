//! From a payload to a signature, or not, through the hands of several people.

use std::sync::Arc;

use axum::http::StatusCode;
use futures::future::join_all;
use serde_json::json;

use crate::{
    app::Setup,
    client::Client,
    signing::{Signing, approve, bytes, deny, openssl_accepts},
};

/// Asserts that the system's OpenSSL accepts a detached CMS.
#[track_caller]
fn verify(root_pem: &str, cms: &[u8], content: &[u8]) {
    assert!(openssl_accepts("openssl", root_pem, cms, content));
}

#[tokio::test]
async fn two_approvals_lead_to_a_verified_signature() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"release 1.0").await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    assert_eq!(approve(&ann, &request).await.response()["signature"], "");
    assert_eq!(signing.words(&request).await, ["Approval", "Pending"]);
    let signature = approve(&bob, &request).await.response()["signature"].clone();
    verify(&signing.root_pem, &bytes(&signature), b"release 1.0");
    assert_eq!(signing.words(&request).await, ["Signed", "Approved"]);

    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestApprove").await;
    let outcomes: Vec<_> =
        audit.response()["items"].as_array().unwrap().iter().map(|record| record["outcome"].clone()).collect();
    assert_eq!(outcomes, ["Success", "Success"]);
}

#[tokio::test]
async fn a_denial_ends_it() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let request = signing.submit(&service, b"release 1.0").await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    approve(&ann, &request).await.response();
    deny(&bob, &request).await.response();
    approve(&signing.admin, &request).await.refused(409, "InvalidState", None);
    let detail = signing.read(&request).await;
    assert_eq!([&detail["state"], &detail["approvalState"], &detail["signature"]], ["Denied", "Denied", ""]);
}

/// A thousand approvals of which one is the last that is needed.
async fn a_thousand_final_approvals(setup: Setup) {
    let signing = Signing::with(setup).await;
    let service = signing.deploy("builds", 2).await;
    let request = Arc::new(signing.submit(&service, b"release 1.0").await);
    approve(&signing.admin, &request).await.response();
    let names = ["ann", "bob", "cat", "dan"];
    let approvers: Arc<[_]> = join_all(names.map(|name| signing.approver(name))).await.into();
    let calls = (0..1_000).map(|n: usize| {
        let (approvers, request) = (Arc::clone(&approvers), Arc::clone(&request));
        tokio::spawn(async move { approve(&approvers[n % approvers.len()], &request).await })
    });
    let mut signatures = Vec::new();
    for reply in join_all(calls).await {
        let reply = reply.unwrap();
        if reply.status == StatusCode::OK {
            signatures.push(reply.response()["signature"].clone());
        } else {
            reply.refused(409, "InvalidState", None);
        }
    }
    assert_eq!(signatures.len(), 1);
    verify(&signing.root_pem, &bytes(&signatures[0]), b"release 1.0");
    let detail = signing.read(&request).await;
    assert_eq!((&detail["signature"], detail["approvals"].as_array().unwrap().len()), (&signatures[0], 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_final_approvals_give_one_signature() {
    a_thousand_final_approvals(Setup::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_final_approvals_give_one_signature_on_postgresql() {
    a_thousand_final_approvals(Setup { postgres: true, ..Setup::default() }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_approvals_give_exactly_the_counts_that_the_rules_demand() {
    // The whole of it, 64 approvers on 1,000 requests, takes minutes in a debug build.
    let (approvers, count): (u32, usize) =
        if std::env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { (64, 1_000) } else { (16, 60) };
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 3).await;
    let mut requests = Vec::new();
    for n in 0..count {
        requests.push(signing.submit(&service, &n.to_le_bytes()).await);
    }
    let names: Vec<_> = (0..approvers).map(|n| format!("approver {n}")).collect();
    let approvers: Arc<[_]> = join_all(names.iter().map(|name| signing.approver(name))).await.into();
    let requests: Arc<[_]> = requests.into();
    let calls = (0..approvers.len() * count).map(|n| {
        let (approvers, requests) = (Arc::clone(&approvers), Arc::clone(&requests));
        tokio::spawn(async move { approve(&approvers[n % approvers.len()], &requests[n / approvers.len()]).await })
    });
    let accepted = join_all(calls).await.into_iter().filter(|reply| reply.as_ref().unwrap().status == 200).count();
    assert_eq!(accepted, 3 * count);
    for request in requests.iter() {
        let detail = signing.read(request).await;
        assert_eq!((&detail["state"], detail["approvals"].as_array().unwrap().len()), (&json!("Signed"), 3));
    }
}

/// Here nothing but the compare-and-swap in the store stands between two signatures.
#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_give_one_signature_between_them() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let mut requests = Vec::new();
    for n in 0..20_u32 {
        requests.push(signing.submit(&service, &n.to_le_bytes()).await);
    }
    let router = signing.app.other_node().await;
    let elsewhere = Client::new(router).with_bearer(bob.bearer.as_deref().unwrap());
    for request in requests {
        let (here, there) = tokio::join!(approve(&ann, &request), approve(&elsewhere, &request));
        let [won, lost] = if here.status == StatusCode::OK { [here, there] } else { [there, here] };
        let signature = won.response()["signature"].clone();
        lost.refused(409, "InvalidState", None);
        let detail = signing.read(&request).await;
        assert_eq!((&detail["signature"], detail["approvals"].as_array().unwrap().len()), (&signature, 1));
    }
}
