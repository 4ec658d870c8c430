//! Who may use whom: the table of docs/ARCHITECTURE.md against `cargo metadata` and the lock file. And what may be used at
//! all: which licences, from where, and nothing that no source names.

use std::collections::HashMap;

use serde_json::Value;

use super::source::Source;
use crate::{Result, sh};

/// A crate, the crates of ours that it may use, and what it must not see.
type Rule = (&'static str, &'static [&'static str], &'static [&'static str]);

const RULES: &[Rule] = &[
    ("chancery-ff1", &[], &[]),
    ("chancery-rsa", &[], &[]),
    ("chancery-types", &[], &["axum", "rusqlite", "sqlx"]),
    ("chancery-keys", &["chancery-ff1", "chancery-rsa", "chancery-types"], &["axum", "rusqlite", "sqlx", "tokio"]),
    ("chancery-store", &["chancery-types"], &["axum", "aws-lc-rs"]),
    ("chancery-journal", &["chancery-keys"], &["axum", "rusqlite", "sqlx", "tokio", "aws-lc-rs"]),
    ("chancery-formats", &[], &["axum", "rusqlite", "sqlx", "aws-lc-rs"]),
    ("chancery-ldap", &[], &["axum", "rusqlite", "sqlx", "tokio", "rustls", "aws-lc-rs"]),
    ("chancery-x509", &["chancery-keys", "chancery-types"], &["axum", "rusqlite", "sqlx", "tokio", "aws-lc-rs"]),
    (
        "chancery-verify",
        &["chancery-keys", "chancery-types", "chancery-x509"],
        &["axum", "rusqlite", "sqlx", "tokio", "aws-lc-rs"],
    ),
    (
        "chancery-core",
        &[
            "chancery-formats",
            "chancery-journal",
            "chancery-keys",
            "chancery-ldap",
            "chancery-store",
            "chancery-types",
            "chancery-verify",
            "chancery-x509",
        ],
        &["axum", "rusqlite", "sqlx", "aws-lc-rs"],
    ),
    ("chancery-server", &["chancery-core", "chancery-types"], &["rusqlite", "sqlx", "aws-lc-rs"]),
    ("chancery-client", &["chancery-formats", "chancery-types"], &["axum", "rusqlite", "sqlx"]),
    ("chancery-pkcs11", &["chancery-client", "chancery-types"], &["axum", "rusqlite", "sqlx", "tokio"]),
    ("chancery-bulk", &["chancery-client", "chancery-types"], &["axum", "rusqlite", "sqlx"]),
    (
        "chancery",
        &[
            "chancery-bulk",
            "chancery-client",
            "chancery-core",
            "chancery-ldap",
            "chancery-server",
            "chancery-types",
            "chancery-verify",
            "chancery-x509",
        ],
        &["rusqlite", "sqlx", "aws-lc-rs"],
    ),
    ("chancery-testkit", &[], &[]),
    ("xtask", &[], &["axum", "rusqlite", "sqlx"]),
];

/// Crates that must not be in the tree at all, also not as somebody's dependency.
const BANNED: &[(&str, &str)] = &[
    ("rsa", "RUSTSEC-2023-0071 has no patch; RSA is done by aws-lc"),
    ("openssl-sys", "one cryptographic library is enough: aws-lc"),
];

/// Licences that everybody can live with, who builds, ships and changes this.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// The registry that all crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn check(sources: &[Source]) -> Result<Vec<String>> {
    // What other platforms need is neither built nor fetched here.
    let platform = "--filter-platform=x86_64-unknown-linux-gnu";
    let metadata = sh::output(sh::cargo().args(["metadata", "--format-version=1", platform]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let mut complaints = Vec::new();
    let libraries: HashMap<_, _> =
        array(&metadata, "packages").filter_map(|package| Some((text(package, "name"), library(package)?))).collect();
    for package in array(&metadata, "packages") {
        let name = text(package, "name");
        if let Some(source) = package["source"].as_str() {
            complaints.extend(check_foreign(name, source, text(package, "license")));
            continue;
        }
        let used = array(package, "dependencies").filter(|dependency| dependency["kind"].is_null());
        complaints.extend(check_package(name, used.map(|dependency| text(dependency, "name"))));
        let names = array(package, "dependencies").map(|dependency| {
            let name = dependency["rename"].as_str().unwrap_or_else(|| text(dependency, "name"));
            (name, libraries.get(name).copied().unwrap_or(name))
        });
        let folder = text(package, "manifest_path").trim_end_matches("Cargo.toml");
        let folder = folder.strip_prefix(&format!("{}/", sh::root().display())).unwrap_or(folder);
        complaints.extend(unused(name, names, folder, sources));
    }
    // `cargo tree` and not the lock file: the latter also lists optional crates that nobody switched on.
    let tree = sh::output(sh::cargo().args(["tree", "--workspace", "--prefix=none", "--format={p}", "--edges=all"]))?;
    for (name, why) in BANNED {
        if tree.lines().any(|line| line.split(' ').next() == Some(name)) {
            complaints.push(format!("Cargo.lock: the crate {name} is banned: {why}"));
        }
    }
    Ok(complaints)
}

/// The name of a package's library in sources.
fn library(package: &Value) -> Option<&str> {
    let of_library = |target: &&Value| {
        array(target, "kind").any(|kind| ["lib", "rlib", "cdylib", "proc-macro"].contains(&kind.as_str().unwrap_or("")))
    };
    array(package, "targets").find(of_library).map(|target| text(target, "name"))
}

/// Somebody else's crate: where it comes from, and under which licence.
fn check_foreign(name: &str, source: &str, licence: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if source != REGISTRY {
        complaints.push(format!("{name} comes from {source}: crates come from crates.io alone"));
    }
    if !is_allowed(licence) {
        complaints.push(format!("{name} has the licence {licence}, which is not in xtask/src/tidy/dependencies.rs"));
    }
    complaints
}

/// Whether an SPDX expression can be satisfied: every part of AND, one of OR. `/` is what OR was called before.
fn is_allowed(licence: &str) -> bool {
    let licence = licence.replace('/', " OR ");
    let parts: Vec<_> = licence.split(" AND ").collect();
    // An AND inside parentheses would be read wrongly: it has parts that do not close.
    parts.iter().all(|part| part.matches('(').count() == part.matches(')').count())
        && parts.iter().all(|part| {
            part.trim_matches(['(', ')', ' ']).split(" OR ").any(|licence| LICENCES.contains(&licence.trim()))
        })
}

/// Dependencies that no source of the crate names.
fn unused<'a>(
    package: &str,
    dependencies: impl Iterator<Item = (&'a str, &'a str)>,
    folder: &str,
    sources: &[Source],
) -> Vec<String> {
    let sources: Vec<_> = sources.iter().filter(|source| source.is_rust() && source.starts_with(folder)).collect();
    let is_named = |library: &str| {
        let library = library.replace('-', "_");
        sources.iter().any(|source| {
            source.text.split(|one: char| !one.is_alphanumeric() && one != '_').any(|word| word == library)
        })
    };
    dependencies
        .filter(|(_, library)| !is_named(library))
        .map(|(name, _)| format!("{package} names {name} in its manifest and nowhere else: take it out"))
        .collect()
}

fn check_package<'a>(name: &str, used: impl Iterator<Item = &'a str>) -> Vec<String> {
    let Some((_, ours, hidden)) = RULES.iter().find(|(rule, ..)| *rule == name) else {
        return vec![format!("the crate {name} is not in the dependency table: see docs/ARCHITECTURE.md")];
    };
    let known = |used: &&str| RULES.iter().any(|(rule, ..)| rule == used);
    let forbidden = used.filter(|used| (known(used) && !ours.contains(used)) || hidden.contains(used));
    forbidden.map(|used| format!("{name} must not use {used}: see the table in docs/ARCHITECTURE.md")).collect()
}

fn array<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value[member].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_sees_neither_keys_nor_store() {
        let complaints = |used: &[&'static str]| check_package("chancery-server", used.iter().copied()).len();
        assert_eq!(complaints(&["chancery-core", "axum"]), 0);
        assert_eq!(complaints(&["chancery-keys", "chancery-store", "sqlx"]), 3);
        assert_eq!(check_package("something-new", std::iter::empty()).len(), 1);
    }

    #[test]
    fn licences_and_origins_are_known() {
        let allowed = ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR ISC", "ISC AND (Apache-2.0 OR BSL-1.0)"];
        assert_eq!(allowed.map(is_allowed), [true; 4]);
        assert_eq!(["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT AND GPL-3.0) OR ISC"].map(is_allowed), [false; 4]);
        assert_eq!(check_foreign("x", REGISTRY, "MIT").len(), 0);
        assert_eq!(check_foreign("x", "git+https://git.example/x", "MIT").len(), 1);
    }

    #[test]
    fn a_dependency_is_named_somewhere() {
        let sources = [Source::of("crates/x/src/lib.rs", "use serde_json::json;\n"), Source::of("y.rs", "clap::x()\n")];
        let found = |name| unused("x", [(name, name)].into_iter(), "crates/x/", &sources).len();
        assert_eq!((found("serde-json"), found("serde"), found("clap")), (0, 1, 1));
    }
}
