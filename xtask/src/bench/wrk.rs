//! Load, by wrk from Debian's packages.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
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
    pub(super) vary: Vary,
}

/// What differs from request to request.
#[derive(Clone, Default)]
pub(super) enum Vary {
    /// Nothing: the same body again and again.
    #[default]
    Nothing,
    /// Each `NAME` in the body becomes a name of its own; the load ends after so many.
    Names(u32),
    /// Each `NUMBER` becomes a number of 16 digits that no other request of this or any later load has.
    Numbers,
    /// Each `LINE` becomes one of these, drawn at random.
    Lines(Arc<[String]>),
    /// Nothing, but the first so many requests wait for a fifth of a second each, a connection's one after the other.
    SlowlyAtFirst(u32),
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
    let folder = super::folder();
    let (script, body) = (folder.join(format!("{name}.lua")), folder.join(format!("{name}.body")));
    let lua = format!(
        "wrk.method = 'POST'\nwrk.body = io.open({}, 'rb'):read('*a')\nwrk.headers['Content-Type'] = 'application/json'\n\
         wrk.headers['Authorization'] = {}\n\
         function done(summary, latency)\n  io.write(string.format('RESULT %d %d %d %d %d\\n', summary.requests, \
         summary.duration, latency:percentile(50), latency:percentile(99), \
         summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))\nend\n{}",
        quoted(&body.display().to_string()),
        quoted(&format!("Bearer {}", load.token)),
        load.vary.script(&folder.join(format!("{name}.lines")))?
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
function response(status, headers, body)
  if status > 299 then io.write('REFUSED ', status, ' ', body, '\\n') end
  answered = answered + 1
  if answered >= LAST then wrk.thread:stop() end
end
";

/// The clock's second, then a counter: loads take longer than a second.
const NUMBERS: &str = "local sent = os.time() % 1000000 * 1000000000
function request()
  sent = sent + 1
  return wrk.format(nil, nil, nil, (wrk.body:gsub('NUMBER', string.format('%016.0f', sent))))
end
";

const LINES: &str = "local lines = {}
for line in io.lines(FILE) do lines[#lines + 1] = line end
function request()
  return wrk.format(nil, nil, nil, (wrk.body:gsub('LINE', lines[math.random(#lines)])))
end
";

const SLOWLY: &str = "local sent = 0
function delay()
  sent = sent + 1
  return sent <= FIRST and 200 or 0
end
";

impl Vary {
    /// The script that varies; lines go into a file.
    fn script(&self, file: &Path) -> Result<String> {
        Ok(match self {
            Self::Nothing => String::new(),
            Self::Names(last) => NAMES.replace("LAST", &last.to_string()),
            Self::Numbers => NUMBERS.to_owned(),
            Self::Lines(lines) => {
                fs::write(file, lines.join("\n")).map_err(|error| format!("{}: {error}", file.display()))?;
                LINES.replace("FILE", &quoted(&file.display().to_string()))
            }
            Self::SlowlyAtFirst(first) => SLOWLY.replace("FIRST", &first.to_string()),
        })
    }
}

fn quoted(text: &str) -> String {
    format!("[==[{text}]==]")
}

fn parse(printed: &str, cpu: Duration) -> Result<Outcome> {
    let figures = printed.lines().find_map(|line| line.strip_prefix("RESULT "));
    let figures: Vec<f64> = figures.unwrap_or_default().split(' ').filter_map(|figure| figure.parse().ok()).collect();
    let &[requests, duration_us, p50_us, p99_us, errors] = figures.as_slice() else {
        return Err(format!("wrk printed no result:\n{printed}"));
    };
    if errors > 0.0 || requests == 0.0 {
        let refused = printed.lines().find(|line| line.starts_with("REFUSED")).unwrap_or_default();
        return Err(format!("{errors} of {requests} requests failed {refused}"));
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
    let of = |figure: fn(&Outcome) -> f64| super::median(rounds.iter().map(figure).collect());
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
