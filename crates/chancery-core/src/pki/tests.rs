//! Hierarchies of every kind of key, judged by programs that we did not write.

mod expiry;
mod revoked_elsewhere;

use std::{fs, path::Path, sync::Arc};

use chancery_keys::{KeySpec, Purpose, RsaSize};
use chancery_store::tables;
use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::{
    CertificateId, Curve, HashType, Presence, RevocationReason, ValidityUnit,
    wire::import::{ImportCertificates, ImportedCertificate},
};
use uuid::Uuid;

use super::{
    alt_name::AltName,
    cert_profile::{BUILT_IN, CODE_SIGNING_CERTIFICATE},
    issue::Prepared,
    lists::ListKind,
    order::Order,
    stored_certificate::StoredCertificate,
};
use crate::{
    Chancery, Clock, Config, Error, Limits, Meaning, PasswordWork, RequestId, RequestInfo, RootKeySource, StoreUrl,
    Visitor, create_root_key, keys::key_type, pki::cert_profile::CertProfile, testing::Installation,
};

/// The verifiers look at the real time.
async fn installation() -> (Arc<Chancery>, TempDir) {
    let folder = temp_dir();
    let root_key = folder.path().join("root.key");
    create_root_key(&root_key).unwrap();
    let config = Config {
        store: StoreUrl::file(folder.path().join("chancery.db")),
        root_key: RootKeySource::File(root_key),
        clock: Clock::System,
        limits: Limits::default(),
        password_work: PasswordWork::TRIFLING,
        hardened: false,
        public_url: Some("http://pki.example".to_owned()),
        outside_stamps: None,
        log_name: None,
        rsa_pool: 0,
        key_backend: None,
        notices: crate::NoticeConfig::default(),
        providers: None,
        journal: None,
        witnesses: Vec::new(),
    };
    (Chancery::open(config).await.unwrap(), folder)
}

fn order(profile: &Arc<CertProfile>, spec: KeySpec, issuer: Option<CertificateId>) -> Order {
    let needs_names = profile.alt_names.presence == Presence::Required;
    Order {
        profile: Arc::clone(profile),
        issuer,
        subject: format!("CN={} Tëst,O=Example\\, Inc.,C=US", profile.name).parse().unwrap(),
        numbered: false,
        alt_names: if needs_names { vec![AltName::Dns("host.example".to_owned())] } else { Vec::new() },
        spec,
        save_key: true,
        given: None,
        period: if profile.is_authority() { profile.validity } else { super::validity::Period::years(1) },
        hash: None,
        trust: profile.is_authority(),
        inherits: None,
    }
}

async fn issue(chancery: &Chancery, order: Order) -> (CertificateId, Vec<u8>) {
    let prepared = chancery.pki.prepare_certificate(order).await.unwrap();
    let pem = prepared.reply().unwrap().certificate.into_bytes();
    let (id, now_ms) = (prepared.id, chancery.clock.now_ms());
    insert(chancery, prepared, now_ms).await.unwrap();
    (id, pem)
}

async fn insert(chancery: &Chancery, prepared: Prepared, now_ms: i64) -> Result<(), Error> {
    chancery.storage.store().write(move |tx| Box::pin(prepared.issue(tx, true, now_ms))).await
}

fn visitor() -> Visitor {
    Visitor { request: RequestInfo { id: RequestId(0x7e57), source: [127, 0, 0, 1].into() } }
}

fn write(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.display().to_string()
}

/// Asserts that a linter of pkilint finds nothing at WARNING or above.
#[track_caller]
fn lint(linter: &str, arguments: &[&str], files: &[&str], what: &str) {
    let ran = Tool::new(linter).arg("lint").args(arguments).args(["-s", "WARNING"]).args(files).try_run();
    let found = ran.text();
    assert!(ran.status.success() && found.trim().is_empty(), "{linter} on {what}: {found}{}", ran.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn hierarchies_of_every_kind_of_key_stand_before_openssl_and_pkilint() {
    let (chancery, folder) = installation().await;
    for spec in key_type::all().filter(|spec| key_type::purpose(*spec) == Purpose::Sign) {
        // Half a minute of prime numbers would show nothing that 3072 bits do not.
        if key_type::name(spec) != "RSA 4096 Signing" {
            hierarchy(&chancery, folder.path(), spec).await;
        }
    }
}

async fn hierarchy(chancery: &Chancery, folder: &Path, spec: KeySpec) {
    let (root, root_pem) = issue(chancery, order(&BUILT_IN[0], spec, None)).await;
    let (issuing, issuing_pem) = issue(chancery, order(&BUILT_IN[1], spec, Some(root))).await;
    let root_file = write(folder, "root.pem", &root_pem);
    let issuing_file = write(folder, "issuing.pem", &issuing_pem);
    lint("lint_pkix_cert", &[], &[&root_file], key_type::name(spec));
    lint("lint_pkix_signer_signee_cert_chain", &[], &[&root_file, &issuing_file], key_type::name(spec));
    // The linters take a second each, and what they look at differs by profile, list or key, not by all of them.
    let is_linted_whole = key_type::name(spec) == "EC P-256 Signing";
    let mut lists = Vec::new();
    for issuer in [root, issuing] {
        let list = chancery.pki.revocation_list(&visitor(), issuer, ListKind::Complete).await.unwrap();
        let file = write(folder, "list.crl", &list.der);
        lists.push(crl_pem(&file));
        let delta = chancery.pki.revocation_list(&visitor(), issuer, ListKind::Delta).await.unwrap();
        let delta_file = write(folder, "delta.crl", &delta.der);
        if is_linted_whole || issuer == root {
            lint("lint_crl", &["-t", "CRL", "-p", "PKIX"], &[&file], key_type::name(spec));
        }
        if is_linted_whole {
            lint("lint_crl", &["-t", "CRL", "-p", "PKIX"], &[&delta_file], key_type::name(spec));
        }
    }
    let lists = write(folder, "lists.pem", lists.concat().as_bytes());
    for profile in &BUILT_IN[2..] {
        let what = format!("{} with {}", profile.name, key_type::name(spec));
        let (_, leaf_pem) = issue(chancery, order(profile, spec, Some(issuing))).await;
        let leaf_file = write(folder, "leaf.pem", &leaf_pem);
        let _verified = verify(&root_file, &issuing_file, &lists, &leaf_file).run();
        if is_linted_whole || profile.id == CODE_SIGNING_CERTIFICATE {
            lint("lint_pkix_cert", &[], &[&leaf_file], &what);
            lint("lint_pkix_signer_signee_cert_chain", &[], &[&issuing_file, &leaf_file], &what);
        }
    }
}

fn crl_pem(der_file: &str) -> String {
    Tool::new("openssl35").args(["crl", "-inform", "DER", "-in", der_file]).run().text()
}

fn verify(root: &str, issuing: &str, lists: &str, leaf: &str) -> Tool {
    Tool::new("openssl35")
        .args(["verify", "-x509_strict", "-check_ss_sig", "-crl_check_all", "-CRLfile", lists])
        .args(["-CAfile", root, "-untrusted", issuing, leaf])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_revoked_does_not_verify() {
    let (chancery, folder) = installation().await;
    let spec = KeySpec::Ec(Curve::P256);
    let (root, root_pem) = issue(&chancery, order(&BUILT_IN[0], spec, None)).await;
    let (issuing, issuing_pem) = issue(&chancery, order(&BUILT_IN[1], spec, Some(root))).await;
    let (leaf, leaf_pem) = issue(&chancery, order(&BUILT_IN[2], spec, Some(issuing))).await;
    let [root_file, issuing_file, leaf_file] =
        [("root.pem", root_pem), ("issuing.pem", issuing_pem), ("leaf.pem", leaf_pem)]
            .map(|(name, pem)| write(folder.path(), name, &pem));
    let before = chancery.pki.revocation_list(&visitor(), issuing, ListKind::Complete).await.unwrap();
    assert_eq!(
        chancery.pki.revocation_list(&visitor(), issuing, ListKind::Complete).await.unwrap(),
        before,
        "not signed anew for nothing"
    );
    let at_s = chancery.clock.now_ms() / 1_000;
    chancery
        .storage
        .store()
        .write(move |tx| {
            Box::pin(async move {
                let reason = RevocationReason::KeyCompromise.as_str();
                assert!(chancery_store::tables::certificates::revoke(tx, leaf.into(), at_s, reason).await?);
                chancery_store::tables::crls::changed(tx, issuing.into(), at_s).await
            })
        })
        .await
        .unwrap();
    chancery.pki.kept_lists.look_again();
    let after = chancery.pki.revocation_list(&visitor(), issuing, ListKind::Complete).await.unwrap();
    assert_eq!(after.number, before.number + 1);
    let mut lists = String::new();
    for list in [chancery.pki.revocation_list(&visitor(), root, ListKind::Complete).await.unwrap(), after] {
        let file = write(folder.path(), "list.crl", &list.der);
        lint("lint_crl", &["-t", "CRL", "-p", "PKIX"], &[&file], "a list with an entry");
        lists += &crl_pem(&file);
    }
    let lists = write(folder.path(), "lists.pem", lists.as_bytes());
    let ran = verify(&root_file, &issuing_file, &lists, &leaf_file).try_run();
    assert!(!ran.status.success() && ran.stderr.contains("certificate revoked"), "{}{}", ran.text(), ran.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_hash_that_is_not_weak_signs_certificates() {
    let (chancery, folder) = installation().await;
    for spec in [KeySpec::Rsa(RsaSize::Bits2048), KeySpec::Ec(Curve::P521)] {
        for hash in HashType::ALL.iter().filter(|hash| !hash.is_weak()) {
            let is_shake = matches!(hash, HashType::Shake128 | HashType::Shake256 | HashType::Shake256_64);
            let order = Order { hash: Some(*hash), ..order(&BUILT_IN[0], spec, None) };
            let (_, pem) = issue(&chancery, order).await;
            let file = write(folder.path(), "root.pem", &pem);
            let line = Tool::new("openssl35").args(["x509", "-noout", "-text", "-in", &file]).run().text();
            // OpenSSL verifies all but SHAKE (RFC 8692), of which it knows the names only.
            if !is_shake {
                let _verified = Tool::new("openssl35").args(["verify", "-check_ss_sig", "-CAfile", &file, &file]).run();
            }
            assert!(line.contains("Root Certificate Authority"), "{hash}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hierarchies_stand_before_bouncy_castle_and_what_is_revoked_does_not() {
    let (chancery, folder) = installation().await;
    let kinds =
        ["RSA 3072", "EC P-256", "EC P-384", "EC P-521", "Ed25519", "ML-DSA-65"].map(|kind| format!("{kind} Signing"));
    let (mut lines, mut expected) = (String::new(), Vec::new());
    for (number, kind) in kinds.iter().enumerate() {
        let spec = key_type::all().find(|spec| key_type::name(*spec) == kind).unwrap();
        let file = |name: &str, content: &[u8]| write(folder.path(), &format!("{number}-{name}"), content);
        let (root, root_pem) = issue(&chancery, order(&BUILT_IN[0], spec, None)).await;
        let (issuing, issuing_pem) = issue(&chancery, order(&BUILT_IN[1], spec, Some(root))).await;
        let mut leaves = Vec::new();
        for profile in [&BUILT_IN[2], &BUILT_IN[5], &BUILT_IN[6]] {
            leaves.push(issue(&chancery, order(profile, spec, Some(issuing))).await);
        }
        let (revoked, at_s) = (leaves[2].0, chancery.clock.now_ms() / 1_000);
        let revoke = chancery.storage.store().write(move |tx| {
            Box::pin(async move {
                let reason = RevocationReason::Superseded.as_str();
                assert!(tables::certificates::revoke(tx, revoked.into(), at_s, reason).await?);
                tables::crls::changed(tx, issuing.into(), at_s).await
            })
        });
        revoke.await.map_err(Error::from).unwrap();
        let chain = [file("root.pem", &root_pem), file("issuing.pem", &issuing_pem)].join(" ");
        let mut lists = Vec::new();
        for (name, issuer) in [("root.crl", root), ("issuing.crl", issuing)] {
            let list = chancery.pki.revocation_list(&visitor(), issuer, ListKind::Complete).await.unwrap();
            lists.push(file(name, &list.der));
        }
        for (leaf, (_, pem)) in leaves.iter().enumerate() {
            let leaf_file = file(&format!("leaf{leaf}.pem"), pem);
            lines += &format!("{chain} {leaf_file} {}\n", lists.join(" "));
            expected.push((kind, leaf < 2));
        }
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/pki/tests/Validate.java");
    let jars = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/bouncycastle/*");
    let verdicts = Tool::new("java").args(["-cp", jars, source]).input(lines).run().text();
    assert_eq!(verdicts.lines().count(), expected.len(), "{verdicts}");
    for ((kind, good), verdict) in expected.into_iter().zip(verdicts.lines()) {
        let told = if good { "good" } else { "revo" };
        assert!(verdict.contains(told), "{kind}: {verdict}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_knows_what_is_there_whichever_group_it_is_in() {
    let elsewhere = &Installation::new().await.chancery;
    let spec = KeySpec::Ec(Curve::P256);
    let (root, root_pem) = issue(elsewhere, order(&BUILT_IN[0], spec, None)).await;
    let (_, leaf_pem) = issue(elsewhere, order(&BUILT_IN[6], spec, Some(root))).await;
    let (other, other_pem) = issue(elsewhere, order(&BUILT_IN[6], spec, Some(root))).await;
    let read =
        elsewhere.storage.store().read(move |tx| Box::pin(async move { StoredCertificate::load(tx, other).await }));
    let other_serial = read.await.unwrap().serial;
    let known = String::from_utf8([root_pem, leaf_pem].concat()).unwrap();
    for here in [Installation::new().await, Installation::on_postgres().await] {
        let caller = here.administrators().await;
        let import = async |certificates: String| {
            here.chancery.pki.import_certificates(&caller, ImportCertificates { certificates, trust_cert: None }).await
        };
        let imported = import(known.clone()).await.unwrap().certificates;
        assert!(imported.iter().all(|one| !one.existed));
        // Another one under the other's number, and then two that open a group each.
        let root_id = Uuid::from(imported[0].certificate_uuid);
        for (id, serial) in [(1, other_serial.as_str()), (0x1_0000, "4A01"), (0x2_0000, "4A02")] {
            let serial = serial.to_owned();
            let insert = here.chancery.storage.store().write(move |tx| {
                Box::pin(async move {
                    let root = tables::certificates::by_id(tx, root_id).await?.unwrap();
                    let name_key = "another".to_owned();
                    let row = tables::certificates::Row { id: Uuid::from_u128(id), name_key, serial, ..root };
                    tables::certificates::insert(tx, &row).await
                })
            });
            insert.await.map_err(Error::from).unwrap();
        }
        let again = import(known.clone()).await.unwrap().certificates;
        assert!(again.iter().all(|one| one.existed));
        let ids = |answer: &[ImportedCertificate]| answer.iter().map(|one| one.certificate_uuid).collect::<Vec<_>>();
        assert_eq!(ids(&again), ids(&imported));
        let refusal = import(String::from_utf8(other_pem.clone()).unwrap()).await.unwrap_err();
        assert_eq!(refusal.meaning(), Meaning::Exists);
    }
}

/// Revokes so many certificates of an authority, all alike but for their serial numbers.
async fn revoke_many(chancery: &Chancery, issuer: CertificateId, one: CertificateId, count: usize) {
    let at_s = chancery.clock.now_ms() / 1_000;
    for from in (0..count).step_by(1_000) {
        let numbers = from..count.min(from + 1_000);
        let revoke = chancery.storage.store().write(move |tx| {
            Box::pin(async move {
                let row = tables::certificates::by_id(tx, one.into()).await?.expect("it was issued");
                for number in numbers {
                    let (id, serial) =
                        (Uuid::from_u128(1 << 100 | number as u128), format!("{:040x}", (1 << 90) + number as u128));
                    tables::certificates::insert(tx, &tables::certificates::Row { id, serial, ..row.clone() }).await?;
                    let reason = RevocationReason::Superseded.as_str();
                    assert!(tables::certificates::revoke(tx, id, at_s, reason).await?);
                }
                tables::crls::changed(tx, issuer.into(), at_s).await
            })
        });
        revoke.await.map_err(Error::from).unwrap();
    }
    chancery.pki.kept_lists.look_again();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_did_not_change_is_given_out_without_the_store_and_the_key() {
    let at_length = std::env::var_os("CHANCERY_TEST_AT_LENGTH").is_some();
    let count = if at_length { 100_000 } else { 2_000 };
    let (chancery, folder) = installation().await;
    let spec = KeySpec::Ec(Curve::P256);
    let (root, _) = issue(&chancery, order(&BUILT_IN[0], spec, None)).await;
    let (leaf, _) = issue(&chancery, order(&BUILT_IN[6], spec, Some(root))).await;
    revoke_many(&chancery, root, leaf, count).await;
    // A crowd that meets a stale list.
    let nobody = visitor();
    let crowd = (0..32).map(|_| chancery.pki.revocation_list(&nobody, root, ListKind::Complete));
    let lists = futures::future::try_join_all(crowd).await.unwrap();
    assert!(lists.iter().all(|list| list == &lists[0]), "signed once");
    let version = chancery.pki.revocation_list_version(&visitor(), root).await.unwrap();
    let file = write(folder.path(), "list.crl", &lists[0].der);
    let text = Tool::new("openssl").args(["crl", "-inform", "DER", "-noout", "-text", "-in", &file]).run().text();
    assert_eq!(text.matches("Serial Number: ").count(), count);
    chancery.storage.store().close().await;
    let begun = std::time::Instant::now();
    for _ in 0..1_000 {
        assert_eq!(chancery.pki.revocation_list_version(&visitor(), root).await.unwrap(), version);
    }
    for (kind, is_same) in [(ListKind::Complete, true), (ListKind::Delta, false)] {
        let list = chancery.pki.revocation_list(&visitor(), root, kind).await.unwrap();
        assert_eq!((list.der == lists[0].der, list.number), (is_same, version.number));
    }
    assert!(begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
}
