//! The clients for Python and TypeScript, whose own tests call every operation of the document on servers that they
//! start: the program under test. A client that lags behind the document fails here too.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chancery_testkit::{Tool, temp_dir};
use tempfile::TempDir;

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

/// With the current Node, and with the oldest that its package.json promises to work with.
#[test]
fn the_typescript_client_passes_its_tests() {
    let build = compiled();
    for node in [Tool::new("node"), oldest_node()] {
        let _passed = node
            .env("CHANCERY_BINARY", PROGRAM)
            .env("CHANCERY_ROOT", folder(""))
            .arg("--test")
            .arg(build.path().join("test/main.js"))
            .run();
    }
}

#[test]
fn the_typescript_client_works_in_a_browser() {
    let build = compiled();
    let _passed = Tool::new("node")
        .env("CHANCERY_BINARY", PROGRAM)
        .env("CHANCERY_NODE_TOOLS", folder("target/tools/node"))
        .arg("--test")
        .arg(build.path().join("test/browser.js"))
        .run();
}

fn oldest_node() -> Tool {
    let node = folder("target/tools/node18/node_modules/.bin/node");
    let version = Tool::new(node.to_str().unwrap()).arg("--version").run().text();
    assert!(version.starts_with("v18."), "{version}");
    Tool::new(node.to_str().unwrap())
}

/// The TypeScript client and its tests, compiled.
fn compiled() -> TempDir {
    let build = temp_dir();
    let _compiled = Tool::new("tsc")
        .folder(folder("clients/typescript"))
        .args(["--project", "test/tsconfig.json", "--typeRoots"])
        .arg(folder("target/tools/node/node_modules/@types"))
        .arg("--outDir")
        .arg(build.path())
        .run();
    // What is compiled lies outside of the package that says that these are modules.
    fs::write(build.path().join("package.json"), r#"{"type": "module"}"#).unwrap();
    build
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
