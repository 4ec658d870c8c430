//! Records that were moved into archives, and archives that were removed: what is missing because its time is over is no fault,
//! and everything else is.

use chancery_types::{
    CertProfileId, KeyTypeId,
    wire::{
        audit::AuditQuery,
        audit_archives::{ArchiveQuery, AuditArchive},
        reports::AccessQuery,
        system::{AuditRetention, PatchSettings},
    },
};
use serde_json::json;

use super::*;
use crate::{Caller, Meaning, context::record::Actor};

on_both!(
    what_is_archived_is_exported_and_verified_as_before,
    what_was_removed_is_no_fault_and_all_else_is,
    what_was_cut_out_of_a_download_is_named_while_the_archive_is_here,
    what_the_server_asks_for_stays_at_hand,
    nothing_is_archived_that_is_not_as_it_became_a_leaf,
    nothing_is_removed_before_the_last_authority_ended_long_ago,
);

pub(super) const DAY_MS: i64 = 86_400_000;

pub(super) fn days(at_hand_days: u32, keep_days: Option<u32>, beyond_authorities_days: Option<u32>) -> AuditRetention {
    AuditRetention { at_hand_days: Some(at_hand_days), keep_days, beyond_authorities_days }
}

/// Many records, and for how long they are kept.
pub(super) async fn kept(installation: &Installation, retention: AuditRetention) {
    let chancery = &installation.chancery;
    let caller = installation.administrators().await;
    let patch = PatchSettings { audit_retention: Some(retention), ..PatchSettings::default() };
    assert_eq!(chancery.change_settings(&caller, patch).await.unwrap().audit_retention, retention);
    filled(chancery).await;
}

pub(super) fn actor(chancery: &Chancery) -> Actor {
    Actor::of_host(chancery.node, &HOST)
}

/// Lets time pass, and does what is due then.
pub(super) async fn after(installation: &Installation, days: i64) {
    installation.chancery.audit.sequence_ledger().await.unwrap();
    installation.clock.advance_ms(days * DAY_MS);
    installation.chancery.audit.keep_archives().await.unwrap();
    installation.chancery.audit.sequence_ledger().await.unwrap();
}

/// A root; its certificate's id.
pub(super) async fn root(chancery: &Chancery, caller: &Caller) -> Uuid {
    let new_key = json!({"keyTypeUuid": KeyTypeId::from_u128(0x6b74_0000_0000_0004), "save": true});
    let profile = CertProfileId::from_u128(0x6370_0000_0000_0001);
    let root = json!({"certProfileUuid": profile, "newKey": new_key, "trustCert": true});
    let made = chancery.pki.generate_certificate(caller, serde_json::from_value(root).unwrap()).await.unwrap();
    made.made().expect("nobody is asked for approvals").certificate_uuid.into()
}

pub(super) async fn archives(chancery: &Chancery, caller: &Caller) -> Vec<AuditArchive> {
    chancery.audit.audit_archives(caller, ArchiveQuery::default()).await.unwrap().items
}

async fn numbers(chancery: &Chancery, caller: &Caller) -> Vec<i64> {
    let all = chancery.audit.audit_records(caller, AuditQuery::default()).await.unwrap();
    all.items.into_iter().map(|record| record.number).collect()
}

/// What is found in a copy beside an archive that was kept.
fn beside(chancery: &Chancery, archived: &[String], lines: &[String]) -> LedgerState {
    let mut copy = LedgerCopy::default();
    archived.iter().for_each(|line| copy.push_archived(0, line));
    lines.iter().for_each(|line| copy.push(line));
    verify_ledger(copy, &chancery.audit.ledger.0.key, (&[], &Demand::default()), TOLERANCE_MS)
}

/// Whether it is a record of the setting, which stays at hand.
pub(super) fn stays(line: &str) -> bool {
    line.contains("\"action\":\"SettingsChange\"")
}

fn leaves_of(lines: &[String]) -> Vec<String> {
    let mut records: Vec<_> = lines.iter().filter(|line| line.starts_with("{\"number\"")).cloned().collect();
    records.sort_by_key(|line| leaf_of_line(line));
    records
}

pub(super) fn leaf_of_line(line: &str) -> u64 {
    line.rsplit_once(':').unwrap().1.trim_end_matches('}').parse().unwrap()
}

async fn what_is_archived_is_exported_and_verified_as_before(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, None, None)).await;
    let before = leaves_of(&lines(chancery).await);
    let moved: Vec<_> = before.iter().filter(|line| !stays(line)).cloned().collect();
    after(&installation, 90).await;
    assert!(archives(chancery, &installation.administrators().await).await.is_empty(), "not many, and not old enough");
    after(&installation, 2).await;
    let caller = installation.administrators().await;
    let made = archives(chancery, &caller).await;
    assert_eq!(made.len(), 1);
    assert_eq!((made[0].first_leaf, made[0].records), (0, moved.len() as i64), "{made:?}");
    let there = lines(chancery).await;
    assert_eq!(leaves_of(&there)[..before.len()], before);
    assert_eq!(of_lines(chancery, &there, &[]).faults, []);
    let state = verified(chancery, &[]).await;
    assert_eq!((state.faults.as_slice(), state.removed), (&[][..], 0));
    assert_eq!(state.records, state.newest.unwrap().head.size + state.newer);
    let at_hand = numbers(chancery, &caller).await;
    let number_of = |lines: &str| serde_json::from_str::<AuditRecord>(lines).unwrap().number;
    assert!(!moved.iter().any(|line| at_hand.contains(&number_of(line))), "they are not listed any more");
    let downloaded = chancery.audit.audit_archive(&caller, None).await.unwrap().1;
    assert_eq!(std::str::from_utf8(&downloaded).unwrap().lines().collect::<Vec<_>>(), moved);
    // Whoever hands over what is in the export, too, hears of nothing inserted.
    assert_eq!(of_lines(chancery, &[&moved[..], &there].concat(), &[]).faults, []);
    let hash = chancery_keys::hash(chancery_types::HashType::Sha2_256, &downloaded);
    assert_eq!(made[0].sha256, chancery_verify::hexadecimal(hash.as_bytes()));
    let refused = chancery.audit.audit_archive(&caller, Some(1)).await.unwrap_err();
    assert_eq!((refused.meaning(), refused.field()), (Meaning::Selection, Some("/firstLeaf")));
    let as_of = async |ms: i64| {
        let query = AccessQuery { as_of: Some(crate::time::rfc3339_ms(ms)), ..AccessQuery::default() };
        chancery
            .reports
            .access_report(&caller, query)
            .await
            .map_err(|refused| (refused.meaning(), refused.field().map(str::to_owned)))
    };
    let first_ms = crate::time::parse_rfc3339(&made[0].from).unwrap();
    as_of(first_ms).await.unwrap();
    assert_eq!(as_of(first_ms - 1).await.unwrap_err(), (Meaning::Value, Some("/asOf".to_owned())), "nothing is known");
    after(&installation, 1_000).await;
    let caller = installation.administrators().await;
    assert_eq!(archives(chancery, &caller).await.len(), 2, "kept for ever");
    assert_eq!(faults(chancery, &[]).await, []);
}

async fn what_was_removed_is_no_fault_and_all_else_is(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, Some(200), None)).await;
    let (old, before) = (checkpoint(chancery).await.0, leaves_of(&lines(chancery).await));
    after(&installation, 92).await;
    append(chancery, "later").await;
    after(&installation, 109).await;
    let caller = installation.administrators().await;
    let made = archives(chancery, &caller).await;
    assert_eq!(made.len(), 1, "the first one was removed: {made:?}");
    let state = verified(chancery, std::slice::from_ref(&old)).await;
    assert_eq!((state.faults.as_slice(), state.removed), (&[][..], before.len() as u64));
    let left = lines(chancery).await;
    assert_eq!(of_lines(chancery, &left, std::slice::from_ref(&old)).faults, []);
    let newest = checkpoint(chancery).await.1;
    assert_eq!(newest.kept, 1);
    assert_eq!(leaves_of(&left).len() as u64 + state.removed, newest.head.size + newest.kept);
    // Whoever kept the archive has it verified with the rest.
    let with = |archived: &[String]| beside(chancery, archived, &left);
    let archived = Vec::from_iter(before.iter().filter(|line| !stays(line)).cloned());
    assert_eq!((with(&before).faults, with(&archived).faults), (vec![], vec![]));
    // A record that was cut out of it is missed, wherever it stood: the record of its removal says over which leaves it went.
    for cut in [0, 1, archived.len() - 1] {
        let mut less = archived.clone();
        let cut = leaf_of_line(&less.remove(cut));
        let faults = with(&less).faults;
        assert_eq!(faults, [LedgerFault::ArchiveCut { leaf: cut, count: 1 }]);
    }
    let mut changed = before.clone();
    changed[2] = changed[2].replace("\"count\":1", "\"count\":2");
    assert!(matches!(*with(&changed).faults, [LedgerFault::Changed { leaf: 2, .. }]));
    // A record behind what was removed is missed, and one that stays among what was.
    let (stayed, first) = (leaves_of(&left)[0].clone(), leaves_of(&left)[1].clone());
    let without = |line: &String| left.iter().filter(|other| *other != line).cloned().collect::<Vec<_>>();
    let removed = state.removed;
    let gone = LedgerFault::Kept { removed, kept: 1, found: 0 };
    assert!(stays(&stayed));
    assert_eq!(of_lines(chancery, &without(&stayed), &[]).faults, std::slice::from_ref(&gone));
    // Nor does any other old record stand for it.
    let another = [&archived[..1], &without(&stayed)].concat();
    assert_eq!(of_lines(chancery, &another, &[]).faults, std::slice::from_ref(&gone));
    let named = beside(chancery, &archived, &without(&stayed)).faults;
    assert!(matches!(&*named, [LedgerFault::ArchiveCut { count: 1, .. }, kept] if *kept == gone), "{named:?}");
    assert!(matches!(
        *of_lines(chancery, &without(&first), &[]).faults,
        [LedgerFault::Missing { leaf, count: 1, .. }] if leaf == removed
    ));
    let told = chancery.audit.audit_records(&caller, AuditQuery::default()).await.unwrap().items;
    let told = |action| told.iter().filter(|record| record.action == action).count();
    assert_eq!((told(Action::AuditArchive), told(Action::AuditArchiveRemove)), (1, 1), "the other is archived itself");
}

async fn what_was_cut_out_of_a_download_is_named_while_the_archive_is_here(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, None, None)).await;
    after(&installation, 92).await;
    filled(chancery).await;
    after(&installation, 92).await;
    let caller = installation.administrators().await;
    let (mut joined, all) = (Vec::new(), lines(chancery).await);
    let mut made = archives(chancery, &caller).await;
    assert!(made.len() > 1, "{made:?}");
    made.sort_by_key(|archive| archive.first_leaf);
    for archive in &made {
        let downloaded = chancery.audit.audit_archive(&caller, Some(archive.first_leaf)).await.unwrap().1;
        joined.extend(String::from_utf8(downloaded).unwrap().lines().map(str::to_owned));
    }
    let state = beside(chancery, &joined, &all);
    assert_eq!((state.faults, state.records), (vec![], of_lines(chancery, &all, &[]).records), "each counts once");
    for cut in [0, 1, joined.len() / 2, joined.len() - 1] {
        let mut less = joined.clone();
        let leaf = leaf_of_line(&less.remove(cut));
        assert_eq!(beside(chancery, &less, &all).faults, [LedgerFault::ArchiveCut { leaf, count: 1 }]);
    }
    // It does not stand for what somebody took out of the export: nothing says that this was removed.
    for gone in [0, joined.len() / 2] {
        let without: Vec<_> = all.iter().filter(|line| **line != joined[gone]).cloned().collect();
        let faults = beside(chancery, &joined, &without).faults;
        let leaf = leaf_of_line(&joined[gone]);
        assert!(matches!(*faults, [LedgerFault::Missing { leaf: found, count: 1, .. }] if found == leaf), "{faults:?}");
    }
    let mut copy = LedgerCopy::default();
    copy.push_archived(0, &joined[0]);
    copy.push_archived(1, &joined[1]);
    copy.push_archived(1, "{}");
    let state = verify_ledger(copy, &chancery.audit.ledger.0.key, (&[], &Demand::default()), TOLERANCE_MS);
    assert!(state.faults.contains(&LedgerFault::ArchiveLine { archive: 1, line: 2 }), "{:?}", state.faults);
}

async fn what_the_server_asks_for_stays_at_hand(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, Some(200), None)).await;
    let mut missed = record("missed", chancery.clock.now_ms());
    (missed.action, missed.object) = ("JournalMiss".to_owned(), Some(Uuid::from_u128(7)));
    let write = chancery.storage.store().write(move |tx| Box::pin(audit::append(tx, missed)));
    write.await.map_err(Error::from).unwrap();
    filled(chancery).await;
    let before = leaves_of(&lines(chancery).await);
    after(&installation, 92).await;
    let caller = installation.administrators().await;
    assert_eq!(archives(chancery, &caller).await[0].records, before.len() as i64 - 2);
    assert_eq!(leaves_of(&lines(chancery).await)[..before.len()], before);
    after(&installation, 200).await;
    let state = verified(chancery, &[]).await;
    assert_eq!(state.faults, []);
    let caller = installation.administrators().await;
    let query = AuditQuery { action: Some(Action::JournalMiss), ..AuditQuery::default() };
    assert_eq!(chancery.audit.audit_records(&caller, query).await.unwrap().items.len(), 1);
}

async fn nothing_is_archived_that_is_not_as_it_became_a_leaf(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, None, None)).await;
    let number = placed(chancery).await[4].row.seq;
    alter(chancery, vec![format!("UPDATE audit SET source = 'somebody' WHERE seq = {number}")]).await;
    installation.clock.advance_ms(92 * DAY_MS);
    let refused = chancery.audit.keep_archives().await.unwrap_err();
    assert!(format!("{refused:?}").contains("leaf 4"), "{refused:?}");
    assert_eq!(
        faults(chancery, &[]).await,
        [LedgerFault::Changed { leaf: 4, number }],
        "it is there for who looks into it"
    );
}

async fn nothing_is_removed_before_the_last_authority_ended_long_ago(installation: Installation) {
    let chancery = &installation.chancery;
    let caller = installation.administrators().await;
    let authority = root(chancery, &caller).await;
    let end_s = chancery.storage.store().read(move |tx| {
        Box::pin(async move {
            let row = chancery_store::tables::certificates::by_id(tx, authority).await?;
            Ok::<_, Error>(row.unwrap().not_after_s)
        })
    });
    let end_ms = end_s.await.unwrap() * 1_000;
    kept(&installation, days(90, Some(120), Some(730))).await;
    let left = (end_ms - chancery.clock.now_ms()) / DAY_MS;
    after(&installation, left + 729).await;
    let state = verified(chancery, &[]).await;
    assert_eq!((state.faults.as_slice(), state.removed), (&[][..], 0));
    after(&installation, 2).await;
    let state = verified(chancery, &[]).await;
    assert_eq!(state.faults, []);
    assert!(state.removed > 0);
}

#[tokio::test]
async fn what_cannot_be_kept_to_is_refused_at_its_member() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    for (retention, field) in [
        (days(89, None, None), "/auditRetention/atHandDays"),
        (days(36_501, None, None), "/auditRetention/atHandDays"),
        (days(100, Some(99), None), "/auditRetention/keepDays"),
        (days(100, Some(100), Some(36_501)), "/auditRetention/beyondAuthoritiesDays"),
        (AuditRetention { keep_days: Some(400), ..AuditRetention::default() }, "/auditRetention/atHandDays"),
        (days(100, None, Some(1)), "/auditRetention/beyondAuthoritiesDays"),
    ] {
        let patch = PatchSettings { audit_retention: Some(retention), ..PatchSettings::default() };
        let refused = installation.chancery.change_settings(&caller, patch).await.unwrap_err();
        assert_eq!((refused.meaning(), refused.field()), (Meaning::Value, Some(field)));
    }
}
