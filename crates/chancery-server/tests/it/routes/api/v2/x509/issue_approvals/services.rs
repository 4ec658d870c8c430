//! Services under an authority that demands approvals: deployed and renewed once people have approved the certificate.

use serde_json::{Value, json};

use super::{House, approve, text};
use crate::{
    app::Setup,
    client::Reply,
    signing::{DEPLOY, PROPOSALS, REQUESTS, Service, bytes, openssl_accepts, submission},
};

impl House {
    /// An installation whose root demands one approval.
    async fn strict(postgres: bool) -> Self {
        let house = Self::with(Setup { postgres, ..Setup::default() }).await;
        let root = house.signing.root.clone();
        house.demand(&root, json!({"numApprovals": 1})).await.response();
        house
    }

    /// Deploys a service that waits for its certificate; answers it and the proposal.
    async fn deployed(&self, name: &str) -> (Service, String) {
        let reply = self.signing.admin.post(DEPLOY, self.signing.deployment(name, 0)).await;
        let response = reply.response();
        assert_eq!(response.get("certificateUuid"), None, "{response}");
        let (uuid, policy) = (text(response, &["serviceUuid"]), text(response, &["policyUuid"]));
        (Service { uuid, policy, certificate: String::new() }, pending(&reply))
    }

    async fn renew(&self, service: &Service, body: Value) -> Reply {
        self.signing.admin.post(&format!("/api/v2/x509/services/{}/renew", service.uuid), body).await
    }

    async fn certificate_of(&self, service: &Service) -> Value {
        let stubs = self.signing.admin.get("/api/v2/x509/services/stubs").await;
        let stubs = stubs.response()["results"].as_array().unwrap().clone();
        let own = stubs.into_iter().find(|stub| stub["objInfo"]["uuid"] == service.uuid.as_str()).unwrap();
        own["certificateUuid"].clone()
    }

    async fn submit(&self, service: &Service) -> Reply {
        self.signing.admin.post(REQUESTS, submission(service, b"payload")).await
    }

    async fn signs(&self, service: &Service) {
        let signed = self.submit(service).await;
        let request = text(signed.response(), &["uuid"]);
        let cms = bytes(&self.signing.read(&request).await["signature"]);
        assert!(openssl_accepts("openssl35", &self.signing.root_pem, &cms, b"payload"));
    }

    async fn records(&self, action: &str) -> Vec<Value> {
        let audit = self.signing.admin.get(&format!("/api/v2/audit?action={action}")).await;
        audit.response()["items"].as_array().unwrap().clone()
    }
}

/// The proposal of a certificate that waits.
#[track_caller]
fn pending(reply: &Reply) -> String {
    let pending = &reply.response()["pendingCertificate"];
    assert_eq!([&pending["state"], &pending["approvalState"]], ["Approval", "Pending"], "{}", reply.text());
    text(pending, &["uuid"])
}

async fn services_sign_from_the_last_approval_on(postgres: bool) {
    let house = House::strict(postgres).await;
    let (service, proposal) = house.deployed("builds").await;
    house.submit(&service).await.refused(409, "InvalidState", None);
    assert_eq!((house.issued().await, house.certificate_of(&service).await), (0, Value::Null));
    let detail = house.detail(&proposal).await;
    assert_eq!((&detail["kind"], &detail["serviceUuid"]), (&json!("Certificate"), &json!(service.uuid)));
    assert_eq!(detail["certificate"]["subject"], "CN=Code Signing,O=Test,C=DE");
    assert_eq!(detail["certificate"]["validityPeriod"], json!({"unit": "Year", "amount": "1"}));
    let done = approve(&house.ann, &proposal).await;
    assert_eq!(done.response()["state"], "Issued");
    let first = done.response()["certificateUuid"].clone();
    assert_eq!(house.certificate_of(&service).await, first);
    house.signs(&service).await;
    // A renewal leaves the service what it has until it is approved.
    let renewed = house.renew(&service, json!({"subjectOneline": "CN=Code Signing 2,O=Test,C=DE"})).await;
    let proposal = pending(&renewed);
    assert_eq!(renewed.response()["previousCertificateUuid"], first);
    assert_eq!(house.detail(&proposal).await["certificate"]["insteadOf"], first);
    let too_late = pending(&house.renew(&service, json!({})).await);
    house.signs(&service).await;
    assert_eq!(house.certificate_of(&service).await, first);
    let second = approve(&house.bob, &proposal).await.response()["certificateUuid"].clone();
    assert_eq!(house.certificate_of(&service).await, second);
    let made = house.certificate(&json!({"certificateUuid": second})).await;
    assert_eq!(made["subject"], "CN=Code Signing 2,O=Test,C=DE");
    house.signs(&service).await;
    // Of two renewals the second takes the place of what is not there any more.
    let failed = approve(&house.bob, &too_late).await.response().clone();
    assert_eq!((&failed["state"], &failed["approvalState"]), (&json!("Failed"), &json!("Approved")));
    assert_eq!(failed["reason"], "The service's certificate was renewed meanwhile.");
    assert_eq!((house.issued().await, house.certificate_of(&service).await), (2, second));
    let (deploys, renewals) = (house.records("ServiceDeploy").await, house.records("ServiceRenew").await);
    assert_eq!((deploys.len(), renewals.len()), (1, 2), "{deploys:?} {renewals:?}");
    assert!(renewals.iter().all(|record| record["detail"]["proposalUuid"].is_string()), "{renewals:?}");
}

#[tokio::test]
async fn services_sign_from_the_last_approval_on_in_sqlite() {
    Box::pin(services_sign_from_the_last_approval_on(false)).await;
}

#[tokio::test]
async fn services_sign_from_the_last_approval_on_in_postgresql() {
    Box::pin(services_sign_from_the_last_approval_on(true)).await;
}

async fn what_was_denied_is_asked_for_again(postgres: bool) {
    let house = House::strict(postgres).await;
    let (service, proposal) = house.deployed("builds").await;
    // Nothing is decided about a service that cannot sign yet.
    let policy = json!({"name": "second", "numApprovals": 0, "hashAlgorithm": "Sha2_256"});
    let path = format!("/api/v2/x509/services/{}/signing-policies", service.uuid);
    house.signing.admin.post(&path, policy).await.refused(409, "InvalidState", None);
    house.ann.post(&format!("{PROPOSALS}/{proposal}/deny"), json!({})).await.response();
    house.submit(&service).await.refused(409, "InvalidState", None);
    // With the members that were asked for, but for those that are said.
    let again = house.renew(&service, json!({"subjectOneline": "CN=Builds,O=Test,C=DE"})).await;
    assert_eq!(again.response().get("previousCertificateUuid"), None, "{}", again.text());
    let again = pending(&again);
    let certificate = house.detail(&again).await["certificate"].clone();
    assert_eq!(certificate["subject"], "CN=Builds,O=Test,C=DE");
    assert_eq!(certificate["validityPeriod"], json!({"unit": "Year", "amount": "1"}));
    approve(&house.bob, &again).await.response();
    house.signs(&service).await;
    // One that waited is made at once where nobody is to be asked any more.
    let (later, waiting) = house.deployed("later").await;
    let root = house.signing.root.clone();
    let laxer = house.demand(&root, json!({"numApprovals": 0})).await;
    approve(&house.ann, &text(laxer.response(), &["pendingChange", "uuid"])).await.response();
    let made = house.renew(&later, json!({})).await.response()["certificateUuid"].clone();
    assert_eq!(house.certificate_of(&later).await, made);
    assert_eq!(approve(&house.ann, &waiting).await.response()["state"], "Failed");
    house.signs(&later).await;
}

#[tokio::test]
async fn what_was_denied_is_asked_for_again_in_sqlite() {
    Box::pin(what_was_denied_is_asked_for_again(false)).await;
}

#[tokio::test]
async fn what_was_denied_is_asked_for_again_in_postgresql() {
    Box::pin(what_was_denied_is_asked_for_again(true)).await;
}

#[tokio::test]
async fn what_cannot_be_deployed_leaves_no_proposal_and_no_service() {
    let house = House::strict(false).await;
    let (_, proposal) = house.deployed("builds").await;
    let taken = house.signing.admin.post(DEPLOY, house.signing.deployment("BUILDS", 0)).await;
    taken.refused(409, "AlreadyExists", Some("/name"));
    let mut body = house.signing.deployment("other", 0);
    body["pkisigning"]["newCert"]["certParams"]["validityPeriod"]["amount"] = json!("100");
    let refused = house.signing.admin.post(DEPLOY, body).await;
    refused.refused(400, "InvalidValue", Some("/pkisigning/newCert/certParams/validityPeriod"));
    let mut body = house.signing.deployment("third", 1);
    let steps = json!([{"roleUuids": ["00000000-0000-0000-0000-000000000009"], "numApprovals": 1}]);
    body["pkisigning"]["rules"] = json!({"approvalSteps": steps});
    let refused = house.signing.admin.post(DEPLOY, body).await;
    assert_eq!(refused.status.as_u16(), 400, "{}", refused.text());
    let waiting = house.ann.get(&format!("{PROPOSALS}?waiting=true")).await;
    let waiting = waiting.response()["items"].as_array().unwrap().clone();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert_eq!(waiting[0]["objInfo"]["uuid"], proposal.as_str());
    let stubs = house.signing.admin.get("/api/v2/x509/services/stubs").await;
    assert_eq!(stubs.response()["total"], 1);
    // A time-stamping authority is of no use without its certificate, and others would be sent to it.
    let stamps = json!({
        "template": "Time Stamping", "name": "stamps",
        "timestamping": {"newCert": house.signing.deployment("", 0)["pkisigning"]["newCert"]},
    });
    let refused = house.signing.admin.post(DEPLOY, stamps).await;
    refused.refused(409, "InvalidState", Some("/timestamping/newCert/issuerUuid"));
}
