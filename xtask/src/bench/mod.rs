//! `cargo xtask bench NAME`: benchmarks that others can rerun. Each measures a ratio against a peer or a bound in the
//! same run, prints a table and writes `target/bench/NAME.json`.

mod batch;
mod ff1;
mod get;
mod http;
mod machine;
mod pki;
mod profiles;
mod report;
mod server;
mod start;
mod wrk;

use report::Report;

use crate::{Result, sh};

/// A benchmark: its name and what runs it.
type Bench = (&'static str, fn() -> Result<Report>);

const ALL: &[Bench] = &[
    ("batch", batch::run),
    ("ff1", ff1::run),
    ("http", http::run),
    ("pki", pki::run),
    ("profiles", profiles::run),
    ("start", start::run),
];

pub(crate) fn run(name: Option<&str>) -> Result {
    let names = ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let Some(name) = name else {
        println!("benchmarks: {names}");
        return Ok(());
    };
    let (_, bench) = ALL
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("no benchmark {name}; there are: {names}"))?;
    let report = bench()?;
    print!("{}", report.table());
    let folder = sh::root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let file = folder.join(format!("{name}.json"));
    std::fs::write(&file, report.json()).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("written: target/bench/{name}.json");
    Ok(())
}
