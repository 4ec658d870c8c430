//! `bench pki`: certificates issued and stored through HTTP, into an empty store and into one with a million, and what it
//! takes to find one among them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    Pace, connection,
    report::Report,
    server::{self, Chancery},
    wrk::{self, Load, Outcome, Vary},
};
use crate::{Result, sh};

const CLIENTS: u32 = 32;
const ROUNDS: usize = 3;
const SECONDS: u32 = 5;
const CERTIFICATES: u32 = 1_000_000;
const FEW: u32 = 1_000;
const READS: usize = 2_000;
const ROOT: &str = "00000000-0000-0000-6370-000000000001";
const TLS_CLIENT: &str = "00000000-0000-0000-6370-000000000007";
const P256: u8 = 4;

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("pki")?;
    let mut report = Report::new(&["case", "store", "per second", "CPU µs each", "p50 ms", "p99 ms"]);
    let issuer = issuer(&chancery)?;
    let bodies = [
        ("generate", "/api/v2/x509/generate", generate(&issuer)),
        ("PKCS#10", "/api/v2/x509/requests", request(&issuer)?.1),
    ];
    let empty = issue(&chancery, &bodies, "empty", pace, &mut report)?;
    let (template, last) = (template(&chancery, &issuer)?, pace.count(CERTIFICATES));
    let few = seed(&chancery, &template, 0, FEW)?;
    let among_few = read_all(&chancery, &few, "1,000 and what was issued", &mut report)?;
    let samples = seed(&chancery, &template, FEW, last)?;
    let full = issue(&chancery, &bodies, "1,000,000", pace, &mut report)?;
    let among_many = read_all(&chancery, &samples, "1,000,000", &mut report)?;
    let exponent = |few: f64, many: f64| Some((many / few).ln() / f64::from(last / FEW).ln());
    for (few, many) in among_few.iter().zip(&among_many) {
        report.at_most(many.name, Some(many.p99_ms), "ms p99", 20.0);
        report.at_most(
            &format!("exponent over certificates: {}", few.name),
            exponent(few.p50_ms, many.p50_ms),
            "",
            0.1,
        );
    }
    for ((name, ..), (few, many)) in bodies.iter().zip(empty.iter().zip(&full)) {
        report.at_most(&format!("exponent over certificates: {name}"), exponent(few.cpu_us, many.cpu_us), "", 0.05);
    }
    report.at_least("stored P-256 leaves", Some(empty[0].requests_per_s), "/s", 3_000.0);
    let share = 100.0 * full[0].requests_per_s / empty[0].requests_per_s;
    report.at_least("issuing among a million: share of the empty store's rate", Some(share), "%", 95.0);
    Ok(report)
}

/// An authority with a P-256 key, as its leaves have; the demonstration's has an RSA key.
pub(super) fn issuer(chancery: &Chancery) -> Result<String> {
    let body = json!({"certProfileUuid": ROOT, "subjectOneline": "CN=Bench", "newKey": {"keyTypeUuid": server::key_type(P256)}, "trustCert": true});
    let root = chancery.ask("POST", "/api/v2/x509/generate", Some(&body))?;
    root["certificateUuid"].as_str().map(str::to_owned).ok_or_else(|| format!("no certificateUuid: {root}"))
}

fn generate(issuer: &str) -> String {
    let body = json!({
        "certProfileUuid": TLS_CLIENT, "subjectOneline": "CN=NAME,O=Example,C=US", "issuerUuid": issuer,
        "newKey": {"keyTypeUuid": server::key_type(P256), "save": false},
        "certParams": {"validityPeriod": {"unit": "Day", "amount": "30"}},
    });
    body.to_string()
}

/// A PKCS#10 request, and the body that asks for a certificate for it.
pub(super) fn request(issuer: &str) -> Result<(String, String)> {
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null"];
    let csr = sh::output(sh::command("openssl").args(["req", "-new", "-batch", "-subj", "/CN=bench"]).args(key))?;
    let body = json!({
        "certProfileUuid": TLS_CLIENT, "subjectOneline": "CN=NAME,O=Example,C=US", "csr": csr,
        "serviceOrIssuerUuid": issuer, "certParams": {"validityPeriod": {"unit": "Day", "amount": "30"}},
    });
    Ok((csr, body.to_string()))
}

fn issue(
    chancery: &Chancery,
    bodies: &[(&str, &str, String)],
    store: &str,
    pace: Pace,
    report: &mut Report,
) -> Result<Vec<Outcome>> {
    let mut medians = Vec::new();
    for (name, path, body) in bodies {
        let url = format!("{}{path}", chancery.server.base);
        let mut rounds = Vec::new();
        let seconds = pace.seconds(SECONDS);
        for _ in 0..pace.rounds(ROUNDS) {
            let token = chancery.token()?;
            let load =
                Load { url: &url, body, token: &token, connections: CLIENTS, seconds, vary: Vary::Names(u32::MAX) };
            rounds.push(wrk::run(&chancery.server, &load).map_err(|error| format!("{name}: {error}"))?);
        }
        let Outcome { requests_per_s, cpu_us, p50_ms, p99_ms } = wrk::median(&rounds);
        let figures = [requests_per_s, cpu_us, p50_ms, p99_ms].map(|figure| json!(figure));
        report.row([json!(name), json!(store)].into_iter().chain(figures));
        medians.push(wrk::median(&rounds));
    }
    Ok(medians)
}

/// A certificate that was written.
struct Sample {
    uuid: String,
    serial: String,
    name: String,
}

/// A certificate of which others are copies.
fn template(chancery: &Chancery, issuer: &str) -> Result<String> {
    let mut body: Value = serde_json::from_str(&generate(issuer)).map_err(|error| error.to_string())?;
    body["subjectOneline"] = json!("CN=host-0000000.seed.example,O=Example,C=US");
    let template = chancery.ask("POST", "/api/v2/x509/generate", Some(&body))?;
    template["certificateUuid"].as_str().map(str::to_owned).ok_or_else(|| format!("no certificateUuid: {template}"))
}

/// Writes copies with numbers from `first` up to `last` beside the running server; answers some of them.
fn seed(chancery: &Chancery, template: &str, first: u32, last: u32) -> Result<Vec<Sample>> {
    let mut seeding = server::program("examples/certificates")?;
    let range = [last.to_string(), first.to_string()];
    let printed = sh::output(seeding.arg(chancery.database()).arg(template).args(range))?;
    let sample = |line: &str| {
        let mut words = line.split(' ').map(str::to_owned);
        Some(Sample { uuid: words.next()?, serial: words.next()?, name: words.next()? })
    };
    Ok(printed.lines().filter_map(sample).collect())
}

/// What is read: the four ways to find a certificate.
fn reads(samples: &[Sample]) -> [(&'static str, Vec<String>); 4] {
    let each = |path: fn(usize, &Sample) -> String| {
        (0..READS).map(|number| path(number, &samples[number * 7919 % samples.len()])).collect()
    };
    [
        ("search by subject", each(|_, sample| format!("?name={}", &sample.name[..11]))),
        ("list by expiry", each(|number, _| format!("?expiresBefore=20{}-01-01T00:00:00Z", 30 + number % 60))),
        ("read by uuid", each(|_, sample| format!("/{}", sample.uuid))),
        ("find by serial number", each(|_, sample| format!("?serialNumber={}", sample.serial))),
    ]
}

/// How long it took to find one.
struct Read {
    name: &'static str,
    p50_ms: f64,
    p99_ms: f64,
}

fn read_all(chancery: &Chancery, samples: &[Sample], store: &str, report: &mut Report) -> Result<Vec<Read>> {
    reads(samples).into_iter().map(|(name, paths)| read(chancery, name, &paths, store, report)).collect()
}

fn read(chancery: &Chancery, name: &'static str, paths: &[String], store: &str, report: &mut Report) -> Result<Read> {
    let paths: Vec<_> = paths.iter().map(|path| format!("/api/v2/x509{path}")).collect();
    let mut times = connection::each(&chancery.plain_base, &chancery.token()?, &paths)?;
    times.sort();
    let ms = |share: usize| times[times.len() * share / 100].as_secs_f64() * 1e3;
    let total: Duration = times.iter().sum();
    let per_s = times.len() as f64 / total.as_secs_f64();
    report.row([json!(name), json!(store), json!(per_s), Value::Null, json!(ms(50)), json!(ms(99))]);
    Ok(Read { name, p50_ms: ms(50), p99_ms: ms(99) })
}
