//! POST /api/v2/x509/requests: what one person is not given for a key from outside.

use chancery_types::Perm;
use serde_json::{Value, json};

use super::{P256, PATH, csr};
use crate::{
    certificates::{profile, with},
    client::Client,
    signing::{PROPOSALS, Signing},
};

/// A request under this profile, short enough for any issuer here.
async fn wanted(signing: &Signing, profile_name: &str) -> Value {
    json!({
        "serviceOrIssuerUuid": signing.root, "csr": csr(P256, "/CN=powerful", &[]),
        "certProfileUuid": profile(&signing.admin, profile_name).await,
        "certParams": {"validityPeriod": {"unit": "Day", "amount": "30"}},
    })
}

async fn issued(signing: &Signing) -> Value {
    signing.admin.get("/api/v2/x509").await.response()["total"].clone()
}

async fn own_profile(admin: &Client, name: &str, members: Value) {
    let least = json!({"objInfo": {"name": name}, "validityPeriod": {"unit": "Year", "amount": "1"}});
    admin.post("/api/v2/x509/cert-profiles", with(least, members)).await.response();
}

const POWERFUL: [&str; 4] = ["Issuing Certificate Authority", "Time Stamping", "own authority", "own stamp"];

async fn house() -> (Signing, Client) {
    let signing = Signing::new().await;
    own_profile(&signing.admin, "own authority", json!({"basicConstraints": {"ca": true}})).await;
    own_profile(&signing.admin, "own stamp", json!({"extendedKeyUsages": ["timeStamping"]})).await;
    let alone = signing.app.with_perms("alone", &[Perm::CertManageGenerate]).await;
    (signing, alone)
}

/// As `generate`, `renew` and `rekey` refuse it: whoever has an authority's key forges everything below it.
#[tokio::test]
async fn one_person_has_no_authority_or_stamp_certified() {
    let (signing, alone) = house().await;
    for name in POWERFUL {
        let wanted = wanted(&signing, name).await;
        let before = issued(&signing).await;
        for members in [json!({}), json!({"saveCert": false})] {
            let refused = alone.post(PATH, with(wanted.clone(), members)).await;
            refused.refused(403, "NotAuthorized", None);
            assert!(refused.text().contains("CertManage:Manage"), "{name}: {}", refused.text());
        }
        assert_eq!(issued(&signing).await, before, "{name}");
        let made = signing.admin.post(PATH, wanted).await.response().clone();
        let path = format!("/api/v2/x509/{}", made["certificateUuid"].as_str().unwrap());
        let another_key = json!({"csr": csr(P256, "/CN=another", &[])});
        alone.post(&format!("{path}/rekey"), another_key).await.refused(403, "NotAuthorized", None);
        alone.post(&format!("{path}/renew"), json!({})).await.refused(403, "NotAuthorized", None);
    }
    signing.admin.saw_audited("CertificateRekey").await;
    alone.post(PATH, wanted(&signing, "TLS Client").await).await.response();
}

/// By a service's issuer, too, and where it would wait: approvers see what somebody may ask for, and nothing else.
#[tokio::test]
async fn nor_does_one_person_ask_approvers_for_it() {
    let (signing, alone) = house().await;
    let service = signing.deploy("builds", 0).await;
    let approver = signing.approver("ann").await;
    let demand = format!("/api/v2/x509/{}/approval", signing.root);
    signing.admin.json("PUT", &demand, &json!({"numApprovals": 1})).await.response();
    for (before, name) in POWERFUL.into_iter().enumerate() {
        let wanted = wanted(&signing, name).await;
        for members in [json!({}), json!({"serviceOrIssuerUuid": null, "serviceUuid": service.uuid})] {
            let refused = alone.post(PATH, with(wanted.clone(), members)).await;
            refused.refused(403, "NotAuthorized", None);
        }
        assert_eq!(approver.get(PROPOSALS).await.response()["total"], before, "{name}");
        let asked = signing.admin.post(PATH, wanted).await.response().clone();
        let path = format!("{PATH}/{}/approve", asked["uuid"].as_str().unwrap());
        assert_eq!(approver.post_nothing(&path).await.response()["state"], "Issued", "{name}");
    }
}
