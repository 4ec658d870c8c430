//! `cargo xtask test`: the tools that the tests need, then all tests. The tests start their own servers and databases.

use crate::{Result, sh, tools};

pub(crate) fn run(args: &[String]) -> Result {
    tools::install()?;
    sh::run(sh::cargo().args(["test", "--workspace", "--no-fail-fast"]).args(args))
}
