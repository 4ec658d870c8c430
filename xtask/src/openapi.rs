//! `cargo xtask openapi`: writes docs/openapi.json. A test compares the file with the code.

use crate::{Result, sh};

pub(crate) fn run() -> Result {
    let document =
        sh::output(sh::cargo().args(["run", "--quiet", "--package", "chancery-server", "--example", "openapi"]))?;
    let file = sh::root().join("docs/openapi.json");
    std::fs::write(&file, document).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("written: docs/openapi.json");
    Ok(())
}
