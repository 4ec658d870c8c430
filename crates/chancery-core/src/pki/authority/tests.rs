//! Authorities that change between the look at them and the transaction that records what they signed.

use std::sync::Arc;

use chancery_types::{
    CertProfileId, CertificateId, KeyTypeId, RevocationReason,
    wire::{
        approval::Issued,
        cert_profiles::{CreateCertProfile, PatchCertProfile},
        x509::{GenerateCertificate, GeneratedCertificate, NewKey, RevokeCertificate},
    },
};

use crate::{Caller, Chancery, Error, Meaning, testing::Installation};

const ROOT: u128 = 0x6370_0000_0000_0001;
const ISSUING: u128 = 0x6370_0000_0000_0002;
const TLS_CLIENT: u128 = 0x6370_0000_0000_0007;
const P256: u128 = 0x6b74_0000_0000_0004;

fn request(profile: CertProfileId, issuer: Option<CertificateId>) -> GenerateCertificate {
    let is_leaf = profile != CertProfileId::from_u128(ROOT) && profile != CertProfileId::from_u128(ISSUING);
    GenerateCertificate {
        cert_profile_uuid: profile,
        subject_oneline: None,
        new_key: Some(NewKey { key_type_uuid: Some(KeyTypeId::from_u128(P256)), save: Some(!is_leaf) }),
        save_cert: None,
        trust_cert: Some(!is_leaf),
        issuer_uuid: issuer,
        cert_params: None,
        key_params: None,
    }
}

async fn generate(
    chancery: &Arc<Chancery>,
    caller: &Caller,
    profile: u128,
    issuer: Option<CertificateId>,
) -> Result<GeneratedCertificate, Error> {
    made(chancery.pki.generate_certificate(caller, request(CertProfileId::from_u128(profile), issuer)).await)
}

fn made(issued: Result<Issued, Error>) -> Result<GeneratedCertificate, Error> {
    issued.map(|issued| issued.made().expect("nobody is asked for approvals"))
}

async fn authority(
    chancery: &Arc<Chancery>,
    caller: &Caller,
    profile: u128,
    issuer: Option<CertificateId>,
) -> GeneratedCertificate {
    generate(chancery, caller, profile, issuer).await.unwrap()
}

/// The node whose compiled state lags behind, and the one that changes the store beside it.
async fn what_another_node_changed_holds_at_once(installation: Installation) {
    let (lagging, caller) = (&installation.chancery, installation.administrators().await);
    let other = installation.other_node().await;
    let root = authority(lagging, &caller, ROOT, None).await.certificate_uuid;
    let issuing = authority(lagging, &caller, ISSUING, Some(root)).await;
    let (issuing, key) = (issuing.certificate_uuid, issuing.key_uuid.unwrap());
    let leaf = async || generate(lagging, &caller, TLS_CLIENT, Some(issuing)).await;
    let unsaved = async || {
        let request = request(CertProfileId::from_u128(TLS_CLIENT), Some(issuing));
        made(lagging.pki.generate_certificate(&caller, GenerateCertificate { save_cert: Some(false), ..request }).await)
    };
    leaf().await.unwrap();
    // The turn of the looks at the store is taken, so the node goes on with what it compiled.
    let turn = lagging.following.turn().await;
    let refused = |refusal: Result<GeneratedCertificate, Error>, message: &str| {
        let refusal = refusal.expect_err(message);
        assert_eq!((refusal.meaning(), refusal.to_string().contains(message)), (Meaning::State, true), "{refusal}");
    };
    // The root, so that the chain counts and not the issuer alone.
    let hold = RevokeCertificate { reason: RevocationReason::CertificateHold };
    other.pki.revoke_certificate(&caller, root, hold).await.unwrap();
    assert!(lagging.pki.authorities.find(&issuing).is_some(), "the node lags behind");
    refused(leaf().await, "revoked or on hold");
    refused(unsaved().await, "revoked or on hold");
    other.pki.release_certificate(&caller, root).await.unwrap();
    leaf().await.unwrap();
    other.keys.disable_key(&caller, key).await.unwrap();
    assert!(lagging.pki.authorities.find(&issuing).is_some(), "the node lags behind");
    refused(leaf().await, "The key is disabled");
    refused(unsaved().await, "The key is disabled");
    other.keys.enable_key(&caller, key).await.unwrap();
    leaf().await.unwrap();
    unsaved().await.unwrap();
    drop(turn);
    lagging.catch_up().await.unwrap();
    assert!(lagging.pki.authorities.find(&issuing).is_none(), "what changed is compiled anew");
    leaf().await.unwrap();
}

#[tokio::test]
async fn what_another_node_changed_holds_at_once_on_sqlite() {
    what_another_node_changed_holds_at_once(Installation::new().await).await;
}

#[tokio::test]
async fn what_another_node_changed_holds_at_once_on_postgresql() {
    what_another_node_changed_holds_at_once(Installation::on_postgres().await).await;
}

#[tokio::test]
async fn a_profile_that_another_node_changed_issues_nothing_as_it_was() {
    let installation = Installation::new().await;
    let (lagging, caller) = (&installation.chancery, installation.administrators().await);
    let other = installation.other_node().await;
    let root = authority(lagging, &caller, ROOT, None).await.certificate_uuid;
    let built_in = lagging.pki.cert_profile(&caller, CertProfileId::from_u128(TLS_CLIENT)).await.unwrap();
    let text: CreateCertProfile = {
        let mut text = serde_json::to_value(&built_in).unwrap();
        text["objInfo"] = serde_json::json!({"name": "Own"});
        serde_json::from_value(text).unwrap()
    };
    let profile = lagging.pki.create_cert_profile(&caller, text).await.unwrap();
    let profile: CertProfileId =
        serde_json::from_value(serde_json::to_value(&profile).unwrap()["objInfo"]["uuid"].clone()).unwrap();
    let leaf = async || lagging.pki.generate_certificate(&caller, request(profile, Some(root))).await;
    leaf().await.unwrap();
    let turn = lagging.following.turn().await;
    let disabled: PatchCertProfile = serde_json::from_value(serde_json::json!({"enabled": false})).unwrap();
    other.pki.change_cert_profile(&caller, profile, disabled).await.unwrap();
    let refusal = leaf().await.err().unwrap().to_string();
    assert!(refusal.contains("changed or deleted at the same time"), "{refusal}");
    drop(turn);
    lagging.catch_up().await.unwrap();
    let refusal = leaf().await.err().unwrap().to_string();
    assert!(refusal.contains("is disabled"), "{refusal}");
}
