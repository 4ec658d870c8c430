//! `cargo xtask test`: the tools that the tests need, then all tests. The tests start their own servers and databases.

use crate::{Result, sh, tools};

pub(crate) fn run(args: &[String]) -> Result {
    tools::install()?;
    sh::run(sh::cargo().args(["test", "--workspace", "--no-fail-fast"]).args(args))?;
    if !args.is_empty() {
        // A choice of tests is run once, as chosen.
        return Ok(());
    }
    // Once more through the front door, this time on PostgreSQL: one SQL text must do the same on both.
    let routes = ["test", "--package=chancery-server", "--test=it", "--no-fail-fast"];
    sh::run(sh::cargo().env("CHANCERY_TEST_ON_POSTGRES", "1").args(routes))
}
