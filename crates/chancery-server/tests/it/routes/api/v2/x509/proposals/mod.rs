//! /api/v2/x509/proposals.

mod approval_statement;
mod approve;
mod batch_approve_deny;
mod deny;
mod list;
mod read;
mod revoke;
mod withdraw;

use serde_json::{Value, json};

use crate::{
    client::Client,
    signing::{PROPOSALS, Service, Signing},
};

/// A service whose policy takes one approval to change, somebody who proposes and may approve, and who may do neither.
struct Waiting {
    signing: Signing,
    service: Service,
    ann: Client,
    submitter: Client,
}

impl Waiting {
    async fn new() -> Self {
        let signing = Signing::new().await;
        let service = signing.deploy("builds", 1).await;
        let ann = signing.approver("ann").await;
        let role = signing.role("submitters", &["Signing:Submit"]).await;
        let submitter = signing.person("sub", &role).await;
        Self { signing, service, ann, submitter }
    }

    /// A change of the policy that waits for its approval; answers the proposal.
    async fn propose(&self, max_size: u32) -> String {
        let path = format!("/api/v2/x509/signing-policies/{}", self.service.policy);
        let reply = self.signing.admin.patch(&path, json!({"rules": {"maxSize": max_size}})).await;
        reply.response()["pendingChange"]["uuid"].as_str().unwrap().to_owned()
    }

    async fn detail(&self, proposal: &str) -> Value {
        self.signing.admin.get(&format!("{PROPOSALS}/{proposal}")).await.response().clone()
    }

    async fn max_size(&self) -> Value {
        let path = format!("/api/v2/x509/signing-policies/{}", self.service.policy);
        self.signing.admin.get(&path).await.response()["rules"]["maxSize"].clone()
    }
}

/// A decision is refused where the proposal is not there, its id is none, or its note is too long.
async fn refuses_bad_calls(waiting: &Waiting, client: &Client, decision: &str) {
    let at = |id: &str| format!("{PROPOSALS}/{id}/{decision}");
    let nothing = at("00000000-0000-0000-0000-000000000000");
    client.post(&nothing, json!({})).await.refused(404, "InvalidSelection", None);
    client.post(&at("x"), json!({})).await.refused(404, "InvalidSelection", None);
    let proposal = waiting.propose(7).await;
    client.post(&at(&proposal), json!({"note": "x".repeat(4_097)})).await.refused(413, "LimitExceeded", Some("/note"));
    client.post(&at(&proposal), json!({"note": 1})).await.refused(400, "ArgumentParseError", Some("/note"));
    waiting.signing.app.nobody().post(&at(&proposal), json!({})).await.refused(401, "InvalidAuthToken", None);
    assert_eq!(waiting.detail(&proposal).await["state"], "Approval", "nothing was decided");
}
