//! Workloads at the program under test, with tokens of a provider that is not ours: the keys are fetched as the settings say,
//! and the command line exchanges a token.

use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_client::Client;
use chancery_testkit::{IdentityProvider, Ran, Tool, temp_dir};
use chancery_types::wire::identity_providers::{CreateIdentityBinding, CreateIdentityProvider};
use serde_json::json;

use crate::process::{Demo, PROGRAM};

const AUDIENCE: &str = "https://kms.example.org";

fn trust(client: &Client, name: &str, issuer: &str) -> chancery_types::IdentityProviderId {
    let described = json!({"name": name, "issuer": issuer, "audiences": [AUDIENCE]});
    let described: CreateIdentityProvider = serde_json::from_value(described).unwrap();
    client.create_identity_provider(&described).unwrap().obj_info.uuid
}

/// A demonstration that trusts the provider, whose `workload-1` is the application `ci`.
fn demo(folder: &Path, provider: &IdentityProvider, arguments: &[&str]) -> Demo {
    let authority = provider.authority().display().to_string();
    let demo = Demo::start_made(
        folder,
        &[&["--provider-ca", &authority, "--limit", "provider-wait-max=60"], arguments].concat(),
    );
    let client = demo.client();
    let provider = trust(&client, "ours", &provider.issuer());
    let role = json!({"name": "builders", "loginsRequired": 1, "perms": ["Signing:Submit"]});
    let role = client.create_role(&serde_json::from_value(role).unwrap()).unwrap().uuid;
    let ci = json!({"name": "ci", "kind": "Application", "roleUuids": [role]});
    let ci = client.create_identity(&serde_json::from_value(ci).unwrap()).unwrap().uuid;
    let asks = json!({"name": "app", "identityUuid": ci, "providerUuid": provider, "subject": "workload-1",
        "claims": {"ref": "main"}});
    let asks: CreateIdentityBinding = serde_json::from_value(asks).unwrap();
    client.create_identity_binding(&asks).unwrap();
    demo
}

fn run(demo: &Demo, folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let program = Tool::new(PROGRAM).env("XDG_CONFIG_HOME", folder.join("config")).args(arguments).input(input);
    program.args(["--server", demo.text("/base"), "--ca", demo.text("/caFile")]).try_run()
}

#[test]
fn a_workload_logs_in_by_its_token_once() {
    let folder = temp_dir();
    let provider = IdentityProvider::start(folder.path(), "one");
    let demo = demo(folder.path(), &provider, &["--provider-networks", "127.0.0.1", "--log-level", "info"]);
    let token = || provider.token("workload-1", AUDIENCE, &[r#"x-claims: {"ref": "main"}"#]);
    let first = token();
    let said = run(&demo, folder.path(), &["login", "--oidc-token", "-"], &format!("{first}\n"));
    assert!(said.status.success() && said.text().contains("as an application"), "{}{}", said.text(), said.stderr);
    let said = run(&demo, folder.path(), &["whoami"], "");
    assert!(said.status.success() && said.text().contains("ci"), "{}{}", said.text(), said.stderr);
    let said = run(&demo, folder.path(), &["status"], "");
    assert!(said.status.success() && said.text().contains("logged in"), "{}{}", said.text(), said.stderr);
    let said = run(&demo, folder.path(), &["login", "--oidc-token", &token()], "");
    assert_eq!(said.status.code(), Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("takes the FILE") && !said.stderr.contains("eyJ"), "{}", said.stderr);
    let file = folder.path().join("token");
    fs::write(&file, &first).unwrap();
    let again = ["login", "--oidc-token", file.to_str().unwrap()];
    let said = run(&demo, folder.path(), &again, "");
    assert!(!said.status.success() && said.stderr.contains("taken before"), "{}", said.stderr);
    assert!(!said.stderr.contains(&first), "the token is in no message");
    fs::write(&file, token()).unwrap();
    let servers = folder.path().join("config/chancery/servers");
    fs::copy(servers.join("default.json"), servers.join("copied.json")).unwrap();
    let copied = ["whoami", "--server-profile", "copied"];
    assert!(run(&demo, folder.path(), &copied, "").status.success());
    let again = [&again[..], &["--server-profile", "default"]].concat();
    let said = run(&demo, folder.path(), &again, "");
    assert!(said.status.success(), "{}", said.stderr);
    assert_eq!(run(&demo, folder.path(), &copied, "").status.code(), Some(3), "what was replaced is ended");
    let said = run(&demo, folder.path(), &["login", "--oidc-token", "-"], "\n");
    assert!(!said.status.success() && said.stderr.contains("it is empty"), "{}", said.stderr);
    assert!(demo.server.logs("why=\"Replayed\""), "{}", demo.server.log());
    assert!(!demo.server.log().contains(&first), "nor in the log");
}

#[test]
fn keys_come_from_no_private_address() {
    let folder = temp_dir();
    let provider = IdentityProvider::start(folder.path(), "one");
    let demo = demo(folder.path(), &provider, &[]);
    let token = provider.token("workload-1", AUDIENCE, &[r#"x-claims: {"ref": "main"}"#]);
    let said = run(&demo, folder.path(), &["login", "--oidc-token", "-"], &token);
    assert!(!said.status.success(), "{}", said.text());
    let why = "no public address; --provider-networks would have to list it";
    assert!(demo.server.logs(why), "{}", demo.server.log());
    assert!(provider.requests().iter().all(|request| !request.starts_with("GET ")), "{:?}", provider.requests());
}

#[test]
fn keys_come_by_no_redirect_and_from_no_other_issuer() {
    let folder = temp_dir();
    let provider = IdentityProvider::start(folder.path(), "one");
    let demo = demo(folder.path(), &provider, &["--provider-networks", "127.0.0.1"]);
    let client = demo.client();
    // Its document, wherever it is read, is of the issuer without a path.
    for (path, why) in [("/elsewhere/x", "status 302"), ("/", "is of another issuer")] {
        let issuer = format!("{}{path}", provider.issuer());
        trust(&client, path, &issuer);
        let part = |part: serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let token =
            format!("{}.{}.AAAA", part(json!({"alg": "RS256", "kid": "one-RS256"})), part(json!({"iss": issuer})));
        let said = run(&demo, folder.path(), &["login", "--oidc-token", "-"], &token);
        assert!(!said.status.success(), "{}", said.text());
        assert!(demo.server.logs(why), "{path}: {}", demo.server.log());
    }
    assert!(provider.requests().iter().all(|request| request != "GET /jwks"), "{:?}", provider.requests());
}
