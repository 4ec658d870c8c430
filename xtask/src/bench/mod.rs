//! `cargo xtask bench NAME…`: benchmarks that others can rerun. Each measures a ratio against a peer or a bound in the
//! same run, prints a table and writes `target/bench/NAME.json`; `bench all` runs them all, and `bench report` makes
//! docs/PERFORMANCE.md of what they wrote.

mod bare;
mod batch;
mod bulk;
mod case;
mod connection;
mod document;
mod ff1;
mod http;
mod journal;
mod login;
mod machine;
mod peers;
mod pki;
mod process;
mod profiles;
mod report;
mod server;
mod sign;
mod softhsm;
mod start;
mod vault;
mod wrk;

use std::{fs, path::PathBuf, time::Instant};

use report::Report;

use crate::{Result, sh};

/// A benchmark: its name, what it is about, and what runs it.
struct Bench {
    name: &'static str,
    title: &'static str,
    run: fn(Pace) -> Result<Report>,
}

/// In the order of docs/PERFORMANCE.md.
const ALL: &[Bench] = &[
    Bench { name: "http", title: "Single calls over TLS", run: http::run },
    Bench { name: "batch", title: "Batches of card numbers", run: batch::run },
    Bench { name: "journal", title: "The journal of the data plane", run: journal::run },
    Bench { name: "bulk", title: "Files of card numbers", run: bulk::run },
    Bench { name: "ff1", title: "The FF1 kernels", run: ff1::run },
    Bench { name: "profiles", title: "Kinds of token profiles, without HTTP", run: profiles::run },
    Bench { name: "vault", title: "Tokens in a vault", run: vault::run },
    Bench { name: "pki", title: "Certificates", run: pki::run },
    Bench { name: "sign", title: "Signatures", run: sign::run },
    Bench { name: "login", title: "Logins", run: login::run },
    Bench { name: "start", title: "Start and memory", run: start::run },
    Bench { name: "peers", title: "Peers in the same run", run: peers::run },
];

/// How much time there is.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Whether to look only whether a benchmark works: its figures mean nothing.
    pub(crate) quick: bool,
}

impl Pace {
    fn rounds(self, rounds: usize) -> usize {
        if self.quick { 1 } else { rounds }
    }

    fn seconds(self, seconds: u32) -> u32 {
        if self.quick { 1 } else { seconds }
    }

    fn count(self, count: u32) -> u32 {
        if self.quick { count.div_ceil(100) } else { count }
    }

    /// Where a benchmark's figures go.
    fn file(self, name: &str) -> PathBuf {
        folder().join(format!("{name}{}.json", if self.quick { "-quick" } else { "" }))
    }
}

fn folder() -> PathBuf {
    sh::root().join("target/bench")
}

/// The middle one.
fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(crate) fn run(names: &[String], pace: Pace) -> Result {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        [] => {
            let names = ALL.iter().map(|bench| bench.name).collect::<Vec<_>>().join(", ");
            println!("benchmarks: {names}; all; report, which makes docs/PERFORMANCE.md of their figures");
            Ok(())
        }
        ["all"] => each(ALL.iter(), pace),
        ["report"] => document::write(),
        [name] => one(bench(name)?, pace),
        several => each(several.iter().map(|name| bench(name)).collect::<Result<Vec<_>>>()?.into_iter(), pace),
    }
}

fn bench(name: &str) -> Result<&'static Bench> {
    // Issuing is a part of what is measured of certificates.
    let name = if name == "issue" { "pki" } else { name };
    let found = ALL.iter().find(|bench| bench.name == name);
    found.ok_or_else(|| format!("no benchmark {name}; `cargo xtask bench` lists them"))
}

fn one(bench: &Bench, pace: Pace) -> Result {
    fs::create_dir_all(folder()).map_err(|error| error.to_string())?;
    let report = (bench.run)(pace)?;
    print!("{}", report.table());
    let file = pace.file(bench.name);
    fs::write(&file, report.json()).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("written: {}", file.strip_prefix(sh::root()).unwrap_or(&file).display());
    Ok(())
}

/// One after the other; one that fails does not keep the others from running.
fn each(benches: impl Iterator<Item = &'static Bench>, pace: Pace) -> Result {
    server::build(pace)?;
    let mut failed = Vec::new();
    for bench in benches {
        println!("\n{}: {}", bench.name, bench.title);
        let started = Instant::now();
        if let Err(error) = one(bench, pace) {
            println!("{}: {error}", bench.name);
            failed.push(bench.name);
        }
        println!("{:.0} s", started.elapsed().as_secs_f64());
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}
