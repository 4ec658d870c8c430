//! POST /api/v2/x509/requests/{uuid}/approve.

use serde_json::json;

use super::{P256, csr};
use crate::{certificates::profile, signing::Signing};

#[tokio::test]
async fn a_request_of_a_services_issuer_is_approved_under_its_own_path() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let demand = format!("/api/v2/x509/{}/approval", signing.root);
    signing.admin.json("PUT", &demand, &json!({"numApprovals": 2})).await.response();
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let body = json!({
        "serviceUuid": service.uuid, "csr": csr(P256, "/CN=client", &[]),
        "certProfileUuid": profile(&signing.admin, "TLS Client").await,
        "certParams": {"subjectAltNames": ["DNS:client.example"]},
    });
    let asked = signing.admin.post("/api/v2/x509/requests", body).await;
    let path = format!("/api/v2/x509/requests/{}/approve", asked.response()["uuid"].as_str().unwrap());
    let first = ann.post(&path, json!({"note": "seen"})).await;
    assert_eq!(first.response()["approvals"], json!({"given": 1, "required": 2}));
    ann.post(&path, json!({})).await.refused(409, "InvalidState", None);
    assert_eq!(bob.post_nothing(&path).await.response()["state"], "Issued");
}
