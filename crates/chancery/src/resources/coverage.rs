//! Every operation of docs/openapi.json has a command, or a reason why a person needs none.

use std::collections::BTreeSet;

use serde_json::Value;

use super::table;

/// Those of commands that no table makes.
const BY_HAND: [(&str, &str, &str); 57] = [
    ("GET", "/api/v2/token-profiles/{}/budgets", "rule budgets"),
    ("POST", "/api/v2/token-profiles/{}/grants", "grant request"),
    ("GET", "/api/v2/token-profiles/{}/grants", "grant list"),
    ("GET", "/api/v2/token-profiles/{}/grants/{}", "grant show"),
    ("POST", "/api/v2/token-profiles/{}/grants/{}/revoke", "grant revoke"),
    ("GET", "/api/v2/activity", "activity"),
    ("POST", "/api/v2/audit/journal/search", "audit who"),
    ("GET", "/api/v2/whoami", "whoami"),
    ("POST", "/home/v1/login", "login"),
    ("GET", "/home/v1/login", "a browser asks; whoami asks /api/v2/whoami"),
    ("GET", "/home/v1/login/token", "login"),
    ("POST", "/home/v1/login/exchange", "login --oidc-token"),
    ("POST", "/home/v1/login/password", "password"),
    ("POST", "/home/v1/login/totp", "totp enrol"),
    ("POST", "/home/v1/login/totp/confirm", "totp confirm"),
    ("POST", "/home/v1/login/totp/remove", "totp remove"),
    ("POST", "/home/v1/logout", "logout"),
    ("GET", "/healthz", "status"),
    ("POST", "/api/v2/x509/signing-requests", "sign"),
    ("POST", "/api/v2/x509/signing-requests/{}/approve", "approve"),
    ("POST", "/api/v2/x509/signing-requests/{}/deny", "deny"),
    ("POST", "/api/v2/token-profiles/{}/tokenize", "tokenize"),
    ("POST", "/api/v2/token-profiles/{}/batch-tokenize", "tokenize"),
    ("POST", "/api/v2/token-profiles/{}/detokenize", "detokenize"),
    ("POST", "/api/v2/token-profiles/{}/batch-detokenize", "detokenize"),
    ("POST", "/api/v2/token-profiles/{}/rewrap", "rewrap"),
    ("POST", "/api/v2/token-profiles/{}/tokenized", "token exists"),
    ("POST", "/api/v2/token-profiles/{}/tokens/read", "token show"),
    ("POST", "/api/v2/token-profiles/{}/tokens/delete", "token delete"),
    ("POST", "/api/v2/token-profiles/{}/track-tokenize", "track tokenize"),
    ("POST", "/api/v2/token-profiles/{}/track-detokenize", "track detokenize"),
    ("PATCH", "/api/v2/token-profiles/{}/permissions", "rule"),
    ("POST", "/api/v2/x509/requests", "cert request"),
    ("POST", "/api/v2/x509/{}/renew", "cert renew"),
    ("GET", "/api/v2/identities/{}/api-keys", "identity api-key list"),
    ("POST", "/api/v2/identities/{}/api-keys", "identity api-key create"),
    ("PATCH", "/api/v2/identities/{}/api-keys/{}", "identity api-key change"),
    ("POST", "/api/v2/identities/{}/api-keys/{}/rotate", "identity api-key rotate"),
    ("DELETE", "/api/v2/identities/{}/api-keys/{}", "identity api-key delete"),
    ("GET", "/api/v2/identities/{}/mailbox", "mailbox show"),
    ("PUT", "/api/v2/identities/{}/mailbox", "mailbox set"),
    ("DELETE", "/api/v2/identities/{}/mailbox", "mailbox remove"),
    ("POST", "/api/v2/identities/{}/mailbox/confirm", "mailbox confirm"),
    ("GET", "/api/v2/identities/{}/passkeys", "passkey list"),
    ("PATCH", "/api/v2/identities/{}/passkeys/{}", "passkey rename"),
    ("DELETE", "/api/v2/identities/{}/passkeys/{}", "passkey delete"),
    ("POST", "/api/v2/identities/{}/passkeys/{}/confirm", "passkey confirm"),
    ("GET", "/log/checkpoint", "log watch"),
    ("GET", "/log/vkey", "log watch"),
    ("GET", "/log/tile/{}", "log watch"),
    ("GET", "/crl/{}", "ca crl has it from the inventory"),
    ("GET", "/ca/{}", "ca download has it from the inventory"),
    ("GET", "/api/v2/x509/services/{}/signing-policies", "service show and policy list have them"),
    ("POST", "/api/v2/x509/signing-requests/batch-approve-deny", "approve and deny take several, each as it is shown"),
    ("POST", "/api/v2/x509/proposals/batch-approve-deny", "proposal approve: each is looked at"),
    ("POST", "/api/v2/x509/requests/{}/approve", "proposal approve does the same"),
    ("GET", "/readyz", "what balances load asks"),
];

/// What is asked by programs in protocols of their own, or by browsers.
const NOT_FOR_COMMANDS: [(&str, &str); 16] = [
    ("GET", "/docs"),
    ("GET", "/docs/interface.md"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/home/v1/login/oidc"),
    ("POST", "/home/v1/login/oidc"),
    ("GET", "/home/v1/login/oidc/callback"),
    ("POST", "/home/v1/login/passkey"),
    ("POST", "/api/v2/identities/{}/passkeys"),
    ("POST", "/api/v2/identities/{}/passkeys/begin"),
    ("GET", "/api/v2/x509/signing-requests/{}/approval-statement"),
    ("GET", "/api/v2/x509/proposals/{}/approval-statement"),
    ("GET", "/ocsp/{}"),
    ("POST", "/ocsp"),
    ("POST", "/tsa"),
    ("POST", "/tsa/{}"),
];

/// A path without the names of its members.
fn shape(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[test]
fn every_operation_of_the_document_has_a_command_or_a_reason() {
    let document: Value = serde_json::from_str(include_str!("../../../../docs/openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let described = paths.iter().flat_map(|(path, operations)| {
        let methods = operations.as_object().unwrap().keys().filter(|key| *key != "parameters");
        methods.map(|method| (method.to_uppercase(), shape(path)))
    });
    let described: BTreeSet<_> = described.collect();
    let of_table = table::all().flat_map(|resource| {
        let lists = resource.list.iter().map(|list| (list.method, list.path));
        let items = resource.item.iter().map(|path| ("GET", *path));
        lists.chain(items).chain(resource.verbs.iter().map(|verb| (verb.method, verb.path)))
    });
    let by_hand = BY_HAND.map(|(method, path, _)| (method, path));
    let all = of_table.chain(by_hand).chain(NOT_FOR_COMMANDS);
    let covered: BTreeSet<_> = all.map(|(method, path)| (method.to_owned(), shape(path))).collect();
    let missing: Vec<_> = described.difference(&covered).collect();
    let unknown: Vec<_> = covered.difference(&described).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "without a command: {missing:#?}, unknown: {unknown:#?}");
}

/// Whoever is told which flags are needed is told of all of them.
#[test]
fn flags_that_are_needed_are_what_the_document_requires() {
    let document: Value = serde_json::from_str(include_str!("../../../../docs/openapi.json")).unwrap();
    for verb in table::all().flat_map(|resource| resource.verbs).filter(|verb| !verb.needs.is_empty()) {
        let at: Vec<_> =
            verb.needs.iter().map(|flag| verb.members.iter().find(|one| one.flag == *flag).unwrap().at).collect();
        let body = &document["paths"][verb.path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let schema = body["$ref"].as_str().unwrap().trim_start_matches('#');
        for member in document.pointer(schema).unwrap()["required"].as_array().unwrap() {
            let pointer = format!("/{}", member.as_str().unwrap());
            let is_fixed = verb.fixed.iter().any(|(fixed, _)| *fixed == pointer);
            assert!(is_fixed || at.iter().any(|at| at.starts_with(&pointer)), "{}: {pointer}", verb.path);
        }
    }
}
