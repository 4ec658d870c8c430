//! Load, by wrk from Debian's packages.

use std::{
    fs,
    process::{Child, Command, Stdio},
    time::Duration,
};

use super::server::Server;
use crate::{Result, sh, tools};

/// What is sent, again and again.
pub(super) struct Load<'a> {
    pub(super) url: &'a str,
    pub(super) body: &'a str,
    pub(super) token: &'a str,
    pub(super) connections: u32,
    pub(super) seconds: u32,
    /// If not 0: each `NAME` in the body becomes a name of its own, and the load ends after so many.
    pub(super) names: u32,
}

/// What came of it.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) requests_per_s: f64,
    /// Server CPU time of one request, in microseconds.
    pub(super) cpu_us: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

/// Sends a load to a server. An error if any answer was not 2xx: a fast refusal is no result.
pub(super) fn run(server: &Server, load: &Load<'_>) -> Result<Outcome> {
    let before = server.cpu()?;
    let printed = sh::output(&mut command("load", load)?)?;
    parse(&printed, server.cpu()? - before)
}

/// A load in the background; it ends by itself, or when dropped.
pub(super) struct Background(Child);

/// Sends a load besides whatever is measured.
pub(super) fn start(load: &Load<'_>) -> Result<Background> {
    let mut wrk = command("background", load)?;
    let child = wrk.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    Ok(Background(child.map_err(|error| format!("wrk: {error}"))?))
}

impl Drop for Background {
    fn drop(&mut self) {
        let _already_gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

fn command(name: &str, load: &Load<'_>) -> Result<Command> {
    tools::debian_package("wrk", "wrk")?;
    let folder = sh::root().join("target/bench");
    let (script, body) = (folder.join(format!("{name}.lua")), folder.join(format!("{name}.body")));
    let quoted = |text: &str| format!("[==[{text}]==]");
    let lua = format!(
        "wrk.method = 'POST'\nwrk.body = io.open({}, 'rb'):read('*a')\nwrk.headers['Content-Type'] = 'application/json'\n\
         wrk.headers['Authorization'] = {}\n\
         function done(summary, latency)\n  io.write(string.format('RESULT %d %d %d %d %d\\n', summary.requests, \
         summary.duration, latency:percentile(50), latency:percentile(99), \
         summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))\nend\n{}",
        quoted(&body.display().to_string()),
        quoted(&format!("Bearer {}", load.token)),
        if load.names == 0 { String::new() } else { NAMES.replace("LAST", &load.names.to_string()) }
    );
    fs::write(&body, load.body).and_then(|()| fs::write(&script, lua)).map_err(|error| error.to_string())?;
    let mut wrk = sh::command("wrk");
    wrk.args(["--threads", "1", "--timeout", "30s", "--connections", &load.connections.to_string()])
        .args(["--duration", &format!("{}s", load.seconds), "--script"])
        .arg(&script)
        .arg(load.url);
    Ok(wrk)
}

const NAMES: &str = "local sent, answered = 0, 0
function request()
  sent = sent + 1
  return wrk.format(nil, nil, nil, (wrk.body:gsub('NAME', 'name ' .. sent)))
end
function response()
  answered = answered + 1
  if answered >= LAST then wrk.thread:stop() end
end
";

fn parse(printed: &str, cpu: Duration) -> Result<Outcome> {
    let figures = printed.lines().find_map(|line| line.strip_prefix("RESULT "));
    let figures: Vec<f64> = figures.unwrap_or_default().split(' ').filter_map(|figure| figure.parse().ok()).collect();
    let &[requests, duration_us, p50_us, p99_us, errors] = figures.as_slice() else {
        return Err(format!("wrk printed no result:\n{printed}"));
    };
    if errors > 0.0 || requests == 0.0 {
        return Err(format!("{errors} of {requests} requests failed"));
    }
    Ok(Outcome {
        requests_per_s: requests * 1e6 / duration_us,
        cpu_us: cpu.as_secs_f64() * 1e6 / requests,
        p50_ms: p50_us / 1e3,
        p99_ms: p99_us / 1e3,
    })
}

/// Each figure's median over the rounds.
pub(super) fn median(rounds: &[Outcome]) -> Outcome {
    let of = |figure: fn(&Outcome) -> f64| {
        let mut figures: Vec<_> = rounds.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    Outcome {
        requests_per_s: of(|round| round.requests_per_s),
        cpu_us: of(|round| round.cpu_us),
        p50_ms: of(|round| round.p50_ms),
        p99_ms: of(|round| round.p99_ms),
    }
}

#[test]
fn a_refusal_is_no_result() {
    let cpu = Duration::from_millis(10);
    let outcome = parse("Running\nRESULT 1000 2000000 500 900 0\n", cpu).expect("a result");
    assert_eq!((outcome.requests_per_s, outcome.cpu_us, outcome.p99_ms), (500.0, 10.0, 0.9));
    assert!(parse("RESULT 1000 2000000 500 900 3\n", cpu).is_err());
    assert!(parse("unable to connect\n", cpu).is_err());
}
