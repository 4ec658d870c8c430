//! Two nodes on one PostgreSQL deliver to one receiver: each notice, also when one of them is killed, and but for that
//! each once.

use std::path::Path;

use chancery_testkit::Postgres;
use chancery_types::Base64;
use serde_json::{Value, json};

use super::{Receiver, SECRET, wait_until};
use crate::{serve::Place, web::Session};

const ROOT_PROFILE: &str = "00000000-0000-0000-6370-000000000001";
const EC_P256: &str = "00000000-0000-0000-6b74-000000000004";

fn made(session: &Session, path: &str, body: &Value) -> Value {
    let (status, answer) = session.call("POST", path, Some(body));
    assert_eq!(status, 200, "{path}: {answer}");
    answer["response"].clone()
}

/// A service whose requests wait for an approval; a request to it.
fn request(admin: &Session) -> Value {
    let key = json!({"keyTypeUuid": EC_P256, "save": true});
    let root = json!({
        "certProfileUuid": ROOT_PROFILE, "subjectOneline": "CN=Root,O=Test,C=DE", "newKey": key, "saveCert": true,
        "trustCert": true,
    });
    let root = made(admin, "/api/v2/x509/generate", &root);
    let service = json!({
        "template": "PKI Signing", "name": "releases",
        "pkisigning": {
            "newCert": {
                "issuerUuid": root["certificateUuid"], "subjectOneline": "CN=Releases,O=Test,C=DE", "newKey": key,
                "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
            },
            "signingFormat": "CMS", "numApprovals": 1, "hashAlgorithm": "Sha2_256",
        },
    });
    let service = made(admin, "/cuserv/v1/services/deploy", &service);
    json!({
        "name": "of a node", "serviceUuid": service["serviceUuid"], "policyUuid": service["policyUuid"],
        "uploadData": Base64::encode(b"content"),
    })
}

#[test]
fn two_nodes_deliver_each_notice_also_when_one_is_killed() {
    let database = Postgres::shared().new_database();
    let first = Place::on(database.address());
    let _made = first.init().run();
    let _changed = first.run(&["settings", "--api-access", "on"]).run();
    let second = first.beside();
    let mut receiver = Receiver::new(Path::new(&first.path("data")));
    receiver.listen();
    let authority = receiver.authority.display().to_string();
    let options = ["--notice-ca", &authority, "--notice-networks", "127.0.0.1"];
    let ((one, one_base), (two, two_base)) = (first.serve(&options), second.serve(&options));
    let authority = first.path("data/tls/ca.pem");
    let folder = first.path("x");
    let folder = Path::new(&folder).parent().unwrap();
    let logins = [("Admin1", "first password"), ("Admin2", "second password")];
    let here = Session::of(&one_base, &authority, folder, &logins);
    let there = here.clone().at(&two_base, &second.path("data/tls/ca.pem"));
    let webhook = json!({"url": receiver.url("localhost", "hook"), "shape": "Chancery"});
    let target =
        json!({"name": "receiver", "webhook": webhook, "secret": Base64::encode(&SECRET), "kinds": ["Waiting"]});
    made(&here, "/api/v2/notice-targets", &target);
    let request = request(&here);

    let submit = |session: &Session| made(session, "/api/v2/x509/signing-requests", &request)["uuid"].clone();
    let mut submitted = Vec::new();
    for number in 0..60 {
        submitted.push(submit(if number % 2 == 0 { &here } else { &there }));
    }
    let objects = |receiver: &Receiver| -> Vec<Value> {
        receiver.received().0.values().map(|body| body["objectUuid"].clone()).collect()
    };
    let all_came = |submitted: &[Value]| {
        let came = objects(&receiver);
        submitted.iter().all(|uuid| came.contains(uuid))
    };
    wait_until("all of them come", || all_came(&submitted));
    let (by_id, calls) = receiver.received();
    assert_eq!(calls, by_id.len(), "while both live, each comes once: one has the lease at a time");

    for number in 0..40 {
        submitted.push(submit(if number % 2 == 0 { &here } else { &there }));
    }
    one.kill();
    for _ in 0..20 {
        submitted.push(submit(&there));
    }
    wait_until("all come although a node was killed", || all_came(&submitted));
    assert!(two.stop().success());
}
