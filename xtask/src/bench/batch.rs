//! `bench batch`: batches of card numbers with and without TLS, beside the `fpe` crate behind an axum server, and what
//! large batches do to small calls.

use serde_json::{Value, json};

use super::{
    Pace,
    report::Report,
    server::{self, Chancery, Server},
    wrk::{self, Load, Outcome, Vary},
};
use crate::Result;

const ROUNDS: usize = 5;
const SECONDS: u32 = 2;
/// Enough that a batch is always waiting while the client reads another's answer.
const CONNECTIONS: u32 = 4;
const SIZES: [usize; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// The batch that the goals speak of.
const GOAL_SIZE: usize = 10_000;

struct Case<'a> {
    name: String,
    server: &'a Server,
    url: String,
    values: usize,
    body: String,
    connections: u32,
}

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("batch")?;
    let peers = server::echo(Some(&chancery.tls_files()))?;
    let profiles = Profiles::make(&chancery)?;
    let mut cases = Vec::new();
    for (luhn, id) in [("Ignore", &profiles.ignore), ("Valid", &profiles.valid)] {
        for (transport, base) in [("TLS", &chancery.server.base), ("plain", &chancery.plain_base)] {
            let url = format!("{base}/api/v2/token-profiles/{id}/batch-tokenize");
            cases.push(Case::new(format!("luhn {luhn}, {transport}"), &chancery.server, url, GOAL_SIZE));
        }
    }
    let fpe = Case::new("fpe behind axum, TLS".into(), &peers, format!("{}/fpe", peers.base), GOAL_SIZE);
    cases.push(Case { connections: 1, ..fpe });
    let sizes_from = cases.len();
    for size in SIZES {
        let url = format!("{}/api/v2/token-profiles/{}/batch-tokenize", chancery.server.base, profiles.ignore);
        cases.push(Case {
            connections: 1,
            ..Case::new("luhn Ignore, TLS, one client".into(), &chancery.server, url, size)
        });
    }
    let medians = measure(&chancery, &cases, pace)?;
    let mut report = report(&cases, &medians, sizes_from);
    beside_small_calls(&chancery, &peers, &profiles.ignore, pace, &mut report)?;
    Ok(report)
}

impl<'a> Case<'a> {
    fn new(name: String, server: &'a Server, url: String, values: usize) -> Self {
        Self {
            name,
            server,
            url,
            values,
            body: json!({"messages": cards(values)}).to_string(),
            connections: CONNECTIONS,
        }
    }
}

/// The demo profile, which is Luhn's, and one like it that takes any digits.
struct Profiles {
    valid: String,
    ignore: String,
}

impl Profiles {
    fn make(chancery: &Chancery) -> Result<Self> {
        let valid = chancery.detail("/demo/tokenProfileUuid")?.to_owned();
        let mut profile = chancery.ask("GET", &format!("/api/v2/token-profiles/{valid}"), None)?;
        profile["objInfo"] = json!({"name": "any digits"});
        profile["format"]["luhn"] = json!("Ignore");
        let made = chancery.ask("POST", "/api/v2/token-profiles", Some(&profile))?;
        let ignore = made["objInfo"]["uuid"].as_str().ok_or_else(|| format!("no uuid: {made}"))?.to_owned();
        Ok(Self { valid, ignore })
    }
}

/// Numbers of 16 digits that pass Luhn, all different.
fn cards(values: usize) -> Vec<String> {
    (0..values as u64)
        .map(|index| {
            let number = format!("4{:014}", index.wrapping_mul(6_364_136_223_846_793_005) % 100_000_000_000_000);
            let doubled = |(place, digit): (usize, char)| {
                let digit = digit.to_digit(10).unwrap_or_default();
                if place % 2 == 1 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
            };
            let sum: u32 = number.chars().enumerate().map(doubled).sum();
            format!("{number}{}", (10 - sum % 10) % 10)
        })
        .collect()
}

/// All cases in turn, again and again, so that whatever else the machine does falls on all alike.
fn measure(chancery: &Chancery, cases: &[Case<'_>], pace: Pace) -> Result<Vec<Outcome>> {
    let mut rounds = vec![Vec::new(); cases.len()];
    for _ in 0..pace.rounds(ROUNDS) {
        let token = chancery.token()?;
        for (case, outcomes) in cases.iter().zip(&mut rounds) {
            let Case { url, body, connections, .. } = case;
            let load =
                Load { url, body, token: &token, connections: *connections, seconds: SECONDS, vary: Vary::Nothing };
            outcomes.push(wrk::run(case.server, &load).map_err(|error| format!("{}: {error}", case.name))?);
        }
    }
    Ok(rounds.iter().map(|outcomes| wrk::median(outcomes)).collect())
}

fn report(cases: &[Case<'_>], medians: &[Outcome], sizes_from: usize) -> Report {
    let mut report = Report::new(&[
        "case",
        "values",
        "million values/s",
        "CPU ns/value",
        "p50 ms",
        "p99 ms",
        "times fpe",
        "exponent",
    ]);
    let rate = |index: usize| medians[index].requests_per_s * cases[index].values as f64 / 1e6;
    let per_value = |index: usize| medians[index].cpu_us * 1e3 / cases[index].values as f64;
    let fpe = rate(sizes_from - 1);
    for (index, (case, outcome)) in cases.iter().zip(medians).enumerate() {
        let exponent = match index.checked_sub(1) {
            Some(before) if before >= sizes_from => {
                let (cost, values) =
                    (outcome.cpu_us / medians[before].cpu_us, case.values as f64 / cases[before].values as f64);
                json!(cost.ln() / values.ln())
            }
            Some(_) | None => Value::Null,
        };
        let figures = [rate(index), per_value(index), outcome.p50_ms, outcome.p99_ms, rate(index) / fpe];
        let figures = figures.map(|figure| json!(figure));
        report.row([json!(case.name), json!(case.values)].into_iter().chain(figures).chain([exponent]));
    }
    report.at_least("batch over TLS, luhn Ignore", Some(rate(0)), "million values/s", 6.0);
    report.at_least("batch without TLS, luhn Ignore", Some(rate(1)), "million values/s", 12.0);
    report.at_most("batch over TLS, luhn Ignore: CPU", Some(per_value(0)), "ns/value", 100.0);
    let (largest, before) = (medians[medians.len() - 1].cpu_us, medians[medians.len() - 2].cpu_us);
    report.at_most("exponent from 10,000 to 100,000 values", Some((largest / before).log10()), "", 1.1);
    report
}

/// Single calls while one client sends batches of the largest size without a pause; and the same calls to the echo
/// server at the same time, which tells what the machine's two cores have left.
fn beside_small_calls(chancery: &Chancery, peers: &Server, profile: &str, pace: Pace, report: &mut Report) -> Result {
    let base = format!("{}/api/v2/token-profiles/{profile}", chancery.server.base);
    let single = json!({"message": "4111111111111111"}).to_string();
    let batch = json!({"messages": cards(100_000)}).to_string();
    let mut rounds = [Vec::new(), Vec::new()];
    for _ in 0..pace.rounds(ROUNDS) {
        let token = chancery.token()?;
        let hog = format!("{base}/batch-tokenize");
        let _hog = wrk::start(&Load {
            url: &hog,
            body: &batch,
            token: &token,
            connections: 1,
            seconds: 60,
            vary: Vary::Nothing,
        })?;
        let urls = [(&chancery.server, format!("{base}/tokenize")), (peers, format!("{}/echo", peers.base))];
        for ((server, url), outcomes) in urls.iter().zip(&mut rounds) {
            let load =
                Load { url, body: &single, token: &token, connections: 8, seconds: SECONDS, vary: Vary::Nothing };
            outcomes.push(wrk::run(server, &load)?);
        }
    }
    let [ours, echo] = rounds.map(|outcomes| wrk::median(&outcomes));
    for (name, outcome) in [("single calls beside large batches", ours), ("echo beside large batches", echo)] {
        let figures = [outcome.p50_ms, outcome.p99_ms].map(|figure| json!(figure));
        let head = [json!(name), json!(1), json!(outcome.requests_per_s / 1e6), Value::Null];
        report.row(head.into_iter().chain(figures).chain([Value::Null, Value::Null]));
    }
    report.at_most(
        "single calls' p99 beside large batches, above the echo's",
        Some(ours.p99_ms - echo.p99_ms),
        "ms",
        10.0,
    );
    Ok(())
}

#[test]
fn cards_pass_luhn() {
    assert_eq!(cards(1), ["4000000000000002"]);
    let all = cards(1000);
    assert!(all.iter().all(|card| card.len() == 16));
    assert!(all.iter().collect::<std::collections::HashSet<_>>().len() == 1000);
}
