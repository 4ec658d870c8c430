//! The clients for Python and TypeScript, whose own tests call every operation of the document on servers that they
//! start: the program under test. A client that lags behind the document fails here too.

use std::{
    fs,
    path::{Path, PathBuf},
};

use chancery_testkit::{Tool, temp_dir};
use tempfile::TempDir;

use crate::process::{Demo, PROGRAM};

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
        .env("CHANCERY_ROOT", folder(""))
        .arg("--test")
        .arg(build.path().join("test/browser.js"))
        .run();
}

/// What programs are written with can be had from a registry, each with its licences and what it says of itself.
#[test]
fn the_packages_can_be_published() {
    let crates = ["chancery-types", "chancery-formats", "chancery-client", "chancery-bulk"];
    let metadata = cargo().args(["metadata", "--no-deps", "--format-version", "1"]).run().text();
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    for package in metadata["packages"].as_array().unwrap() {
        let is_for_others = crates.iter().any(|name| package["name"] == *name);
        // A list of no registries is what `publish = false` becomes.
        assert_eq!(package["publish"].is_null(), is_for_others, "{}", package["name"]);
    }
    let target = temp_dir();
    let package = cargo().args(["package", "--no-verify", "--allow-dirty", "--target-dir"]).arg(target.path());
    let _packed = package.args(crates.iter().flat_map(|name| ["-p", *name])).run();
    for name in crates {
        let root = format!("{name}-0.1.0");
        let packed = target.path().join(format!("package/{root}.crate"));
        let list = Tool::new("tar").arg("--list").arg("--file").arg(packed).run().text();
        for file in ["Cargo.toml", "README.md", "LICENSE-APACHE", "LICENSE-MIT", "src/lib.rs"] {
            assert!(list.lines().any(|line| line == format!("{root}/{file}")), "{name} lacks {file}: {list}");
        }
        same_licences(&format!("crates/{name}"));
    }
    ["clients/python", "clients/typescript"].into_iter().for_each(same_licences);
}

/// Packages hold files of their own folder alone.
fn same_licences(package: &str) {
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let text = fs::read_to_string(folder(package).join(licence)).unwrap();
        assert_eq!(text, fs::read_to_string(folder(licence)).unwrap(), "{package}");
    }
}

/// The Cargo that runs the tests, which asks no registry.
fn cargo() -> Tool {
    Tool::new(env!("CARGO")).folder(folder("")).env("CARGO_NET_OFFLINE", "true")
}

/// Logs in with what npm installed: `program.mjs BASE CA PASSWORD PASSWORD`.
const LOGIN: &str = r#"
import { readFileSync } from "node:fs";
import { Client } from "@chancery/client";
import { nodeFetch } from "@chancery/client/node";
const [baseUrl, ca, first, second] = process.argv.slice(2);
const client = new Client({ baseUrl, fetch: nodeFetch({ ca: readFileSync(ca, "utf8") }) });
await client.login("Admin1", first);
const { fullyLoggedIn } = await client.login("Admin2", second);
console.log(fullyLoggedIn, (await client.roles.list()).results.length > 0);
"#;

/// npm builds and packs it from the tree, and installs what it packed, without a registry.
#[test]
fn the_typescript_client_is_installed_from_the_tree() {
    let place = temp_dir();
    let (source, program) = (place.path().join("source"), place.path().join("program"));
    [&source, &program].into_iter().for_each(|folder| fs::create_dir(folder).unwrap());
    let files = ["src", "package.json", "prepare.mjs", "tsconfig.json", "README.md", "LICENSE-APACHE", "LICENSE-MIT"];
    let files = files.map(|name| folder("clients/typescript").join(name));
    let _copied = Tool::new("cp").arg("-r").args(files).arg(&source).run();
    let tools = folder("target/tools/node/node_modules").canonicalize().unwrap();
    std::os::unix::fs::symlink(tools, source.join("node_modules")).unwrap();
    let npm = |at: &Path| Tool::new("npm").folder(at).env("npm_config_cache", place.path().join("cache"));
    let _packed = npm(&source).args(["pack", "--offline", "--silent"]).run();
    fs::write(program.join("package.json"), r#"{"type": "module"}"#).unwrap();
    fs::write(program.join("program.mjs"), LOGIN).unwrap();
    let install =
        ["install", "--offline", "--silent", "--no-audit", "--no-fund", "../source/chancery-client-0.1.0.tgz"];
    let _installed = npm(&program).args(install).run();
    let installed = program.join("node_modules/@chancery/client");
    for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "dist/index.d.ts"] {
        assert!(installed.join(file).is_file(), "{file}");
    }
    let demo = Demo::start_made(place.path(), &[]);
    let arguments = ["/base", "/caFile", "/admins/0/password", "/admins/1/password"].map(|name| demo.text(name));
    let said = Tool::new("node").folder(&program).arg("program.mjs").args(arguments).run().text();
    assert_eq!(said, "true true\n");
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
