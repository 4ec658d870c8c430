//! `bench start`: how long a node with many profiles takes to start, what memory it holds then and after a million
//! requests, and whether a call costs more among many profiles.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    Pace,
    report::Report,
    server::{self, Chancery},
    wrk::{self, Load, Outcome, Vary},
};
use crate::Result;

const ROUNDS: usize = 5;
const PROFILES: u32 = 10_000;
const REQUESTS: u32 = 1_000_000;
const MILLIONS: usize = 3;

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let mut chancery = Chancery::start("start")?;
    let mut report = Report::new(&["state", "start ms", "memory MiB", "CPU µs/request", "requests/s"]);
    let few = state(&mut chancery, "few profiles", pace, &mut report)?;
    let profiles = pace.count(PROFILES);
    make_profiles(&chancery, profiles)?;
    let many = state(&mut chancery, "10,000 profiles", pace, &mut report)?;
    let [first, .., last] = after_many_requests(&chancery, f64::from(pace.count(REQUESTS)), &mut report)?;
    report.at_most("start with 10,000 profiles", Some(many.start.as_secs_f64() * 1e3), "ms", 300.0);
    report.at_most("memory with 10,000 profiles", Some(many.memory), "MiB", 100.0);
    report.at_most("memory that the first million requests added", Some(first), "MiB", 5.0);
    report.at_most("memory that the last million requests added", Some(last), "MiB", 5.0);
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
    let (start, memory) = (starts[ROUNDS / 2], chancery.server.resident_mib()?);
    let rounds = (0..pace.rounds(ROUNDS)).map(|_| tokenize(chancery, pace.seconds(2))).collect::<Result<Vec<_>>>()?;
    let outcome = wrk::median(&rounds);
    let figures =
        [start.as_secs_f64() * 1e3, memory, outcome.cpu_us, outcome.requests_per_s].map(|figure| json!(figure));
    report.row([json!(name)].into_iter().chain(figures));
    Ok(State { start, memory, cpu_us: outcome.cpu_us })
}

fn tokenize(chancery: &Chancery, seconds: u32) -> Result<Outcome> {
    let profile = chancery.detail("/demo/tokenProfileUuid")?;
    let url = format!("{}/api/v2/token-profiles/{profile}/tokenize", chancery.server.base);
    let body = json!({"message": "4111111111111111"}).to_string();
    let token = chancery.token()?;
    wrk::run(
        &chancery.server,
        &Load { url: &url, body: &body, token: &token, connections: 64, seconds, vary: Vary::Nothing },
    )
}

fn make_profiles(chancery: &Chancery, profiles: u32) -> Result {
    let demo = chancery.detail("/demo/tokenProfileUuid")?;
    let mut profile = chancery.ask("GET", &format!("/api/v2/token-profiles/{demo}"), None)?;
    profile["objInfo"] = json!({"name": "NAME"});
    let (url, body) = (format!("{}/api/v2/token-profiles", chancery.server.base), profile.to_string());
    let token = chancery.token()?;
    let load =
        Load { url: &url, body: &body, token: &token, connections: 64, seconds: 300, vary: Vary::Names(profiles) };
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

/// What each of some million requests added to the memory of a server that is warm already, in MiB: what is only being
/// filled stops growing.
fn after_many_requests(chancery: &Chancery, requests: f64, report: &mut Report) -> Result<[f64; MILLIONS]> {
    let mut before = chancery.server.resident_mib()?;
    let mut grown = [0.0; MILLIONS];
    for (grown, millions) in grown.iter_mut().zip(1..) {
        let mut done = 0.0;
        while done < requests {
            const SECONDS: u32 = 10;
            done += tokenize(chancery, SECONDS)?.requests_per_s * f64::from(SECONDS);
        }
        let after = chancery.server.resident_mib()?;
        let name = format!("after {millions} million requests");
        report.row([json!(name), Value::Null, json!(after), Value::Null, Value::Null]);
        (*grown, before) = (after - before, after);
    }
    Ok(grown)
}
