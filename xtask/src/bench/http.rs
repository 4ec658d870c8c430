//! `bench http`: single calls over TLS, beside a bare axum JSON echo in the same run.

use serde_json::json;

use super::{
    report::Report,
    server::{self, Chancery, Server, base64},
    wrk::{self, Load, Outcome},
};
use crate::Result;

const ROUNDS: usize = 5;
const SECONDS: u32 = 3;
const CONNECTIONS: u32 = 64;

/// One thing that is measured.
struct Case<'a> {
    name: &'a str,
    server: &'a Server,
    path: String,
    body: String,
}

pub(super) fn run() -> Result<Report> {
    server::build()?;
    let chancery = Chancery::start("http")?;
    let echo = server::echo(Some(&chancery.tls_files()))?;
    let profile = format!("/api/v2/token-profiles/{}", chancery.detail("/demo/tokenProfileUuid")?);
    let card = json!({"message": "4111111111111111"}).to_string();
    let file = json!({
        "name": "bench", "serviceUuid": chancery.detail("/demo/serviceUuid")?,
        "policyUuid": chancery.detail("/demo/policyUuid")?, "uploadData": base64("a file of a few bytes"),
    });
    let case = |name, server, path: &str, body: &str| Case { name, server, path: path.into(), body: body.into() };
    let cases = [
        case("axum echo", &echo, "/echo", &card),
        case("tokenize", &chancery.server, &format!("{profile}/tokenize"), &card),
        case("detokenize", &chancery.server, &format!("{profile}/detokenize"), &token_body(&chancery, &profile)?),
        case("auto-signed request", &chancery.server, "/api/v2/x509/signing-requests", &file.to_string()),
    ];
    let medians = measure(&chancery, &cases)?;
    Ok(report(&cases, &medians))
}

fn token_body(chancery: &Chancery, profile: &str) -> Result<String> {
    let bearer = format!("Authorization: Bearer {}", chancery.token()?);
    let message = json!({"message": "4111111111111111"});
    let answer = chancery.call(&["--header", &bearer], &format!("{profile}/tokenize"), Some(&message))?;
    Ok(json!({"token": answer["response"]["token"]}).to_string())
}

/// All cases in turn, again and again, so that whatever else the machine does falls on all alike.
fn measure(chancery: &Chancery, cases: &[Case<'_>]) -> Result<Vec<Outcome>> {
    let mut rounds = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        let token = chancery.token()?;
        for (case, outcomes) in cases.iter().zip(&mut rounds) {
            let url = format!("{}{}", case.server.base, case.path);
            let load = Load {
                url: &url,
                body: &case.body,
                token: &token,
                connections: CONNECTIONS,
                seconds: SECONDS,
                names: 0,
            };
            outcomes.push(wrk::run(case.server, &load).map_err(|error| format!("{}: {error}", case.name))?);
        }
    }
    Ok(rounds.iter().map(|outcomes| wrk::median(outcomes)).collect())
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
