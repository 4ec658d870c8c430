//! What nodes say of certificates that another one revoked, and of whom they say it.

use std::{fs, time::Duration};

use chancery_keys::KeySpec;
use chancery_store::tables;
use chancery_testkit::{Tool, temp_dir};
use chancery_types::{CertificateId, Curve, RevocationReason};
use uuid::Uuid;

use super::{issue, order, visitor, write};
use crate::{Chancery, Error, Limits, Meaning, OutageLimits, pki::cert_profile::BUILT_IN, testing::Installation};

/// Revoked by another node, of which no change comes here.
async fn revoke(node: &Chancery, certificate: CertificateId, issuer: CertificateId) {
    let at_s = node.clock.now_ms() / 1_000;
    let revoke = node.storage.store().write(move |tx| {
        Box::pin(async move {
            let reason = RevocationReason::KeyCompromise.as_str();
            assert!(tables::certificates::revoke(tx, certificate.into(), at_s, reason).await?);
            tables::crls::changed(tx, issuer.into(), at_s).await
        })
    });
    revoke.await.map_err(Error::from).unwrap();
}

#[tokio::test]
async fn a_node_that_does_not_follow_says_from_memory_for_a_while_what_is_revoked() {
    let staleness = Duration::from_secs(3);
    let outage = OutageLimits { revocation_staleness_max: staleness, ..OutageLimits::default() };
    let installation = Installation::with_limits(Limits { outage, ..Limits::default() }).await;
    let (here, there) = (&installation.chancery, installation.other_node().await);
    let spec = KeySpec::Ec(Curve::P256);
    let (root, root_pem) = issue(here, order(&BUILT_IN[0], spec, None)).await;
    let (leaf, leaf_pem) = issue(here, order(&BUILT_IN[6], spec, Some(root))).await;
    let folder = temp_dir();
    let (root_file, leaf_file) =
        (write(folder.path(), "root.pem", &root_pem), write(folder.path(), "leaf.pem", &leaf_pem));
    let asking = ["ocsp", "-no_nonce", "-issuer", &root_file, "-cert", &leaf_file, "-reqout", "request.der"];
    let _made = Tool::new("openssl35").args(asking).folder(folder.path()).run();
    let request = fs::read(folder.path().join("request.der")).unwrap();
    let told = |der: &[u8]| {
        fs::write(folder.path().join("answer.der"), der).unwrap();
        let reading = ["ocsp", "-respin", "answer.der", "-resp_text", "-noverify"];
        Tool::new("openssl35").args(reading).folder(folder.path()).run().text()
    };
    let number = async || here.pki.revocation_list_version(&visitor(), root).await.map(|version| version.number);

    here.catch_up().await.unwrap();
    let first = here.pki.ocsp(&visitor(), &request).await.unwrap();
    assert!(told(&first.der).contains("Cert Status: good"), "{}", told(&first.der));
    assert_eq!(number().await.unwrap(), 1);
    here.catch_up().await.unwrap();
    // As long as nobody else may apply anything, this node does not follow the store.
    let turn = here.following.turn().await;
    revoke(&there, leaf, root).await;
    assert_eq!(here.pki.ocsp(&visitor(), &request).await.unwrap(), first, "from memory");
    assert_eq!(number().await.unwrap(), 1, "from memory");
    tokio::time::sleep(staleness + Duration::from_millis(50)).await;
    let asked = here.pki.ocsp(&visitor(), &request).await.unwrap();
    assert!(told(&asked.der).contains("Cert Status: revoked"), "{}", told(&asked.der));
    assert_eq!(number().await.unwrap(), 2);
    // And without the store it says nothing.
    here.storage.store().close().await;
    let try_later = [0x30, 3, 0x0a, 1, 3];
    assert_eq!(here.pki.ocsp(&visitor(), &request).await.unwrap().der, try_later);
    assert_eq!(number().await.unwrap_err().meaning(), Meaning::Unavailable);
    drop(turn);
}

#[tokio::test]
async fn who_issued_is_found_without_reading_every_authority() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let spec = KeySpec::Ec(Curve::P256);
    let folder = temp_dir();
    let mut asked = Vec::new();
    for number in 0..2 {
        let (root, root_pem) = issue(chancery, order(&BUILT_IN[0], spec, None)).await;
        let (_, leaf_pem) = issue(chancery, order(&BUILT_IN[6], spec, Some(root))).await;
        let [root_file, leaf_file] = [("root.pem", &root_pem), ("leaf.pem", &leaf_pem)]
            .map(|(name, pem)| write(folder.path(), &format!("{number} {name}"), pem));
        let request = folder.path().join("request.der");
        let asking = ["ocsp", "-no_nonce", "-issuer", &root_file, "-cert", &leaf_file, "-reqout"];
        let _made = Tool::new("openssl35").args(asking).arg(&request).run();
        asked.push((root, fs::read(request).unwrap()));
    }
    for (_, request) in &asked {
        assert!(chancery.pki.ocsp(&visitor(), request).await.unwrap().is_lasting);
    }
    // A row that would stop whoever reads it: only those who ask for it notice.
    let damaged = asked[0].0;
    let harm = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            let text = "UPDATE certificates SET name = 'another' WHERE id = $1";
            Ok::<_, Error>(chancery_store::sql(text).bind(Uuid::from(damaged)).execute(tx).await?)
        })
    });
    assert_eq!(harm.await.unwrap(), 1);
    chancery.pki.ocsp_answers.forget(None);
    assert!(chancery.pki.ocsp(&visitor(), &asked[1].1).await.unwrap().is_lasting);
    assert_eq!(chancery.storage.store().unauthentic().len(), 0, "the other authority was not read");
    assert!(!chancery.pki.ocsp(&visitor(), &asked[0].1).await.unwrap().is_lasting);
    assert_eq!(chancery.storage.store().unauthentic().len(), 1);
}

/// Its clock is two hours behind, and the base that is signed meanwhile does not know of it.
#[tokio::test]
async fn what_is_revoked_by_a_slow_clock_while_a_base_is_signed_the_next_delta_tells_of() {
    for installation in [Installation::new().await, Installation::on_postgres().await] {
        let chancery = &installation.chancery;
        let (root, _) = issue(chancery, order(&BUILT_IN[0], KeySpec::Ec(Curve::P256), None)).await;
        let (root, now_s) = (Uuid::from(root), chancery.clock.now_ms() / 1_000);
        let slow_s = now_s - 7_200;
        let write = chancery.storage.store().write(move |tx| {
            Box::pin(async move {
                tables::crls::changed(tx, root, now_s).await?;
                let from = tables::crls::head(tx, root).await?.unwrap();
                tables::crls::changed(tx, root, slow_s).await?;
                let base = tables::crls::Base { number: from.number + 1, signed_at_s: now_s };
                let signed = tables::crls::Signed { this_update_s: now_s, der: vec![1], base, delta: vec![1] };
                assert!(tables::crls::replace(tx, &from, &signed).await?);
                tables::crls::head(tx, root).await
            })
        });
        let head = write.await.map_err(Error::from).unwrap().unwrap();
        assert!(head.base_s - tables::crls::LATE_S <= slow_s, "{head:?}");
        assert!(head.changes != head.changes_signed, "{head:?}");
    }
}
