//! SLSA provenance of submissions. Envelopes are made by the library of DSSE's own authors.

use chancery_testkit::Tool;
use chancery_types::Base64;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    journeys::embedded::programs,
    signing::{REQUESTS, RSA_3072, Service, Signing, submission},
};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/provenance.py");
const IN_TOTO: &str = "application/vnd.in-toto+json";
const BUILDER: &str = "https://builder.example.org/release@v1";
const COMMIT: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567";

/// A public key in PEM, and an envelope in base64.
type Signed = (Value, Value);

/// A statement under a new key of this kind.
fn sign(kind: &str, payload_type: &str, statement: &Value) -> Signed {
    let tool = Tool::new("python").args([SCRIPT, kind, payload_type]).input(statement.to_string());
    let mut signed: Value = serde_json::from_slice(&tool.run().stdout).unwrap();
    (signed["key"].take(), signed["envelope"].take())
}

/// SLSA provenance v1 of a file with these digests.
fn statement(digest: &Value) -> Value {
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "another file", "digest": {"sha256": "00"}}, {"name": "release", "digest": digest}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://builder.example.org/types/1",
                "externalParameters": {"tag": "v7"},
                "resolvedDependencies": [{
                    "uri": "git+https://git.example.org/product", "name": "product", "digest": {"gitCommit": COMMIT},
                }],
            },
            "runDetails": {
                "builder": {"id": BUILDER},
                "metadata": {"invocationId": "run 7", "startedOn": "2026-06-21T11:00:00Z"},
            },
        },
    })
}

fn digest_of(payload: &[u8], with: &str) -> String {
    let ran = Tool::new("openssl").args(["dgst", "-r", with]).input(payload).run();
    ran.text().split(' ').next().unwrap().to_owned()
}

fn sha256(payload: &[u8]) -> Value {
    json!({"sha256": digest_of(payload, "-sha256")})
}

/// Sets the rules of a service's policy.
async fn rule(signing: &Signing, service: &Service, rules: Value) {
    let path = format!("/api/v2/x509/signing-policies/{}", service.policy);
    signing.admin.patch(&path, json!({"rules": rules})).await.response();
}

/// A service that takes provenance of an issuer with this key.
async fn issuing(signing: &Signing, name: &str, key: &Value, required: bool) -> Service {
    let service = signing.deploy(name, 0).await;
    let issuers = json!([{"name": "CI", "publicKey": key, "builderIds": [BUILDER]}]);
    rule(signing, &service, json!({"provenanceIssuers": issuers, "provenanceRequired": required})).await;
    service
}

fn with_provenance(service: &Service, payload: &[u8], envelope: &Value) -> Value {
    let mut body = submission(service, payload);
    body["provenance"] = envelope.clone();
    body
}

#[tokio::test]
async fn provenance_of_every_kind_of_key_is_verified_and_shown() {
    let signing = Signing::new().await;
    for kind in ["ed25519", "P-256", "P-384", "RSA"] {
        let (key, envelope) = sign(kind, IN_TOTO, &statement(&sha256(b"payload")));
        let service = issuing(&signing, kind, &key, true).await;
        let reply = signing.admin.post(REQUESTS, with_provenance(&service, b"payload", &envelope)).await;
        let uuid = reply.response()["uuid"].as_str().unwrap().to_owned();
        let detail = signing.read(&uuid).await;
        let key = Tool::new("openssl").args(["pkey", "-pubin", "-outform", "DER"]).input(key.as_str().unwrap()).run();
        let envelope_bytes = Base64::decode(envelope.as_str().unwrap()).unwrap().0;
        let expected = json!({
            "issuer": "CI", "issuerKeySha256": digest_of(&key.stdout, "-sha256"),
            "predicateType": "https://slsa.dev/provenance/v1", "builderId": BUILDER,
            "buildType": "https://builder.example.org/types/1", "invocationId": "run 7",
            "startedOn": "2026-06-21T11:00:00Z",
            "sources": [{
                "name": "product", "uri": "git+https://git.example.org/product", "digest": {"gitCommit": COMMIT},
            }],
            "sourcesTotal": 1, "envelopeSha256": digest_of(&envelope_bytes, "-sha256"),
        });
        assert_eq!((&detail["provenance"], &detail["provenanceEnvelope"]), (&expected, &Value::Null), "{kind}");
        let whole = signing.admin.get(&format!("{REQUESTS}/{uuid}?include=provenance")).await;
        assert_eq!(whole.response()["provenanceEnvelope"], envelope);
        let audit = signing.admin.get("/api/v2/audit?pageSize=1&action=SigningRequestSubmit").await;
        assert_eq!(audit.response()["items"][0]["detail"]["provenance"], expected);
    }
}

#[tokio::test]
async fn provenance_of_version_0_2_of_a_manifest_names_every_file() {
    let signing = Signing::new().await;
    let files = [b"one".as_slice(), b"two"];
    let subject = files.map(|file| json!({"name": "x", "digest": sha256(file)}));
    let old = json!({
        "_type": "https://in-toto.io/Statement/v0.1", "subject": subject,
        "predicateType": "https://slsa.dev/provenance/v0.2",
        "predicate": {
            "builder": {"id": BUILDER}, "buildType": "make",
            "invocation": {"configSource": {"uri": "git+https://x", "digest": {"sha1": COMMIT}, "entryPoint": "ci"}},
            "metadata": {"buildInvocationId": "8", "buildFinishedOn": "2026-06-21T11:30:00Z"},
            "materials": [{"uri": "git+https://x", "digest": {"sha1": COMMIT}}, {"uri": "pkg:y"}],
        },
    });
    let (key, envelope) = sign("ed25519", IN_TOTO, &old);
    let service = issuing(&signing, "old", &key, true).await;
    let item = |file: &[u8]| json!({"name": digest_of(file, "-sha256"), "digest": Base64::encode(&hex::decode(digest_of(file, "-sha256")).unwrap())});
    let mut body = with_provenance(&service, b"", &envelope);
    body.as_object_mut().unwrap().remove("uploadData");
    body["items"] = files.map(item).into_iter().collect();
    let reply = signing.admin.post(REQUESTS, body.clone()).await;
    let shown = signing.read(reply.response()["uuid"].as_str().unwrap()).await["provenance"].take();
    let told = [&shown["buildType"], &shown["invocationId"], &shown["finishedOn"], &shown["sources"][1]["uri"]];
    assert_eq!(told, ["make", "8", "2026-06-21T11:30:00Z", "pkg:y"]);
    assert_eq!(shown["sourcesTotal"], 2);
    body["items"].as_array_mut().unwrap().push(item(b"three"));
    signing.admin.post(REQUESTS, body).await.refused(400, "InvalidValue", Some("/provenance"));
}

#[tokio::test]
async fn provenance_that_does_not_count_is_refused() {
    let signing = Signing::new().await;
    let good = statement(&sha256(b"payload"));
    let (key, envelope) = sign("ed25519", IN_TOTO, &good);
    let service = issuing(&signing, "builds", &key, true).await;
    // The policy knows only the first key; its key signs the others too.
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut opened: Value = serde_json::from_slice(&Base64::decode(envelope.as_str().unwrap()).unwrap().0).unwrap();
        change(&mut opened);
        json!(Base64::encode(opened.to_string().as_bytes()))
    };
    let other = |payload: &[u8]| json!(Base64::encode(statement(&sha256(payload)).to_string().as_bytes()));
    let many = changed(&|opened| opened["signatures"] = vec![json!({"sig": "AA=="}); 17].into());
    let refused = [
        ("by another key", sign("ed25519", IN_TOTO, &good).1, "a named issuer's key"),
        ("changed afterwards", changed(&|opened| opened["payload"] = other(b"another")), "a named issuer's key"),
        ("without signatures", changed(&|opened| opened["signatures"] = json!([])), "a named issuer's key"),
        ("of another type", changed(&|opened| opened["payloadType"] = json!("text/plain")), "payloadType"),
        ("with many signatures", many, "16 signatures"),
        ("no envelope", json!(Base64::encode(b"{}")), "not a DSSE envelope"),
        ("no JSON", json!(Base64::encode(b"\xff")), "not a DSSE envelope"),
        ("nothing", json!(""), "not a DSSE envelope"),
    ];
    for (what, envelope, why) in refused {
        let reply = signing.admin.post(REQUESTS, with_provenance(&service, b"payload", &envelope)).await;
        reply.refused(400, "InvalidValue", Some("/provenance"));
        assert!(reply.text().contains(why), "{what}: {}", reply.text());
    }
    let another = signing.admin.post(REQUESTS, with_provenance(&service, b"another", &envelope)).await;
    another.refused(400, "InvalidValue", Some("/provenance"));
    assert!(another.text().contains("none of its subjects"), "{}", another.text());
    let none = signing.admin.post(REQUESTS, submission(&service, b"payload")).await;
    none.refused(400, "InvalidValue", Some("/provenance"));
    let large = json!(Base64::encode(&vec![b' '; (1 << 20) + 1]));
    let reply = signing.admin.post(REQUESTS, with_provenance(&service, b"payload", &large)).await;
    reply.refused(413, "LimitExceeded", Some("/provenance"));
    let unnamed = signing.deploy("unnamed", 0).await;
    let reply = signing.admin.post(REQUESTS, with_provenance(&unnamed, b"payload", &envelope)).await;
    reply.refused(400, "InvalidValue", Some("/provenance"));
}

#[tokio::test]
async fn what_a_statement_says_is_looked_at_too() {
    let signing = Signing::new().await;
    let with = |change: &dyn Fn(&mut Value)| {
        let mut statement = statement(&sha256(b"payload"));
        change(&mut statement);
        statement
    };
    let builder = "/predicate/runDetails/builder/id";
    let statements = [
        (
            with(&|one| *one.pointer_mut(builder).unwrap() = json!("https://elsewhere.example.org")),
            "its builder does not count",
        ),
        (with(&|one| one["predicateType"] = json!("https://spdx.dev/Document")), "predicateType"),
        (with(&|one| one["_type"] = json!("https://in-toto.io/Statement/v9")), "_type"),
        (with(&|one| one["predicate"]["buildDefinition"] = json!({})), "buildType"),
        (with(&|one| one["subject"] = json!([])), "none of its subjects"),
        (with(&|one| one["predicate"]["runDetails"]["metadata"]["invocationId"] = json!("\u{202e}7")), "direction"),
        (json!([]), "not an in-toto statement"),
    ];
    let tries = statements.into_iter().enumerate().map(|(at, (statement, why))| {
        let signing = &signing;
        async move {
            let (key, envelope) = sign("ed25519", IN_TOTO, &statement);
            let service = issuing(signing, &format!("builds {at}"), &key, false).await;
            let reply = signing.admin.post(REQUESTS, with_provenance(&service, b"payload", &envelope)).await;
            reply.refused(400, "InvalidValue", Some("/provenance"));
            assert!(reply.text().contains(why), "{statement}: {}", reply.text());
            // Here it is not demanded.
            signing.admin.post(REQUESTS, submission(&service, b"payload")).await.response();
        }
    });
    join_all(tries).await;
}

#[tokio::test]
async fn a_digest_that_is_not_the_files_proves_nothing() {
    let signing = Signing::new().await;
    let program = &programs()[0];
    let (key, envelope) = sign("P-256", IN_TOTO, &statement(&sha256(program)));
    let service = signing
        .deploy_with("programs", 0, |body| {
            body["pkisigning"]["signingFormat"] = json!("Authenticode");
            body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(RSA_3072);
        })
        .await;
    rule(&signing, &service, json!({"provenanceIssuers": [{"name": "CI", "publicKey": key}]})).await;
    signing.admin.post(REQUESTS, with_provenance(&service, program, &envelope)).await.response();
    let mut by_digest = with_provenance(&service, b"", &envelope);
    by_digest.as_object_mut().unwrap().remove("uploadData");
    by_digest["digest"] = json!(Base64::encode(&hex::decode(digest_of(program, "-sha256")).unwrap()));
    let reply = signing.admin.post(REQUESTS, by_digest).await;
    reply.refused(400, "InvalidValue", Some("/provenance"));
    assert!(reply.text().contains("upload the file"), "{}", reply.text());
}

#[tokio::test]
async fn what_a_policy_says_of_issuers_is_checked() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    let key = sign("ed25519", IN_TOTO, &json!({})).0;
    let one = json!({"name": "CI", "publicKey": key});
    let path = format!("/api/v2/x509/signing-policies/{}", service.policy);
    let cases = [
        (json!({"provenanceRequired": true}), "/rules/provenanceRequired", "InvalidValue"),
        (json!({"provenanceIssuers": vec![one.clone(); 17]}), "/rules/provenanceIssuers", "LimitExceeded"),
        (json!({"provenanceIssuers": [one, one]}), "/rules/provenanceIssuers/1/name", "InvalidValue"),
        (
            json!({"provenanceIssuers": [one, {"name": "the same", "publicKey": key}]}),
            "/rules/provenanceIssuers/1/publicKey",
            "InvalidValue",
        ),
        (
            json!({"provenanceIssuers": [{"name": "", "publicKey": key}]}),
            "/rules/provenanceIssuers/0/name",
            "InvalidValue",
        ),
        (
            json!({"provenanceIssuers": [{"name": "CI", "publicKey": "x"}]}),
            "/rules/provenanceIssuers/0/publicKey",
            "InvalidValue",
        ),
        (
            json!({"provenanceIssuers": [{"name": "CI", "publicKey": signing.root_pem}]}),
            "/rules/provenanceIssuers/0/publicKey",
            "InvalidValue",
        ),
        (
            json!({"provenanceIssuers": [{"name": "CI", "publicKey": key, "builderIds": [""]}]}),
            "/rules/provenanceIssuers/0/builderIds/0",
            "InvalidValue",
        ),
    ];
    for (rules, field, code) in cases {
        let status = if code == "LimitExceeded" { 413 } else { 400 };
        signing.admin.patch(&path, json!({"rules": rules})).await.refused(status, code, Some(field));
    }
}
