//! A deployed signing service without approvals, for tests, and requests to it.

use std::sync::Arc;

use chancery_types::{
    CertificateId, KeyId, PolicyId, ServiceId,
    wire::signing_requests::{SigningRequest, SubmitRequest},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{Caller, Chancery, Result};

const ROOT: &str = "00000000-0000-0000-6370-000000000001";
const P256: &str = "00000000-0000-0000-6b74-000000000004";

pub(super) fn body<T: DeserializeOwned>(body: Value) -> T {
    serde_json::from_value(body).unwrap()
}

/// A service that signs without approvals, and what it hangs on.
pub(super) struct Builds {
    pub(super) root: CertificateId,
    pub(super) service: ServiceId,
    pub(super) policy: PolicyId,
    pub(super) certificate: CertificateId,
    pub(super) key: KeyId,
}

impl Builds {
    pub(super) async fn deployed(chancery: &Arc<Chancery>, caller: &Caller) -> Self {
        let root = body(json!({"certProfileUuid": ROOT, "newKey": {"keyTypeUuid": P256}, "trustCert": true}));
        let root = chancery.pki.generate_certificate(caller, root).await.unwrap().made().unwrap().certificate_uuid;
        let deployed = body(json!({
            "template": "PKI Signing", "name": "builds", "pkisigning": {
                "newCert": {"issuerUuid": root, "subjectOneline": "CN=builds", "newKey": {"keyTypeUuid": P256, "save": true}, "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}},
                "signingFormat": "CMS", "numApprovals": 0, "hashAlgorithm": "Sha2_256",
            },
        }));
        let deployed = serde_json::to_value(chancery.signing.deploy_service(caller, deployed).await.unwrap()).unwrap();
        let (service, policy): (ServiceId, PolicyId) =
            (body(deployed["serviceUuid"].clone()), body(deployed["policyUuid"].clone()));
        let certificate = body(deployed["certificateUuid"].clone());
        let key = serde_json::to_value(chancery.pki.certificate(caller, certificate).await.unwrap()).unwrap();
        let key: KeyId = body(key["keyUuid"].clone());
        Self { root, service, policy, certificate, key }
    }

    /// A new request, at any node.
    pub(super) async fn submit(&self, chancery: &Arc<Chancery>, caller: &Caller) -> Result<SigningRequest> {
        let request: SubmitRequest = body(json!({
            "name": "n", "serviceUuid": self.service, "policyUuid": self.policy, "uploadData": "eA==",
        }));
        let uuid = chancery.signing.submit_signing_request(caller, request).await?.uuid;
        chancery.signing.signing_request(caller, uuid, None).await
    }
}
