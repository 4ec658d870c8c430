//! kill -9 at any moment, while clients sign: no entry is lost, none is there twice, and no two checkpoints that anybody
//! ever saw are of different logs.

use std::{
    collections::BTreeSet,
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use chancery_client::Client;
use chancery_testkit::Tool;
use chancery_types::{LogVisibility, SigningFormat, SigningRequestId};
use serde_json::{Value, json};

use super::site::{Site, Target, covered, deploy, submission};

const KILLS: u64 = 50;
const CLIENTS: u64 = 6;

/// Entries that the log has in the end, at least.
const ENTRIES: u64 = 10_000;

/// Details that are looked at one by one.
const DETAILS: usize = 60;

const MONITOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/log/monitor.py");

/// What was answered: the request and the digest that it signs.
type Answered = Mutex<Vec<(SigningRequestId, [u8; 32])>>;

/// Numbers that look random, the same in every run.
fn random(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// Signs digests that nobody else signs until it is told to stop; a server that is gone comes back.
fn load(client: &Client, target: Target, number: u64, answered: &Answered, stop: &AtomicBool) {
    for round in 0_u64.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&number.to_be_bytes());
        digest[8..16].copy_from_slice(&round.to_be_bytes());
        match client.submit(&submission(target, "load", Some(&digest), None)) {
            Ok(submitted) => answered.lock().unwrap().push((submitted.uuid, digest)),
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Remembers every checkpoint that it sees, and how large the log has become.
fn watch(site: &Site, seen: &Mutex<BTreeSet<String>>, size: &AtomicU64, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        if let Some(checkpoint) = site.log_text("checkpoint") {
            let entries = checkpoint.lines().nth(1).unwrap().parse().unwrap();
            let before = size.fetch_max(entries, Ordering::Relaxed);
            assert!(entries >= before, "the log had {before} entries, and then {entries}");
            seen.lock().unwrap().insert(checkpoint);
        }
        thread::sleep(Duration::from_millis(15));
    }
}

#[test]
fn fifty_kills_leave_one_log() {
    let site = Arc::new(Site::new());
    let mut server = site.serve();
    let client = site.client();
    let (_, targets) =
        deploy(&client, &[(SigningFormat::Raw, LogVisibility::Public), (SigningFormat::Cms, LogVisibility::Internal)]);
    let vkey = site.log_text("vkey").unwrap();
    let (answered, seen) = (Arc::new(Answered::default()), Arc::new(Mutex::default()));
    let (size, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut threads: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let (client, answered, stop) = (site.client(), Arc::clone(&answered), Arc::clone(&stop));
            // Some of what is signed is internal.
            let target = targets[usize::from(number == 0)];
            thread::spawn(move || load(&client, target, number, &answered, &stop))
        })
        .collect();
    threads.push({
        let (site, seen, size, stop) = (Arc::clone(&site), Arc::clone(&seen), Arc::clone(&size), Arc::clone(&stop));
        thread::spawn(move || watch(&site, &seen, &size, &stop))
    });
    for kill in 0..KILLS {
        // Every fourth time while it starts, at any moment.
        if kill % 4 != 3 {
            site.wait(&mut server);
        }
        thread::sleep(Duration::from_millis(random(kill) % 500));
        server.signal("-KILL");
        server.wait();
        server = site.start();
    }
    site.wait(&mut server);
    while size.load(Ordering::Relaxed) < ENTRIES {
        assert!(!threads.iter().any(thread::JoinHandle::is_finished), "a client or the watcher has failed");
        thread::sleep(Duration::from_millis(50));
    }
    stop.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    let answered = answered.lock().unwrap().clone();
    assert_eq!(site.log_text("vkey"), Some(vkey.clone()), "the key stayed");
    write_what_was_seen(&site, &client, &targets, &answered, &seen.lock().unwrap());
    let monitor = Tool::new("python3").arg(MONITOR).arg(site.log()).arg(vkey.trim()).arg(site.path("")).run();
    println!("{}", monitor.text());
    assert!(server.stop().success());
}

/// For the monitor.
fn write_what_was_seen(
    site: &Site,
    client: &Client,
    targets: &[Target],
    answered: &[(SigningRequestId, [u8; 32])],
    seen: &BTreeSet<String>,
) {
    let hash = |target: &Target| {
        let pem = client.certificate(target.certificate).unwrap().certificate.unwrap();
        let der = Tool::new("openssl").args(["x509", "-outform", "DER"]).input(pem).run().stdout;
        let digest = Tool::new("openssl").args(["dgst", "-sha256", "-r"]).input(der).run().text();
        digest.split(' ').next().unwrap().to_owned()
    };
    let hashes: Vec<_> = targets.iter().map(hash).collect();
    let step = (answered.len() / DETAILS).max(1);
    let details = answered.iter().step_by(step).chain(answered.last()).map(|(id, _)| {
        // The last ones may be younger than the newest checkpoint.
        let detail = covered(client, *id);
        let target = targets.iter().position(|target| target.service == detail.service_uuid).unwrap();
        let mut detail = serde_json::to_value(detail).unwrap();
        detail["certificateHash"] = Value::from(hashes[target].clone());
        detail
    });
    let details: Vec<_> = details.collect();
    assert!(
        details.iter().any(|detail| detail["inclusionProof"].get("salt").is_some()),
        "an internal one is looked at"
    );
    // What is internal is told of by its commitment alone.
    let public = answered.iter().filter(|(_, digest)| digest[..8] != [0; 8]);
    let hex = |digest: &[u8; 32]| digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let digests: Vec<_> = public.map(|(_, digest)| hex(digest)).collect();
    for (name, value) in [("checkpoints", json!(seen)), ("digests", json!(digests)), ("details", Value::from(details))]
    {
        fs::write(site.path(&format!("{name}.json")), value.to_string()).unwrap();
    }
}
