//! `bench http`: single calls over TLS, beside a bare axum JSON echo in the same run.

use serde_json::json;

use super::{
    Pace,
    case::{self, Case},
    report::Report,
    server::{self, Chancery, Server, base64},
    wrk::{self, Outcome},
};
use crate::Result;

const ROUNDS: usize = 7;
const SECONDS: u32 = 3;
const NAMES: [&str; 4] = ["axum echo", "tokenize", "detokenize", "auto-signed request"];

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let mut chancery = Chancery::start("http")?;
    let mut outcomes = NAMES.map(|_| Vec::new());
    for round in 0..pace.rounds(ROUNDS) {
        // Anew for each round: where a process lies in memory can make a tenth of its speed, for as long as it lives.
        if round > 0 {
            chancery.restart()?;
        }
        let echo = server::echo(Some(&chancery.tls_files()))?;
        let cases = cases(&chancery, &echo)?;
        let round = case::measure(&chancery, &cases, (1, pace.seconds(SECONDS)), || Ok(()))?;
        outcomes.iter_mut().zip(round).for_each(|(outcomes, outcome)| outcomes.push(outcome));
    }
    Ok(report(&outcomes.map(|outcomes| wrk::median(&outcomes))))
}

fn cases<'s>(chancery: &'s Chancery, echo: &'s Server) -> Result<[Case<'s>; NAMES.len()]> {
    let profile = format!("/api/v2/token-profiles/{}", chancery.detail("/demo/tokenProfileUuid")?);
    let card = json!({"message": "4111111111111111"}).to_string();
    let file = json!({
        "name": "bench", "serviceUuid": chancery.detail("/demo/serviceUuid")?,
        "policyUuid": chancery.detail("/demo/policyUuid")?, "uploadData": base64("a file of a few bytes"),
    });
    let server = &chancery.server;
    Ok([
        Case::new(NAMES[0], echo, "/echo", &card),
        Case::new(NAMES[1], server, &format!("{profile}/tokenize"), &card),
        Case::new(NAMES[2], server, &format!("{profile}/detokenize"), &token_body(chancery, &profile)?),
        Case::new(NAMES[3], server, "/api/v2/x509/signing-requests", &file),
    ])
}

fn token_body(chancery: &Chancery, profile: &str) -> Result<String> {
    let bearer = format!("Authorization: Bearer {}", chancery.token()?);
    let message = json!({"message": "4111111111111111"});
    let answer = chancery.call(&["--header", &bearer], &format!("{profile}/tokenize"), Some(&message))?;
    Ok(json!({"token": answer["response"]["token"]}).to_string())
}

fn report(medians: &[Outcome; NAMES.len()]) -> Report {
    let mut report = Report::new(&["case", "requests/s", "CPU µs/request", "p50 ms", "p99 ms", "of the echo's rate %"]);
    let echo = medians[0];
    for (name, outcome) in NAMES.iter().zip(medians) {
        let share = 100.0 * outcome.requests_per_s / echo.requests_per_s;
        let figures = [outcome.requests_per_s, outcome.cpu_us, outcome.p50_ms, outcome.p99_ms, share];
        report.row(std::iter::once(json!(name)).chain(figures.map(|figure| json!(figure))));
    }
    for (name, outcome) in [("tokenize", medians[1]), ("detokenize", medians[2])] {
        report.at_most(&format!("{name}: CPU above the echo's"), Some(outcome.cpu_us - echo.cpu_us), "µs/request", 2.5);
        let share = 100.0 * outcome.requests_per_s / echo.requests_per_s;
        report.at_least(&format!("{name}: share of the echo's rate"), Some(share), "%", 85.0);
    }
    report
}
