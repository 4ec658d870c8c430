//! The clients for Python and TypeScript, whose own tests call every operation of the document on servers that they
//! start: the program under test. A client that lags behind the document fails here too.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chancery_testkit::{Tool, temp_dir};

use crate::process::PROGRAM;

/// Kept between runs: a second look at the types takes a tenth of the first one.
const TYPES_SEEN: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/mypy");

#[test]
fn the_python_client_passes_its_tests() {
    let temporary = temp_dir();
    let _passed = Tool::new("pytest")
        .folder(folder("clients/python"))
        .env("CHANCERY_BINARY", PROGRAM)
        .env("MYPY_CACHE_DIR", TYPES_SEEN)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg("--basetemp")
        .arg(temporary.path().join("pytest"))
        .run();
}

#[test]
fn the_typescript_client_passes_its_tests() {
    let temporary = temp_dir();
    let build = temporary.path();
    let _compiled = Tool::new("tsc")
        .folder(folder("clients/typescript"))
        .args(["--project", "test/tsconfig.json", "--typeRoots"])
        .arg(folder("target/tools/node/node_modules/@types"))
        .arg("--outDir")
        .arg(build)
        .run();
    // What is compiled lies outside of the package that says that these are modules.
    fs::write(build.join("package.json"), r#"{"type": "module"}"#).unwrap();
    let _passed = Tool::new("node")
        .env("CHANCERY_BINARY", PROGRAM)
        .env("CHANCERY_ROOT", folder(""))
        .arg("--test")
        .arg(build.join("test/main.js"))
        .run();
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
