//! `bench vault`: tokens of Random profiles through HTTP, made and found, in vaults of a thousand to a million tokens.

use std::time::Instant;

use serde_json::{Value, json};

use super::{
    Pace, machine,
    report::Report,
    server::{self, Chancery},
    wrk::{self, Load, Outcome, Vary},
};
use crate::Result;

const ROUNDS: usize = 5;
const SECONDS: u32 = 2;
const FEW: u32 = 1_000;
/// What the vault that grows holds when it is measured; the last time in turns with the one of a few tokens.
const SIZES: [u32; 3] = [10_000, 100_000, 1_000_000];
/// Values of a batch.
const BATCH: usize = 10_000;
/// Of the tokens in the vault, spread evenly, so many at most are looked for.
const SAMPLES: usize = 10_000;
const AES_256: u8 = 12;

/// What is measured at each size. New tokens come after all that is found: they make a small vault larger.
const CASES: [(Case, &str); 3] =
    [(Case::ByMessage, "found by message"), (Case::ByToken, "found by token"), (Case::New, "new, single calls")];

#[derive(Clone, Copy)]
enum Case {
    ByMessage,
    ByToken,
    New,
}

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let mut report = Report::new(&["case", "tokens in the vault", "per second", "CPU µs each", "p50 ms", "p99 ms"]);
    let mut few = Vault::empty("vault-few")?;
    few.fill(pace.count(FEW), &mut report)?;
    let mut vaults = [few, Vault::empty("vault")?];
    for (index, size) in SIZES.map(|size| pace.count(size)).into_iter().enumerate() {
        vaults[1].fill(size, &mut report)?;
        let is_last = index + 1 == SIZES.len();
        let measured = if is_last { &vaults[..] } else { &vaults[1..] };
        let medians = measure(measured, pace, &mut report)?;
        if let [few, many] = medians.as_slice() {
            goals(pace.count(FEW), few, size, many, &mut report);
        }
    }
    let flush_ms = machine::flush_ms()?;
    report.note(format!("New tokens are durable before they are answered; this disk flushes in {flush_ms:.2} ms."));
    report.note("The largest vault is measured in turns with the smallest.");
    Ok(report)
}

/// How cost grows from the smallest vault to the largest.
fn goals(few: u32, cheap: &[Outcome], many: u32, dear: &[Outcome], report: &mut Report) {
    for (((_, name), cheap), dear) in CASES.iter().zip(cheap).zip(dear) {
        let exponent = (dear.cpu_us / cheap.cpu_us).ln() / (f64::from(many) / f64::from(few)).ln();
        report.at_most(&format!("exponent over the vault's tokens: {name}"), Some(exponent), "", 0.05);
    }
}

/// A server with a profile whose tokens it keeps.
struct Vault {
    chancery: Chancery,
    /// The profile's path.
    profile: String,
    tokens: Vec<String>,
}

impl Vault {
    fn empty(name: &str) -> Result<Self> {
        let chancery = Chancery::start(name)?;
        let key = json!({"name": "bench vault", "keyTypeUuid": server::key_type(AES_256)});
        let key = chancery.ask("POST", "/api/v2/keys", Some(&key))?;
        let demo = format!("/api/v2/token-profiles/{}", chancery.detail("/demo/tokenProfileUuid")?);
        let demo = chancery.ask("GET", &demo, None)?;
        let profile = json!({
            "objInfo": {"name": "bench vault"}, "algorithm": "Random", "keyUuid": key["uuid"],
            "format": {"alphabet": "Decimal", "minLength": 16, "maxLength": 16}, "controlRules": demo["controlRules"],
        });
        let made = chancery.ask("POST", "/api/v2/token-profiles", Some(&profile))?;
        let id = made["objInfo"]["uuid"].as_str().ok_or_else(|| format!("no uuid: {made}"))?;
        Ok(Self { chancery, profile: format!("/api/v2/token-profiles/{id}"), tokens: Vec::new() })
    }

    /// Puts messages into the vault until there are so many; keeps their tokens.
    fn fill(&mut self, size: u32, report: &mut Report) -> Result {
        let Self { chancery, profile, tokens } = self;
        let (before, started) = (tokens.len(), Instant::now());
        while tokens.len() < size as usize {
            let messages: Vec<_> = (tokens.len()..size as usize).take(BATCH).map(message).collect();
            let answer =
                chancery.ask("POST", &format!("{profile}/batch-tokenize"), Some(&json!({"messages": messages})))?;
            let made = answer["tokens"].as_array().filter(|made| !made.is_empty());
            let made = made.ok_or_else(|| format!("no tokens: {answer}"))?.iter().map(Value::as_str);
            tokens.extend(
                made.map(|token| token.map(str::to_owned)).collect::<Option<Vec<_>>>().ok_or("a value has no token")?,
            );
        }
        let rate = (tokens.len() - before) as f64 / started.elapsed().as_secs_f64();
        report.row([json!("new, batches of 10,000"), json!(size), json!(rate), Value::Null, Value::Null, Value::Null]);
        Ok(())
    }

    /// Calls of one case, for some seconds.
    fn round(&self, case: Case, seconds: u32) -> Result<Outcome> {
        let Self { chancery, profile, tokens } = self;
        let sampled = || (0..tokens.len()).step_by(tokens.len().div_ceil(SAMPLES));
        let (call, body, vary) = match case {
            Case::ByMessage => ("tokenize", json!({"message": "LINE"}), Vary::Lines(sampled().map(message).collect())),
            Case::ByToken => {
                let tokens = sampled().map(|number| tokens[number].clone());
                ("detokenize", json!({"token": "LINE"}), Vary::Lines(tokens.collect()))
            }
            Case::New => ("tokenize", json!({"message": "NUMBER"}), Vary::Numbers),
        };
        let (url, body, token) =
            (format!("{}{profile}/{call}", chancery.server.base), body.to_string(), chancery.token()?);
        let load = Load { url: &url, body: &body, token: &token, connections: 64, seconds, vary };
        wrk::run(&chancery.server, &load)
    }
}

/// The message with this number; loads make others.
fn message(number: usize) -> String {
    format!("9{number:015}")
}

/// Each vault's medians of [`CASES`]. The vaults take turns, so that whatever else the machine does falls on all alike.
/// The first round of a case does not count: the server's own caches fill.
fn measure(vaults: &[Vault], pace: Pace, report: &mut Report) -> Result<Vec<Vec<Outcome>>> {
    let mut medians = vec![Vec::new(); vaults.len()];
    for (case, name) in CASES {
        let mut rounds = vec![Vec::new(); vaults.len()];
        for round in 0..=pace.rounds(ROUNDS) {
            for (vault, rounds) in vaults.iter().zip(&mut rounds) {
                // What the system puts out of its memory meanwhile is not what is measured here.
                vault.chancery.warm()?;
                let outcome = vault.round(case, pace.seconds(SECONDS)).map_err(|error| format!("{name}: {error}"))?;
                if round > 0 {
                    rounds.push(outcome);
                }
            }
        }
        for ((vault, medians), rounds) in vaults.iter().zip(&mut medians).zip(&rounds) {
            let median = wrk::median(rounds);
            let Outcome { requests_per_s, cpu_us, p50_ms, p99_ms } = median;
            let figures = [requests_per_s, cpu_us, p50_ms, p99_ms].map(|figure| json!(figure));
            report.row([json!(name), json!(vault.tokens.len())].into_iter().chain(figures));
            medians.push(median);
        }
    }
    Ok(medians)
}

#[test]
fn a_cost_that_grows_misses_the_goal() {
    let outcome = |cpu_us| Outcome { requests_per_s: 1.0, cpu_us, p50_ms: 1.0, p99_ms: 1.0 };
    let mut report = Report::new(&[]);
    let dear = [outcome(11.0), outcome(20.0), outcome(10.0)];
    goals(1_000, &[outcome(10.0); 3], 1_000_000, &dear, &mut report);
    let table = report.table();
    let goals = table.lines().filter(|line| line.starts_with("goal: "));
    let verdicts: Vec<_> = goals.map(|line| line.ends_with(" met") && !line.contains("NOT")).collect();
    assert_eq!(verdicts, [true, false, true]);
}
