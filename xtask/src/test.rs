//! `cargo xtask test`: the tools that the tests need, then all tests. The tests start their own servers and databases.

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{Result, sh, tools};

/// What has nothing new to say once the server's tests are on PostgreSQL: those that are on it anyway, and those in which
/// programs of others judge bytes.
const SAID_ALREADY: [&str; 4] =
    ["on_postgres", "journeys::signatures::", "journeys::embedded::jars::", "journeys::time_stamps::"];

pub(crate) fn run(args: &[String]) -> Result {
    tools::install()?;
    tests(args).map_err(|error| match full_disks() {
        none if none.is_empty() => error,
        full => format!("{error}\nThat may be for want of disk: {}", full.join(", ")),
    })
}

fn tests(args: &[String]) -> Result {
    told_again(sh::cargo().args(["test", "--workspace", "--no-fail-fast"]).args(args))?;
    if !args.is_empty() {
        // A choice of tests is run once, as chosen.
        return Ok(());
    }
    // Once more through the front door, this time on PostgreSQL: one SQL text must do the same on both.
    let folder = sh::root().join("crates/chancery-server");
    let skipped = SAID_ALREADY.iter().flat_map(|name| ["--skip", name]);
    told_again(sh::command(front_door()?).args(skipped).current_dir(folder).env("CHANCERY_TEST_ON_POSTGRES", "1"))
}

/// Runs tests with the terminal's output, and says at the end why some failed: what each said itself is thousands of lines above.
fn told_again(tests: &mut Command) -> Result {
    let started = tests.stdout(Stdio::piped()).spawn();
    let mut running = started.map_err(|error| format!("the tests could not be started: {error}"))?;
    let said = running.stdout.take().expect("its output is a pipe");
    let mut failures = Vec::new();
    let mut is_of_failures = false;
    for line in BufReader::new(said).split(b'\n') {
        let line = line.map_err(|error| format!("the tests' output: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        is_of_failures = !line.starts_with("test result:") && (is_of_failures || line == "failures:");
        if is_of_failures {
            failures.push(line.into_owned());
        }
    }
    let ended = running.wait().map_err(|error| format!("the tests: {error}"))?;
    if ended.success() {
        return Ok(());
    }
    Err(format!("tests ended with {ended}\n{}", reasons(&failures).join("\n")))
}

/// What the tests that failed said at last, each in a screen.
fn reasons(failures: &[String]) -> Vec<String> {
    const LINES: usize = 40;
    const CHARACTERS: usize = 500;
    let is_title = |line: &&String| line.starts_with("---- ");
    let of_each = failures.chunk_by(|_, next| !is_title(&next) && next != "failures:");
    let said = of_each.filter(|lines| lines.first().is_some_and(|line| is_title(&line)));
    let kept = said.flat_map(|lines| {
        let panic = lines.iter().rposition(|line| line.contains("panicked at")).unwrap_or(0);
        let from = panic.max(lines.len().saturating_sub(LINES));
        std::iter::once(&lines[0]).chain(lines[from.max(1)..].iter().filter(|line| !line.is_empty()))
    });
    kept.map(|line| line.chars().take(CHARACTERS).collect()).collect()
}

/// The disks of what is built and of what the tests write that have little left. A full one fails each test in a way of its
/// own: a server that cannot write ends without a word.
fn full_disks() -> Vec<String> {
    const LITTLE: u64 = 1 << 30;
    let folders = [sh::root().join("target"), std::env::temp_dir()];
    let left = |folder: &PathBuf| -> Option<u64> {
        let told = sh::output(sh::command("df").args(["--output=avail", "--block-size=1"]).arg(folder)).ok()?;
        told.lines().nth(1)?.trim().parse().ok()
    };
    let told = folders.iter().filter_map(|folder| Some((folder, left(folder)?)));
    told.filter(|(_, left)| *left < LITTLE)
        .map(|(folder, left)| format!("{} has {} MiB left", folder.display(), left >> 20))
        .collect()
}

/// The program that `cargo test` has just built of the server's tests. Asking cargo for them alone would build the crates
/// below once more, with fewer features.
fn front_door() -> Result<String> {
    let build = ["test", "--workspace", "--no-run", "--quiet", "--message-format=json"];
    let built = sh::output(sh::cargo().args(build))?;
    let found = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
        let is_wanted = message["target"]["src_path"].as_str()?.ends_with("/chancery-server/tests/it/main.rs");
        message["executable"].as_str().filter(|_| is_wanted).map(str::to_owned)
    });
    found.ok_or_else(|| "cargo built no tests of the server".to_owned())
}

#[cfg(test)]
mod tests {
    use super::reasons;

    #[test]
    fn each_failed_test_has_what_it_said_at_last() {
        let told = "failures:\n\n---- one stdout ----\nsteps before\nthread 'one' panicked at tests/one.rs:1:\nleft is not right\n\n\
                    ---- two stdout ----\nit ended with 1\n\n\nfailures:\n    one\n    two\n";
        let lines: Vec<_> = told.lines().map(str::to_owned).collect();
        let expected = [
            "---- one stdout ----",
            "thread 'one' panicked at tests/one.rs:1:",
            "left is not right",
            "---- two stdout ----",
            "it ended with 1",
        ];
        assert_eq!(reasons(&lines), expected);
        assert!(reasons(&[]).is_empty());
    }
}
