//! Policies that demand approvals: what was approved is signed, and nobody is asked for anything else.

use chancery_client::Client;
use chancery_testkit::Tool;
use chancery_types::{
    Base64, PolicyId, ServiceId,
    wire::signing_requests::{ApproveRequest, ManifestItem},
};
use serde_json::json;

use super::Setting;
use crate::client::place::Said;

const REJECTED: &str = "0x200";

#[test]
fn what_was_approved_is_signed_and_nothing_else() {
    let setting = Setting::new();
    setting.service("guarded", "EC P-256", "Sha2_256", "--num-approvals 1");
    setting.compile_caller();
    let guarded = setting.place.json("chancery service show guarded");
    let service: ServiceId = guarded["objInfo"]["uuid"].as_str().unwrap().parse().unwrap();
    let policy = guarded["signingPolicies"][0]["objInfo"]["uuid"].as_str().unwrap();

    let refused = sign(&setting, "unseen");
    assert!(refused.out.contains(REJECTED), "{refused:?}");
    assert!(refused.err.contains("chancery sign FILE --service guarded"), "{refused:?}");
    assert_eq!(setting.requests("Approval") + setting.requests("Denied"), 0, "nobody is asked");

    a_manifest(&setting, service, policy.parse().unwrap());
    beforehand(&setting, policy);
    assert_eq!(setting.requests("Approval") + setting.requests("Denied"), 0, "nobody is asked");
}

/// Signs a message once.
fn sign(setting: &Setting, message: &str) -> Said {
    let key = &setting.api_key;
    setting.sh("pin.toml", &format!("echo '{message}' | ./caller commands $MODULE {key} guarded"))
}

#[track_caller]
fn signed(setting: &Setting, message: &str) {
    let said = sign(setting, message).done();
    let line = said.strip_suffix("0x0\n").unwrap_or_else(|| panic!("{message}: {said}"));
    assert_eq!(setting.verified("guarded", line), 1);
}

fn digest(message: &str) -> Vec<u8> {
    Tool::new("openssl").args(["dgst", "-sha256", "-binary"]).input(message).run().stdout
}

/// The application itself.
fn build(setting: &Setting) -> Client {
    let authority = std::fs::read(setting.place.path("ca.pem")).unwrap();
    let build = Client::new(&setting.place.base(), &authority).unwrap();
    build.log_in_by_key(&setting.api_key).unwrap();
    build
}

fn a_manifest(setting: &Setting, service: ServiceId, policy: PolicyId) {
    let build = build(setting);
    let item = |name: &str| ManifestItem { name: name.to_owned(), digest: Base64(digest(name)) };
    let request = build.submit_manifest("release", service, policy, vec![item("one"), item("another")]).unwrap();
    assert!(sign(setting, "one").out.contains(REJECTED), "not approved yet");
    setting.place.demo.client().approve(request.uuid, &ApproveRequest::default()).unwrap();
    signed(setting, "one");
    signed(setting, "another");
    assert!(sign(setting, "a third one").out.contains(REJECTED));
}

fn beforehand(setting: &Setting, policy: &str) {
    let approve = |proposer: &Client, body: serde_json::Value| {
        let proposed = proposer.body("POST", "/api/v2/x509/pre-approvals", Some(&body.to_string())).unwrap();
        let proposed: serde_json::Value = serde_json::from_slice(&proposed).unwrap();
        let id = proposed["response"]["uuid"].as_str().unwrap().to_owned();
        setting.place.sh(&format!("chancery proposal approve {id} --server-profile approver")).done();
    };
    let hour = json!({"unit": "Hour", "amount": "1"});
    let two = json!({"name": "two of build", "policyUuid": policy, "submitterUuid": setting.application,
                     "maxRequests": 2, "lifetime": hour});
    approve(&setting.place.demo.client(), two);
    signed(setting, "first");
    signed(setting, "second");
    assert!(sign(setting, "third").out.contains(REJECTED), "used up");
    // A list of digests is seen by whoever asked for it.
    let known = json!({"name": "known", "policyUuid": policy, "digests": [Base64::encode(&digest("known"))]});
    approve(&build(setting), known);
    assert!(sign(setting, "unknown").out.contains(REJECTED));
    signed(setting, "known");
    // The same again is the same signature.
    signed(setting, "known");
}
