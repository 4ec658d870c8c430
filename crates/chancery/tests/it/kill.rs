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
    Base64, BudgetPeriod, ErrorCode, Operation, PolicyId, ServiceId, SigningRequestId, SigningRequestState,
    TokenProfileId,
    wire::{
        Texts,
        signing_requests::SubmitRequest,
        token_profiles::{BatchTokenizeRequest, Budget, PatchPermissions},
    },
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

const BUDGET: u64 = 60_000;
const SPENDERS: usize = 16;

/// Asks for values until there are none or the server is gone; how many were answered, and how many were in flight then.
fn spend(client: &Client, profile: TokenProfileId, size: u64, stop: &AtomicBool) -> (u64, u64) {
    let messages: Texts = vec!["4111111111111111"; usize::try_from(size).unwrap()].into_iter().collect();
    let request = BatchTokenizeRequest { messages, partial: None, key_version: None, metadata: None, expires_at: None };
    let mut answered = 0;
    loop {
        match client.batch_tokenize(profile, &request) {
            Ok(_) => answered += size,
            Err(error) if error.error_code() == Some(ErrorCode::RateLimited) => return (answered, 0),
            Err(_) if stop.load(Ordering::Relaxed) => return (answered, size),
            Err(error) => panic!("before the kill: {error}"),
        }
    }
}

/// One round of all clients, killed in its midst where a moment is given.
fn spend_together(demo: &mut Demo, profile: TokenProfileId, size: u64, kill_after: Option<Duration>) -> (u64, u64) {
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..SPENDERS)
        .map(|_| {
            let (client, stop) = (demo.client().tried_once(), Arc::clone(&stop));
            thread::spawn(move || spend(&client, profile, size, &stop))
        })
        .collect();
    if let Some(moment) = kill_after {
        thread::sleep(moment);
        stop.store(true, Ordering::Relaxed);
        demo.server.signal("-KILL");
        demo.server.wait();
    }
    let spent = clients.into_iter().map(|client| client.join().unwrap());
    spent.fold((0, 0), |(answered, lost), (more, flying)| (answered + more, lost + flying))
}

/// What was answered and what was on its way at a kill are all that there is, and it is never more.
#[test]
fn sixteen_clients_get_a_whole_budget_and_no_more_across_kills() {
    let folder = temp_dir();
    let (mut answered, mut lost) = (0, 0);
    for (round, moment) in [Some(40), Some(90), Some(150), None].into_iter().enumerate() {
        let mut demo = Demo::start(folder.path(), &[]);
        let profile: TokenProfileId = demo.text("/demo/tokenProfileUuid").parse().unwrap();
        if round == 0 {
            let client = demo.client();
            let mut control_rules = client.token_profile(profile).unwrap().control_rules;
            for rule in control_rules.iter_mut().filter(|rule| rule.operation == Operation::Tokenize) {
                rule.budgets = vec![Budget { count: BUDGET, per: BudgetPeriod::Month, each: false }];
            }
            client.change_control_rules(profile, &PatchPermissions { control_rules }).unwrap();
        }
        let sizes: &[u64] = if moment.is_some() { &[3] } else { &[3, 1] };
        for size in sizes {
            let (more, flying) = spend_together(&mut demo, profile, *size, moment.map(Duration::from_millis));
            answered += more;
            lost += flying;
        }
        if moment.is_none() {
            let left = demo.client().token_budgets(profile).unwrap().budgets[0].left;
            assert_eq!(left, 0, "after {answered} answered and {lost} lost");
        }
    }
    assert!(answered <= BUDGET && answered + lost >= BUDGET, "{answered} answered, {lost} on their way at a kill");
    assert!(answered > BUDGET / 2, "the kills were in the midst of it: {answered}");
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
