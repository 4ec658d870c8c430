//! Schemathesis, which we did not write, against the OpenAPI document: generated calls of every operation, valid and
//! invalid, meet no server error, no undocumented status, no answer beside its schema, no method that is taken for
//! another, and nothing that is open to nobody; and every operation succeeds at least once. The Python files beside this
//! one log in and know one good call of each.

use std::{collections::BTreeSet, env, fs};

use chancery_testkit::{Tool, temp_dir};

use crate::{process::Demo, relay::Relay};

/// Cases that are generated for each operation, besides the systematic ones at the limits of each schema. By hand more
/// are better: `SCHEMATHESIS_EXAMPLES=200 cargo test -p chancery --test it schemathesis`.
const EXAMPLES: &str = "10";

/// A body that fits its schema may still break a rule of the object, which no schema can say.
const CHECK_LEFT_OUT: &str = "positive_data_acceptance";

/// What ends sessions or takes away what other calls need.
const ENDS_SOMETHING: &[&str] = &["path-regex=/(logout|lock|password|settings)$", "method=DELETE"];

/// What succeeds with a person's browser alone, and a provider or a passkey.
const TAKES_A_BROWSER: [&str; 8] = [
    "POST /home/v1/login/oidc",
    "GET /home/v1/login/oidc/callback",
    "POST /home/v1/login/passkey",
    "POST /api/v2/identities/{uuid}/passkeys/begin",
    "POST /api/v2/identities/{uuid}/passkeys",
    "PATCH /api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
    "DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
    "POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm",
];

const HOOKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/schemathesis/hooks.py");

#[test]
fn every_operation_does_as_the_document_says() {
    let answers = generated_calls("exclude") + &generated_calls("include");
    let answers: BTreeSet<_> = answers.lines().filter_map(|line| line.rsplit_once(' ')).collect();
    let failed: Vec<_> = answers.iter().filter(|(_, status)| status.starts_with('5')).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let succeeded: BTreeSet<_> =
        answers.iter().filter(|(_, status)| status.starts_with('2')).map(|(operation, _)| *operation).collect();
    let operations = operations();
    let is_missing =
        |operation: &&String| !succeeded.contains(operation.as_str()) && !TAKES_A_BROWSER.contains(&operation.as_str());
    let never: Vec<_> = operations.iter().filter(is_missing).collect();
    assert!(never.is_empty(), "never succeeded: {never:?}");
}

/// Calls a new installation, excluding or including only what ends something. Every answer is a line:
/// `METHOD path status`.
fn generated_calls(filter: &str) -> String {
    let folder = temp_dir();
    let answers = folder.path().join("answers");
    let relay = Relay::listen(folder.path());
    let limits = ["--limit", "notice-targets-max=10000", "--limit", "mailbox-codes-per-hour=10000"].map(str::to_owned);
    let arguments: Vec<_> = limits.iter().chain(&relay.arguments()).cloned().collect();
    let demo = Demo::start_made(folder.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let _passed = Tool::new("schemathesis")
        .folder(folder.path())
        .env("SCHEMATHESIS_HOOKS", HOOKS)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CHANCERY_QUICKSTART", folder.path().join("data/quickstart.json"))
        .env("CHANCERY_ANSWERS", &answers)
        .env("CHANCERY_MAILS", relay.folder())
        .args(["run", &format!("{}/openapi.json", demo.text("/base")), "--tls-verify", demo.text("/caFile")])
        .args(["--phases", "examples,coverage,fuzzing", "--generation-deterministic", "--workers", "1"])
        .args(["--max-examples", &env::var("SCHEMATHESIS_EXAMPLES").unwrap_or_else(|_| EXAMPLES.to_owned())])
        .args(["--exclude-checks", CHECK_LEFT_OUT, "--continue-on-failure", "--no-color"])
        .args(ENDS_SOMETHING.iter().map(|what| format!("--{filter}-{what}")))
        .run();
    assert!(demo.server.stop().success());
    fs::read_to_string(answers).unwrap()
}

/// `METHOD path` of every operation of the document but that which answers the document itself: Schemathesis reads it
/// and then leaves it alone.
fn operations() -> Vec<String> {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let others = paths.iter().filter(|(path, _)| *path != "/openapi.json");
    let operations = others.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys();
        methods.map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    operations.collect()
}
