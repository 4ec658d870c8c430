//! `cargo xtask lint`: what must hold before the tests are worth running.

use crate::{Result, promises, sh, tidy};

pub(crate) fn run() -> Result {
    sh::run(sh::cargo().args(["fmt", "--all", "--check"]))?;
    tidy::run()?;
    sh::run(sh::cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"]))?;
    promises::check()?;
    let document = ["doc", "--workspace", "--no-deps", "--quiet"];
    sh::run(sh::cargo().env("RUSTDOCFLAGS", "--deny warnings").args(document))
}
