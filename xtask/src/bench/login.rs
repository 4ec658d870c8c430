//! `bench login`: both administrators' logins and the bearer token, from the first request to the token; beside as many
//! bare Argon2 hashes, which is what a login is meant to cost.

use std::{thread, time::Instant};

use serde_json::{Value, json};

use super::{
    Pace, bare,
    connection::Connection,
    report::Report,
    server::{self, Chancery, base64},
};
use crate::Result;

const ROUNDS: usize = 5;
/// As many at a time as there are people at most who log in at the same moment.
const CLIENTS: usize = 4;
/// Of each client in a round. With all rounds they stay below the logins that a source may try in a minute.
const LOGINS: usize = 10;

struct Round {
    per_s: f64,
    cpu_ms: f64,
    p50_ms: f64,
    p99_ms: f64,
}

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("login")?;
    let bodies = [credentials(&chancery, 0)?, credentials(&chancery, 1)?];
    let (mut rounds, mut bares) = (Vec::new(), Vec::new());
    for _ in 0..pace.rounds(ROUNDS) {
        rounds.push(round(&chancery, &bodies)?);
        bares.push(bare::measure("argon2")?);
    }
    let of = |figure: fn(&Round) -> f64| super::median(rounds.iter().map(figure).collect());
    let bare = bare::median(&bares);
    // Two people, two hashes.
    let (bare_per_s, bare_ms) = (bare.per_s / 2.0, 2.0 * bare.cpu_us / 1e3);
    let mut report = Report::new(&["case", "per second", "CPU ms each", "p50 ms", "p99 ms"]);
    let figures =
        [of(|round| round.per_s), of(|round| round.cpu_ms), of(|round| round.p50_ms), of(|round| round.p99_ms)];
    report.row([json!("two logins and a token")].into_iter().chain(figures.map(|figure| json!(figure))));
    report.row([json!("two bare Argon2 hashes"), json!(bare_per_s), json!(bare_ms), Value::Null, Value::Null]);
    report.at_most("CPU of a login beside two bare hashes", Some(figures[1] / bare_ms), "times", 1.1);
    Ok(report)
}

fn credentials(chancery: &Chancery, admin: usize) -> Result<String> {
    let credentials = json!({"authType": "userpass", "authCredentials": {
        "username": chancery.detail(&format!("/admins/{admin}/username"))?,
        "password": base64(chancery.detail(&format!("/admins/{admin}/password"))?),
    }});
    Ok(credentials.to_string())
}

fn round(chancery: &Chancery, bodies: &[String; 2]) -> Result<Round> {
    let (cpu, started) = (chancery.server.cpu()?, Instant::now());
    let mut times = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| client(&chancery.plain_base, bodies))).collect();
        let joined = clients.into_iter().map(|client| client.join().map_err(|_| "a client panicked".to_owned())?);
        Ok::<_, String>(joined.collect::<Result<Vec<_>>>()?.concat())
    })?;
    let logins = times.len() as f64;
    let (per_s, cpu_ms) =
        (logins / started.elapsed().as_secs_f64(), (chancery.server.cpu()? - cpu).as_secs_f64() * 1e3 / logins);
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    Ok(Round { per_s, cpu_ms, p50_ms: at(50), p99_ms: at(99) })
}

/// How long each login took, in milliseconds.
fn client(base: &str, bodies: &[String; 2]) -> Result<Vec<f64>> {
    let mut connection = Connection::open(base)?;
    let login = |_| {
        let started = Instant::now();
        let mut cookie = "Accept: */*".to_owned();
        for body in bodies {
            let answer = connection.ask("POST", "/home/v1/login", &cookie, body)?;
            cookie = cookie_of(&answer.head).ok_or_else(|| format!("no cookie: {}", answer.head))?;
        }
        let answer = connection.ask("GET", "/home/v1/login/token", &cookie, "")?;
        if !answer.body.contains("\"token\"") {
            return Err(format!("no token: {}", answer.body));
        }
        Ok(started.elapsed().as_secs_f64() * 1e3)
    };
    (0..LOGINS).map(login).collect()
}

/// The header that sends back what an answer set.
fn cookie_of(head: &str) -> Option<String> {
    let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:"))?;
    let (_, cookie) = line.split_once(':')?;
    Some(format!("Cookie: {}", cookie.split(';').next()?.trim()))
}

#[test]
fn a_cookie_goes_back_without_its_attributes() {
    let head = "HTTP/1.1 200 OK\r\nset-cookie: session=abc; HttpOnly; Path=/\r\n\r\n";
    assert_eq!(cookie_of(head).as_deref(), Some("Cookie: session=abc"));
    assert_eq!(cookie_of("HTTP/1.1 200 OK\r\n"), None);
}
