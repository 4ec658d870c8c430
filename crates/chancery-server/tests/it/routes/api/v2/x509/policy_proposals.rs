//! Making and changing policies of services whose signatures need approvals: proposals that wait for as many.

use serde_json::{Value, json};

use crate::{
    client::{Client, Reply},
    signing::{APPROVER, PROPOSALS, Service, Signing},
};

async fn patch(client: &Client, service: &Service, change: Value) -> Reply {
    client.patch(&format!("/api/v2/x509/signing-policies/{}", service.policy), change).await
}

async fn approve(client: &Client, proposal: &str) -> Reply {
    client.post(&format!("{PROPOSALS}/{proposal}/approve"), json!({"note": "seen"})).await
}

fn pending(reply: &Reply) -> String {
    reply.response()["pendingChange"]["uuid"].as_str().unwrap().to_owned()
}

async fn policy(signing: &Signing, service: &Service) -> Value {
    signing.admin.get(&format!("/api/v2/x509/signing-policies/{}", service.policy)).await.response().clone()
}

#[tokio::test]
async fn a_change_takes_as_many_approvals_as_the_strictest_policy() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let before = policy(&signing, &service).await;
    let reply = patch(&signing.admin, &service, json!({"rules": {"maxSize": 9}})).await;
    assert_eq!(reply.response()["rules"]["maxSize"], Value::Null, "the policy as it is");
    assert_eq!(reply.response()["pendingChange"]["approvals"], json!({"given": 0, "required": 2}));
    let proposal = pending(&reply);
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    assert_eq!(approve(&ann, &proposal).await.response()["state"], "Approval");
    approve(&ann, &proposal).await.refused(409, "InvalidState", None);
    assert_eq!(policy(&signing, &service).await, before);
    let last = approve(&bob, &proposal).await;
    assert_eq!([&last.response()["state"], &last.response()["approvalState"]], ["Applied", "Approved"]);
    assert_eq!(policy(&signing, &service).await["rules"]["maxSize"], 9);
    let detail = ann.get(&format!("{PROPOSALS}/{proposal}")).await.response().clone();
    assert_eq!(detail["policy"]["before"], before);
    assert_eq!(detail["policy"]["after"]["rules"]["maxSize"], 9);
    let decisions: Vec<_> = detail["approvals"].as_array().unwrap().iter().map(|one| &one["decision"]).collect();
    assert_eq!(decisions, ["Submit", "Approve", "Approve"]);
    approve(&signing.approver("cid").await, &proposal).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn a_new_policy_is_there_once_it_is_approved() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let path = format!("/api/v2/x509/services/{}/signing-policies", service.uuid);
    let body = json!({"name": "strict", "numApprovals": 3, "hashAlgorithm": "Sha2_512"});
    let reply = signing.admin.post(&path, body.clone()).await;
    let id = reply.response()["objInfo"]["uuid"].as_str().unwrap();
    signing.admin.get(&format!("/api/v2/x509/signing-policies/{id}")).await.refused(404, "InvalidSelection", None);
    // Two of the same name may wait; the first that is approved has it.
    let second = signing.admin.post(&path, body).await;
    assert_eq!(approve(&signing.admin, &pending(&reply)).await.response()["state"], "Applied");
    assert_eq!(signing.admin.get(&format!("/api/v2/x509/signing-policies/{id}")).await.response()["numApprovals"], 3);
    for (name, state) in [("ann", "Approval"), ("bob", "Approval"), ("cid", "Failed")] {
        let reply = approve(&signing.approver(name).await, &pending(&second)).await;
        assert_eq!(reply.response()["state"], state, "the highest count is three now");
    }
    let detail = signing.admin.get(&format!("{PROPOSALS}/{}", pending(&second))).await;
    assert!(detail.response()["reason"].as_str().unwrap().contains("name"), "{}", detail.text());
    assert_eq!(signing.admin.get(&path).await.response()["total"], 2);
}

#[tokio::test]
async fn a_change_of_what_has_changed_meanwhile_fails() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let (one, other) = (json!({"rules": {"maxSize": 1}}), json!({"rules": {"maxSize": 2}}));
    let one = pending(&patch(&signing.admin, &service, one).await);
    let other = pending(&patch(&signing.admin, &service, other).await);
    let ann = signing.approver("ann").await;
    assert_eq!(approve(&ann, &one).await.response()["state"], "Applied");
    assert_eq!(approve(&ann, &other).await.response()["state"], "Failed");
    assert_eq!(policy(&signing, &service).await["rules"]["maxSize"], 1);
}

#[tokio::test]
async fn whoever_proposes_approves_only_as_the_policies_say() {
    let signing = Signing::new().await;
    let dual = signing.deploy("dual", 1).await;
    let proposal = pending(&patch(&signing.admin, &dual, json!({"rules": {"maxSize": 1}})).await);
    assert_eq!(approve(&signing.admin, &proposal).await.response()["state"], "Applied");
    let never = signing.deploy_with("never", 1, |body| body["pkisigning"]["selfApproval"] = json!("Never")).await;
    let proposal = pending(&patch(&signing.admin, &never, json!({"rules": {"maxSize": 1}})).await);
    approve(&signing.admin, &proposal).await.refused(403, "NotAuthorized", None);
    assert_eq!(approve(&signing.approver("ann").await, &proposal).await.response()["state"], "Applied");
}

#[tokio::test]
async fn the_steps_of_the_policy_hold_for_its_changes() {
    let signing = Signing::new().await;
    let leads = signing.role("leads", &["Signing:Approve"]).await;
    let rules = json!({"approvalSteps": [{"roleUuids": [leads], "numApprovals": 1}]});
    let service = signing.deploy_with("builds", 1, |body| body["pkisigning"]["rules"] = rules).await;
    let (ann, lead) = (signing.person("ann", APPROVER).await, signing.person("lead", &leads).await);
    let proposal = pending(&patch(&signing.admin, &service, json!({"rules": {}})).await);
    approve(&ann, &proposal).await.refused(403, "NotAuthorized", None);
    assert_eq!(approve(&lead, &proposal).await.response()["state"], "Applied");
}

#[tokio::test]
async fn denied_withdrawn_and_bound_to_the_text() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let ann = signing.approver("ann").await;
    let propose = async || pending(&patch(&signing.admin, &service, json!({"rules": {"maxSize": 1}})).await);
    let (denied, withdrawn) = (propose().await, propose().await);
    ann.post_nothing(&format!("{PROPOSALS}/{withdrawn}/withdraw")).await.refused(403, "NotAuthorized", None);
    for (client, proposal, path) in [(&ann, &denied, "deny"), (&signing.admin, &withdrawn, "withdraw")] {
        let reply = client.post_nothing(&format!("{PROPOSALS}/{proposal}/{path}")).await;
        assert_eq!(reply.response()["state"], "Denied");
        approve(&ann, proposal).await.refused(409, "InvalidState", None);
        client.post_nothing(&format!("{PROPOSALS}/{proposal}/revoke")).await.refused(409, "InvalidState", None);
    }
    let third = propose().await;
    let path = format!("{PROPOSALS}/{third}");
    let wrong = json!({"digest": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="});
    ann.post(&format!("{path}/approve"), wrong).await.refused(400, "InvalidValue", Some("/digest"));
    let told = signing.admin.get(&format!("/api/v2/audit?objectUuid={third}&outcome=InvalidValue")).await;
    assert_eq!(told.response()["items"][0]["action"], "ProposalApprove");
    let digest = ann.get(&path).await.response()["digest"].clone();
    let applied = ann.post(&format!("{path}/approve"), json!({"digest": digest})).await;
    assert_eq!(applied.response()["state"], "Applied");
    let audit = signing.admin.get("/api/v2/audit?action=ProposalApprove").await;
    assert!(audit.response()["total"].as_u64().unwrap() >= 3, "refusals too: {}", audit.text());
}

#[tokio::test]
async fn without_approvals_a_policy_changes_at_once() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let reply = patch(&signing.admin, &service, json!({"rules": {"maxSize": 5}})).await;
    assert_eq!((&reply.response()["rules"]["maxSize"], &reply.response()["pendingChange"]), (&json!(5), &Value::Null));
}
