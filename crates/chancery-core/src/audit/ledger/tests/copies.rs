//! What a copy of the ledger says, late commits, and what its leaves and checkpoints are made of.

use super::*;

#[tokio::test]
async fn what_commits_late_becomes_a_later_leaf() {
    let installation = Installation::on_postgres().await;
    let chancery = &installation.chancery;
    let (go, wait) = tokio::sync::oneshot::channel::<()>();
    let (taken, is_taken) = tokio::sync::oneshot::channel::<()>();
    let late = record("late", chancery.clock.now_ms());
    let writing = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            audit::append(tx, late).await?;
            let _told = taken.send(());
            let _waited = wait.await;
            Ok::<_, Error>(())
        })
    });
    let between = async {
        is_taken.await.unwrap();
        append(chancery, "early").await;
        chancery.audit.sequence_ledger().await.unwrap();
        go.send(()).unwrap();
    };
    let (written, ()) = tokio::join!(writing, between);
    written.unwrap();
    chancery.audit.sequence_ledger().await.unwrap();
    let all = placed(chancery).await;
    let of = |text: &str| all.iter().find(|placed| placed.row.record.request_id == text).unwrap();
    assert!(of("late").row.seq < of("early").row.seq && of("late").leaf > of("early").leaf);
    assert_eq!(faults(chancery, &[]).await, []);
}

#[tokio::test]
async fn each_line_of_an_export_is_missed_and_named() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let last = filled(chancery).await;
    let (note, newest) = checkpoint(chancery).await;
    let lines = lines(chancery).await;
    assert_eq!(of_lines(chancery, &lines, std::slice::from_ref(&note)).faults, []);
    for (place, line) in lines.iter().enumerate().take(lines.len() - 1) {
        let mut without = lines.clone();
        without.remove(place);
        assert!(!of_lines(chancery, &without, &[]).faults.is_empty(), "without {line}");
        let mut twice = lines.clone();
        twice.insert(place, line.clone());
        // A record again says nothing else, such as one of an archive that is still in the export.
        let is_named = !of_lines(chancery, &twice, &[]).faults.is_empty();
        assert_eq!(is_named, !line.starts_with("{\"number\""), "twice {line}");
    }
    let number = last - 4;
    let place = lines.iter().position(|line| line.starts_with(&format!("{{\"number\":{number},"))).unwrap();
    let leaf = leaf(chancery, number).await;
    let mut changed = lines.clone();
    changed[place] = changed[place].replace("\"Success\"", "\"NotAuthorized\"");
    assert_eq!(of_lines(chancery, &changed, &[]).faults, [LedgerFault::Changed { leaf, number }]);
    let mut swapped = lines.clone();
    swapped[place] = swapped[place].replace(&format!("\"leaf\":{leaf}}}"), &format!("\"leaf\":{}}}", leaf + 1));
    swapped[place + 1] = swapped[place + 1].replace(&format!("\"leaf\":{}}}", leaf + 1), &format!("\"leaf\":{leaf}}}"));
    let moved = [
        LedgerFault::Moved { leaf, number: number + 1, belongs: leaf + 1 },
        LedgerFault::Moved { leaf: leaf + 1, number, belongs: leaf },
    ];
    assert_eq!(of_lines(chancery, &swapped, &[]).faults, moved);
    let mut inserted = lines.clone();
    inserted.insert(place, lines[place].replace("\"Success\"", "\"NotAuthorized\""));
    assert_eq!(of_lines(chancery, &inserted, &[]).faults, [LedgerFault::Twice { leaf, number }]);
    let mut other = lines.clone();
    other.push("{\"note\":\"a line of somebody's\"}".to_owned());
    let line = other.len() as u64;
    assert_eq!(of_lines(chancery, &other, &[]).faults, [LedgerFault::Line { line }]);
    // Hashes that fit the forged record do not fit the checkpoints.
    let at = lines.iter().position(|line| line.starts_with("{\"leafHashes\"")).unwrap();
    let mut hashes = stored(chancery).await;
    let forged = changed[place].replace(&format!(",\"leaf\":{leaf}}}"), "}");
    hashes[leaf as usize] = tree::leaf_hash(forged.as_bytes());
    changed[at] = serde_json::json!({"leafHashes": chancery_types::Base64::encode(&hashes.concat())}).to_string();
    let found = of_lines(chancery, &changed, &[note]).faults;
    assert!(matches!(found[0], LedgerFault::Root { from, to, .. } if (from..=to).contains(&leaf)), "{found:?}");
    let anew = LedgerFault::WrittenAnew { number: newest.number, size: newest.head.size, from: 0 };
    assert_eq!(found[1], anew);
}

async fn stored(chancery: &Chancery) -> Vec<tree::Hash> {
    let read = chancery.storage.store().read(|tx| Box::pin(tiles::hashes(tx, Tree::Ledger, 0, 0)));
    tree::hashes(&read.await.map_err(Error::from).unwrap().unwrap()).unwrap()
}

/// Leaves of old records must never come out otherwise: a member that is added must be left out of records that have
/// none.
#[test]
fn the_bytes_of_a_leaf_stay_as_they_are() {
    let record = Record { node: None, ..record("r", 1_700_000_000_000) };
    let row = Row { seq: 7, record, unreadable: None };
    let expected = r#"{"number":7,"time":"2023-11-14T22:13:20.000Z","requestId":"r","source":"","identities":[],"#
        .to_owned()
        + r#""action":"ServerStop","outcome":"Success","detail":null,"count":1}"#;
    assert_eq!(String::from_utf8(leaf_of(row).unwrap()).unwrap(), expected);
}

/// A checkpoint says how far the journals went, and a journal is held against it.
#[tokio::test]
async fn checkpoints_anchor_the_journals() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("journal");
    let segment = there.join("0000000000000001.journal");
    let id = testing::profile(chancery, &caller, "cards").await;
    let node = installation.node_with_journal(there.clone()).await;
    testing::tokenize(&node, &caller, id).await.unwrap();
    let earlier = std::fs::read(&segment).unwrap();
    testing::tokenize(&node, &caller, id).await.unwrap();
    node.shut_down().await;
    append(chancery, "after it").await;
    chancery.audit.sequence_ledger().await.unwrap();
    let (note, opened) = checkpoint(chancery).await;
    let kept = [note];
    let whole = chancery.tokens.verify_journal(&HOST, &there, Vec::new(), &kept).await.unwrap();
    assert_eq!((whole.walked.faults.as_slice(), whole.walked.records, whole.walked.unchecked), (&[][..], 2, 0));
    let journal = whole.walked.journal.unwrap().to_string();
    let anchor = opened.journals.iter().find(|anchor| anchor.journal == journal).unwrap();
    assert_eq!(Some(anchor.head.clone()), whole.walked.head.map(|head| head.to_string()));
    // Whoever sets it back makes the database forget how far it went. Its checkpoint does not.
    alter(chancery, vec!["DELETE FROM journals".to_owned()]).await;
    std::fs::write(&segment, earlier).unwrap();
    let alone = chancery.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap();
    let cut = chancery.tokens.verify_journal(&HOST, &there, Vec::new(), &kept).await.unwrap();
    for found in [alone, cut] {
        assert_eq!(found.walked.faults.iter().map(|fault| (fault.segment, fault.record)).collect::<Vec<_>>(), [(1, 2)]);
    }
    let other = chancery.log.log_checkpoint(&testing::visitor()).await.unwrap();
    chancery.tokens.verify_journal(&HOST, &there, Vec::new(), &[other]).await.unwrap_err();
}

on_both!(two_nodes_make_each_record_one_leaf,);

async fn two_nodes_make_each_record_one_leaf(installation: Installation) {
    let other = installation.other_node().await;
    let chancery = &installation.chancery;
    for number in 0..10 {
        append(chancery, &number.to_string()).await;
        append(&other, &number.to_string()).await;
        let (one, two) = tokio::join!(chancery.audit.sequence_ledger(), other.audit.sequence_ledger());
        one.unwrap();
        two.unwrap();
    }
    let mut leaves: Vec<_> = placed(chancery).await.into_iter().map(|placed| placed.leaf.unwrap()).collect();
    leaves.sort_unstable();
    assert!(leaves.iter().copied().eq(0..leaves.len() as i64), "each leaf once");
    assert_eq!(faults(&other, &[checkpoint(chancery).await.0]).await, []);
}
