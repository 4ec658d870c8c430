//! Keys that cannot sign: for now, and never again.

use std::{sync::Arc, thread};

use chancery_keys::CustodyError;
use chancery_testkit::Postgres;
use serde_json::{Value, json};

use crate::{
    app::{Setup, until},
    certificates::{body, with},
    client::{Client, Reply},
    key_backend::{TestBackend, Trouble},
    signing::{REQUESTS, Service, Signing, approve, bytes, openssl_accepts, submission},
};

async fn on_postgres() -> Signing {
    Signing::with(Setup { postgres: true, ..Setup::default() }).await
}

fn psql(signing: &Signing, sql: &str) -> String {
    signing.app.database().psql(sql)
}

async fn key_of(signing: &Signing, service: &Service) -> String {
    let certificate = signing.admin.get(&format!("/api/v2/x509/{}", service.certificate)).await;
    certificate.response()["keyUuid"].as_str().unwrap().to_owned()
}

/// Somebody holds the table of sealed keys for so long that whoever wants one gives up.
#[tokio::test]
async fn while_keys_are_out_of_reach_no_approval_is_recorded() {
    let signing = on_postgres().await;
    let ann = signing.approver("ann").await;
    let (service, auto) = (signing.deploy("builds", 1).await, signing.deploy("auto", 0).await);
    let request = signing.submit(&service, b"a").await;
    let database = signing.app.database().name().to_owned();
    let holder = thread::spawn(move || {
        let hold = "BEGIN; LOCK TABLE key_versions IN ACCESS EXCLUSIVE MODE; \
                    DO $$BEGIN PERFORM pg_sleep(120); EXCEPTION WHEN query_canceled THEN NULL; END$$; COMMIT";
        Postgres::shared().psql(&database, hold);
    });
    // Copies of one database have tables of the same number.
    let held = "FROM pg_locks WHERE relation = 'key_versions'::regclass AND granted AND mode = 'AccessExclusiveLock' \
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let is_held = async || psql(&signing, &format!("SELECT COUNT(*) {held}")) == "1";
    until("the table is held", is_held).await;
    let submit = signing.admin.post(REQUESTS, submission(&auto, b"b"));
    let (approved, submitted) = tokio::join!(approve(&ann, &request), submit);
    for reply in [approved, submitted] {
        reply.refused(503, "Unavailable", None);
        assert!(reply.headers.contains_key("retry-after"));
    }
    assert!(!holder.is_finished(), "it was still held");
    let detail = signing.read(&request).await;
    assert_eq!((&detail["state"], &detail["approvals"]), (&json!("Approval"), &json!([])));
    let of_auto = signing.admin.get(&format!("/api/v2/x509/services/{}/signing-requests", auto.uuid)).await;
    assert_eq!(of_auto.response()["total"], 0, "nothing was begun");
    assert_eq!(psql(&signing, &format!("SELECT pg_cancel_backend(pid) {held}")), "t");
    holder.join().unwrap();
    assert_eq!(approve(&ann, &request).await.response()["state"], "Signed", "the same approver, later");
}

#[tokio::test]
async fn a_key_that_is_gone_fails_the_request_which_is_repeated_with_a_new_one() {
    let signing = on_postgres().await;
    let ann = signing.approver("ann").await;
    for (name, harm) in [
        ("destroyed", "DELETE FROM key_versions WHERE key_id = 'KEY'"),
        (
            "altered",
            "UPDATE key_versions SET sealed = set_byte(sealed, 40, 255 - get_byte(sealed, 40)) WHERE key_id = 'KEY'",
        ),
        (
            "exchanged",
            "UPDATE key_versions SET sealed = (SELECT sealed FROM key_versions WHERE key_id <> 'KEY' LIMIT 1) \
             WHERE key_id = 'KEY'",
        ),
    ] {
        let service = signing.deploy(name, 1).await;
        let key = key_of(&signing, &service).await;
        let request = signing.submit(&service, b"a").await;
        // What is open stays so until something of the key changes.
        for word in ["disable", "enable"] {
            signing.admin.post_nothing(&format!("/api/v2/keys/{key}/{word}")).await.response();
        }
        psql(&signing, &harm.replace("KEY", &key));
        let reply = approve(&ann, &request).await;
        let words = ["state", "approvalState", "signature"].map(|member| &reply.response()[member]);
        assert_eq!(words, ["Failed", "Approved", ""], "{name}");
        let detail = signing.read(&request).await;
        assert!(detail["reason"].as_str().unwrap().contains("key is gone"), "{detail}");
        assert_eq!(detail["inclusionProof"], Value::Null);
        assert_eq!(detail["approvals"].as_array().unwrap().len(), 1, "the approval was given");
        approve(&signing.admin, &request).await.refused(409, "InvalidState", None);

        let renew = format!("/api/v2/x509/services/{}/renew", service.uuid);
        signing.admin.post(&renew, json!({})).await.response();
        let again = signing.admin.post_nothing(&format!("{REQUESTS}/{request}/repeat")).await;
        let again = again.response()["uuid"].as_str().unwrap().to_owned();
        assert_eq!(signing.words(&again).await, ["Approval", "Pending"]);
        assert_eq!(approve(&ann, &again).await.response()["state"], "Signed", "{name}");
    }
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestFail").await;
    assert_eq!(audit.response()["total"], 3);
}

/// Where new keys for signatures are in a backend of their own, which the test can put out of order.
async fn outside() -> (Signing, Arc<TestBackend>) {
    let backend = TestBackend::new();
    let setup = Setup { postgres: true, key_backend: Some(Arc::<TestBackend>::clone(&backend)), ..Setup::default() };
    (Signing::with(setup).await, backend)
}

async fn issue(signing: &Signing) -> Reply {
    let leaf = with(body(&signing.admin, "TLS Client").await, json!({"issuerUuid": signing.root}));
    signing.admin.post("/api/v2/x509/generate", leaf).await
}

#[tokio::test]
async fn keys_of_a_backend_sign_and_are_in_no_database() {
    let (signing, _backend) = outside().await;
    let ann = signing.approver("ann").await;
    let (service, auto) = (signing.deploy("builds", 1).await, signing.deploy("auto", 0).await);
    let request = signing.submit(&service, b"a").await;
    assert_eq!(approve(&ann, &request).await.response()["state"], "Signed");
    let automatic = signing.submit(&auto, b"b").await;
    for (request, payload) in [(request, b"a"), (automatic, b"b")] {
        let cms = bytes(&signing.read(&request).await["signature"]);
        assert!(openssl_accepts("openssl", &signing.root_pem, &cms, payload));
    }
    issue(&signing).await.response();
    let kept = psql(&signing, "SELECT DISTINCT backend, sealed IS NULL FROM key_versions");
    assert_eq!(kept, "test|t");
    // Data keys are open in every process that tokenizes.
    let key = json!({"name": "data", "keyTypeUuid": "00000000-0000-0000-6b74-00000000000c"});
    signing.admin.post("/api/v2/keys", key).await.response();
    let kept = "SELECT backend IS NULL, sealed IS NULL FROM key_versions AS v JOIN keys AS k ON k.id = v.key_id \
                WHERE k.name = 'data'";
    assert_eq!(psql(&signing, kept), "t|f");
    // Another server that was not told of the backend finds the keys out of reach, and ends nothing.
    let waiting = signing.submit(&service, b"c").await;
    let elsewhere = Client::new(signing.app.other_node().await).with_bearer(ann.bearer.as_deref().unwrap());
    let reply = approve(&elsewhere, &waiting).await;
    reply.refused(503, "Unavailable", None);
    assert!(reply.headers.contains_key("retry-after"));
    assert_eq!(signing.words(&waiting).await, ["Approval", "Pending"]);
    assert_eq!(approve(&ann, &waiting).await.response()["state"], "Signed");
}

#[tokio::test]
async fn only_a_key_that_is_destroyed_is_the_end_of_what_waits_for_it() {
    let (signing, backend) = outside().await;
    let ann = signing.approver("ann").await;
    let (service, auto) = (signing.deploy("builds", 1).await, signing.deploy("auto", 0).await);
    let passing: [(Trouble, u16, &str); 2] =
        [(CustodyError::Unreachable, 503, "Unavailable"), (CustodyError::Refused, 409, "InvalidState")];
    for (trouble, status, code) in passing {
        let request = signing.submit(&service, code.as_bytes()).await;
        backend.set(Some(trouble));
        let submitted = signing.admin.post(REQUESTS, submission(&auto, b"b")).await;
        for reply in [approve(&ann, &request).await, submitted, issue(&signing).await] {
            reply.refused(status, code, None);
            assert_eq!(reply.headers.contains_key("retry-after"), status == 503);
        }
        let detail = signing.read(&request).await;
        assert_eq!((&detail["state"], &detail["approvals"]), (&json!("Approval"), &json!([])), "{code}");
        backend.set(None);
        assert_eq!(approve(&ann, &request).await.response()["state"], "Signed", "{code}: the same approver, later");
    }
    let request = signing.submit(&service, b"z").await;
    backend.set(Some(CustodyError::Destroyed));
    let submitted = signing.admin.post(REQUESTS, submission(&auto, b"b")).await;
    for reply in [submitted, issue(&signing).await] {
        reply.refused(409, "InvalidState", None);
    }
    let reply = approve(&ann, &request).await;
    let words = ["state", "approvalState", "signature"].map(|member| &reply.response()[member]);
    assert_eq!(words, ["Failed", "Approved", ""]);
    assert!(signing.read(&request).await["reason"].as_str().unwrap().contains("key is gone"));
    // What a backend says of that is believed once and for all.
    backend.set(None);
    approve(&signing.admin, &request).await.refused(409, "InvalidState", None);
    let of_auto = signing.admin.get(&format!("/api/v2/x509/services/{}/signing-requests", auto.uuid)).await;
    assert_eq!(of_auto.response()["total"], 0, "nothing was begun");
}
