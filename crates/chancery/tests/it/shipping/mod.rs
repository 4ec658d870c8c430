//! Audit records shipped to receivers that are not ours: nothing is missing and all is in the ledger's order, whoever was down
//! or killed meanwhile.

mod receivers;

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread::{self, sleep},
    time::{Duration, Instant},
};

use chancery_client::Client;
use chancery_testkit::temp_dir;
use chancery_types::wire::{
    ListQuery,
    audit::{AuditQuery, AuditRecord},
    audit_targets::AuditTarget,
    notices::NoticeQuery,
    roles::CreateRole,
};
use serde_json::json;

pub(crate) use self::receivers::certificates;
use self::receivers::{Came, FILES, Kind, Receiver, exported};
use crate::process::Demo;

fn wait_until(what: &str, longest: Duration, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < longest, "{what}: not in time");
        sleep(Duration::from_millis(50));
    }
}

fn targets(client: &Client) -> Vec<AuditTarget> {
    client.audit_targets(&ListQuery::default()).unwrap().results
}

fn records(client: &Client, action: &str) -> Vec<AuditRecord> {
    let query: AuditQuery = serde_json::from_value(json!({"action": action, "pageSize": 100})).unwrap();
    client.audit(&query).unwrap().items
}

/// Lets things be recorded until told to stop, on as many connections as there are clients. A server that is gone ends it.
fn load(clients: &[Client], number: &AtomicU64, stop: &AtomicBool) {
    thread::scope(|scope| {
        for client in clients {
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = number.fetch_add(1, Ordering::Relaxed);
                    let role = json!({"name": format!("rôle {number}"), "loginsRequired": 1, "perms": []});
                    let role: CreateRole = serde_json::from_value(role).unwrap();
                    if client.create_role(&role).is_err() {
                        return;
                    }
                }
            });
        }
    });
}

/// The same for so long, while something else is done.
fn under_load<T>(demo: &Demo, number: &AtomicU64, meanwhile: impl FnOnce() -> T) -> T {
    let clients: Vec<_> = (0..2).map(|_| demo.client().tried_once()).collect();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| load(&clients, number, &stop));
        let _stops_also_where_this_fails = Stops(&stop);
        meanwhile()
    })
}

struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Drops doubles by their ids, and answers what is left in the order in which it came first.
fn without_doubles(came: Vec<Came>) -> Vec<Came> {
    let mut known: BTreeMap<String, Came> = BTreeMap::new();
    let mut left = Vec::new();
    for one in came {
        match known.get(&one.id) {
            Some(first) => assert_eq!(first, &one, "one id, two contents"),
            None => {
                known.insert(one.id.clone(), one.clone());
                left.push(one);
            }
        }
    }
    left
}

#[test]
fn nothing_is_missing_though_receivers_are_down_and_the_server_is_killed() {
    let outage = Duration::from_secs(if env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { 60 } else { 4 });
    let folder = temp_dir();
    let authority = certificates(folder.path());
    let files = folder.path().join(FILES).display().to_string();
    let arguments = ["--notice-ca", &authority, "--notice-networks", "127.0.0.1", "--audit-files", &files];
    // Debian's rsyslog closes a socket twice with its driver `ossl`: now and then the second one hits the file that it has just
    // opened, and what came goes to the next sender instead of into the file. So both have the other driver here.
    let kinds = [
        Kind::Webhook,
        Kind::Otlp,
        Kind::Rsyslog("gtls", "Json"),
        Kind::Rsyslog("gtls", "Cef"),
        Kind::Relp,
        Kind::File,
    ];
    let mut receivers = kinds.map(|kind| Receiver::new(kind, folder.path()));
    receivers.iter_mut().for_each(Receiver::listen);
    let (mut demo, number) = (Demo::start_made(folder.path(), &arguments), AtomicU64::new(0));
    let listen = demo.address();
    let client = demo.client();
    let made: Vec<_> = receivers.iter().map(|one| one.target(&client, &format!("{:?}", one.kind))).collect();
    for target in &made {
        wait_until("it takes something", Duration::from_secs(20), || {
            client.test_audit_target(target.uuid, &Default::default()).unwrap().delivered
        });
    }

    under_load(&demo, &number, || sleep(Duration::from_secs(2)));
    let down = Instant::now();
    receivers.iter_mut().for_each(Receiver::kill);
    under_load(&demo, &number, || {
        wait_until("it is told that all fail", Duration::from_secs(60), || {
            targets(&client).iter().all(|target| target.shipping.failing)
        });
        sleep(outage.saturating_sub(down.elapsed()));
    });
    assert!(targets(&client).iter().all(|target| target.shipping.error.is_some() && target.shipping.behind > 0));
    assert_eq!(records(&client, "AuditTargetFail").len(), kinds.len());
    let query: NoticeQuery = serde_json::from_value(json!({"kind": "AuditTargetFailed"})).unwrap();
    let notices = client.notices(&query).unwrap();
    assert_eq!(notices.total, kinds.len() as u64);
    assert!(notices.items.iter().all(|notice| notice.object_kind == Some(chancery_types::NoticeObject::AuditTarget)));
    // The figures are of the last look, half a second ago.
    let failing = format!("\nchancery_audit_targets_failing {}\n", kinds.len());
    wait_until("the metrics have it", Duration::from_secs(20), || {
        String::from_utf8(client.body("GET", "/metrics", None).unwrap()).unwrap().contains(&failing)
    });

    // Killed while nobody takes anything, and again while all catch up.
    for catches_up in [false, true] {
        under_load(&demo, &number, || {
            if catches_up {
                receivers.iter_mut().for_each(Receiver::listen);
                let before: Vec<_> = receivers.iter().map(|one| one.came().len()).collect();
                wait_until("they catch up", Duration::from_secs(120), || {
                    receivers.iter().zip(&before).any(|(one, before)| one.came().len() > *before)
                });
            } else {
                sleep(Duration::from_secs(1));
            }
            demo.server.kill();
        });
        drop(demo);
        demo = Demo::start_again(folder.path(), &listen, &arguments);
    }
    under_load(&demo, &number, || sleep(Duration::from_secs(1)));
    let client = demo.client();
    let all = exported(&client);
    wait_until("all have everything", Duration::from_secs(180), || {
        targets(&client).iter().all(|target| target.shipping.next_sequence >= all.len() as u64)
    });
    // Once they have not failed for some minutes it is told that they work again.
    assert_eq!(records(&client, "AuditTargetFail").len(), kinds.len());
    assert!(all.len() > 100, "there was load: {}", all.len());
    for receiver in &receivers {
        wait_until("it is written down", Duration::from_secs(20), || {
            let sequences: BTreeSet<_> = receiver.came().iter().filter_map(|one| one.sequence).collect();
            sequences.len() >= all.len()
        });
        let came = receiver.came();
        let number = came.len();
        let left = without_doubles(came);
        let checkpoints = left.iter().filter(|one| one.sequence.is_none()).count();
        let records: Vec<_> = left.into_iter().filter(|one| one.sequence.is_some()).collect();
        eprintln!("{:?}: {number} came, {} records, {checkpoints} others", receiver.kind, records.len());
        assert!(checkpoints > 1 && records.len() >= all.len(), "{:?}", receiver.kind);
        for (place, (record, line)) in records.iter().zip(&all).enumerate() {
            assert_eq!(record.sequence, Some(place as u64), "{:?}: the order is the ledger's", receiver.kind);
            match (receiver.kind, &record.line) {
                (Kind::Rsyslog(_, "Cef"), None) => {}
                (Kind::Rsyslog(..) | Kind::Relp, Some(found)) => {
                    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                    assert_eq!(json(found), json(line));
                }
                (_, found) => assert_eq!(found.as_ref(), Some(line), "byte by byte"),
            }
        }
    }
}

#[test]
fn no_record_goes_to_this_machine_or_to_somebody_without_the_certificate() {
    let folder = temp_dir();
    let authority = certificates(folder.path());
    let mut receiver = Receiver::new(Kind::Rsyslog("ossl", "Json"), folder.path());
    receiver.listen();
    for (arguments, why) in [
        (vec!["--notice-ca", &authority], "no public address"),
        (vec!["--notice-networks", "127.0.0.1"], "certificate"),
    ] {
        let place = temp_dir();
        let demo = Demo::start_made(place.path(), &arguments);
        let client = demo.client();
        let target = receiver.target(&client, "logs");
        let mut tested = None;
        wait_until("it listens", Duration::from_secs(20), || {
            let answer = client.test_audit_target(target.uuid, &Default::default()).unwrap();
            assert!(!answer.delivered, "{answer:?}");
            tested = Some(answer.answer.clone());
            !answer.answer.contains("refused")
        });
        assert!(tested.as_ref().unwrap().contains(why), "{tested:?}");
    }
    assert_eq!(receiver.came(), []);
}
