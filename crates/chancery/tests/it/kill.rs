//! kill -9 in the middle of the work: what was answered is there, and nothing is there twice.

use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use chancery_client::{Client, ClientError};
use chancery_testkit::temp_dir;
use chancery_types::{
    Base64, BudgetPeriod, ErrorCode, Operation, PolicyId, ServiceId, SigningRequestId, SigningRequestState,
    TokenProfileId,
    wire::{
        Texts,
        signing_policies::{ChangeSigningPolicy, PolicyRules},
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

impl Target {
    fn of(demo: &Demo) -> Self {
        let [service, policy] = ["/demo/serviceUuid", "/demo/policyUuid"].map(|at| demo.text(at));
        Self { service: service.parse().unwrap(), policy: policy.parse().unwrap() }
    }
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
    let demo = Demo::start(folder, &[]);
    let target = Target::of(&demo);
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
    demo.server.kill();
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
const SIGNATURES: u64 = 3_000;
const SPENDERS: usize = 16;

/// What the clients of one round share.
#[derive(Default)]
struct Spending {
    answered: AtomicU64,
    stop: AtomicBool,
}

/// Calls until there is nothing left or the server is gone; how much was in flight then.
fn spend(call: impl Fn() -> Result<(), ClientError>, size: u64, spending: &Spending) -> u64 {
    loop {
        match call() {
            Ok(()) => spending.answered.fetch_add(size, Ordering::Relaxed),
            Err(error) if error.to_string().contains("per Month, until") => return 0,
            // A busy server puts calls off.
            Err(error) if error.error_code() == Some(ErrorCode::RateLimited) => {
                thread::sleep(Duration::from_millis(10));
                continue;
            }
            Err(_) if spending.stop.load(Ordering::Relaxed) => return size,
            Err(error) => panic!("before the kill: {error}"),
        };
    }
}

fn tokenize(client: &Client, profile: TokenProfileId, size: u64) -> Result<(), ClientError> {
    let messages: Texts = vec!["4111111111111111"; usize::try_from(size).unwrap()].into_iter().collect();
    let request = BatchTokenizeRequest { messages, partial: None, key_version: None, metadata: None, expires_at: None };
    client.batch_tokenize(profile, &request).map(drop)
}

fn sign(client: &Client, target: Target) -> Result<(), ClientError> {
    let upload_data = Some(Base64(b"spent".to_vec()));
    let request =
        SubmitRequest { upload_data, ..SubmitRequest::new("spent".to_owned(), target.service, target.policy) };
    client.submit(&request).map(drop)
}

/// One round of all clients, killed in its midst where it is said after how many answers: by a count, since a machine
/// may be quick or slow.
fn spend_together<F>(demo: &Demo, call: F, size: u64, kill_after: Option<u64>) -> (u64, u64)
where
    F: Fn(&Client) -> Result<(), ClientError> + Copy + Send + 'static,
{
    let spending = Arc::new(Spending::default());
    // All of them before the first begins: to make one takes as long as many calls.
    let clients: Vec<Client> = (0..SPENDERS).map(|_| demo.client().tried_once()).collect();
    let clients: Vec<_> = clients
        .into_iter()
        .map(|client| {
            let spending = Arc::clone(&spending);
            thread::spawn(move || spend(|| call(&client), size, &spending))
        })
        .collect();
    if let Some(count) = kill_after {
        while spending.answered.load(Ordering::Relaxed) < count {
            assert!(clients.iter().any(|client| !client.is_finished()), "all ended before {count} answers");
            thread::sleep(Duration::from_millis(1));
        }
        spending.stop.store(true, Ordering::Relaxed);
        demo.server.kill();
    }
    let flying = clients.into_iter().map(|client| client.join().unwrap()).sum();
    (spending.answered.load(Ordering::Relaxed), flying)
}

/// What was answered and what was on its way at a kill are all that there is, and it is never more.
#[test]
fn sixteen_clients_get_a_whole_budget_and_no_more_across_kills() {
    let folder = temp_dir();
    let (mut answered, mut lost) = (0, 0);
    for (round, moment) in [Some(1_000), Some(4_000), Some(9_000), None].into_iter().enumerate() {
        let demo = Demo::start(folder.path(), &[]);
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
        for size in sizes.iter().copied() {
            let call = move |client: &Client| tokenize(client, profile, size);
            let (more, flying) = spend_together(&demo, call, size, moment);
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

#[test]
fn sixteen_clients_get_a_whole_budget_of_signatures_and_no_more_across_kills() {
    let folder = temp_dir();
    let (mut answered, mut lost) = (0, 0);
    for (round, moment) in [Some(40), Some(110), Some(250), None].into_iter().enumerate() {
        let demo = Demo::start(folder.path(), &[]);
        let target = Target::of(&demo);
        if round == 0 {
            let budgets = vec![Budget { count: SIGNATURES, per: BudgetPeriod::Month, each: false }];
            let rules = Some(PolicyRules { budgets, ..PolicyRules::default() });
            let change = ChangeSigningPolicy { rules, ..ChangeSigningPolicy::default() };
            demo.client().change_signing_policy(target.policy, &change).unwrap();
        }
        let (more, flying) = spend_together(&demo, move |client| sign(client, target), 1, moment);
        answered += more;
        lost += flying;
        assert!(moment.is_none() || (1..SIGNATURES).contains(&answered), "killed in the midst of it: {answered}");
        if moment.is_none() {
            let left = demo.client().signing_policy_budgets(target.policy).unwrap().budgets[0].left;
            assert_eq!(left, 0, "after {answered} answered and {lost} lost");
        }
    }
    let database = folder.path().join("data/chancery.db");
    let signed = sqlite(&database, "SELECT COUNT(*) FROM signing_requests WHERE name = 'spent' AND state = 'Signed'");
    let signed: u64 = signed.trim().parse().unwrap();
    assert!((answered..=SIGNATURES).contains(&signed), "{signed} of {SIGNATURES}, {answered} answered");
    assert!(answered + lost >= SIGNATURES, "{answered} answered, {lost} on their way at a kill");
}

fn sqlite(database: &Path, sql: &str) -> String {
    chancery_testkit::Tool::new("sqlite3").arg(database).arg(sql).run().text()
}

/// SQLite's own check, by its own program; and each request is stored once, with one signature.
fn check_integrity(database: &Path) {
    let sqlite = |sql: &str| sqlite(database, sql);
    assert_eq!(sqlite("PRAGMA integrity_check"), "ok\n");
    assert_eq!(sqlite("PRAGMA foreign_key_check"), "");
    let twice = sqlite("SELECT name FROM signing_requests WHERE name LIKE 'round %' GROUP BY name HAVING count(*) > 1");
    assert_eq!(twice, "", "stored twice");
    assert!(fs::metadata(database).unwrap().len() > 0);
}
