//! `bench peers`: what one would otherwise take, run in the same way where a package manager has installed it: cfssl for
//! certificates, SoftHSM 2 for signatures. What is not there is left out, and a note says so. (The `fpe` crate behind
//! an axum server stands in `bench batch`.)

use std::{fs, net::TcpStream, path::Path};

use serde_json::{Value, json};

use super::{
    Pace, bare,
    case::{self, Case},
    pki,
    report::Report,
    server::{self, Chancery, Server},
    sign, softhsm,
    wrk::{Outcome, Vary},
};
use crate::{Result, sh};

const ROUNDS: usize = 5;
const SECONDS: u32 = 2;
/// As in `bench pki`.
const CLIENTS: u32 = 32;
/// Kinds of keys as SoftHSM's script and the bare operation call them, their key types and names.
const KEYS: [(&str, u8, &str); 2] = [("rsa3072", 2, "RSA-3072"), ("p256", 4, "P-256")];

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("peers")?;
    let mut report = Report::new(&["case", "per second", "CPU µs each", "p50 ms", "p99 ms"]);
    let cfssl = cfssl(&chancery, &mut report)?;
    let softhsm = softhsm::Token::make(&mut report)?;
    let issuer = pki::issuer(&chancery)?;
    let (csr, certificates) = pki::request(&issuer)?;
    let plain = |name: String, path: &str, body: &str| Case {
        url: format!("{}{path}", chancery.plain_base),
        ..Case::new(name, &chancery.server, path, &body)
    };
    let issuing = plain("Chancery: a certificate for a PKCS#10 request".into(), "/api/v2/x509/requests", &certificates);
    let mut cases = vec![Case { connections: CLIENTS, vary: Vary::Names(u32::MAX), ..issuing }];
    if let Some(cfssl) = &cfssl {
        let body = json!({"certificate_request": csr, "hosts": ["bench.example"]});
        let signing = Case::new("cfssl: the same, not stored", cfssl, "/api/v1/cfssl/sign", &body);
        cases.push(Case { connections: CLIENTS, ..signing });
    }
    for (_, number, name) in KEYS {
        let body = sign::deployed(&chancery, name, number, "Raw", "Sha2_256")?.to_string();
        cases.push(plain(format!("Chancery: {name} signature, durable"), "/api/v2/x509/signing-requests", &body));
    }
    let mut rounds = [Vec::new(), Vec::new()];
    let medians = case::measure(&chancery, &cases, (pace.rounds(ROUNDS), pace.seconds(SECONDS)), || {
        for ((kind, ..), rounds) in KEYS.iter().zip(&mut rounds) {
            if let Some(softhsm) = &softhsm {
                rounds.push(softhsm.measure(kind)?);
            }
        }
        Ok(())
    })?;
    for (case, Outcome { requests_per_s, cpu_us, p50_ms, p99_ms }) in cases.iter().zip(&medians) {
        let figures = [requests_per_s, cpu_us, p50_ms, p99_ms].map(|figure| json!(figure));
        report.row([json!(case.name)].into_iter().chain(figures));
    }
    for ((.., name), rounds) in KEYS.iter().zip(rounds).filter(|(_, rounds)| !rounds.is_empty()) {
        let of_all = bare::median(&rounds);
        let name = format!("SoftHSM 2: {name} signature, no HTTP, nothing stored");
        report.row([json!(name), json!(of_all.per_s), json!(of_all.cpu_us), Value::Null, Value::Null]);
    }
    if cfssl.is_some() {
        let times = medians[0].requests_per_s / medians[1].requests_per_s;
        report.at_least("certificates beside cfssl's", Some(times), "times", 1.0);
    }
    Ok(report)
}

/// cfssl under an authority with a P-256 key, as ours has; `None` where it is not installed.
fn cfssl(chancery: &Chancery, report: &mut Report) -> Result<Option<Server>> {
    if !sh::has("cfssl") {
        report.note("cfssl is not installed (Debian: golang-cfssl), so it was left out.");
        return Ok(None);
    }
    let folder = chancery.folder();
    let [key, certificate, config] = ["cfssl.key", "cfssl.pem", "cfssl.json"].map(|name| folder.join(name));
    authority(&key, &certificate)?;
    let usages = json!({"signing": {"default": {"expiry": "720h", "usages": ["digital signature", "client auth"]}}});
    fs::write(&config, usages.to_string()).map_err(|error| format!("{}: {error}", config.display()))?;
    let address = server::free_address()?;
    let (host, port) = address.split_once(':').ok_or("an address has a port")?;
    let mut cfssl = sh::command("cfssl");
    cfssl.args(["serve", "-loglevel", "3", "-address", host, "-port", port]);
    for (option, file) in [("-ca", &certificate), ("-ca-key", &key), ("-config", &config)] {
        cfssl.arg(option).arg(file);
    }
    Server::start(&mut cfssl, format!("http://{address}"), || TcpStream::connect(&address).is_ok()).map(Some)
}

fn authority(key: &Path, certificate: &Path) -> Result {
    let openssl = || sh::command("openssl");
    sh::output(openssl().args(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out"]).arg(key))?;
    let request = ["req", "-x509", "-batch", "-days", "30", "-subj", "/CN=Bench", "-key"];
    sh::output(openssl().args(request).arg(key).arg("-out").arg(certificate)).map(drop)
}
