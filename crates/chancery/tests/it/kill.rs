//! kill -9 in the middle of the work: what was answered is there, and nothing is there twice.

use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use chancery_client::Client;
use chancery_testkit::temp_dir;
use chancery_types::{
    Base64, PolicyId, ServiceId, SigningRequestId, SigningRequestState, wire::signing_requests::SubmitRequest,
};

use crate::process::Demo;

const KILLS: usize = 20;
const CLIENTS: usize = 4;

/// A request that was answered, and the content it was about.
type Answered = (SigningRequestId, String);

#[derive(Clone, Copy)]
struct Target {
    service: ServiceId,
    policy: PolicyId,
}

/// Submits until the server is gone; notes what was answered.
fn load(client: &Client, target: Target, label: &str, answered: &Mutex<Vec<Answered>>, stop: &AtomicBool) {
    for number in 0.. {
        let content = format!("{label}/{number}");
        let request = SubmitRequest {
            upload_data: Some(Base64(content.clone().into_bytes())),
            ..SubmitRequest::new(content.clone(), target.service, target.policy)
        };
        match client.submit(&request) {
            Ok(submitted) => answered.lock().unwrap().push((submitted.uuid, content)),
            Err(_) if stop.load(Ordering::Relaxed) => return,
            Err(error) => panic!("before the kill: {error}"),
        }
    }
}

/// One round: load, kill in the middle, and what was answered until then.
fn round(folder: &Path, number: usize) -> Vec<Answered> {
    let mut demo = Demo::start(folder, &[]);
    let target = Target {
        service: demo.text("/demo/serviceUuid").parse().unwrap(),
        policy: demo.text("/demo/policyUuid").parse().unwrap(),
    };
    let (answered, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client_number| {
            let (client, answered, stop) = (demo.client(), Arc::clone(&answered), Arc::clone(&stop));
            let label = format!("round {number} client {client_number}");
            thread::spawn(move || load(&client, target, &label, &answered, &stop))
        })
        .collect();
    // A different moment each time, with requests in flight.
    thread::sleep(Duration::from_millis(150 + 23 * number as u64));
    stop.store(true, Ordering::Relaxed);
    demo.server.signal("-KILL");
    demo.server.wait();
    for client in clients {
        client.join().unwrap();
    }
    Arc::into_inner(answered).unwrap().into_inner().unwrap()
}

#[test]
fn twenty_kills_lose_nothing_that_was_answered() {
    let folder = temp_dir();
    let answered: Vec<Answered> = (0..KILLS).flat_map(|number| round(folder.path(), number)).collect();
    assert!(answered.len() > KILLS * CLIENTS, "only {} requests: no load", answered.len());

    let demo = Demo::start(folder.path(), &[]);
    let client = demo.client();
    let root =
        client.certificate(demo.text("/demo/rootCertificateUuid").parse().unwrap()).unwrap().certificate.unwrap();
    let now_ms = chancery_core::Clock::System.now_ms();
    for (id, content) in &answered {
        let request = client.signing_request(*id).unwrap_or_else(|error| panic!("{content} is lost: {error}"));
        assert_eq!((request.name.as_str(), request.state), (content.as_str(), SigningRequestState::Signed));
        let verified = chancery_verify::verify_detached(&request.signature.0, content.as_bytes(), &root, now_ms);
        verified.unwrap_or_else(|error| panic!("{content}: {error}"));
    }
    drop(demo);
    check_integrity(&folder.path().join("data/chancery.db"));
}

/// SQLite's own check, by its own program; and each request is stored once, with one signature.
fn check_integrity(database: &Path) {
    let sqlite = |sql: &str| chancery_testkit::Tool::new("sqlite3").arg(database).arg(sql).run().text();
    assert_eq!(sqlite("PRAGMA integrity_check"), "ok\n");
    assert_eq!(sqlite("PRAGMA foreign_key_check"), "");
    let twice = sqlite("SELECT name FROM signing_requests WHERE name LIKE 'round %' GROUP BY name HAVING count(*) > 1");
    assert_eq!(twice, "", "stored twice");
    assert!(fs::metadata(database).unwrap().len() > 0);
}
