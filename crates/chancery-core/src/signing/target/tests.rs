//! Services, policies, certificates and keys that change between the look at them and the transaction that stores a
//! signature.

use chancery_types::{
    KeyId, PolicyId, RevocationReason, ServiceId,
    wire::{signing_policies::ChangeSigningPolicy, signing_requests::SubmitRequest, x509::RevokeCertificate},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{Caller, Chancery, Error, Meaning, testing::Installation};

const ROOT: &str = "00000000-0000-0000-6370-000000000001";
const P256: &str = "00000000-0000-0000-6b74-000000000004";

fn body<T: DeserializeOwned>(body: Value) -> T {
    serde_json::from_value(body).unwrap()
}

/// The state of a new request.
async fn submit(chancery: &Chancery, caller: &Caller, service: ServiceId, policy: PolicyId) -> Result<String, Error> {
    let request: SubmitRequest =
        body(json!({"name": "n", "serviceUuid": service, "policyUuid": policy, "uploadData": "eA=="}));
    let uuid = chancery.submit_signing_request(caller, request).await?.uuid;
    let detail = chancery.signing_request(caller, uuid, None).await.unwrap();
    Ok(serde_json::to_value(detail).unwrap()["state"].as_str().unwrap().to_owned())
}

/// The node whose compiled state lags behind, and the one that changes the store beside it.
async fn what_another_node_changed_holds_at_once(installation: Installation) {
    let (lagging, caller) = (&installation.chancery, installation.administrators().await);
    let other = installation.other_node().await;
    let root = body(json!({"certProfileUuid": ROOT, "newKey": {"keyTypeUuid": P256}, "trustCert": true}));
    let root = lagging.generate_certificate(&caller, root).await.unwrap().made().unwrap().certificate_uuid.unwrap();
    let deployed = body(json!({
        "template": "PKI Signing", "name": "builds", "pkisigning": {
            "newCert": {"issuerUuid": root, "subjectOneline": "CN=builds", "newKey": {"keyTypeUuid": P256, "save": true}, "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}},
            "signingFormat": "CMS", "numApprovals": 0, "hashAlgorithm": "Sha2_256",
        },
    }));
    let deployed = serde_json::to_value(lagging.deploy_service(&caller, deployed).await.unwrap()).unwrap();
    let (service, policy): (ServiceId, PolicyId) =
        (body(deployed["serviceUuid"].clone()), body(deployed["policyUuid"].clone()));
    let certificate = body(deployed["certificateUuid"].clone());
    let key = serde_json::to_value(lagging.certificate(&caller, certificate).await.unwrap()).unwrap();
    let key: KeyId = body(key["keyUuid"].clone());
    let signs = async || submit(lagging, &caller, service, policy).await;
    assert_eq!(signs().await.unwrap(), "Signed");
    let refused = |refusal: Result<String, Error>, message: &str| {
        let refusal = refusal.expect_err(message);
        assert_eq!((refusal.meaning(), refusal.to_string().contains(message)), (Meaning::State, true), "{refusal}");
    };
    // The turn of the looks at the store is taken, so the node goes on with what it compiled.
    let turn = lagging.seen.lock().await;
    // The root, so that the chain counts and not the signing certificate alone.
    let hold = RevokeCertificate { reason: RevocationReason::CertificateHold };
    other.revoke_certificate(&caller, root, hold).await.unwrap();
    assert!(lagging.targets.find(&(service, policy)).is_some(), "the node lags behind");
    refused(signs().await, "on hold");
    other.release_certificate(&caller, root).await.unwrap();
    assert_eq!(signs().await.unwrap(), "Signed");
    other.disable_key(&caller, key).await.unwrap();
    refused(signs().await, "disabled");
    other.enable_key(&caller, key).await.unwrap();
    assert_eq!(signs().await.unwrap(), "Signed");
    let renewed = other.renew_service(&caller, service, body(json!({}))).await.unwrap();
    assert_ne!(renewed.certificate_uuid, Some(certificate));
    assert!(lagging.targets.find(&(service, policy)).is_some_and(|target| target.rests_on(Some(certificate))));
    assert_eq!(signs().await.unwrap(), "Signed");
    assert!(lagging.targets.find(&(service, policy)).is_some_and(|target| !target.rests_on(Some(certificate))));
    let stricter: ChangeSigningPolicy = body(json!({"numApprovals": 1}));
    other.change_signing_policy(&caller, policy, stricter).await.unwrap();
    assert_eq!(signs().await.unwrap(), "Approval");
    drop(turn);
    lagging.catch_up().await.unwrap();
    assert!(lagging.targets.find(&(service, policy)).is_none(), "what changed is compiled anew");
    assert_eq!(signs().await.unwrap(), "Approval");
}

#[tokio::test]
async fn what_another_node_changed_holds_at_once_on_sqlite() {
    what_another_node_changed_holds_at_once(Installation::new().await).await;
}

#[tokio::test]
async fn what_another_node_changed_holds_at_once_on_postgresql() {
    what_another_node_changed_holds_at_once(Installation::on_postgres().await).await;
}
