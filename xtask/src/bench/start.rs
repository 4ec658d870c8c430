//! `bench start`: how long a node with many profiles takes to start, what memory it holds then, with open connections
//! and after a million requests on these, and whether a call costs more among many profiles.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    Pace,
    connection::Connection,
    report::Report,
    server::{self, Chancery},
    wrk::{self, Load, Outcome, Vary},
};
use crate::Result;

const ROUNDS: usize = 5;
const PROFILES: u32 = 10_000;
const REQUESTS: u32 = 1_000_000;
const MILLIONS: usize = 3;
const CONNECTIONS: u32 = 64;
/// On each connection, before what is open counts.
const FIRST_REQUESTS: u32 = 5;
/// For a million requests.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let mut chancery = Chancery::start("start")?;
    let mut report = Report::new(&["state", "start ms", "memory MiB", "CPU µs/request", "requests/s"]);
    let few = state(&mut chancery, "few profiles", pace, &mut report)?;
    let profiles = pace.count(PROFILES);
    make_profiles(&chancery, profiles)?;
    let many = state(&mut chancery, "10,000 profiles", pace, &mut report)?;
    let Added { connections, millions: [first, .., last] } =
        under_requests(&mut chancery, u64::from(pace.count(REQUESTS)), &mut report)?;
    report.at_most("start with 10,000 profiles", Some(many.start.as_secs_f64() * 1e3), "ms", 300.0);
    report.at_most("memory with 10,000 profiles", Some(many.memory), "MiB", 70.0);
    report.at_most(&format!("memory that {CONNECTIONS} connections added"), Some(connections), "MiB", 5.0);
    report.at_most("memory that the first million requests added", Some(first), "MiB", 5.0);
    report.at_most("memory that the last million requests added", Some(last), "MiB", 5.0);
    report.note(
        "Memory is the server's own: what is mapped of files, its program and its journal, is the system's to take back.",
    );
    let exponent = (many.cpu_us / few.cpu_us).ln() / f64::from(profiles / 10).ln();
    report.at_most("exponent of a call's cost over profiles", Some(exponent), "", 0.05);
    Ok(report)
}

struct State {
    start: Duration,
    memory: f64,
    cpu_us: f64,
}

/// The median start, and what a call costs then.
fn state(chancery: &mut Chancery, name: &str, pace: Pace, report: &mut Report) -> Result<State> {
    let mut starts = (0..ROUNDS).map(|_| chancery.restart()).collect::<Result<Vec<_>>>()?;
    starts.sort();
    let (start, memory) = (starts[ROUNDS / 2], settled_mib(chancery)?);
    let rounds = (0..pace.rounds(ROUNDS)).map(|_| tokenize(chancery, pace.seconds(2))).collect::<Result<Vec<_>>>()?;
    let outcome = wrk::median(&rounds);
    let figures =
        [start.as_secs_f64() * 1e3, memory, outcome.cpu_us, outcome.requests_per_s].map(|figure| json!(figure));
    report.row([json!(name)].into_iter().chain(figures));
    Ok(State { start, memory, cpu_us: outcome.cpu_us })
}

/// Memory once the demonstration has tried itself out, which takes 19 MiB for each password, and the server has given back
/// what nobody uses, which it does once a second.
fn settled_mib(chancery: &Chancery) -> Result<f64> {
    thread::sleep(Duration::from_secs(4));
    chancery.server.own_mib()
}

fn tokenize(chancery: &Chancery, seconds: u32) -> Result<Outcome> {
    with_load(chancery, seconds, Vary::Nothing, |load| wrk::run(&chancery.server, load))
}

/// Gives the load of many clients that tokenize.
fn with_load<T>(
    chancery: &Chancery,
    seconds: u32,
    vary: Vary,
    begin: impl FnOnce(&Load<'_>) -> Result<T>,
) -> Result<T> {
    let profile = chancery.detail("/demo/tokenProfileUuid")?;
    let url = format!("{}/api/v2/token-profiles/{profile}/tokenize", chancery.server.base);
    let body = json!({"message": "4111111111111111"}).to_string();
    let token = chancery.token()?;
    begin(&Load { url: &url, body: &body, token: &token, connections: CONNECTIONS, seconds, vary })
}

fn make_profiles(chancery: &Chancery, profiles: u32) -> Result {
    let demo = chancery.detail("/demo/tokenProfileUuid")?;
    let mut profile = chancery.ask("GET", &format!("/api/v2/token-profiles/{demo}"), None)?;
    profile["objInfo"] = json!({"name": "NAME"});
    let (url, body) = (format!("{}/api/v2/token-profiles", chancery.server.base), profile.to_string());
    let (token, vary) = (chancery.token()?, Vary::Names(profiles));
    let load = Load { url: &url, body: &body, token: &token, connections: CONNECTIONS, seconds: 300, vary };
    // It has no end of its own before its time is over.
    let _filling = wrk::start(&load)?;
    let patience = Instant::now() + Duration::from_secs(300);
    while Instant::now() < patience {
        let stubs = chancery.ask("GET", "/api/v2/token-profiles/stubs?pageSize=1", None)?;
        if stubs["total"].as_u64().is_some_and(|total| total >= u64::from(profiles)) {
            return Ok(());
        }
        thread::sleep(Duration::from_secs(1));
    }
    Err(format!("{profiles} token profiles were not made in time"))
}

/// In MiB.
struct Added {
    /// By connections that have made a few requests each.
    connections: f64,
    /// By each of some million requests on these.
    millions: [f64; MILLIONS],
}

/// What connections and requests add to the memory of a server that had none before. The same connections are open from
/// before the first request to after the last.
fn under_requests(chancery: &mut Chancery, requests: u64, report: &mut Report) -> Result<Added> {
    chancery.restart()?;
    let nobody_connected = settled_mib(chancery)?;
    let seconds = MILLIONS as u32 * PATIENCE.as_secs() as u32;
    let slowly = Vary::SlowlyAtFirst(2 * FIRST_REQUESTS * CONNECTIONS);
    let _load = with_load(chancery, seconds, slowly, wrk::start)?;
    let mut row = |state: &str, memory: f64| {
        report.row([json!(state), Value::Null, json!(memory), Value::Null, Value::Null]);
    };
    await_requests(chancery, u64::from(FIRST_REQUESTS * CONNECTIONS))?;
    let connected = chancery.server.own_mib()?;
    row(&format!("{CONNECTIONS} connections, {FIRST_REQUESTS} requests on each"), connected);
    let (mut grown, mut before) = ([0.0; MILLIONS], connected);
    for (grown, millions) in grown.iter_mut().zip(1..) {
        await_requests(chancery, millions * requests)?;
        let after = chancery.server.own_mib()?;
        row(&format!("the same connections, {millions} million requests"), after);
        (*grown, before) = (after - before, after);
    }
    Ok(Added { connections: connected - nobody_connected, millions: grown })
}

/// Waits until the server has answered so many calls of tokenize well.
fn await_requests(chancery: &Chancery, requests: u64) -> Result {
    let patience = Instant::now() + PATIENCE;
    while answered(&Connection::open(&chancery.plain_base)?.ask("GET", "/metrics", "Accept: */*", "")?.body) < requests
    {
        if Instant::now() > patience {
            return Err(format!("{requests} requests were not answered in time"));
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// How many calls of tokenize went well, in Prometheus' text format.
fn answered(metrics: &str) -> u64 {
    let of_tokenize = |line: &&str| {
        line.starts_with("chancery_http_requests_total{")
            && line.contains("/tokenize\"")
            && line.contains("status=\"200\"")
    };
    let counts = metrics.lines().filter(of_tokenize).filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    counts.sum()
}
