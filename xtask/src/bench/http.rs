//! `bench http`: single calls over TLS, beside a bare axum JSON echo in the same run.

use serde_json::json;

use super::{
    Pace,
    case::{self, Case},
    report::Report,
    server::{self, Chancery, base64},
    wrk::Outcome,
};
use crate::Result;

const ROUNDS: usize = 7;
const SECONDS: u32 = 3;

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("http")?;
    let echo = server::echo(Some(&chancery.tls_files()))?;
    let profile = format!("/api/v2/token-profiles/{}", chancery.detail("/demo/tokenProfileUuid")?);
    let card = json!({"message": "4111111111111111"}).to_string();
    let file = json!({
        "name": "bench", "serviceUuid": chancery.detail("/demo/serviceUuid")?,
        "policyUuid": chancery.detail("/demo/policyUuid")?, "uploadData": base64("a file of a few bytes"),
    });
    let cases = [
        Case::new("axum echo", &echo, "/echo", &card),
        Case::new("tokenize", &chancery.server, &format!("{profile}/tokenize"), &card),
        Case::new("detokenize", &chancery.server, &format!("{profile}/detokenize"), &token_body(&chancery, &profile)?),
        Case::new("auto-signed request", &chancery.server, "/api/v2/x509/signing-requests", &file),
    ];
    let medians = case::measure(&chancery, &cases, (pace.rounds(ROUNDS), pace.seconds(SECONDS)), || Ok(()))?;
    Ok(report(&cases, &medians))
}

fn token_body(chancery: &Chancery, profile: &str) -> Result<String> {
    let bearer = format!("Authorization: Bearer {}", chancery.token()?);
    let message = json!({"message": "4111111111111111"});
    let answer = chancery.call(&["--header", &bearer], &format!("{profile}/tokenize"), Some(&message))?;
    Ok(json!({"token": answer["response"]["token"]}).to_string())
}

fn report(cases: &[Case<'_>], medians: &[Outcome]) -> Report {
    let mut report = Report::new(&["case", "requests/s", "CPU µs/request", "p50 ms", "p99 ms", "of the echo's rate %"]);
    let echo = medians[0];
    for (case, outcome) in cases.iter().zip(medians) {
        let share = 100.0 * outcome.requests_per_s / echo.requests_per_s;
        let figures = [outcome.requests_per_s, outcome.cpu_us, outcome.p50_ms, outcome.p99_ms, share];
        report.row(std::iter::once(json!(case.name)).chain(figures.map(|figure| json!(figure))));
    }
    for (name, outcome) in [("tokenize", medians[1]), ("detokenize", medians[2])] {
        report.at_most(&format!("{name}: CPU above the echo's"), Some(outcome.cpu_us - echo.cpu_us), "µs/request", 2.5);
        let share = 100.0 * outcome.requests_per_s / echo.requests_per_s;
        report.at_least(&format!("{name}: share of the echo's rate"), Some(share), "%", 85.0);
    }
    report
}
