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
const ROUNDS: usize = 7;
const SECONDS: u32 = 4;
const CERTIFICATES: u32 = 1_000_000;
const FEW: u32 = 1_000;
const READS: usize = 2_000;
const ROOT: &str = "00000000-0000-0000-6370-000000000001";
const TLS_CLIENT: &str = "00000000-0000-0000-6370-000000000007";
const P256: u8 = 4;

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let mut report =
        Report::new(&["case", "certificates to begin with", "per second", "CPU µs each", "p50 ms", "p99 ms"]);
    let sizes = [FEW, pace.count(CERTIFICATES)];
    let (mut stores, mut reads) = (Vec::new(), Vec::new());
    for size in sizes {
        let (store, samples) = Store::seeded(size)?;
        store.chancery.warm()?;
        reads.push(read_all(&store, &samples, &mut report)?);
        stores.push(store);
    }
    let exponent = |few: f64, many: f64| Some((many / few).ln() / f64::from(sizes[1] / sizes[0]).ln());
    for (few, many) in reads[0].iter().zip(&reads[1]) {
        report.at_most(many.name, Some(many.p99_ms), "ms p99", 20.0);
        let goal = format!("exponent over certificates: {}", few.name);
        report.at_most(&goal, exponent(few.p50_ms, many.p50_ms), "", 0.1);
    }
    for (index, (name, ..)) in stores[0].bodies.iter().enumerate() {
        let [few, many] = issue(&stores, index, pace, &mut report)?;
        let goal = format!("exponent over certificates: {name}");
        report.at_most(&goal, exponent(few.cpu_us, many.cpu_us), "", 0.05);
        let share = 100.0 * many.requests_per_s / few.requests_per_s;
        report.at_least(&format!("{name} among a million: share of the small store's rate"), Some(share), "%", 95.0);
        if index == 0 {
            report.at_least("stored P-256 leaves", Some(few.requests_per_s), "/s", 3_000.0);
        }
    }
    Ok(report)
}

/// A server with so many certificates to begin with.
struct Store {
    chancery: Chancery,
    size: u32,
    /// What is asked of it: a name, a path, a body.
    bodies: [(&'static str, &'static str, String); 2],
}

impl Store {
    /// With some of the certificates that were written.
    fn seeded(size: u32) -> Result<(Self, Vec<Sample>)> {
        let chancery = Chancery::start(&format!("pki-{size}"))?;
        let issuer = issuer(&chancery)?;
        let bodies = [
            ("generate", "/api/v2/x509/generate", generate(&issuer)),
            ("PKCS#10", "/api/v2/x509/requests", request(&issuer)?.1),
        ];
        let template = template(&chancery, &issuer)?;
        let samples = seed(&chancery, &template, size)?;
        // What was written at once is still on its way to the disk, in front of what is measured next.
        sh::run(&mut sh::command("sync"))?;
        Ok((Self { chancery, size, bodies }, samples))
    }
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

/// Issues into both stores in turn, so that whatever else the machine does falls on both alike. The first round does not
/// count: the server's own caches fill.
fn issue(stores: &[Store], index: usize, pace: Pace, report: &mut Report) -> Result<[Outcome; 2]> {
    let mut rounds = [Vec::new(), Vec::new()];
    let seconds = pace.seconds(SECONDS);
    for round in 0..=pace.rounds(ROUNDS) {
        for (store, rounds) in stores.iter().zip(&mut rounds) {
            // What the system puts out of its memory meanwhile is not what is measured here.
            store.chancery.warm()?;
            let Store { chancery, bodies, .. } = store;
            let (name, path, body) = &bodies[index];
            let (url, token) = (format!("{}{path}", chancery.server.base), chancery.token()?);
            let vary = Vary::Names(u32::MAX);
            let load = Load { url: &url, body, token: &token, connections: CLIENTS, seconds, vary };
            let outcome = wrk::run(&chancery.server, &load).map_err(|error| format!("{name}: {error}"))?;
            if round > 0 {
                rounds.push(outcome);
            }
        }
    }
    let medians = rounds.map(|rounds| wrk::median(&rounds));
    for (store, median) in stores.iter().zip(&medians) {
        let Outcome { requests_per_s, cpu_us, p50_ms, p99_ms } = *median;
        let figures = [requests_per_s, cpu_us, p50_ms, p99_ms].map(|figure| json!(figure));
        report.row([json!(store.bodies[index].0), json!(store.size)].into_iter().chain(figures));
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

/// Writes so many copies beside the running server; answers some of them.
fn seed(chancery: &Chancery, template: &str, size: u32) -> Result<Vec<Sample>> {
    let mut seeding = server::program("examples/certificates")?;
    let printed =
        sh::output(seeding.arg(chancery.database()).arg(chancery.root_key()).arg(template).arg(size.to_string()))?;
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

fn read_all(store: &Store, samples: &[Sample], report: &mut Report) -> Result<Vec<Read>> {
    reads(samples).into_iter().map(|(name, paths)| read(store, name, &paths, report)).collect()
}

fn read(store: &Store, name: &'static str, paths: &[String], report: &mut Report) -> Result<Read> {
    let Store { chancery, size, .. } = store;
    let paths: Vec<_> = paths.iter().map(|path| format!("/api/v2/x509{path}")).collect();
    let mut times = connection::each(&chancery.plain_base, &chancery.token()?, &paths)?;
    times.sort();
    let ms = |share: usize| times[times.len() * share / 100].as_secs_f64() * 1e3;
    let total: Duration = times.iter().sum();
    let per_s = times.len() as f64 / total.as_secs_f64();
    report.row([json!(name), json!(size), json!(per_s), Value::Null, json!(ms(50)), json!(ms(99))]);
    Ok(Read { name, p50_ms: ms(50), p99_ms: ms(99) })
}
