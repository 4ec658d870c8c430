//! POST /api/v2/x509/signing-requests/batch-approve-deny with a digest: one decision over many.

use chancery_core::Limits;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup},
    client::{Client, Reply},
    signing::{REQUESTS, Service, Signing, approve, deny, hex, statement_digest},
};

fn path() -> String {
    format!("{REQUESTS}/batch-approve-deny")
}

async fn digest(signing: &Signing, decision: &str, uuids: &[&str]) -> Value {
    statement_digest(&signing.admin, decision, uuids).await.into()
}

async fn decide(client: &Client, decision: &str, uuids: &[&str], digest: &Value) -> Reply {
    client.post(&path(), json!({"uuids": uuids, "decision": decision, "note": "all", "digest": digest})).await
}

async fn submit_several(signing: &Signing, service: &Service, count: u8) -> Vec<String> {
    let mut uuids = Vec::new();
    for n in 0..count {
        uuids.push(signing.submit(service, &[n]).await);
    }
    uuids
}

fn listed(uuids: &[String]) -> Vec<&str> {
    uuids.iter().map(String::as_str).collect()
}

/// None of them has been decided on.
async fn all_wait(signing: &Signing, uuids: &[&str]) {
    for uuid in uuids {
        let request = signing.read(uuid).await;
        assert_eq!((&request["state"], &request["approvals"]), (&json!("Approval"), &json!([])), "{request}");
    }
}

#[tokio::test]
async fn one_statement_over_all_is_what_sha256sum_prints_and_is_recorded_with_each() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let submitted = submit_several(&signing, &service, 2).await;
    let items = json!([{"name": "app.tar", "digest": "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs="}]);
    let body = json!({"name": "manifest", "serviceUuid": service.uuid, "policyUuid": service.policy, "items": items});
    let manifest = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    // One has an approval already, which changes nothing of what is decided.
    approve(&bob, &submitted[1]).await.response();
    let uuids = [submitted[1].as_str(), &manifest, &submitted[0]];
    let digest = digest(&signing, "Approve", &uuids).await;
    let reply = decide(&ann, "Approve", &uuids, &digest).await;
    let result = |uuid: &str, words: [&str; 2]| json!({"uuid": uuid, "errorCode": "Success", "state": words[0], "approvalState": words[1]});
    let (signed, waits) = (["Signed", "Approved"], ["Approval", "Pending"]);
    let results = [result(uuids[0], signed), result(uuids[1], waits), result(uuids[2], waits)];
    assert_eq!(reply.response(), &json!({"results": results, "digest": digest}));
    for uuid in uuids {
        let request = signing.read(uuid).await;
        let own = request["approvals"].as_array().unwrap().iter().find(|one| one["identities"][0]["name"] == "ann");
        assert_eq!(own.unwrap()["statement"], json!({"digest": digest, "rows": 3}));
        let told = signing.admin.get(&format!("/api/v2/audit?objectUuid={uuid}&action=SigningRequestApprove")).await;
        let told = told.response()["items"].as_array().unwrap().clone();
        let told = told.iter().find(|record| record["identities"][0]["name"] == "ann").unwrap();
        assert_eq!(told["detail"]["statement"], json!({"digest": hex(&digest), "rows": 3}));
    }
    let alone = signing.read(uuids[0]).await["approvals"][0].clone();
    assert_eq!((&alone["identities"][0]["name"], alone.get("statement")), (&json!("bob"), None));
}

#[tokio::test]
async fn what_changed_since_it_was_shown_refuses_all_and_names_the_row() {
    let signing = Signing::new().await;
    let (service, other) = (signing.deploy("builds", 2).await, signing.deploy("others", 2).await);
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let submitted = submit_several(&signing, &service, 4).await;
    let [one, two, three, four] = &listed(&submitted)[..] else { panic!() };
    let foreign = signing.submit(&other, b"x").await;
    let of = async |decision: &str, uuids: &[&str]| digest(&signing, decision, uuids).await;

    let fits = of("Approve", &[one, two]).await;
    decide(&ann, "Approve", &[two, one], &fits).await.refused(409, "InvalidState", Some("/digest"));
    decide(&ann, "Approve", &[one], &fits).await.refused(409, "InvalidState", Some("/digest"));
    decide(&ann, "Deny", &[one, two], &fits).await.refused(409, "InvalidState", Some("/digest"));
    decide(&ann, "Approve", &[one, two, one], &fits).await.refused(400, "InvalidValue", Some("/uuids/2"));
    decide(&ann, "Approve", &[], &fits).await.refused(400, "InvalidValue", Some("/uuids"));
    decide(&ann, "Approve", &[one, two], &json!("")).await.refused(409, "InvalidState", Some("/digest"));
    let with_foreign = of("Approve", &[one, &foreign]).await;
    let refused = decide(&ann, "Approve", &[one, &foreign], &with_foreign).await;
    refused.refused(400, "InvalidValue", Some("/uuids/1"));
    assert!(refused.json["response"]["message"].as_str().unwrap().contains(&foreign), "{}", refused.json);
    all_wait(&signing, &[one, two, three, four, &foreign]).await;

    let decided = of("Approve", &[one, two, three]).await;
    deny(&signing.admin, two).await.response();
    let refused = decide(&ann, "Approve", &[one, two, three], &decided).await;
    refused.refused(409, "InvalidState", Some("/uuids/1"));
    assert!(refused.json["response"]["message"].as_str().unwrap().contains(two), "{}", refused.json);
    let told = signing.admin.get(&format!("/api/v2/audit?objectUuid={two}&action=SigningRequestApprove")).await;
    assert_eq!(told.response()["items"][0]["outcome"], "InvalidState");

    approve(&bob, three).await.response();
    let twice = of("Approve", &[one, three]).await;
    decide(&bob, "Approve", &[one, three], &twice).await.refused(409, "InvalidState", Some("/uuids/1"));

    let before = of("Approve", &[one, four]).await;
    let change = json!({"numApprovals": 3});
    let changed = signing.admin.patch(&format!("/api/v2/x509/signing-policies/{}", service.policy), change).await;
    signing.agreed(&changed).await;
    decide(&ann, "Approve", &[one, four], &before).await.refused(409, "InvalidState", Some("/digest"));
    all_wait(&signing, &[one, four]).await;
    let now = of("Approve", &[one, four]).await;
    decide(&ann, "Approve", &[one, four], &now).await.response();
}

#[tokio::test]
async fn it_lets_nobody_do_more_than_single_decisions() {
    let signing = Signing::new().await;
    let service = signing.deploy_with("builds", 1, |body| body["pkisigning"]["selfApproval"] = "Never".into()).await;
    let ann = signing.approver("ann").await;
    let submitted = submit_several(&signing, &service, 2).await;
    let uuids = listed(&submitted);
    let approves = digest(&signing, "Approve", &uuids).await;
    decide(&signing.admin, "Approve", &uuids, &approves).await.refused(403, "NotAuthorized", Some("/uuids/0"));
    let submitter = signing.role("submitter", &["Signing:Submit"]).await;
    let sue = signing.person("sue", &submitter).await;
    decide(&sue, "Approve", &uuids, &approves).await.refused(403, "NotAuthorized", None);
    let denies = digest(&signing, "Deny", &uuids).await;
    decide(&sue, "Deny", &uuids, &denies).await.refused(403, "NotAuthorized", Some("/uuids/0"));
    let unknown = "11111111-1111-1111-1111-111111111111";
    decide(&ann, "Approve", &[uuids[0], unknown], &approves).await.refused(400, "InvalidSelection", Some("/uuids/1"));
    // Whoever came after a request was submitted does not approve it, nor any with it.
    signing.app.clock.advance_ms(60_000);
    let newcomer = signing.approver("newcomer").await;
    decide(&newcomer, "Approve", &uuids, &approves).await.refused(403, "NotAuthorized", Some("/uuids/0"));
    all_wait(&signing, &uuids).await;
    let ann = signing.app.logged_in(&[("ann", PASSWORD)]).await;
    let told = decide(&ann, "Deny", &uuids, &denies).await;
    assert_eq!(told.response()["results"][1]["state"], "Denied");
    let denial = &signing.read(uuids[1]).await["approvals"][0];
    assert_eq!((&denial["decision"], &denial["statement"]["rows"]), (&json!("Deny"), &json!(2)));
}

#[tokio::test]
async fn what_cannot_all_be_signed_is_not_decided() {
    let mut limits = Limits { manifest_items_max: 3, ..Limits::default() };
    limits.lists.statement_rows_max = 4;
    let signing = Signing::with(Setup { limits, ..Setup::default() }).await;
    let rules = json!({"signaturesPerHour": 2, "requestLifetime": {"unit": "Day", "amount": "1"}});
    let service = signing.deploy_with("builds", 1, |body| body["pkisigning"]["rules"] = rules).await;
    let ann = signing.approver("ann").await;
    let submitted = submit_several(&signing, &service, 4).await;
    let uuids = listed(&submitted);
    let all = digest(&signing, "Approve", &uuids).await;
    decide(&ann, "Approve", &uuids, &all).await.refused(413, "LimitExceeded", Some("/uuids"));
    let twice = uuids.repeat(2);
    decide(&ann, "Approve", &twice[..5], &all).await.refused(413, "LimitExceeded", Some("/uuids"));
    let three = digest(&signing, "Approve", &uuids[..3]).await;
    decide(&ann, "Approve", &uuids[..3], &three).await.refused(429, "RateLimited", None);
    all_wait(&signing, &uuids).await;
    let two = digest(&signing, "Approve", &uuids[..2]).await;
    let done = decide(&ann, "Approve", &uuids[..2], &two).await;
    assert_eq!(done.response()["results"][1]["state"], "Signed");
    let late = digest(&signing, "Deny", &uuids[2..]).await;
    signing.app.clock.advance_ms(25 * 3_600_000);
    let ann = signing.app.logged_in(&[("ann", PASSWORD)]).await;
    decide(&ann, "Deny", &uuids[2..], &late).await.refused(409, "InvalidState", Some("/uuids/0"));
}

#[tokio::test]
async fn of_decisions_at_the_same_time_each_is_made_whole_or_not_at_all() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    for round in 0..8 {
        let submitted = submit_several(&signing, &service, 6).await;
        let (first, second) = (listed(&submitted[..4]), submitted[2..].iter().rev().map(String::as_str));
        let second: Vec<_> = second.collect();
        let approves = digest(&signing, "Approve", &first).await;
        let denies = digest(&signing, "Deny", &second).await;
        let (a, b) = (decide(&ann, "Approve", &first, &approves), decide(&bob, "Deny", &second, &denies));
        let both = join_all([Box::pin(a) as futures::future::BoxFuture<'_, Reply>, Box::pin(b)]).await;
        let made: Vec<_> = both.iter().filter(|reply| reply.status == 200).collect();
        // They share rows, so no two are made; and one is, or both met in the middle.
        assert!(made.len() <= 1, "round {round}");
        for (reply, uuids, state) in [(&both[0], &first, "Signed"), (&both[1], &second, "Denied")] {
            let mut states = Vec::new();
            for uuid in uuids {
                states.push(signing.read(uuid).await["state"].clone());
            }
            let count = states.iter().filter(|one| **one == state).count();
            assert_eq!(count, if reply.status == 200 { 4 } else { 0 }, "round {round}: {states:?}");
        }
    }
}

#[tokio::test]
async fn a_long_list_is_decided_and_recorded_together() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ann = signing.approver("ann").await;
    let submitted = submit_several(&signing, &service, 60).await;
    let uuids = listed(&submitted);
    let digest = digest(&signing, "Approve", &uuids).await;
    let begun = std::time::Instant::now();
    let done = decide(&ann, "Approve", &uuids, &digest).await;
    println!("60 requests decided in {} ms", begun.elapsed().as_millis());
    let results = done.response()["results"].as_array().unwrap().clone();
    assert!(results.iter().zip(&uuids).all(|(one, uuid)| one["uuid"] == *uuid && one["state"] == "Signed"));
    let told = signing.admin.get("/api/v2/audit?action=SigningRequestApprove&pageSize=1000").await;
    let told = told.response()["items"].as_array().unwrap().clone();
    let rows = told.iter().filter(|record| record["detail"]["statement"]["rows"] == 60).count();
    // One call, whose records are next to each other.
    let requests: std::collections::BTreeSet<_> = told.iter().map(|record| record["requestId"].as_str()).collect();
    assert_eq!((rows, requests.len()), (60, 1));
}
