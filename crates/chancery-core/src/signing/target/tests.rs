//! Services, policies, certificates and keys that change between the look at them and the transaction that stores a
//! signature.

use chancery_types::{
    RevocationReason, SigningRequestState,
    wire::{signing_policies::ChangeSigningPolicy, x509::RevokeCertificate},
};
use futures::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::Found;
use crate::{
    Error, Meaning,
    signing::testing::{Builds, body},
    testing::Installation,
};

/// The node whose compiled state lags behind, and the one that changes the store beside it.
async fn what_another_node_changed_holds_at_once(installation: Installation) {
    let (lagging, caller) = (&installation.chancery, installation.administrators().await);
    let other = installation.other_node().await;
    let builds = Builds::deployed(lagging, &caller).await;
    let Builds { root, service, policy, certificate, key } = builds;
    let signs = async || builds.submit(lagging, &caller).await.map(|request| request.state);
    assert_eq!(signs().await.unwrap(), SigningRequestState::Signed);
    let refused = |refusal: Result<SigningRequestState, Error>, message: &str| {
        let refusal = refusal.expect_err(message);
        assert_eq!((refusal.meaning(), refusal.to_string().contains(message)), (Meaning::State, true), "{refusal}");
    };
    // The turn of the looks at the store is taken, so the node goes on with what it compiled.
    let turn = lagging.following.turn().await;
    // The root, so that the chain counts and not the signing certificate alone.
    let hold = RevokeCertificate { reason: RevocationReason::CertificateHold };
    other.pki.revoke_certificate(&caller, root, hold).await.unwrap();
    assert!(lagging.signing.targets.find(&(service, policy)).is_some(), "the node lags behind");
    refused(signs().await, "on hold");
    other.pki.release_certificate(&caller, root).await.unwrap();
    assert_eq!(signs().await.unwrap(), SigningRequestState::Signed);
    other.keys.disable_key(&caller, key).await.unwrap();
    refused(signs().await, "disabled");
    other.keys.enable_key(&caller, key).await.unwrap();
    assert_eq!(signs().await.unwrap(), SigningRequestState::Signed);
    let renewed = other.signing.renew_service(&caller, service, body(json!({}))).await.unwrap();
    assert_ne!(renewed.certificate_uuid, Some(certificate));
    assert!(lagging.signing.targets.find(&(service, policy)).is_some_and(|target| target.rests_on(Some(certificate))));
    assert_eq!(signs().await.unwrap(), SigningRequestState::Signed);
    assert!(lagging.signing.targets.find(&(service, policy)).is_some_and(|target| !target.rests_on(Some(certificate))));
    let stricter: ChangeSigningPolicy = body(json!({"numApprovals": 1}));
    other.signing.change_signing_policy(&caller, policy, stricter).await.unwrap();
    assert_eq!(signs().await.unwrap(), SigningRequestState::Approval);
    drop(turn);
    lagging.catch_up().await.unwrap();
    assert!(lagging.signing.targets.find(&(service, policy)).is_none(), "what changed is compiled anew");
    assert_eq!(signs().await.unwrap(), SigningRequestState::Approval);
}

/// Whatever a target hangs on leaves a number in `changes` when it changes, whoever changes it, or the transaction that
/// stores a signature would go by an old target.
async fn nothing_that_a_target_hangs_on_changes_unseen(installation: Installation) {
    let (lagging, caller) = (&installation.chancery, installation.administrators().await);
    let other = installation.other_node().await;
    let Builds { root, service, policy, certificate: first, key } = Builds::deployed(lagging, &caller).await;
    let check = async |found: &Found| {
        let found = found.clone();
        lagging.storage.store().write(move |tx| Box::pin(async move { found.check_again(tx).await })).await
    };
    // Looked up by a node that is up to date; then it lags behind, and something changes.
    let after = async |what: &str, change: BoxFuture<'_, ()>| {
        lagging.catch_up().await.unwrap();
        let turn = lagging.following.turn().await;
        let found = lagging.signing.target(service, policy).await.unwrap();
        assert_eq!(*found.applied, *turn.position(), "{what}");
        check(&found).await.expect(what);
        change.await;
        assert_eq!(lagging.applied(), found.applied, "{what}: the node lags behind");
        check(&found).await
    };
    let stale = async |what: &str, change: BoxFuture<'_, ()>| {
        assert_eq!(after(what, change).await.expect_err(what).meaning(), Meaning::State, "{what}");
    };
    let other = &other;
    let policy_to = |change: Value| {
        let caller = &caller;
        async move { drop(other.signing.change_signing_policy(caller, policy, body(change)).await.unwrap()) }.boxed()
    };
    stale("another name", policy_to(json!({"objInfo": {"name": "other"}}))).await;
    stale("rules", policy_to(json!({"rules": {"signaturesPerHour": 5}}))).await;
    stale("self-approval", policy_to(json!({"selfApproval": "Never"}))).await;
    let key_to = |usages: Value| {
        let caller = &caller;
        async move { drop(other.keys.change_key(caller, key, body(json!({"usages": usages}))).await.unwrap()) }.boxed()
    };
    stale("a key that may not sign", key_to(json!([]))).await;
    key_to(json!(["Sign"])).await;
    stale("a disabled key", async { drop(other.keys.disable_key(&caller, key).await.unwrap()) }.boxed()).await;
    other.keys.enable_key(&caller, key).await.unwrap();
    for certificate in [root, first] {
        let hold = RevokeCertificate { reason: RevocationReason::CertificateHold };
        let held = async { drop(other.pki.revoke_certificate(&caller, certificate, hold).await.unwrap()) }.boxed();
        stale("a hold", held).await;
        other.pki.release_certificate(&caller, certificate).await.unwrap();
    }
    let renewal = async { drop(other.signing.renew_service(&caller, service, body(json!({}))).await.unwrap()) };
    stale("a renewal", renewal.boxed()).await;
    // From now on policies change only with an approval.
    stale("more approvals", policy_to(json!({"numApprovals": 1}))).await;
    // What the target does not hang on lets it be.
    let elsewhere = RevokeCertificate { reason: RevocationReason::Superseded };
    let elsewhere = async { drop(other.pki.revoke_certificate(&caller, first, elsewhere).await.unwrap()) }.boxed();
    after("a certificate of before", elsewhere).await.unwrap();
    let compromised = RevokeCertificate { reason: RevocationReason::KeyCompromise };
    let revocation = async { drop(other.pki.revoke_certificate(&caller, root, compromised).await.unwrap()) };
    stale("a revocation", revocation.boxed()).await;
}

#[tokio::test]
async fn nothing_that_a_target_hangs_on_changes_unseen_on_sqlite() {
    nothing_that_a_target_hangs_on_changes_unseen(Installation::new().await).await;
}

#[tokio::test]
async fn nothing_that_a_target_hangs_on_changes_unseen_on_postgresql() {
    nothing_that_a_target_hangs_on_changes_unseen(Installation::on_postgres().await).await;
}

#[tokio::test]
async fn what_another_node_changed_holds_at_once_on_sqlite() {
    what_another_node_changed_holds_at_once(Installation::new().await).await;
}

#[tokio::test]
async fn what_another_node_changed_holds_at_once_on_postgresql() {
    what_another_node_changed_holds_at_once(Installation::on_postgres().await).await;
}
