//! Who may use whom: the table of docs/ARCHITECTURE.md against `cargo metadata` and the lock file.

use serde_json::Value;

use crate::{Result, sh};

/// A crate, the crates of ours that it may use, and what it must not see.
type Rule = (&'static str, &'static [&'static str], &'static [&'static str]);

const RULES: &[Rule] = &[
    ("chancery-ff1", &[], &[]),
    ("chancery-rsa", &[], &[]),
    ("chancery-types", &[], &["axum", "rusqlite", "sqlx"]),
    ("chancery-keys", &["chancery-ff1", "chancery-rsa", "chancery-types"], &["axum", "rusqlite", "sqlx", "tokio"]),
    ("chancery-store", &["chancery-types"], &["axum", "aws-lc-rs"]),
    ("chancery-formats", &[], &["axum", "rusqlite", "sqlx", "aws-lc-rs"]),
    ("chancery-x509", &["chancery-keys", "chancery-types"], &["axum", "rusqlite", "sqlx", "tokio", "aws-lc-rs"]),
    (
        "chancery-verify",
        &["chancery-keys", "chancery-types", "chancery-x509"],
        &["axum", "rusqlite", "sqlx", "tokio", "aws-lc-rs"],
    ),
    (
        "chancery-core",
        &["chancery-formats", "chancery-keys", "chancery-store", "chancery-types", "chancery-verify", "chancery-x509"],
        &["axum", "rusqlite", "sqlx", "aws-lc-rs"],
    ),
    ("chancery-server", &["chancery-core", "chancery-types"], &["rusqlite", "sqlx", "aws-lc-rs"]),
    ("chancery-client", &["chancery-formats", "chancery-types"], &["axum", "rusqlite", "sqlx"]),
    (
        "chancery",
        &["chancery-client", "chancery-core", "chancery-server", "chancery-types", "chancery-verify", "chancery-x509"],
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

pub(super) fn check() -> Result<Vec<String>> {
    let metadata = sh::output(sh::cargo().args(["metadata", "--format-version=1", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let mut complaints = Vec::new();
    for package in array(&metadata, "packages") {
        let name = text(package, "name");
        let used = array(package, "dependencies").filter(|dependency| dependency["kind"].is_null());
        complaints.extend(check_package(name, used.map(|dependency| text(dependency, "name"))));
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
}
