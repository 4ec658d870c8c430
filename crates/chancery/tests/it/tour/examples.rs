//! The examples of the Rust client's README, as an application makes their calls.

use std::fs;

use chancery_client::{AsyncClient, Client};
use chancery_testkit::temp_dir;
use chancery_types::wire::token_profiles::PatchPermissions;
use serde_json::json;
use tokio::runtime::Runtime;

use super::typed;
use crate::process::Demo;

#[path = "../../../../chancery-client/examples/awaited.rs"]
#[expect(dead_code, reason = "its main reads arguments")]
mod awaited;
#[path = "../../../../chancery-client/examples/blocking.rs"]
#[expect(dead_code, reason = "its main reads arguments")]
mod blocking;

/// An application that may tokenize with the demonstration's profile and see its services.
fn api_key(demo: &Demo) -> String {
    let admins = demo.client();
    let role = json!({"name": "Readers", "loginsRequired": 1, "perms": ["Signing:Submit"]});
    let role = admins.create_role(&typed(&role)).unwrap().uuid;
    let profile = demo.text("/demo/tokenProfileUuid").parse().unwrap();
    let mut rules = PatchPermissions { control_rules: admins.token_profile(profile).unwrap().control_rules };
    rules.control_rules.push(typed(&json!({"roleUuid": role, "operation": "Tokenize"})));
    let _changed = admins.change_control_rules(profile, &rules).unwrap();
    let made = admins.create_identity(&typed(&json!({"name": "reader", "kind": "Application", "roleUuids": [role]})));
    made.unwrap().api_key.unwrap()
}

#[test]
fn the_readmes_examples_run() {
    let readme = include_str!("../../../../chancery-client/README.md");
    for example in [
        include_str!("../../../../chancery-client/examples/blocking.rs"),
        include_str!("../../../../chancery-client/examples/awaited.rs"),
    ] {
        assert!(readme.contains(&format!("```rust\n{example}```\n")), "README.md lacks {example}");
    }
    let folder = temp_dir();
    let demo = Demo::start_made(folder.path(), &[]);
    let key = api_key(&demo);
    let client = || Client::new(demo.text("/base"), &fs::read(demo.text("/caFile")).unwrap()).unwrap();
    let cards = ["4111111111111111", "5555555555554444"].map(str::to_owned);
    let tokens = blocking::tokens(&client(), &key, "demo cards", &cards).unwrap();
    assert!(tokens.len() == 2 && tokens[0].len() == 16 && tokens[0] != cards[0], "{tokens:?}");
    assert!(blocking::tokens(&client(), &key, "no such", &cards).is_err());
    let services = Runtime::new().unwrap().block_on(awaited::services(&AsyncClient::new(client()), key)).unwrap();
    assert!(services.iter().any(|name| name == "demo releases"), "{services:?}");
}
