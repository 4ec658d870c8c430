//! `bench sign`: signatures that need no approval, each durable with its request and its audit record before it is
//! answered, by 64 clients over TLS; beside the bare operation of the cryptographic library in the same run.
//!
//! Client and server share the machine's cores, the bare operation has them all: where the operation itself is quick,
//! the share of its rate says what HTTP, TLS and the database cost, and nothing about the operation.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Pace,
    bare::{self, Bare},
    case::{self, Case},
    machine,
    report::Report,
    server::{self, Chancery, base64},
    wrk::Outcome,
};
use crate::{Result, sh};

const ROUNDS: usize = 5;
const SECONDS: u32 = 2;

/// The flush for which the goal was set.
const GOAL_FLUSH_MS: f64 = 4.0;

/// A kind of key: its name, its key type's number, the bare operation's name, and the hash.
const KEYS: [(&str, u8, &str, &str); 4] = [
    ("RSA-3072", 2, "rsa3072", "Sha2_256"),
    ("P-256", 4, "p256", "Sha2_256"),
    ("Ed25519", 7, "ed25519", "Sha2_512"),
    ("ML-DSA-65", 9, "mldsa65", "Sha2_512"),
];
const FORMATS: [&str; 2] = ["Raw", "CMS"];

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("sign")?;
    let mut cases = Vec::new();
    for (key, number, _, hash) in KEYS {
        for format in FORMATS {
            let body = deployed(&chancery, key, number, format, hash)?;
            cases.push(Case::new(format!("{key}, {format}"), &chancery.server, "/api/v2/x509/signing-requests", &body));
        }
    }
    let (mut bares, mut flushes) = (vec![Vec::new(); KEYS.len()], Vec::new());
    let medians = case::measure(&chancery, &cases, (pace.rounds(ROUNDS), pace.seconds(SECONDS)), || {
        for ((.., operation, _), bares) in KEYS.iter().zip(&mut bares) {
            bares.push(bare::measure(operation)?);
        }
        flushes.push(machine::flush_ms()?);
        Ok(())
    })?;
    let bares: Vec<_> = bares.iter().map(|bares| bare::median(bares)).collect();
    let flush_ms = super::median(flushes);
    let mut report = report(&cases, &medians, &bares, flush_ms);
    drop(cases);
    drop(chancery);
    let one_by_one = Chancery::start_with("sign-one-by-one", &["--limit", "rsa-group-max=1"])?;
    on_other_server(pace, &one_by_one, 0, "each made by itself", &mut report)?;
    drop(one_by_one);
    if flush_ms < GOAL_FLUSH_MS {
        on_slow_disk(pace, flush_ms, &mut report)?;
    }
    Ok(report)
}

/// P-256 on a disk that is as slow as the goal assumes.
fn on_slow_disk(pace: Pace, flush_ms: f64, report: &mut Report) -> Result {
    report.note(format!("This disk flushes in {flush_ms:.2} ms, faster than the goal for P-256 assumes."));
    if !sh::has("cc") {
        report.note("There is no C compiler for what makes flushes take longer, so a slower disk was left out.");
        return Ok(());
    }
    let longer = Duration::from_secs_f64((GOAL_FLUSH_MS - flush_ms) / 1e3);
    let chancery = Chancery::start_on_slow_disk("sign-slow-disk", longer)?;
    let (name, per_s) = on_other_server(pace, &chancery, 1, &format!("each flush {GOAL_FLUSH_MS} ms"), report)?;
    report.at_least(&format!("{name}: durable signatures"), Some(per_s), "/s", 4_000.0);
    Ok(())
}

/// Raw signatures with one kind of key on a server of their own; answers what they are called, and how many there are in a
/// second.
fn on_other_server(
    pace: Pace,
    chancery: &Chancery,
    key: usize,
    difference: &str,
    report: &mut Report,
) -> Result<(String, f64)> {
    let (key, number, _, hash) = KEYS[key];
    let body = deployed(chancery, key, number, FORMATS[0], hash)?;
    let name = format!("{key}, {}, {difference}", FORMATS[0]);
    let cases = [Case::new(name.as_str(), &chancery.server, "/api/v2/x509/signing-requests", &body)];
    let medians = case::measure(chancery, &cases, (pace.rounds(ROUNDS), pace.seconds(SECONDS)), || Ok(()))?;
    let Outcome { requests_per_s, cpu_us, p50_ms, p99_ms } = medians[0];
    let figures = [requests_per_s, cpu_us, p50_ms, p99_ms].map(|figure| json!(figure));
    report.row([json!(name)].into_iter().chain(figures).chain(vec![Value::Null; 3]));
    Ok((name, requests_per_s))
}

/// Deploys a service that signs without approvals; answers a request to it.
pub(super) fn deployed(chancery: &Chancery, key: &str, number: u8, format: &str, hash: &str) -> Result<Value> {
    let service = json!({
        "template": "PKI Signing", "name": format!("bench {key} {format}"),
        "pkisigning": {
            "newCert": {
                "issuerUuid": chancery.detail("/demo/rootCertificateUuid")?, "subjectOneline": format!("CN=Bench {key}"),
                "newKey": {"keyTypeUuid": server::key_type(number), "save": true},
                "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
            },
            "signingFormat": format, "numApprovals": 0, "hashAlgorithm": hash,
        },
    });
    let answer = chancery.ask("POST", "/cuserv/v1/services/deploy", Some(&service))?;
    Ok(json!({
        "name": "bench", "serviceUuid": answer["serviceUuid"], "policyUuid": answer["policyUuid"],
        "uploadData": base64("a file of a few bytes"),
    }))
}

fn report(cases: &[Case<'_>], medians: &[Outcome], bares: &[Bare], flush_ms: f64) -> Report {
    let mut report = Report::new(&[
        "case",
        "per second",
        "CPU µs each",
        "p50 ms",
        "p99 ms",
        "bare per second",
        "bare CPU µs",
        "share of the bare rate %",
    ]);
    let bare = |index: usize| bares[index / FORMATS.len()];
    let share = |index: usize| 100.0 * medians[index].requests_per_s / bare(index).per_s;
    for (index, (case, outcome)) in cases.iter().zip(medians).enumerate() {
        let Outcome { requests_per_s, cpu_us, p50_ms, p99_ms } = *outcome;
        let figures = [requests_per_s, cpu_us, p50_ms, p99_ms, bare(index).per_s, bare(index).cpu_us, share(index)];
        report.row([json!(case.name)].into_iter().chain(figures.map(|figure| json!(figure))));
    }
    let flush = [json!("flush of the disk"), json!(1e3 / flush_ms), Value::Null, json!(flush_ms)];
    report.row(flush.into_iter().chain(vec![Value::Null; 4]));
    report.at_least("RSA-3072, Raw: share of the bare rate", Some(share(0)), "%", 90.0);
    let cpu = 100.0 * bare(0).cpu_us / medians[0].cpu_us;
    report.at_least("RSA-3072, Raw: the bare operation's share of the server's CPU", Some(cpu), "%", 90.0);
    let (raw, cms) = (medians[FORMATS.len()].requests_per_s, medians[FORMATS.len() + 1].requests_per_s);
    report.at_least("P-256, Raw: durable signatures", Some(raw), "/s", 4_000.0);
    report.at_least("P-256, CMS: durable signatures", Some(cms), "/s", 4_000.0);
    report
}
