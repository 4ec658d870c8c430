//! The log as a whole: on both databases, with several nodes, and against a store that was altered.

use std::sync::Arc;

use chancery_store::tables::{self, tiles::Tree};
use chancery_types::{LogVisibility, wire::log::InclusionProof};
use chancery_verify::log::{
    Checkpoint, LogKey, Logged, NotLogged, verify_inclusion, verify_log_consistency, verify_logged_certificate,
};
use uuid::Uuid;

use super::{sequencer::Extension, tree::Tiles, *};
use crate::{Chancery, Error, Visitor, testing::Installation};

fn visitor() -> Visitor {
    crate::testing::visitor()
}

fn object(number: u32) -> Uuid {
    Uuid::from_u128(u128::from(number) + 1)
}

/// Adds entries in one transaction.
async fn add(chancery: &Chancery, numbers: std::ops::Range<u32>, visibility: LogVisibility) {
    let entry = |number: u32| {
        let leaf = Leaf::of_certificate(i64::from(number), &number.to_be_bytes(), b"issuer");
        NewEntry::new(object(number), 0, &leaf, visibility).unwrap()
    };
    let entries = numbers.map(entry).collect();
    chancery.storage.store().write(move |tx| Box::pin(append(tx, entries))).await.unwrap();
}

async fn proof(chancery: &Chancery, number: u32) -> Option<InclusionProof> {
    chancery.storage.store().read(move |tx| Box::pin(inclusion_proof(tx, object(number)))).await.unwrap()
}

fn key(chancery: &Chancery) -> LogKey {
    chancery.log.log_key(&visitor()).parse().unwrap()
}

async fn head(chancery: &Chancery) -> (String, Checkpoint) {
    let note = chancery.log.log_checkpoint(&visitor()).await.unwrap();
    let checkpoint = Checkpoint::open(&note, &key(chancery)).unwrap();
    (note, checkpoint)
}

#[tokio::test]
async fn an_entry_is_proven_once_a_checkpoint_covers_it() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    assert_eq!(head(chancery).await.1.size, 0);
    add(chancery, 0..3, LogVisibility::Public).await;
    chancery.log.sequence_log().await.unwrap();
    let (note, checkpoint) = head(chancery).await;
    assert_eq!(checkpoint.size, 3);
    for number in 0..3 {
        let proof = proof(chancery, number).await.unwrap();
        let logged = verify_logged_certificate(&number.to_be_bytes(), Some(b"issuer"), &proof, &key(chancery));
        assert_eq!(logged.unwrap(), Logged { index: u64::from(number), checkpoint: checkpoint.clone() });
        let refused = |der: &[u8], issuer: &[u8], proof: &InclusionProof| {
            verify_logged_certificate(der, Some(issuer), proof, &key(chancery)).unwrap_err()
        };
        assert_eq!(refused(b"other", b"issuer", &proof), NotLogged::Leaf("another certificate"));
        assert_eq!(refused(&number.to_be_bytes(), b"other", &proof), NotLogged::Leaf("another issuer"));
        let elsewhere = InclusionProof { index: (proof.index + 1) % 3, ..proof.clone() };
        assert_eq!(refused(&number.to_be_bytes(), b"issuer", &elsewhere), NotLogged::Inclusion);
        let larger = InclusionProof { tree_size: 4, ..proof };
        assert!(matches!(refused(&number.to_be_bytes(), b"issuer", &larger), NotLogged::Form(_)));
    }
    assert_eq!(proof(chancery, 3).await, None, "there is no such entry");
    chancery.log.sequence_log().await.unwrap();
    assert_eq!(head(chancery).await.0, note, "nothing new, nothing written");
}

#[tokio::test]
async fn a_second_entry_of_one_signature_is_refused() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    add(chancery, 0..1, LogVisibility::Public).await;
    let leaf = Leaf::of_certificate(7, b"x", b"y");
    let again = NewEntry::new(object(0), 0, &leaf, LogVisibility::Public).unwrap();
    chancery.storage.store().write(move |tx| Box::pin(append(tx, vec![again]))).await.unwrap_err();
    chancery.log.sequence_log().await.unwrap();
    assert_eq!(head(chancery).await.1.size, 1);
}

#[tokio::test]
async fn ten_thousand_entries_in_batches() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    add(chancery, 0..10_000, LogVisibility::Internal).await;
    chancery.log.sequence_log().await.unwrap();
    let (note, checkpoint) = head(chancery).await;
    assert_eq!(checkpoint.size, 10_000);
    let mut leaves = Vec::new();
    for bundle in 0..40 {
        let (partial, width) = if bundle == 39 { (".p/16", 16) } else { ("", 256) };
        let tile = format!("entries/{bundle:03}{partial}").parse().unwrap();
        let bytes = chancery.log.log_tile(&visitor(), tile).await.unwrap();
        let mut rest = bytes.as_slice();
        while let [high, low, behind @ ..] = rest {
            let (leaf, behind) = behind.split_at(usize::from(u16::from_be_bytes([*high, *low])));
            assert!(leaf.starts_with(br#"{"kind":"commitment""#), "nothing is told of what is internal");
            leaves.push(tree::leaf_hash(leaf));
            rest = behind;
        }
        assert_eq!(leaves.len(), bundle * 256 + width);
    }
    let mut tiles = Tiles::new();
    tree::append(&mut tiles, 0, &leaves).unwrap();
    assert_eq!(tree::range_hash(0..10_000, &tiles), Some(checkpoint.root));
    for number in [0, 255, 256, 4_095, 4_096, 8_191, 9_999] {
        let proof = proof(chancery, number).await.unwrap();
        assert_eq!((proof.checkpoint.as_str(), proof.salt.is_some()), (note.as_str(), true));
        verify_inclusion(&proof, &key(chancery)).unwrap();
    }
    for missing in ["0/039", "0/039.p/17", "0/040.p/1", "1/000", "2/000.p/1", "entries/039", "entries/039.p/17"] {
        let refusal = chancery.log.log_tile(&visitor(), missing.parse().unwrap()).await.unwrap_err();
        assert_eq!(refusal.meaning(), crate::Meaning::NotFound, "{missing}");
    }
    assert_eq!(chancery.log.log_tile(&visitor(), "1/000.p/39".parse().unwrap()).await.unwrap().len(), 39 * 32);
}

/// Several clients and two nodes: every entry has one place, and all checkpoints are of one log.
async fn two_nodes(installation: Installation) {
    let other = installation.other_node().await;
    let nodes = [Arc::clone(&installation.chancery), other];
    let mut clients = Vec::new();
    for client in 0..8_u32 {
        let chancery = Arc::clone(&nodes[client as usize % 2]);
        clients.push(tokio::spawn(async move {
            for number in 0..25 {
                let first = client * 1_000 + number * 3;
                add(&chancery, first..first + 3, LogVisibility::Public).await;
            }
        }));
    }
    let mut heads = Vec::new();
    while !clients.iter().all(tokio::task::JoinHandle::is_finished) {
        let (one, two) = tokio::join!(nodes[0].log.sequence_log(), nodes[1].log.sequence_log());
        one.unwrap();
        two.unwrap();
        let node = &nodes[heads.len() % 2];
        heads.push(head(node).await.0);
    }
    for client in clients {
        client.await.unwrap();
    }
    nodes[1].log.sequence_log().await.unwrap();
    let (newest, checkpoint) = head(&nodes[0]).await;
    assert_eq!(checkpoint.size, 600);
    let mut places = Vec::new();
    for client in 0..8 {
        for number in client * 1_000..client * 1_000 + 75 {
            let proof = proof(&nodes[0], number).await.unwrap();
            places.push(verify_inclusion(&proof, &key(&nodes[0])).unwrap().index);
        }
    }
    places.sort_unstable();
    assert!(places.into_iter().eq(0..600), "each place once");
    let read = |name: &str| {
        let (chancery, tile) = (Arc::clone(&nodes[0]), name.parse().unwrap());
        let read = async move { chancery.log.log_tile(&visitor(), tile).await };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(read)).map_err(|e| e.to_string())
    };
    for older in heads {
        verify_log_consistency(&older, &newest, &key(&nodes[0]), read).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_never_fork_on_sqlite() {
    two_nodes(Installation::new().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_never_fork_on_postgresql() {
    two_nodes(Installation::on_postgres().await).await;
}

#[tokio::test]
async fn nothing_is_signed_over_an_altered_store() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    add(chancery, 0..3, LogVisibility::Public).await;
    chancery.log.sequence_log().await.unwrap();
    let before = head(chancery).await;
    let write = chancery
        .storage
        .store()
        .write(|tx| Box::pin(async { tables::tiles::put(tx, Tree::Log, 0, 0, &[0; 96]).await }));
    write.await.map_err(Error::from).unwrap();
    add(chancery, 3..4, LogVisibility::Public).await;
    let refusal = chancery.log.sequence_log().await.unwrap_err();
    assert_eq!(refusal.meaning(), crate::Meaning::Internal);
    assert_eq!(head(chancery).await, before);
    assert_eq!(proof(chancery, 3).await, None);
}

#[tokio::test]
async fn what_is_stored_alone_is_not_in_the_log_before_its_turn() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    // A work that fails takes its entries with it.
    let leaf = Leaf::of_certificate(7, b"x", b"y");
    let entry = NewEntry::new(object(0), 0, &leaf, LogVisibility::Public).unwrap();
    let failed = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            append(tx, vec![entry]).await?;
            Err::<(), Error>(Error::state("no"))
        })
    });
    failed.await.unwrap_err();
    chancery.log.sequence_log().await.unwrap();
    assert_eq!(head(chancery).await.1.size, 0);
}

/// What the log is to be extended by after an entry with each of these numbers was added, the first of them to be tried.
/// The node extends its log by itself as well, and may be faster.
async fn extension(chancery: &Chancery, numbers: &mut std::ops::RangeFrom<u32>) -> Extension {
    loop {
        let number = numbers.next().unwrap();
        add(chancery, number..number + 1, LogVisibility::Public).await;
        if let Some(extension) = chancery.log.log_extension().await.unwrap() {
            return extension;
        }
    }
}

/// The key signs before the transaction, so another node may be faster.
#[tokio::test]
async fn a_checkpoint_that_comes_too_late_is_never_stored() {
    let installation = Installation::new().await;
    let (chancery, other) = (&installation.chancery, installation.other_node().await);
    let mut numbers = 0..;
    let late = extension(chancery, &mut numbers).await;
    other.log.sequence_log().await.unwrap();
    let store = chancery.storage.store().write(|tx| Box::pin(async move { late.store(tx, "too late").await }));
    assert!(!store.await.unwrap());
    let (_, newest) = head(chancery).await;
    assert_eq!(newest.size, u64::from(numbers.start));
    for number in 0..numbers.start {
        verify_inclusion(&proof(chancery, number).await.unwrap(), &key(chancery)).unwrap();
    }
}

/// What gets a place is what was signed over, whatever is committed in between.
#[tokio::test]
async fn an_entry_that_comes_while_the_key_signs_waits_for_the_next_checkpoint() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let mut numbers = 0..;
    let (size, between) = loop {
        let first = extension(chancery, &mut numbers).await;
        let (size, between) = (first.checkpoint.size, numbers.next().unwrap());
        add(chancery, between..between + 1, LogVisibility::Public).await;
        let signed = chancery.log.state.sign(&first.checkpoint).await.unwrap();
        let store = chancery.storage.store().write(move |tx| Box::pin(async move { first.store(tx, &signed).await }));
        if store.await.unwrap() {
            break (size, between);
        }
    };
    let before = proof(chancery, between).await;
    assert!(before.is_none_or(|proof| proof.index >= size), "no checkpoint of {size} covers it");
    chancery.log.sequence_log().await.unwrap();
    for number in 0..numbers.start {
        verify_inclusion(&proof(chancery, number).await.unwrap(), &key(chancery)).unwrap();
    }
}
