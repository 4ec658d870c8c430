//! `cargo xtask test`: the tools that the tests need, then all tests. The tests start their own servers and databases.

use std::path::PathBuf;

use serde_json::Value;

use crate::{Result, sh, tools};

pub(crate) fn run(args: &[String]) -> Result {
    tools::install()?;
    tests(args).map_err(|error| match full_disks() {
        none if none.is_empty() => error,
        full => format!("{error}\nThat may be for want of disk: {}", full.join(", ")),
    })
}

fn tests(args: &[String]) -> Result {
    sh::run(sh::cargo().args(["test", "--workspace", "--no-fail-fast"]).args(args))?;
    if !args.is_empty() {
        // A choice of tests is run once, as chosen.
        return Ok(());
    }
    // Once more through the front door, this time on PostgreSQL: one SQL text must do the same on both.
    let folder = sh::root().join("crates/chancery-server");
    sh::run(sh::command(front_door()?).current_dir(folder).env("CHANCERY_TEST_ON_POSTGRES", "1"))
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
