//! Asking witnesses, with one that the test holds.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU16, Ordering},
};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use chancery_types::Base64;
use chancery_verify::{
    ledger::{Demand, TOLERANCE_MS},
    log::{WitnessKey, cosignature::vkey, tree::verify_consistency},
};
use serde_json::Value;

use super::*;
use crate::{
    Append, Caller, Chancery, Host, Mail, NoticeTransport, Post, Posted, Syslog,
    log::{checkpoint::Checkpoint, tree},
    testing::{self, Installation},
};

type Refused = Box<dyn std::error::Error + Send + Sync>;

const LEDGER: Pair = (1, 0);
const HOST: Host = Host::running("test");

type Pair = (usize, usize);

/// A witness of one tree. It answers another status where one is set.
struct Held {
    key: Ed25519KeyPair,
    seen: Mutex<Option<Checkpoint>>,
    asked: Mutex<Vec<String>>,
    status: AtomicU16,
}

impl Held {
    fn new(seed: u8) -> Arc<Self> {
        let key = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap();
        Arc::new(Self { key, seen: Mutex::default(), asked: Mutex::default(), status: AtomicU16::new(200) })
    }

    fn witness(&self) -> Witness {
        let key = vkey("w.example", self.key.public_key().as_ref().try_into().unwrap()).parse().unwrap();
        Witness { key, url: "https://w.example".to_owned() }
    }

    fn seen(&self) -> u64 {
        self.seen.lock().unwrap().as_ref().map_or(0, |seen| seen.size)
    }

    /// The old sizes that it was asked from.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn answer(&self, body: &str) -> (u16, String) {
        let (head, note) = body.split_once("\n\n").unwrap();
        let mut lines = head.lines();
        let old = lines.next().unwrap().strip_prefix("old ").unwrap();
        self.asked.lock().unwrap().push(old.to_owned());
        let status = self.status.load(Ordering::Relaxed);
        if status != 200 {
            return (status, String::new());
        }
        let newest = Checkpoint::of_note(note).unwrap();
        let mut seen = self.seen.lock().unwrap();
        let (size, root) = seen.as_ref().map_or((0, tree::empty_root()), |seen| (seen.size, seen.root));
        if old.parse() != Ok(size) {
            return (409, format!("{size}\n"));
        }
        let proof: Vec<_> = lines.map(|line| Base64::decode(line).unwrap().0.try_into().unwrap()).collect();
        if !verify_consistency((size, &root), (newest.size, &newest.root), &proof) {
            return (422, String::new());
        }
        *seen = Some(newest);
        let (text, _) = note.rsplit_once("\n\n").unwrap();
        let message = format!("cosignature/v1\ntime 1767225600\n{text}\n");
        let signature = [&1_767_225_600_u64.to_be_bytes()[..], self.key.sign(message.as_bytes()).as_ref()].concat();
        let key = self.witness().key.to_string();
        let id = hex(key.split('+').nth(1).unwrap());
        (200, format!("\u{2014} w.example {}\n", Base64::encode(&[id, signature].concat())))
    }
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
}

struct Transport(Arc<Held>);

impl NoticeTransport for Transport {
    fn post(&self, post: Post) -> Result<Posted, Refused> {
        assert_eq!(post.url.as_str(), "https://w.example/add-checkpoint");
        let (status, body) = self.0.answer(std::str::from_utf8(&post.body).unwrap());
        if status == 0 {
            return Err("connection refused".into());
        }
        Ok(Posted { status, body: body.into_bytes(), is_whole: true })
    }

    fn sends_mails(&self) -> bool {
        false
    }

    fn mail(&self, _: Mail) -> Result<Posted, Refused> {
        Err("no mails".into())
    }

    fn syslog(&self, _: Syslog) -> Result<(), Refused> {
        Err("no syslog".into())
    }

    fn append(&self, _: Append) -> Result<(), Refused> {
        Err("no files".into())
    }
}

/// A server that asks the ledger's witness, and one that administers it.
async fn asking(held: &Arc<Held>) -> (Installation, Caller) {
    let installation = Installation::with_witness(Arc::new(Transport(Arc::clone(held))), held.witness()).await;
    let caller = installation.administrators().await;
    (installation, caller)
}

/// More records, as leaves.
async fn grow(chancery: &Chancery, caller: &Caller, name: &str) -> u64 {
    testing::profile(chancery, caller, name).await;
    chancery.audit.sequence_ledger().await.unwrap();
    chancery.audit.audit_checkpoint(caller).await.unwrap().records
}

async fn told(chancery: &Chancery) -> Vec<(String, Value)> {
    let text = "SELECT action || ' ' || detail FROM audit WHERE action LIKE 'Witness%' ORDER BY seq";
    let read = chancery.storage.store().read(move |tx| {
        Box::pin(async move { Ok::<Vec<String>, crate::Error>(chancery_store::sql(text).all(tx).await?) })
    });
    let split = |line: &String| {
        let (action, detail) = line.split_once(' ').unwrap();
        (action.to_owned(), serde_json::from_str(detail).unwrap())
    };
    read.await.unwrap().iter().map(split).collect()
}

fn demand(held: &Held) -> Demand {
    Demand { witnesses: vec![held.witness().key], count: 1 }
}

#[tokio::test]
async fn a_witness_is_asked_for_what_it_has_not_seen_and_its_word_is_shown_and_exported() {
    let held = Held::new(7);
    let (installation, caller) = asking(&held).await;
    let chancery = &installation.chancery;
    let first = grow(chancery, &caller, "one").await;
    let unseen = chancery.audit.verify_ledger(&HOST, None, (&[], &demand(&held)), TOLERANCE_MS).await.unwrap();
    assert_eq!(unseen.faults.len(), 1, "nobody has cosigned: {:?}", unseen.faults);
    assert!(chancery.log.witnesses_due().await.unwrap().contains(&LEDGER));
    chancery.log.ask_witness(LEDGER).await.unwrap();
    assert_eq!((held.seen(), held.asked()), (first, vec!["0".to_owned()]));
    assert!(!chancery.log.witnesses_due().await.unwrap().contains(&LEDGER), "it has the newest one");
    let newest = chancery.audit.audit_checkpoint(&caller).await.unwrap();
    let witnessed = newest.witnessed.unwrap();
    assert_eq!((witnessed.records, witnessed.witnesses), (first, vec!["w.example".to_owned()]));
    assert_eq!(demand(&held).meets(&newest.checkpoint).unwrap().len(), 1);

    // What comes later is not cosigned yet, and what was is still there.
    let second = grow(chancery, &caller, "two").await;
    let state = chancery.audit.verify_ledger(&HOST, None, (&[], &demand(&held)), TOLERANCE_MS).await.unwrap();
    assert_eq!(state.faults, []);
    assert_eq!(state.witnessed.unwrap().checkpoint.head.size, first);
    chancery.log.ask_witness(LEDGER).await.unwrap();
    assert_eq!((held.seen(), held.asked()), (second, vec![first.to_string()]));
    // It has forgotten what it saw, or somebody else asked it meanwhile.
    *held.seen.lock().unwrap() = None;
    let third = grow(chancery, &caller, "three").await;
    chancery.log.ask_witness(LEDGER).await.unwrap();
    assert_eq!((held.seen(), held.asked()), (third, vec![second.to_string(), "0".to_owned()]));
    assert_eq!(told(chancery).await, []);
    let other = Held::new(8);
    let state = chancery.audit.verify_ledger(&HOST, None, (&[], &demand(&other)), TOLERANCE_MS).await.unwrap();
    assert_eq!(state.faults.len(), 1, "another witness has not: {:?}", state.faults);
}

#[tokio::test]
async fn another_history_is_told_at_once_and_an_outage_at_the_third_time() {
    let held = Held::new(7);
    let (installation, caller) = asking(&held).await;
    let chancery = &installation.chancery;
    grow(chancery, &caller, "one").await;
    chancery.log.ask_witness(LEDGER).await.unwrap();
    let mut number = 0;
    let mut ask = async || {
        number += 1;
        let caller = installation.administrators().await;
        grow(chancery, &caller, &format!("more {number}")).await;
        installation.clock.advance_ms(120_000);
        chancery.log.ask_witness(LEDGER).await.unwrap();
        let told = told(chancery).await;
        let last = told.last().map(|(action, detail)| (action.clone(), detail["why"].clone()));
        (told.len(), last.unwrap_or_default())
    };
    held.status.store(0, Ordering::Relaxed);
    assert_eq!([ask().await.0, ask().await.0], [0, 0]);
    let fail = |why: &str| ("WitnessFail".to_owned(), Value::from(why));
    assert_eq!(ask().await, (1, fail("NoAnswer")));
    assert_eq!(ask().await.0, 1, "once");
    held.status.store(422, Ordering::Relaxed);
    assert_eq!(ask().await, (2, fail("AnotherHistory")), "for another reason");
    held.status.store(404, Ordering::Relaxed);
    assert_eq!(ask().await, (3, fail("UnknownLog")));
    held.status.store(200, Ordering::Relaxed);
    assert_eq!(ask().await, (4, ("WitnessResume".to_owned(), Value::Null)));
    // It was shown another tree of the size that we know it has.
    held.seen.lock().unwrap().as_mut().unwrap().root = [7; 32];
    assert_eq!(ask().await, (5, fail("AnotherHistory")));
    held.seen.lock().unwrap().as_mut().unwrap().size = 1_000_000;
    assert_eq!(ask().await.0, 5, "told already");
    let counts = chancery.log.witness_counts(&testing::visitor()).unwrap();
    assert_eq!((counts.cosigned, counts.failed), (2, 8));
    let key: WitnessKey = held.witness().key;
    assert_eq!(told(chancery).await[0].1["name"], key.name());
}

#[test]
fn for_a_moment_the_cosigned_checkpoint_is_shown_in_the_place_of_a_newer_one() {
    let note = |size: i64| format!("log\n{size}\n{}\n\n\u{2014} log AAAAAAAA\n", Base64::encode(&[1; 32]));
    let state = |witness: &str, size: i64, at_ms: i64| chancery_store::tables::witnesses::State {
        witness: witness.to_owned(),
        leased_until_ms: 0,
        size,
        checkpoint: Some(note(size)),
        cosignature: Some(format!("\u{2014} {witness} AAAAAAAA\n")),
        cosigned_at_ms: Some(at_ms),
        failures: 0,
        due_at_ms: 0,
        is_failing: false,
        error: None,
    };
    let states = [state("a", 5, 1_000), state("b", 4, 900), state("c", 5, 2_000)];
    let told = |size: i64, now_ms: i64| {
        let Shown { note, size } = shown(&note(size), size, &states, now_ms);
        (size, note.lines().skip(5).map(|line| line[4..5].to_owned()).collect::<String>())
    };
    assert_eq!(told(5, 60_000), (5, "ac".to_owned()));
    assert_eq!(told(6, 11_999), (5, "ac".to_owned()));
    assert_eq!(told(6, 12_000), (6, String::new()), "nobody has cosigned for too long");
    assert_eq!(shown(&note(6), 6, &[], 0).note, note(6));
}
