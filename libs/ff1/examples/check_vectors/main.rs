//! Checks files of FF1 vectors on every kernel of this machine: `check_vectors FILE…`
//!
//! A vector counts once per kernel. The last line is `N passed, N failed`; the exit code is 0 only if nothing failed.

mod check;
mod vectors;

use std::process::ExitCode;

use chancery_ff1::Kernel;

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        eprintln!("usage: check_vectors FILE…");
        return ExitCode::from(2);
    }
    let (mut passed, mut failed) = (0, 0);
    for file in &files {
        let read = std::fs::read(file).map_err(|e| e.to_string());
        let cases = match read.and_then(|bytes| vectors::parse(&bytes)) {
            Ok(cases) => cases,
            Err(error) => {
                eprintln!("{file}: {error}");
                failed += 1;
                continue;
            }
        };
        for kernel in Kernel::available() {
            for case in &cases {
                match check::check(case, kernel) {
                    Ok(()) => passed += 1,
                    Err(error) => {
                        eprintln!("{file}: {} on {}: {error}", case.name, kernel.name());
                        failed += 1;
                    }
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
