//! `bench journal`: what the journal of the data plane costs, appended to in a loop and nothing else, with all that is done
//! beside the calls: flushing, looking through full segments, compressing. And how many calls of a durable profile there are
//! in a second, on a disk as slow as the goal assumes.

use std::{fs, time::Duration};

use serde_json::{Value, json};

use super::{
    Pace,
    case::{self, Case},
    machine, median,
    report::Report,
    server::{self, Chancery},
};
use crate::{Result, sh};

const ROUNDS: usize = 5;
const SECONDS: u32 = 2;

/// The flush for which the goal was set.
const GOAL_FLUSH_MS: f64 = 4.0;

/// Clients of a durable profile.
const CLIENTS: [u32; 3] = [1, 16, 64];

/// Kinds of calls: values of one, and calls.
const CALLS: [(usize, u32); 4] = [(1, 1_000_000), (100, 200_000), (10_000, 10_000), (100_000, 1_000)];

/// Nanoseconds of processor time.
#[derive(Clone, Copy)]
struct Cost {
    /// Of the thread that makes the call.
    call: f64,
    /// And of all others.
    all: f64,
}

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let mut report =
        Report::new(&["case", "values", "CPU ns/value in the call", "CPU ns/value in all", "calls/s", "p50 ms"]);
    let mut rounds = CALLS.map(|_| Vec::new());
    for _ in 0..pace.rounds(ROUNDS) {
        for ((values, count), costs) in CALLS.iter().zip(&mut rounds) {
            costs.push(append(*values, pace.count(*count))?);
        }
    }
    for ((values, _), costs) in CALLS.iter().zip(&rounds) {
        let of = |cost: fn(&Cost) -> f64| median(costs.iter().map(cost).collect());
        let (call, all) = (of(|cost| cost.call), of(|cost| cost.all));
        report.row([json!("appended"), json!(values), json!(call), json!(all), Value::Null, Value::Null]);
        match values {
            1 => report.at_most("a call of one value: CPU", Some(all / 1e3), "µs", 1.5),
            10_000 => report.at_most("a value of a batch: CPU", Some(all), "ns", 10.0),
            _ => {}
        }
    }
    report.note("Memory was touched before: a virtual machine's first touch of each page is its host's work.");
    durable(pace, &mut report)?;
    Ok(report)
}

/// Appends so many calls of so many values to a new journal.
fn append(values: usize, count: u32) -> Result<Cost> {
    let folder = super::folder().join("data-journal");
    let _none_before = fs::remove_dir_all(&folder);
    let mut calls = server::program("examples/calls")?;
    let printed = sh::output(calls.args([values.to_string(), count.to_string()]).arg(&folder));
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    parse(&printed?)
}

fn parse(printed: &str) -> Result<Cost> {
    let figures: Vec<f64> = printed.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    match *figures.as_slice() {
        [call, all] => Ok(Cost { call, all }),
        _ => Err(format!("no figures of the journal: {printed}")),
    }
}

/// Single calls of a profile whose calls are answered when they are on the disk.
fn durable(pace: Pace, report: &mut Report) -> Result {
    let flush_ms = machine::flush_ms()?;
    if !sh::has("cc") {
        report.note("There is no C compiler for what makes flushes take longer, so durable profiles were left out.");
        return Ok(());
    }
    let longer = Duration::from_secs_f64((GOAL_FLUSH_MS - flush_ms).max(0.0) / 1e3);
    report.note(format!(
        "This disk flushes in {flush_ms:.2} ms; durable calls are measured with flushes of {GOAL_FLUSH_MS} ms at least."
    ));
    let flush_s = flush_ms.max(GOAL_FLUSH_MS) / 1e3;
    let chancery = Chancery::start_on_slow_disk("journal-slow-disk", longer)?;
    let demo = chancery.detail("/demo/tokenProfileUuid")?;
    let mut profile = chancery.ask("GET", &format!("/api/v2/token-profiles/{demo}"), None)?;
    profile["objInfo"] = json!({"name": "durable cards"});
    profile["durability"] = json!("Durable");
    let made = chancery.ask("POST", "/api/v2/token-profiles", Some(&profile))?;
    let id = made["objInfo"]["uuid"].as_str().ok_or_else(|| format!("no uuid: {made}"))?;
    let (path, body) = (format!("/api/v2/token-profiles/{id}/tokenize"), json!({"message": "4111111111111111"}));
    for clients in CLIENTS {
        let cases = [Case { connections: clients, ..Case::new("durable", &chancery.server, &path, &body.to_string()) }];
        let outcome = case::measure(&chancery, &cases, (pace.rounds(ROUNDS), pace.seconds(SECONDS)), || Ok(()))?[0];
        let name = format!("durable, {clients} clients, each flush {GOAL_FLUSH_MS} ms");
        let figures = [outcome.requests_per_s, outcome.p50_ms].map(|figure| json!(figure));
        report.row([json!(name), json!(1), Value::Null, Value::Null].into_iter().chain(figures));
        let share = outcome.requests_per_s / (f64::from(clients) / flush_s);
        report.at_least(&format!("durable, {clients} clients: share of clients ÷ flush"), Some(share), "", 0.6);
    }
    Ok(())
}

#[test]
fn figures_of_a_journal() {
    let cost = parse("8.5 21\n").expect("figures");
    assert_eq!((cost.call, cost.all), (8.5, 21.0));
    assert!(parse("8.5\n").is_err());
}
