//! `bench bulk`: files of card numbers, one a row, through `chancery tokenize` and `chancery detokenize` over TLS, with
//! server and client on the same machine.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::json;

use super::{
    Pace, median,
    process::{self, Ended},
    report::Report,
    server::{self, Chancery},
};
use crate::{Result, sh};

const ROUNDS: usize = 3;
const ROWS: u32 = 10_000_000;

/// What is measured, each after what makes its input.
const CASES: [Case; 4] = [
    Case { name: "CSV, tokenize", command: "tokenize", input: "cards.csv", output: "tokens.csv" },
    Case { name: "CSV, detokenize", command: "detokenize", input: "tokens.csv", output: "back.csv" },
    Case { name: "Parquet, tokenize", command: "tokenize", input: "cards.parquet", output: "tokens.parquet" },
    Case { name: "Parquet, detokenize", command: "detokenize", input: "tokens.parquet", output: "back.parquet" },
];

struct Case {
    name: &'static str,
    command: &'static str,
    input: &'static str,
    output: &'static str,
}

/// A run of a case.
struct Outcome {
    client: Ended,
    server_cpu: Duration,
    server_peak_mb: f64,
}

pub(super) fn run(pace: Pace) -> Result<Report> {
    server::build(pace)?;
    let chancery = Chancery::start("bulk")?;
    let rows = pace.count(ROWS);
    let folder = chancery.folder().join("files");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    sh::run(server::program("examples/rows")?.current_dir(&folder).args([
        &rows.to_string(),
        "cards.csv",
        "cards.parquet",
    ]))?;
    log_in(&chancery, &folder)?;
    let mut rounds = CASES.map(|_| Vec::new());
    for _ in 0..pace.rounds(ROUNDS) {
        for (case, outcomes) in CASES.iter().zip(&mut rounds) {
            outcomes.push(case.run(&chancery, &folder, rows).map_err(|error| format!("{}: {error}", case.name))?);
        }
        sh::run(Command::new("cmp").current_dir(&folder).args(["cards.csv", "back.csv"]))?;
    }
    Ok(report(rows, &rounds))
}

impl Case {
    fn run(&self, chancery: &Chancery, folder: &Path, rows: u32) -> Result<Outcome> {
        let output = folder.join(self.output);
        if output.exists() {
            fs::remove_file(&output).map_err(|error| format!("{}: {error}", output.display()))?;
        }
        let server = &chancery.server;
        server.forget_peak()?;
        let before = server.cpu()?;
        let mut command = client(chancery, folder)?;
        command.args([self.command, "--profile", "demo cards", "--column", "pan", self.input, "--out", self.output]);
        let (client, said) = process::run(&mut command)?;
        let expected = format!("{rows} rows written");
        if !said.starts_with(&expected) {
            return Err(format!("{expected} was expected: {said}"));
        }
        Ok(Outcome { client, server_cpu: server.cpu()?.saturating_sub(before), server_peak_mb: server.peak_mb()? })
    }
}

/// The program as somebody uses it whose configuration is in the folder.
fn client(chancery: &Chancery, folder: &Path) -> Result<Command> {
    let mut command = server::program("chancery")?;
    command.current_dir(folder).env("XDG_CONFIG_HOME", chancery.folder().join("home"));
    for name in
        ["CHANCERY_SERVER", "CHANCERY_SERVER_PROFILE", "CHANCERY_API_KEY", "CHANCERY_API_KEY_FILE", "CHANCERY_CA"]
    {
        command.env_remove(name);
    }
    Ok(command)
}

fn log_in(chancery: &Chancery, folder: &Path) -> Result {
    let mut command = client(chancery, folder)?;
    command.args(["login", "--server", &chancery.server.base, "--ca", chancery.detail("/caFile")?]);
    for admin in 0..2 {
        let file: PathBuf = folder.join(format!("password{admin}"));
        let password = chancery.detail(&format!("/admins/{admin}/password"))?;
        fs::write(&file, password).map_err(|error| format!("{}: {error}", file.display()))?;
        command.arg(chancery.detail(&format!("/admins/{admin}/username"))?).arg("--password-file").arg(file);
    }
    sh::output(&mut command).map(drop)
}

fn report(rows: u32, rounds: &[Vec<Outcome>; 4]) -> Report {
    let columns =
        ["case", "rows", "million rows/s", "client ns/row", "server ns/row", "client peak MB", "server peak MB"];
    let mut report = Report::new(&columns);
    let (mut rates, mut peaks) = (Vec::new(), Vec::new());
    for (case, outcomes) in CASES.iter().zip(rounds) {
        let of = |figure: fn(&Outcome) -> f64| median(outcomes.iter().map(figure).collect());
        let rows_f = f64::from(rows);
        let rate = rows_f / 1e6 / of(|outcome| outcome.client.took.as_secs_f64());
        let client = of(|outcome| outcome.client.cpu.as_secs_f64()) * 1e9 / rows_f;
        let server = of(|outcome| outcome.server_cpu.as_secs_f64()) * 1e9 / rows_f;
        // Of memory the most counts, not the middle.
        let most = |figure: fn(&Outcome) -> f64| outcomes.iter().map(figure).fold(0.0, f64::max);
        let [client_peak, server_peak] =
            [most(|outcome| outcome.client.peak_mb), most(|outcome| outcome.server_peak_mb)];
        let figures = [rate, client, server, client_peak, server_peak].map(|figure| json!(figure));
        report.row([json!(case.name), json!(rows)].into_iter().chain(figures));
        rates.push((case.name, rate));
        peaks.push((case.name, client_peak, server_peak));
    }
    for (name, rate) in rates {
        report.at_least(name, Some(rate), "million rows/s", 5.0);
    }
    for (name, client, server) in peaks {
        report.at_most(&format!("{name}: the client's memory"), Some(client), "MB", 200.0);
        report.at_most(&format!("{name}: the server's memory"), Some(server), "MB", 200.0);
    }
    report.note("ns/row is processor time, of both cores. The output is flushed to the disk before it has its name.");
    report
}
