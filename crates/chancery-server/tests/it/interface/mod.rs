//! docs/INTERFACE.md against the server: every example is sent in the order of the document, to one new installation,
//! and every operation of the OpenAPI document has an example.

mod example;
mod pattern;
mod recorded;

use std::collections::BTreeSet;

use axum::{body::Body, http::Request};
use base64::{Engine, prelude::BASE64_STANDARD};
use chancery_core::Host;
use chancery_keys::Totp;
use chancery_types::{
    Action,
    wire::system::{AuditRetention, PatchSettings},
};
use serde_json::Value;

use self::{
    example::{Answer, Example, examples},
    pattern::{Variables, compare, compare_text, fill},
    recorded::Recorded,
};
use crate::{
    app::{PASSWORD, Setup, TestApp, until},
    audit_catalogue,
    authenticator::{Authenticator, authenticator},
    client::Reply,
    people::{CALLBACK, Fake, ORIGIN},
    second_factor::from_base32,
    signing::statement_digest,
};

const DOCUMENT: &str = include_str!("../../../../../docs/INTERFACE.md");

/// What no example leaves in the audit: refusals, what is done on the host, and what takes time or harm.
const RECORDED_ELSEWHERE: &[&str] = &[
    "SettingsRead",
    "RoleRead",
    "IdentityRead",
    "IdentityRecover",
    "ApiKeyRead",
    "ApiKeyExpiry",
    "IdentityProviderRead",
    "IdentityBindingRead",
    "PasskeyRead",
    "AuditRead",
    "AccessRead",
    "ServerStart",
    "ServerStop",
    "ClockJump",
    "Backup",
    // It is in the archive that the examples have.
    "Provision",
    "RowsAuthenticate",
    "RowRefuse",
    "KeyRead",
    "TokenProfileRead",
    "TokenProfilePreview",
    "PartialDetokenize",
    "CertificateExpiry",
    "SigningPolicyCreate",
    "SigningPolicyRead",
    "SigningRequestRead",
    "ProposalRead",
    "ProposalFail",
    "SigningRequestExpire",
    "ProposalExpire",
    "NoticeTargetRead",
    "MailboxRead",
    "NoticeGiveUp",
    "AuditTargetRead",
    "AuditTargetFail",
    "AuditTargetResume",
    "JournalMiss",
    "JournalFail",
    "JournalResume",
    "LedgerFail",
    "LedgerResume",
    "AuditArchiveRemove",
    "JournalRemove",
    "WitnessFail",
    "WitnessResume",
    "BudgetWarn",
    "DetokenizeGrantRead",
];

#[tokio::test]
async fn every_example_is_answered_as_documented() {
    let (providers, public_origin) = (Some(Fake::new() as _), Some(ORIGIN.to_owned()));
    let app = TestApp::with(Setup { providers, public_origin, ..Setup::default() }).await;
    archive_what_was(&app).await;
    let mut variables = Variables::new();
    for name in ["admin1Password", "admin2Password"] {
        variables.insert(name.to_owned(), BASE64_STANDARD.encode(PASSWORD));
    }
    let (mut faults, mut recorded, mut passkey) = (Vec::new(), Recorded::new(), authenticator());
    for example in examples(DOCUMENT) {
        if example.path.starts_with("/log/tile/") {
            let has_some = async || app.nobody().get("/log/checkpoint").await.text().lines().nth(1) != Some("0");
            until("the log has something", has_some).await;
        }
        if example.path == "/readyz" {
            app.ready().await;
        }
        if example.body.contains("{statement}") {
            let sent: Value = serde_json::from_str(&fill(&example.body, &variables)).unwrap();
            let client = app.nobody().with_bearer(&variables["token"]);
            let uuids: Vec<_> = sent["uuids"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let digest = statement_digest(&client, sent["decision"].as_str().unwrap(), &uuids).await;
            variables.insert("statement".to_owned(), digest);
        }
        if let Some(code) = app.relay.last_code() {
            variables.insert("mailedCode".to_owned(), code);
        }
        if let Some(secret) = variables.get("totpSecret").filter(|_| example.body.contains("{totp")) {
            let totp = Totp::new(&from_base32(secret));
            for (name, distance) in [("totpBefore", -1), ("totpNow", 0), ("totpAfter", 1)] {
                let code = totp.code(Totp::step_at(app.clock.now_ms()) + distance);
                variables.insert(name.to_owned(), String::from_utf8(code.to_vec()).unwrap());
            }
        }
        answer_as_browser(&mut passkey, &example.body, &mut variables);
        let (path, body) = (fill(&example.path, &variables), fill(&example.body, &variables));
        let reply = app.nobody().call(request(&example, &variables)).await;
        if example.answer.status == 200 {
            recorded.add(&example.method, &path, &body, &reply.json);
        }
        if let Err(fault) = check(&example.answer, &reply, &mut variables) {
            let Example { line, method, path, .. } = &example;
            faults.push(format!("line {line}: {method} {path}: {fault}\n    {}", reply.text()));
        }
    }
    assert!(faults.is_empty(), "docs/INTERFACE.md disagrees with the server:\n{}", faults.join("\n"));
    recorded.end();
    check_records(app).await;
}

/// Lets the first records become so old that they need not be at hand.
async fn archive_what_was(app: &TestApp) {
    let host = Host::running("test");
    let keep = async |at_hand_days| {
        let retention = AuditRetention { at_hand_days, ..AuditRetention::default() };
        let patch = PatchSettings { audit_retention: Some(retention), ..PatchSettings::default() };
        app.chancery.change_host_settings(&host, patch).await.unwrap();
        app.chancery.audit.keep_archives_now(&host).await.unwrap()
    };
    keep(Some(92)).await;
    let _logins = app.admin().await;
    let days_ms = 94 * 86_400_000;
    app.clock.advance_ms(days_ms);
    assert_eq!(keep(Some(92)).await.made, 1);
    keep(None).await;
    // Tokens of providers that the examples have were made for that time.
    app.clock.advance_ms(-days_ms);
}

/// What a browser would answer, for the bodies that have it.
fn answer_as_browser(passkey: &mut Authenticator, body: &str, variables: &mut Variables) {
    let asked = |name: &str, variables: &Variables| serde_json::json!({"challenge": variables[name]});
    let answered = if body.contains("{attestationObject}") {
        passkey.create(&asked("creationChallenge", variables))
    } else if body.contains("{assertion}") {
        passkey.get(&asked("approvalChallenge", variables))
    } else if body.contains("{loginSignature}") {
        passkey.get(&asked("loginChallenge", variables))
    } else {
        return;
    };
    variables.insert("credentialId".to_owned(), passkey.id());
    let is_login = body.contains("{loginSignature}");
    let (data, signature) = if is_login { ("loginData", "loginSignature") } else { ("authenticatorData", "assertion") };
    for (name, member) in
        [("attestationObject", "attestationObject"), (data, "authenticatorData"), (signature, "signature")]
    {
        if let Some(text) = answered["response"][member].as_str() {
            variables.insert(name.to_owned(), text.to_owned());
        }
    }
    let client_data = answered["response"]["clientDataJSON"].as_str().unwrap().to_owned();
    let name = match body {
        body if body.contains("{assertion}") => "clientData",
        _ if is_login => "loginClientData",
        _ => "creationClientData",
    };
    variables.insert(name.to_owned(), client_data);
}

/// What the examples left in the audit is as docs/AUDIT.md says, and almost every action is among them.
async fn check_records(app: TestApp) {
    // What is only counted is written down.
    let app = app.restarted().await;
    let auditor = app.admin().await;
    let (mut records, mut page) = (Vec::new(), "/api/v2/audit?pageSize=1000".to_owned());
    loop {
        let answer = auditor.get(&page).await.response().clone();
        records.extend(answer["items"].as_array().unwrap().clone());
        let Some(next) = answer["next"].as_str() else { break };
        page = format!("/api/v2/audit?pageSize=1000&after={next}");
    }
    audit_catalogue::check(&records);
    let seen: BTreeSet<_> = records.iter().map(|record| record["action"].as_str().unwrap()).collect();
    let missing = Action::ALL.iter().map(|action| action.as_str()).filter(|action| !seen.contains(action));
    assert_eq!(missing.collect::<Vec<_>>(), RECORDED_ELSEWHERE);
}

/// A request as documented. Where the document has no Authorization header and no cookie, the administrators' token is
/// sent, so that the document need not repeat it; `Authorization: none` stands for a call without.
fn request(example: &Example, variables: &Variables) -> Request<Body> {
    let mut request = Request::builder().method(example.method.as_str()).uri(fill(&example.path, variables));
    let says_who = |name: &str| ["Authorization", "Cookie"].contains(&name);
    match variables.get("token") {
        Some(token) if !example.headers.iter().any(|(name, _)| says_who(name)) => {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        Some(_) | None => {}
    }
    for (name, value) in example.headers.iter().filter(|(name, value)| !(says_who(name) && value == "none")) {
        request = request.header(name, fill(value, variables));
    }
    request.body(Body::from(fill(&example.body, variables))).unwrap()
}

fn check(expected: &Answer, reply: &Reply, variables: &mut Variables) -> Result<(), String> {
    if reply.status.as_u16() != expected.status {
        return Err(format!("{} was answered, {} is documented", reply.status, expected.status));
    }
    for (name, pattern) in &expected.headers {
        let value = reply.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        compare_text(pattern, value, variables).map_err(|()| format!("{name}: {value:?} instead of {pattern:?}"))?;
    }
    match serde_json::from_str::<Value>(&expected.body) {
        Ok(json) => compare("", &json, &reply.json, variables),
        // Not JSON: a text, or bytes that are only said to be there.
        Err(_) if expected.body == "…" => Ok(()),
        Err(_) => compare_text(expected.body.trim_end(), reply.text().trim_end(), variables)
            .map_err(|()| format!("not {:?}", expected.body)),
    }
}

#[test]
fn every_operation_has_an_example() {
    let documented: Vec<_> = examples(DOCUMENT)
        .into_iter()
        .filter(|example| example.answer.status == 200)
        .map(|example| (example.method, example.path))
        .collect();
    let openapi = serde_json::to_value(chancery_server::openapi()).unwrap();
    let paths = openapi["paths"].as_object().unwrap();
    let is_spelled_out = |example: &str| paths.contains_key(example.split('?').next().unwrap_or_default());
    let mut missing = Vec::new();
    for (path, operations) in paths {
        for method in operations.as_object().unwrap().keys().map(|method| method.to_uppercase()) {
            // A longer path with nothing left open is another operation's: stubs are no uuid.
            let is_of = |example: &str| is_at(example, path) && (!path.contains('{') || !is_spelled_out(example));
            // It succeeds with a provider alone; the document shows a refusal.
            let is_shown =
                path == CALLBACK || documented.iter().any(|(known, example)| *known == method && is_of(example));
            if !is_shown {
                missing.push(format!("{method} {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "docs/INTERFACE.md has no successful example of:\n{}", missing.join("\n"));
}

/// Whether a request's path is one of the path template's: `{…}` in a template stands for one segment, or for the rest
/// of one after a fixed beginning.
fn is_at(example: &str, template: &str) -> bool {
    // The document does not show that this parameter takes slashes too.
    if let Some(beginning) = template.strip_suffix("{tile}") {
        return example.starts_with(beginning);
    }
    let path = example.split('?').next().unwrap_or_default();
    let (path, template): (Vec<_>, Vec<_>) = (path.split('/').collect(), template.split('/').collect());
    path.len() == template.len()
        && path.iter().zip(&template).all(|(segment, of)| match of.split_once('{') {
            Some((beginning, rest)) => {
                let end = rest.split_once('}').map_or("", |(_, end)| end);
                segment.starts_with(beginning) && segment.ends_with(end)
            }
            None => segment == of,
        })
}
