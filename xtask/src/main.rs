//! What developers and CI run: `cargo xtask test | lint | tidy | openapi | bench NAME`.

mod bench;
mod lint;
mod openapi;
mod promises;
mod sh;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use clap::Parser;

/// A result whose error is a sentence for the person at the terminal.
type Result<T = (), E = String> = std::result::Result<T, E>;

#[derive(Parser)]
#[command(about = "What developers and CI run")]
enum Command {
    /// Install what the tests need and the machine lacks, then run all tests; arguments go to `cargo test`.
    Test {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Only install what the tests need and the machine lacks.
    Tools,
    /// Formatting, clippy and tidy, and what must not compile.
    Lint,
    /// The rules of the house that no compiler checks.
    Tidy,
    /// Write docs/openapi.json from the code.
    Openapi,
    /// Run benchmarks: print their tables, write target/bench/NAME.json.
    Bench {
        /// Which ones; without them, their names are listed.
        names: Vec<String>,
        /// Only look whether it works, with the debug build; the figures mean nothing.
        #[arg(long)]
        quick: bool,
    },
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Test { args } => test::run(&args),
        Command::Tools => tools::install(),
        Command::Lint => lint::run(),
        Command::Tidy => tidy::run(),
        Command::Openapi => openapi::run(),
        Command::Bench { names, quick } => bench::run(&names, bench::Pace { quick }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
