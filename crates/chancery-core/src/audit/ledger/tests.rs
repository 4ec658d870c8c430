//! The ledger on both databases: what is changed, removed, inserted or moved in the store or in an export is found, and its
//! place named.

use chancery_keys::random;
use chancery_store::{
    generated_sql,
    tables::{
        audit::{self, Record},
        audit_ledger,
        tiles::{self, Tree},
    },
};
use chancery_verify::{
    ledger::{Demand, LedgerCheckpoint, LedgerCopy, LedgerFault, LedgerState, TOLERANCE_MS, verify_ledger},
    log::{LogKey, NotSigned, tree},
};
use uuid::Uuid;

use super::{leaf_of, *};
use crate::{
    Chancery, Host,
    testing::{self, Installation},
};

const HOST: Host = Host::running("test");

fn record(text: &str, at_ms: i64) -> Record {
    Record {
        at_ms,
        request_id: text.to_owned(),
        source: String::new(),
        identities: "[]".to_owned(),
        action: "ServerStop".to_owned(),
        object: None,
        outcome: "Success".to_owned(),
        detail: "null".to_owned(),
        count: 1,
        node: Some(Uuid::nil()),
        account: None,
    }
}

async fn append(chancery: &Chancery, text: &str) {
    let record = record(text, chancery.clock.now_ms());
    let write = chancery.storage.store().write(move |tx| Box::pin(audit::append(tx, record)));
    write.await.map_err(Error::from).unwrap();
}

/// Twelve records under four checkpoints, beside those of the installation itself; the last of their numbers.
async fn filled(chancery: &Chancery) -> i64 {
    for round in 0..4 {
        for number in 0..3 {
            append(chancery, &format!("{round} {number}")).await;
        }
        chancery.audit.sequence_ledger().await.unwrap();
    }
    placed(chancery).await.last().unwrap().row.seq
}

async fn placed(chancery: &Chancery) -> Vec<audit_ledger::Placed> {
    let read = chancery.storage.store().read(|tx| Box::pin(audit_ledger::from(tx, i64::MIN, 10_000)));
    read.await.map_err(Error::from).unwrap()
}

async fn leaf(chancery: &Chancery, number: i64) -> u64 {
    let all = placed(chancery).await;
    let found = all.iter().find(|placed| placed.row.seq == number).unwrap();
    found.leaf.unwrap().unsigned_abs()
}

async fn checkpoint(chancery: &Chancery) -> (String, LedgerCheckpoint) {
    let read = chancery.storage.store().read(|tx| Box::pin(audit_ledger::newest(tx)));
    let note = read.await.map_err(Error::from).unwrap().unwrap().note;
    let opened = LedgerCheckpoint::open(&note, &chancery.audit.ledger.0.key).unwrap();
    (note, opened)
}

/// What somebody does who can write the database.
async fn alter(chancery: &Chancery, statements: Vec<String>) {
    let write = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            for statement in statements {
                generated_sql(statement).execute(tx).await?;
            }
            Ok::<_, Error>(())
        })
    });
    write.await.unwrap();
}

async fn verified(chancery: &Chancery, witnesses: &[String]) -> LedgerState {
    chancery.audit.verify_ledger(&HOST, None, (witnesses, &Demand::default()), TOLERANCE_MS).await.unwrap()
}

async fn faults(chancery: &Chancery, witnesses: &[String]) -> Vec<LedgerFault> {
    verified(chancery, witnesses).await.faults
}

/// The ledger as an export has it.
async fn lines(chancery: &Chancery) -> Vec<String> {
    let (key, mut text) = (chancery.audit.ledger.0.key.clone(), String::new());
    let read = chancery.storage.read(&HOST, move |tx| Box::pin(async move { Part::first(tx, &key, true).await }));
    let mut part = Some(read.await.unwrap());
    while let Some(this) = part {
        let (lines, next) = chancery.storage.read(&HOST, move |tx| Box::pin(this.read(tx))).await.unwrap();
        text += std::str::from_utf8(&lines).unwrap();
        part = next;
    }
    text.lines().map(str::to_owned).collect()
}

fn of_lines(chancery: &Chancery, lines: &[String], witnesses: &[String]) -> LedgerState {
    let mut copy = LedgerCopy::default();
    lines.iter().for_each(|line| copy.push(line));
    verify_ledger(copy, &chancery.audit.ledger.0.key, (witnesses, &Demand::default()), TOLERANCE_MS)
}

/// Each test on both databases.
macro_rules! on_both {
    ($($name:ident,)+) => {
        mod on_sqlite {
            $(#[tokio::test] async fn $name() { super::$name(super::Installation::new().await).await; })+
        }
        mod on_postgresql {
            $(#[tokio::test] async fn $name() { super::$name(super::Installation::on_postgres().await).await; })+
        }
    };
}

mod archives;
mod copies;
mod forged;
mod hidden;

on_both!(
    an_untouched_ledger_is_whole,
    a_changed_record_is_named,
    a_deleted_record_is_named,
    swapped_records_are_named,
    an_inserted_record_is_named,
    a_changed_checkpoint_is_named,
    a_deleted_checkpoint_is_named,
    swapped_checkpoints_are_named,
    an_inserted_checkpoint_is_named,
    a_cut_tail_is_found,
    a_store_that_was_set_back_is_found_against_a_witness,
    a_ledger_written_anew_with_its_own_key_is_found_against_a_witness,
    nothing_is_signed_over_an_altered_ledger,
    records_from_before_the_ledger_are_taken_in,
);

async fn an_untouched_ledger_is_whole(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let (note, newest) = checkpoint(chancery).await;
    let state = verified(chancery, std::slice::from_ref(&note)).await;
    assert_eq!((state.faults.as_slice(), state.newer), (&[][..], 0));
    assert_eq!((state.records, state.newest), (newest.head.size, Some(newest.clone())));
    chancery.audit.sequence_ledger().await.unwrap();
    assert_eq!(checkpoint(chancery).await.0, note, "nothing new, nothing written");
    assert_eq!(placed(chancery).await.len() as u64, newest.head.size);
}

async fn a_changed_record_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    let number = filled(chancery).await - 5;
    let leaf = leaf(chancery, number).await;
    for column in ["request_id", "source"] {
        alter(chancery, vec![format!("UPDATE audit SET {column} = 'somebody' WHERE seq = {number}")]).await;
        assert_eq!(faults(chancery, &[]).await, [LedgerFault::Changed { leaf, number }], "{column}");
    }
}

async fn a_deleted_record_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    let number = filled(chancery).await - 5;
    let leaf = leaf(chancery, number).await;
    alter(chancery, vec![format!("DELETE FROM audit WHERE seq = {number}")]).await;
    let missing = [LedgerFault::Missing { leaf, count: 1, after: Some(number - 1) }];
    assert_eq!(faults(chancery, &[]).await, missing);
    alter(chancery, vec![format!("DELETE FROM audit_leaves WHERE number = {number}")]).await;
    assert_eq!(faults(chancery, &[]).await, missing, "with its leaf as well");
}

async fn swapped_records_are_named(installation: Installation) {
    let chancery = &installation.chancery;
    let (one, other) = (filled(chancery).await - 5, filled(chancery).await - 2);
    let (first, second) = (leaf(chancery, one).await, leaf(chancery, other).await);
    let set = |leaf: i64, number: i64| format!("UPDATE audit_leaves SET leaf = {leaf} WHERE number = {number}");
    let (at_first, at_second) = (first.cast_signed(), second.cast_signed());
    alter(chancery, vec![set(-1, one), set(at_first, other), set(at_second, one)]).await;
    let moved = [
        LedgerFault::Moved { leaf: first, number: other, belongs: second },
        LedgerFault::Moved { leaf: second, number: one, belongs: first },
    ];
    assert_eq!(faults(chancery, &[]).await, moved);
    alter(chancery, vec![set(-1, one), set(at_second, other), set(at_first, one)]).await;
    assert_eq!(faults(chancery, &[]).await, []);
    // Their contents, under the numbers that they had.
    let text = |number: i64, text: &str| format!("UPDATE audit SET request_id = '{text}' WHERE seq = {number}");
    let texts = placed(chancery).await.into_iter().map(|placed| (placed.row.seq, placed.row.record.request_id));
    let texts: std::collections::BTreeMap<_, _> = texts.collect();
    alter(chancery, vec![text(one, &texts[&other]), text(other, &texts[&one])]).await;
    let changed =
        [LedgerFault::Changed { leaf: first, number: one }, LedgerFault::Changed { leaf: second, number: other }];
    assert_eq!(faults(chancery, &[]).await, changed);
}

async fn an_inserted_record_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let old = record("never was", chancery.clock.now_ms() - 3_600_000);
    let write = chancery.storage.store().write(move |tx| Box::pin(audit::append(tx, old)));
    write.await.map_err(Error::from).unwrap();
    // Nothing is between it and its leaf: it becomes one, behind records that are younger.
    chancery.audit.sequence_ledger().await.unwrap();
    let number = placed(chancery).await.last().unwrap().row.seq;
    let found = faults(chancery, &[]).await;
    let [LedgerFault::Late { leaf: at, number: late, .. }] = found[..] else { panic!("{found:?}") };
    assert_eq!((at, late), (leaf(chancery, number).await, number));
    // In a copy that no sequencer looks at it is no leaf at all.
    let mut lines = lines(chancery).await;
    let place = lines.iter().position(|line| line.starts_with(&format!("{{\"number\":{number},"))).unwrap();
    let (alone, _) = lines[place].rsplit_once(",\"leaf\"").unwrap();
    let alone = alone.replace(&format!("{{\"number\":{number},"), "{\"number\":3000,") + "}";
    lines.insert(place, alone);
    let found = of_lines(chancery, &lines, &[]).faults;
    assert!(found.contains(&LedgerFault::Outside { number: 3_000 }), "{found:?}");
}

async fn a_changed_checkpoint_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let change = "UPDATE audit_checkpoints SET checkpoint = REPLACE(checkpoint, 'time 2', 'time 1') WHERE number = 2";
    alter(chancery, vec![change.to_owned()]).await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::Unsigned { number: 2, why: NotSigned::Signature }]);
}

async fn a_deleted_checkpoint_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    alter(chancery, vec!["DELETE FROM audit_checkpoints WHERE number = 2".to_owned()]).await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::Place { expected: 2, found: 3 }]);
}

async fn swapped_checkpoints_are_named(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let set = |to: i64, from: i64| format!("UPDATE audit_checkpoints SET number = {to} WHERE number = {from}");
    alter(chancery, vec![set(-1, 2), set(2, 3), set(3, -1)]).await;
    let found = faults(chancery, &[]).await;
    assert_eq!(found.first(), Some(&LedgerFault::Place { expected: 2, found: 3 }), "{found:?}");
}

async fn an_inserted_checkpoint_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let (_, newest) = checkpoint(chancery).await;
    let again = format!(
        "INSERT INTO audit_checkpoints (number, checkpoint) \
         SELECT {}, checkpoint FROM audit_checkpoints WHERE number = 2",
        newest.number + 1
    );
    alter(chancery, vec![again]).await;
    let found = faults(chancery, &[]).await;
    assert!(found.contains(&LedgerFault::Place { expected: newest.number + 1, found: 2 }), "{found:?}");
    // One that its own key has signed, over what was never there.
    let made = LedgerCheckpoint { number: newest.number + 1, previous: random(), ..newest };
    let note = chancery.audit.ledger.sign(&made).await.unwrap();
    alter(chancery, vec![format!("DELETE FROM audit_checkpoints WHERE number = {}", made.number)]).await;
    let mut lines = lines(chancery).await;
    let last = lines.iter().rposition(|line| line.starts_with("{\"checkpoint\"")).unwrap();
    lines.insert(last + 1, serde_json::json!({"checkpoint": note}).to_string());
    assert_eq!(of_lines(chancery, &lines, &[]).faults, [LedgerFault::Link { number: made.number }]);
}

/// Takes everything behind a checkpoint away, so that what is left is whole.
async fn cut_to(chancery: &Chancery, to: &LedgerCheckpoint) {
    let size = to.head.size.cast_signed();
    let read = chancery.storage.store().read(|tx| Box::pin(tiles::hashes(tx, Tree::Ledger, 0, 0)));
    let mut hashes = read.await.map_err(Error::from).unwrap().unwrap();
    hashes.truncate(to.head.size as usize * size_of::<tree::Hash>());
    alter(
        chancery,
        vec![
            format!("DELETE FROM audit WHERE seq IN (SELECT number FROM audit_leaves WHERE leaf >= {size})"),
            format!("DELETE FROM audit_leaves WHERE leaf >= {size}"),
            format!("DELETE FROM audit_checkpoints WHERE number > {}", to.number),
        ],
    )
    .await;
    let write = chancery
        .storage
        .store()
        .write(move |tx| Box::pin(async move { tiles::put(tx, Tree::Ledger, 0, 0, &hashes).await }));
    write.await.map_err(Error::from).unwrap();
}

async fn a_cut_tail_is_found(installation: Installation) {
    let chancery = &installation.chancery;
    let number = filled(chancery).await;
    let (note, newest) = checkpoint(chancery).await;
    let last = leaf(chancery, number).await;
    alter(chancery, vec![format!("DELETE FROM audit WHERE seq = {number}")]).await;
    let missing = LedgerFault::Missing { leaf: last, count: 1, after: Some(number - 1) };
    assert_eq!(faults(chancery, &[]).await, [missing]);
    alter(chancery, vec![format!("DELETE FROM audit_checkpoints WHERE number = {}", newest.number)]).await;
    let found = faults(chancery, &[]).await;
    assert!(matches!(found[0], LedgerFault::Cut { leaves, .. } if leaves == last + 1), "{found:?}");
    let found = faults(chancery, &[note]).await;
    assert!(found.contains(&LedgerFault::OtherCheckpoint { number: newest.number }), "{found:?}");
}

async fn a_store_that_was_set_back_is_found_against_a_witness(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let (_, before) = checkpoint(chancery).await;
    append(chancery, "later").await;
    chancery.audit.sequence_ledger().await.unwrap();
    let (note, newest) = checkpoint(chancery).await;
    cut_to(chancery, &before).await;
    assert_eq!(faults(chancery, &[]).await, [], "by itself it is whole");
    let set_back = LedgerFault::SetBack {
        number: newest.number,
        size: newest.head.size,
        newest: before.number,
        leaves: before.head.size,
    };
    assert_eq!(faults(chancery, std::slice::from_ref(&note)).await, [set_back]);
    // It goes on from there, and never becomes what the witness has seen.
    append(chancery, "another").await;
    chancery.audit.sequence_ledger().await.unwrap();
    let found = faults(chancery, &[note]).await;
    assert!(matches!(found[0], LedgerFault::WrittenAnew { number, .. } if number == newest.number), "{found:?}");
}

async fn a_ledger_written_anew_with_its_own_key_is_found_against_a_witness(installation: Installation) {
    let chancery = &installation.chancery;
    let number = filled(chancery).await;
    let (early, first) = checkpoint(chancery).await;
    let forged = filled(chancery).await - 1;
    let (note, newest) = checkpoint(chancery).await;
    assert!(forged > number);
    alter(
        chancery,
        vec![
            format!("UPDATE audit SET request_id = 'forged' WHERE seq = {forged}"),
            "UPDATE audit_leaves SET leaf = NULL".to_owned(),
            "DELETE FROM audit_tiles".to_owned(),
            "DELETE FROM audit_checkpoints WHERE number > 0".to_owned(),
        ],
    )
    .await;
    chancery.audit.sequence_ledger().await.unwrap();
    assert_eq!(faults(chancery, &[]).await, [], "by itself it is whole");
    let found = faults(chancery, &[early, note]).await;
    // The older checkpoint says that the first leaves are what they were: the forged one is behind them.
    let anew = LedgerFault::WrittenAnew { number: newest.number, size: newest.head.size, from: first.head.size };
    assert!(found.contains(&anew), "{found:?}");
    let of_first =
        |fault: &LedgerFault| matches!(fault, LedgerFault::WrittenAnew { number, .. } if *number == first.number);
    assert!(!found.iter().any(of_first), "{found:?}");
    // Under another key nothing is believed.
    let other = LogKey::new(chancery.audit.ledger.0.key.name(), random()).unwrap();
    let state =
        chancery.audit.verify_ledger(&HOST, Some(&other), (&[], &Demand::default()), TOLERANCE_MS).await.unwrap();
    assert_eq!(state.faults[0], LedgerFault::Unsigned { number: 0, why: NotSigned::Unknown });
}

async fn nothing_is_signed_over_an_altered_ledger(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let before = checkpoint(chancery).await;
    let write =
        chancery.storage.store().write(|tx| Box::pin(async { tiles::put(tx, Tree::Ledger, 0, 0, &[0; 96]).await }));
    write.await.map_err(Error::from).unwrap();
    append(chancery, "later").await;
    chancery.audit.sequence_ledger().await.unwrap_err();
    assert_eq!(checkpoint(chancery).await, before);
}

async fn records_from_before_the_ledger_are_taken_in(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    // As the migration leaves it: records without leaves, all older than the first checkpoint.
    alter(
        chancery,
        vec![
            "UPDATE audit_leaves SET leaf = NULL".to_owned(),
            "UPDATE audit SET at_ms = at_ms - 3600000".to_owned(),
            "DELETE FROM audit_tiles".to_owned(),
            "DELETE FROM audit_checkpoints WHERE number > 0".to_owned(),
        ],
    )
    .await;
    chancery.audit.sequence_ledger().await.unwrap();
    append(chancery, "from now on").await;
    chancery.audit.sequence_ledger().await.unwrap();
    assert_eq!(faults(chancery, &[]).await, []);
}
