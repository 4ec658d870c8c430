//! What somebody who writes the database makes of archives, and of the setting that says for how long records are kept: it is
//! named, and moves or removes nothing.

use chancery_store::tables::{audit_archives, settings};
use chancery_types::wire::system::AuditRetention;
use chancery_verify::hexadecimal;
use serde_json::json;

use super::{archives::*, *};
use crate::Meaning;

on_both!(
    an_archive_that_somebody_changed_is_named_and_stays,
    what_stays_at_hand_is_in_no_archive,
    nobody_without_the_key_removes_records,
    an_archive_that_claims_more_than_it_has_is_not_removed,
    an_archive_that_somebody_took_is_missed_for_good,
    what_is_archived_too_early_is_named,
    a_setting_that_somebody_put_back_moves_nothing,
    a_certificate_that_cannot_be_believed_holds_up_removal,
);

async fn an_archive_that_somebody_changed_is_named_and_stays(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, Some(200), None)).await;
    after(&installation, 92).await;
    let leaves = archives(chancery, &installation.administrators().await).await[0].leaves as u64;
    // A row that claims to be older than it is, and one with other lines.
    alter(chancery, vec!["UPDATE audit_archives SET last_at_ms = 0".to_owned()]).await;
    let refused = chancery.audit.keep_archives().await.unwrap_err();
    assert!(format!("{refused:?}").contains("archive 0"), "{refused:?}");
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::ArchiveRow { first_leaf: 0 }]);
    let other = if installation.is_on_postgres() { "decode('00', 'hex')" } else { "x'00'" };
    alter(chancery, vec![format!("UPDATE audit_archives SET lines = {other}")]).await;
    // Between them is the record of the setting, which stayed at hand.
    let named = [
        LedgerFault::Archive { first_leaf: 0 },
        LedgerFault::Missing { leaf: 0, count: 3, after: None },
        LedgerFault::Missing { leaf: 4, count: leaves - 4, after: Some(4) },
    ];
    assert_eq!(faults(chancery, &[]).await, named);
    installation.clock.advance_ms(200 * DAY_MS);
    chancery.audit.keep_archives().await.unwrap_err();
    let caller = installation.administrators().await;
    assert_eq!(chancery.audit.audit_archive(&caller, Some(0)).await.unwrap_err().meaning(), Meaning::Internal);
    assert_eq!(archives(chancery, &caller).await[0].first_leaf, 0);
}

/// Somebody moves a record into an archive for which the server looks among those at hand.
async fn what_stays_at_hand_is_in_no_archive(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, None, None)).await;
    after(&installation, 92).await;
    let caller = installation.administrators().await;
    let archive = archives(chancery, &caller).await.remove(0);
    let records = lines(chancery).await.into_iter().filter(|line| line.starts_with("{\"number\""));
    let mut records: Vec<_> = records.filter(|line| leaf_of_line(line) < archive.leaves as u64).collect();
    records.sort_by_key(|line| leaf_of_line(line));
    let moved = records.iter().position(|line| stays(line)).unwrap();
    let number = serde_json::from_str::<serde_json::Value>(&records[moved]).unwrap()["number"].clone();
    let text = records.join("\n") + "\n";
    let (sha256, packed) = (
        chancery_keys::hash(chancery_types::HashType::Sha2_256, text.as_bytes()),
        zstd::stream::encode_all(text.as_bytes(), 1).unwrap(),
    );
    let bytes = |bytes: &[u8]| {
        let hex = hexadecimal(bytes);
        if installation.is_on_postgres() { format!("decode('{hex}', 'hex')") } else { format!("x'{hex}'") }
    };
    let (records, length) = (records.len(), text.len());
    let (lines, sha256) = (bytes(&packed), bytes(sha256.as_bytes()));
    alter(
        chancery,
        vec![
            format!(
                "UPDATE audit_archives SET records = {records}, bytes = {length}, sha256 = {sha256}, lines = {lines}"
            ),
            format!("DELETE FROM audit_leaves WHERE number = {number}"),
            format!("DELETE FROM audit WHERE seq = {number}"),
        ],
    )
    .await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::ArchiveRow { first_leaf: 0 }]);
}

/// What the database alone says of retention, of removal and of times is not believed.
async fn nobody_without_the_key_removes_records(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, None, None)).await;
    let count = placed(chancery).await.len() as u64;
    let value = json!(days(90, Some(90), None)).to_string();
    alter(chancery, vec![format!("UPDATE settings SET value = '{value}' WHERE name = 'auditRetention'")]).await;
    let read = chancery.storage.store().read(|tx| Box::pin(settings::value(tx, "auditRetention")));
    assert!(read.await.is_err(), "the row says no more what it said");
    chancery.apply_settings(&HOST).await.unwrap();
    after(&installation, 200).await;
    assert_eq!(
        verified(chancery, &[]).await.removed,
        0,
        "whoever changes the setting in the database keeps everything"
    );
    assert!(placed(chancery).await.len() as u64 >= count);
    // Deleted is deleted: no checkpoint says that it may be.
    let write = chancery.storage.store().write(|tx| Box::pin(audit_archives::forget_records(tx, 1..=3)));
    write.await.map_err(Error::from).unwrap();
    assert!(matches!(*faults(chancery, &[]).await, [LedgerFault::Missing { leaf: 0, .. }]));
}

/// A row that goes over more leaves than are in it would have the server sign that those may be missing.
async fn an_archive_that_claims_more_than_it_has_is_not_removed(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, Some(200), None)).await;
    after(&installation, 92).await;
    let made = archives(chancery, &installation.administrators().await).await;
    installation.clock.advance_ms(200 * DAY_MS);
    chancery.audit.sequence_ledger().await.unwrap();
    for change in ["leaves + 1", "leaves - 2"] {
        alter(chancery, vec![format!("UPDATE audit_archives SET leaves = {change}")]).await;
        let before_ms = chancery.clock.now_ms() - 200 * DAY_MS;
        let refused = chancery.audit.remove_archive(&actor(chancery), before_ms, None).await.unwrap_err();
        assert!(format!("{refused:?}").contains("not what was put into it"), "{change}: {refused:?}");
    }
    alter(chancery, vec!["UPDATE audit_archives SET leaves = leaves + 1".to_owned()]).await;
    chancery.audit.keep_archives().await.unwrap();
    let removed = u64::try_from(made[0].leaves).unwrap();
    let state = verified(chancery, &[]).await;
    assert_eq!((state.faults.as_slice(), state.removed), (&[][..], removed));
}

/// Whoever takes the oldest archive away gets no word of a checkpoint for it with the next one's.
async fn an_archive_that_somebody_took_is_missed_for_good(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, Some(400), None)).await;
    after(&installation, 92).await;
    filled(chancery).await;
    after(&installation, 92).await;
    assert_eq!(archives(chancery, &installation.administrators().await).await.len(), 2);
    alter(chancery, vec!["DELETE FROM audit_archives WHERE first_leaf = 0".to_owned()]).await;
    let found = faults(chancery, &[]).await;
    assert!(matches!(found[0], LedgerFault::Missing { leaf: 0, .. }), "{found:?}");
    assert!(matches!(found.last(), Some(LedgerFault::ArchiveRow { .. })), "{found:?}");
    installation.clock.advance_ms(400 * DAY_MS);
    let refused = chancery.audit.keep_archives().await.unwrap_err();
    assert!(format!("{refused:?}").contains("is gone"), "{refused:?}");
    chancery.audit.sequence_ledger().await.unwrap();
    assert!(matches!(faults(chancery, &[]).await[0], LedgerFault::Missing { leaf: 0, .. }));
}

/// Records of yesterday in an archive are in no list, and the tree is whole.
async fn what_is_archived_too_early_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, AuditRetention::default()).await;
    installation.clock.advance_ms(2 * DAY_MS);
    while chancery.audit.archive_some(&actor(chancery), chancery.clock.now_ms() - DAY_MS / 2).await.unwrap() {}
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::ArchivedEarly { first_leaf: 0 }]);
}

/// A setting that was taken back has a MAC, too.
async fn a_setting_that_somebody_put_back_moves_nothing(installation: Installation) {
    let chancery = &installation.chancery;
    kept(&installation, days(90, Some(90), None)).await;
    let read = async || {
        let read = chancery.storage.store().read(|tx| {
            Box::pin(chancery_store::sql("SELECT mac FROM settings WHERE name = 'auditRetention'").all::<Vec<u8>>(tx))
        });
        read.await.map_err(Error::from).unwrap()
    };
    let mac = read().await.remove(0);
    kept(&installation, AuditRetention::default()).await;
    let (value, hex) = (json!(days(90, Some(90), None)), chancery_verify::hexadecimal(&mac));
    let mac = if installation.is_on_postgres() { format!("decode('{hex}', 'hex')") } else { format!("x'{hex}'") };
    alter(chancery, vec![format!("UPDATE settings SET value = '{value}', mac = {mac} WHERE name = 'auditRetention'")])
        .await;
    chancery.apply_settings(&HOST).await.unwrap();
    installation.clock.advance_ms(200 * DAY_MS);
    let refused = chancery.audit.keep_archives().await.unwrap_err();
    assert!(format!("{refused:?}").contains("nothing is moved or removed"), "{refused:?}");
    assert_eq!(faults(chancery, &[]).await, []);
}

/// A row that is damaged may be an authority's.
async fn a_certificate_that_cannot_be_believed_holds_up_removal(installation: Installation) {
    let chancery = &installation.chancery;
    let caller = installation.administrators().await;
    root(chancery, &caller).await;
    kept(&installation, days(90, Some(120), Some(730))).await;
    alter(chancery, vec!["UPDATE certificates SET trusted = 0".to_owned()]).await;
    installation.clock.advance_ms(200 * DAY_MS);
    let refused = chancery.audit.keep_archives().await.unwrap_err();
    assert!(format!("{refused:?}").contains("certificates"), "{refused:?}");
    assert_eq!(verified(chancery, &[]).await.removed, 0);
}
