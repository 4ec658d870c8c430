//! Manifests: POST /api/v2/x509/signing-requests with `items`, GET …/{uuid}/items.

use std::{fmt::Write, time::Duration};

use chancery_core::Limits;
use chancery_testkit::{Tool, temp_dir};
use chancery_types::Base64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::app::Setup;
use crate::signing::{
    ED25519, REQUESTS, RSA_2048, Service, Signing, approve, bytes, deny, openssl_accepts, submission,
};

pub(super) fn item(name: &str, content: &[u8]) -> Value {
    json!({"name": name, "digest": Base64::encode(&Sha256::digest(content))})
}

pub(super) fn manifest(service: &Service, items: impl Into<Value>) -> Value {
    json!({"name": "release", "serviceUuid": service.uuid, "policyUuid": service.policy, "items": items.into()})
}

pub(super) async fn submit(signing: &Signing, service: &Service, items: Vec<Value>) -> String {
    let reply = signing.admin.post(REQUESTS, manifest(service, items)).await;
    reply.response()["uuid"].as_str().unwrap().to_owned()
}

pub(super) async fn items(signing: &Signing, request: &str, query: &str) -> Value {
    signing.admin.get(&format!("{REQUESTS}/{request}/items{query}")).await.response().clone()
}

#[tokio::test]
async fn one_approval_many_signatures() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let contents: Vec<_> = (0..5).map(|n| (format!("file {n}"), format!("content {n}").into_bytes())).collect();
    let request =
        submit(&signing, &service, contents.iter().map(|(name, content)| item(name, content)).collect()).await;
    let waiting = signing.read(&request).await;
    assert_eq!(waiting["manifest"], json!({"total": 5, "signed": 0, "failed": 0}));
    let first = items(&signing, &request, "").await["items"][0].clone();
    assert_eq!((&first["state"], &first["signature"]), (&json!("Approval"), &Value::Null));

    let ann = signing.approver("ann").await;
    let path = format!("{REQUESTS}/{request}/approve");
    let other = json!({"digest": Base64::encode(&Sha256::digest(b""))});
    ann.post(&path, other).await.refused(400, "InvalidValue", Some("/digest"));
    let approved = ann.post(&path, json!({"digest": waiting["digest"]})).await;
    let reply = approved.response();
    assert_eq!((&reply["state"], &reply["signature"]), (&json!("Signed"), &json!("")));
    assert_eq!(reply["manifest"], json!({"total": 5, "signed": 5, "failed": 0}));
    let signed = items(&signing, &request, "").await;
    assert_eq!(signed["total"], 5);
    for ((name, content), item) in contents.iter().zip(signed["items"].as_array().unwrap()) {
        assert_eq!((&item["name"], &item["state"]), (&json!(name), &json!("Signed")));
        assert!(openssl_accepts("openssl", &signing.root_pem, &bytes(&item["signature"]), content), "{name}");
        assert!(!openssl_accepts("openssl", &signing.root_pem, &bytes(&item["signature"]), b"other"), "{name}");
    }
    let page = items(&signing, &request, "?page=2&pageSize=2").await;
    assert_eq!((&page["items"][0]["name"], page["items"].as_array().unwrap().len()), (&json!("file 2"), 2));
}

#[tokio::test]
async fn each_signature_has_its_own_proof() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = submit(&signing, &service, (0..5_u8).map(|n| item(&format!("{n}"), &[n])).collect()).await;
    let waiting = items(&signing, &request, "?include=inclusionProof").await["items"][0].clone();
    assert_eq!(waiting.get("inclusionProof"), Some(&Value::Null), "there is no signature");
    approve(&signing.approver("ann").await, &request).await.response();
    let proven = loop {
        let proven = items(&signing, &request, "?include=inclusionProof&page=2&pageSize=2").await;
        assert_eq!(proven["items"].as_array().unwrap().len(), 2);
        if !proven["items"][0]["inclusionProof"].is_null() {
            break proven;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let decided_at = signing.read(&request).await["decidedAt"].clone();
    for (index, item) in proven["items"].as_array().unwrap().iter().enumerate() {
        assert_eq!(item["name"], json!(format!("{}", index + 2)));
        let leaf: Value = serde_json::from_slice(&bytes(&item["inclusionProof"]["leaf"])).unwrap();
        assert_eq!((&leaf["kind"], &leaf["time"]), (&json!("signature"), &decided_at));
        assert_eq!(leaf["digest"], json!(hex::encode(bytes(&item["digest"]))));
        assert_eq!(leaf["signature"], json!(hex::encode(Sha256::digest(bytes(&item["signature"])))));
    }
    let [first, second] = [0, 1].map(|at| proven["items"][at]["inclusionProof"]["index"].as_u64().unwrap());
    assert_eq!(second, first + 1, "in the order of the items");
    let plain = items(&signing, &request, "").await["items"][0].clone();
    assert_eq!(plain.get("inclusionProof"), None, "only where it is asked for");
    let wrong = signing.admin.get(&format!("{REQUESTS}/{request}/items?include=proof")).await;
    assert_eq!(wrong.status.as_u16(), 400, "{}", wrong.text());
}

#[tokio::test]
async fn what_people_approve_is_what_sha256sum_prints() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let request = submit(&signing, &service, vec![item("b.exe", b"b"), item("a ü.exe", b"a")]).await;
    let folder = temp_dir();
    let mut lines = String::new();
    for (name, content) in [("b.exe", b"b"), ("a ü.exe", b"a")] {
        std::fs::write(folder.path().join(name), content).unwrap();
        let ran = Tool::new("openssl").args(["dgst", "-sha256", "-r", name]).folder(folder.path()).try_run();
        let hex = String::from_utf8(ran.stdout).unwrap().split(' ').next().unwrap().to_owned();
        writeln!(lines, "{hex}  {name}").unwrap();
    }
    assert_eq!(signing.read(&request).await["digest"], Base64::encode(&Sha256::digest(lines.as_bytes())));
}

#[tokio::test]
async fn without_approvals_signed_at_once_up_to_the_limit() {
    // 10,000 signatures take a minute in a debug build.
    let at_length = std::env::var_os("CHANCERY_TEST_AT_LENGTH").is_some();
    let max = if at_length { Limits::default().manifest_items_max } else { 1_001 };
    let limits = Limits { manifest_items_max: max, ..Limits::default() };
    let signing = Signing::with(Setup { limits, ..Setup::default() }).await;
    let service = signing.deploy("builds", 0).await;
    let max = u32::try_from(max).unwrap();
    let last = max - 1;
    let many: Vec<_> = (0..max).map(|n| item(&format!("{n}"), &n.to_be_bytes())).collect();
    let request = submit(&signing, &service, many.clone()).await;
    let detail = signing.read(&request).await;
    assert_eq!((&detail["state"], &detail["manifest"]["signed"]), (&json!("Signed"), &json!(max)));
    let page = items(&signing, &request, &format!("?page={max}&pageSize=1")).await;
    let cms = bytes(&page["items"][0]["signature"]);
    assert!(openssl_accepts("openssl", &signing.root_pem, &cms, &last.to_be_bytes()));
    assert_eq!(items(&signing, &request, "").await["items"].as_array().unwrap().len(), 1_000, "never all at once");
    let more = [many, vec![item("one more", b"")]].concat();
    let refused = signing.admin.post(REQUESTS, manifest(&service, more)).await;
    refused.refused(413, "LimitExceeded", Some("/items"));
}

#[tokio::test]
async fn small_calls_go_on_while_a_manifest_is_signed() {
    let signing = Signing::new().await;
    let rsa = |body: &mut Value| body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(RSA_2048);
    let service = signing.deploy_with("builds", 0, rsa).await;
    let many = (0..4_000_u32).map(|n| item(&format!("{n}"), &n.to_be_bytes())).collect();
    let (mut whole, mut between) = (std::pin::pin!(submit(&signing, &service, many)), 0);
    loop {
        tokio::select! {
            biased;
            _ = &mut whole => break,
            _ = signing.submit(&service, b"small") => between += 1,
        }
    }
    assert!(between > 3, "{between} small requests were signed meanwhile");
}

#[tokio::test]
async fn a_signature_counts_as_one_of_the_policys_hour() {
    let signing = Signing::new().await;
    let rules = json!({"signaturesPerHour": 3, "fileNames": ["*.exe"]});
    let service = signing.deploy_with("builds", 0, |body| body["pkisigning"]["rules"] = rules).await;
    let named = |names: &[&str]| names.iter().map(|name| item(name, b"x")).collect::<Vec<_>>();
    let four = manifest(&service, named(&["1.exe", "2.exe", "3.exe", "4.exe"]));
    signing.admin.post(REQUESTS, four).await.refused(400, "InvalidValue", Some("/items"));
    let wrong = manifest(&service, named(&["1.exe", "2.txt"]));
    signing.admin.post(REQUESTS, wrong).await.refused(400, "InvalidValue", Some("/items/1/name"));
    submit(&signing, &service, named(&["1.exe", "2.exe"])).await;
    let two = manifest(&service, named(&["1.exe", "2.exe"]));
    signing.admin.post(REQUESTS, two).await.refused(429, "RateLimited", None);
    submit(&signing, &service, named(&["3.exe"])).await;
    signing.admin.post(REQUESTS, manifest(&service, named(&["4.exe"]))).await.refused(429, "RateLimited", None);
}

#[tokio::test]
async fn an_item_that_could_not_be_signed_is_none_of_the_policys_hour() {
    let signing = Signing::with(Setup { postgres: true, ..Setup::default() }).await;
    let rules = json!({"signaturesPerHour": 3});
    let service = signing.deploy_with("builds", 0, |body| body["pkisigning"]["rules"] = rules).await;
    let request = submit(&signing, &service, ["1", "2", "3"].map(|name| item(name, b"x")).into()).await;
    let one = || manifest(&service, vec![item("4", b"x")]);
    signing.admin.post(REQUESTS, one()).await.refused(429, "RateLimited", None);
    // As if the second one alone had failed.
    let fail = "UPDATE signing_item_results SET signature = NULL WHERE number = 2";
    signing.app.database().psql(fail);
    assert_eq!(items(&signing, &request, "").await["items"][1]["state"], "Failed");
    signing.admin.post(REQUESTS, one()).await.response();
    signing.admin.post(REQUESTS, one()).await.refused(429, "RateLimited", None);
}

#[tokio::test]
async fn refusals_name_the_item() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let short = json!({"name": "b", "digest": "AA=="});
    for (items, field) in [
        (vec![], "/items"),
        (vec![item("a", b""), item("a", b"")], "/items/1/name"),
        (vec![item("a", b""), item("A", b"")], "/items/1/name"),
        (vec![item("caf\u{e9}", b""), item("Cafe\u{301}", b"")], "/items/1/name"),
        (vec![item("a", b""), item("b\n", b"")], "/items/1/name"),
        // sha256sum prints another line for it.
        (vec![item("a", b""), item("b\\c", b"")], "/items/1/name"),
        (vec![item("a", b""), item("gpj.\u{202e}exe", b"")], "/items/1/name"),
        (vec![item("a", b""), item("a\u{200b}", b"")], "/items/1/name"),
        (vec![item("a", b""), item("", b"")], "/items/1/name"),
        (vec![item("a", b""), short], "/items/1/digest"),
    ] {
        signing.admin.post(REQUESTS, manifest(&service, items)).await.refused(400, "InvalidValue", Some(field));
    }
    let mut both = submission(&service, b"payload");
    both["items"] = json!([item("a", b"")]);
    signing.admin.post(REQUESTS, both).await.refused(400, "InvalidValue", Some("/items"));
    let raw = |body: &mut Value| {
        body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(ED25519);
        body["pkisigning"]["hashAlgorithm"] = json!("Sha2_512");
        body["pkisigning"]["signingFormat"] = json!("Raw");
    };
    let messages = signing.deploy_with("messages", 0, raw).await;
    let refused = signing.admin.post(REQUESTS, manifest(&messages, vec![item("a", b"")])).await;
    refused.refused(400, "InvalidValue", Some("/items"));
    let sized = |body: &mut Value| body["pkisigning"]["rules"] = json!({"maxSize": 9});
    let sized = signing.deploy_with("sized", 0, sized).await;
    let refused = signing.admin.post(REQUESTS, manifest(&sized, vec![item("a", b"")])).await;
    refused.refused(400, "InvalidValue", Some("/items"));
}

#[tokio::test]
async fn denied_failed_and_repeated_as_a_whole() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let two = || vec![item("a", b"a"), item("b", b"b")];
    let (denied, failed) = (submit(&signing, &service, two()).await, submit(&signing, &service, two()).await);
    deny(&signing.admin, &denied).await.response();
    assert_eq!(items(&signing, &denied, "").await["items"][0]["state"], "Denied");
    let revoke = format!("/api/v2/x509/{}/revoke", service.certificate);
    signing.admin.post(&revoke, json!({"reason": "superseded"})).await.response();
    let ann = signing.approver("ann").await;
    assert_eq!(approve(&ann, &failed).await.response()["state"], "Failed");
    assert_eq!(items(&signing, &failed, "").await["items"][1]["state"], "Failed");
    let renew = format!("/api/v2/x509/services/{}/renew", service.uuid);
    signing.admin.post(&renew, json!({})).await.response();
    let again = signing.admin.post_nothing(&format!("{REQUESTS}/{failed}/repeat")).await;
    let again = again.response()["uuid"].as_str().unwrap().to_owned();
    assert_eq!(signing.read(&again).await["digest"], signing.read(&failed).await["digest"]);
    assert_eq!(approve(&ann, &again).await.response()["manifest"]["signed"], 2);
    signing.admin.get(&format!("{REQUESTS}/{again}/signed/download")).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn names_that_look_alike_or_like_nothing_are_refused() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    for (one, two, field) in [
        ("stra\u{df}e", "STRASSE", "/items/1/name"),
        ("stra\u{df}e", "STRA\u{1e9e}E", "/items/1/name"),
        ("STRASSE", "stra\u{1e9e}e", "/items/1/name"),
        ("a", "\u{2800}", "/items/1/name"),
    ] {
        let reply = signing.admin.post(REQUESTS, manifest(&service, vec![item(one, b"1"), item(two, b"2")])).await;
        assert_eq!(
            (reply.status.as_u16(), reply.json["response"]["field"].as_str()),
            (400, Some(field)),
            "{one} {two}"
        );
    }
    let blank = json!({"name": "\u{2800}"});
    let mut named = manifest(&service, vec![item("a", b"1")]);
    named.as_object_mut().unwrap().extend(blank.as_object().unwrap().clone());
    signing.admin.post(REQUESTS, named).await.refused(400, "InvalidValue", Some("/name"));
}
