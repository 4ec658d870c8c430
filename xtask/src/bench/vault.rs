//! `bench vault`: tokens of Random profiles through HTTP, made and found, in vaults of a thousand to a million tokens.

use std::time::Instant;

use serde_json::{Value, json};

use super::{
    Pace,
    case::{self, Case},
    machine,
    report::Report,
    server::{self, Chancery},
    wrk::{Outcome, Vary},
};
use crate::Result;

const ROUNDS: usize = 3;
const SECONDS: u32 = 2;
const SIZES: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Values of a batch.
const BATCH: usize = 10_000;
/// Of the tokens in the vault, spread evenly, so many at most are looked for.
const SAMPLES: usize = 10_000;
const AES_256: u8 = 12;

/// What is measured at each size.
const CASES: [&str; 3] = ["found by message", "found by token", "new, single calls"];

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("vault")?;
    let profile = format!("/api/v2/token-profiles/{}", vault(&chancery)?);
    let mut report = Report::new(&["case", "tokens in the vault", "per second", "CPU µs each", "p50 ms", "p99 ms"]);
    let (mut tokens, mut by_size) = (Vec::new(), Vec::new());
    for size in SIZES.map(|size| pace.count(size)) {
        let (before, started) = (tokens.len(), Instant::now());
        fill(&chancery, &profile, size as usize, &mut tokens)?;
        let rate = (tokens.len() - before) as f64 / started.elapsed().as_secs_f64();
        report.row([json!("new, batches of 10,000"), json!(size), json!(rate), Value::Null, Value::Null, Value::Null]);
        let medians = measured(&chancery, &profile, &tokens, pace)?;
        for (name, Outcome { requests_per_s, cpu_us, p50_ms, p99_ms }) in CASES.iter().zip(&medians) {
            let figures = [requests_per_s, cpu_us, p50_ms, p99_ms].map(|figure| json!(figure));
            report.row([json!(name), json!(size)].into_iter().chain(figures));
        }
        by_size.push((size, medians));
    }
    let flush_ms = machine::flush_ms()?;
    report.note(format!("New tokens are durable before they are answered; this disk flushes in {flush_ms:.2} ms."));
    goals(&by_size, &mut report);
    Ok(report)
}

/// How cost grows from the smallest vault to the largest.
fn goals(by_size: &[(u32, Vec<Outcome>)], report: &mut Report) {
    let [(few, cheap), .., (many, dear)] = by_size else { return };
    for (index, name) in CASES.iter().enumerate() {
        let growth = dear[index].cpu_us / cheap[index].cpu_us;
        let exponent = growth.ln() / (f64::from(*many) / f64::from(*few)).ln();
        report.at_most(&format!("exponent over the vault's tokens: {name}"), Some(exponent), "", 0.05);
    }
}

fn vault(chancery: &Chancery) -> Result<String> {
    let key = json!({"name": "bench vault", "keyTypeUuid": server::key_type(AES_256)});
    let key = chancery.ask("POST", "/api/v2/keys", Some(&key))?;
    let demo =
        chancery.ask("GET", &format!("/api/v2/token-profiles/{}", chancery.detail("/demo/tokenProfileUuid")?), None)?;
    let profile = json!({
        "objInfo": {"name": "bench vault"}, "algorithm": "Random", "keyUuid": key["uuid"],
        "format": {"alphabet": "Decimal", "minLength": 16, "maxLength": 16}, "controlRules": demo["controlRules"],
    });
    let made = chancery.ask("POST", "/api/v2/token-profiles", Some(&profile))?;
    made["objInfo"]["uuid"].as_str().map(str::to_owned).ok_or_else(|| format!("no uuid: {made}"))
}

/// The message with this number; loads make others.
fn message(number: usize) -> String {
    format!("9{number:015}")
}

/// Puts messages into the vault until there are so many; adds their tokens.
fn fill(chancery: &Chancery, profile: &str, size: usize, tokens: &mut Vec<String>) -> Result {
    while tokens.len() < size {
        let messages: Vec<_> = (tokens.len()..size).take(BATCH).map(message).collect();
        let answer =
            chancery.ask("POST", &format!("{profile}/batch-tokenize"), Some(&json!({"messages": messages})))?;
        let made = answer["tokens"].as_array().filter(|made| !made.is_empty());
        let made = made.ok_or_else(|| format!("no tokens: {answer}"))?.iter().map(Value::as_str);
        tokens.extend(
            made.map(|token| token.map(str::to_owned)).collect::<Option<Vec<_>>>().ok_or("a value has no token")?,
        );
    }
    Ok(())
}

/// The medians of [`CASES`].
fn measured(chancery: &Chancery, profile: &str, tokens: &[String], pace: Pace) -> Result<Vec<Outcome>> {
    let [tokenize, detokenize] = ["tokenize", "detokenize"].map(|call| format!("{profile}/{call}"));
    let sampled = || (0..tokens.len()).step_by(tokens.len().div_ceil(SAMPLES));
    let by_message = Vary::Lines(sampled().map(message).collect());
    let by_token = Vary::Lines(sampled().map(|number| tokens[number].clone()).collect());
    let case =
        |name: &str, path: &str, body: Value, vary| Case { vary, ..Case::new(name, &chancery.server, path, &body) };
    let cases = [
        case(CASES[0], &tokenize, json!({"message": "LINE"}), by_message),
        case(CASES[1], &detokenize, json!({"token": "LINE"}), by_token),
        case(CASES[2], &tokenize, json!({"message": "NUMBER"}), Vary::Numbers),
    ];
    case::measure(chancery, &cases, (pace.rounds(ROUNDS), pace.seconds(SECONDS)), || Ok(()))
}

#[test]
fn a_cost_that_grows_misses_the_goal() {
    let outcome = |cpu_us| Outcome { requests_per_s: 1.0, cpu_us, p50_ms: 1.0, p99_ms: 1.0 };
    let mut report = Report::new(&[]);
    goals(
        &[(1_000, vec![outcome(10.0); 3]), (1_000_000, vec![outcome(11.0), outcome(20.0), outcome(10.0)])],
        &mut report,
    );
    let table = report.table();
    let goals = table.lines().filter(|line| line.starts_with("goal: "));
    let verdicts: Vec<_> = goals.map(|line| line.ends_with(" met") && !line.contains("NOT")).collect();
    assert_eq!(verdicts, [true, false, true]);
}
