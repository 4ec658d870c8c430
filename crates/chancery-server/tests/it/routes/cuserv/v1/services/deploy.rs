//! POST /cuserv/v1/services/deploy.

use chancery_testkit::{Tool, temp_dir};
use serde_json::{Value, json};

use crate::{
    app::Setup,
    signing::{APPROVER, DEPLOY, EC_P256, ED25519, REQUESTS, RSA_2048, RSA_3072, Signing, bytes},
};

/// The member that a JSON pointer names.
fn at<'v>(body: &'v mut Value, pointer: &str) -> &'v mut Value {
    body.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}"))
}

#[tokio::test]
async fn a_service_has_a_certificate_and_a_policy() {
    let signing = Signing::with(Setup { public_url: Some("http://pki.test".to_owned()), ..Setup::default() }).await;
    let reply = signing.admin.post(DEPLOY, signing.deployment("builds", 2)).await;
    let response = reply.response();
    assert!(response.get("warnings").is_none(), "{response}");
    let certificate = format!("/api/v2/x509/{}", response["certificateUuid"].as_str().unwrap());
    let certificate = signing.admin.get(&certificate).await;
    let certificate = certificate.response();
    assert_eq!(certificate["issuerUuid"], signing.root.as_str());
    assert_eq!(certificate["subject"], "CN=Code Signing,O=Test,C=DE");
    assert_eq!(certificate["notAfter"], "2027-06-21T12:00:00Z");
    assert!(certificate["keyUuid"].is_string(), "{certificate}");
}

#[tokio::test]
async fn in_another_letter_case_the_service_has_no_certificate_and_never_signs() {
    let signing = Signing::new().await;
    for (name, member) in [("one", "pkiSigning"), ("two", "PKISIGNING")] {
        let mut body = signing.deployment(name, 0);
        let members = body.as_object_mut().unwrap();
        let held = members.remove("pkisigning").unwrap();
        members.insert(member.to_owned(), held);
        let reply = signing.admin.post(DEPLOY, body).await;
        let response = reply.response();
        assert!(response.get("certificateUuid").is_none(), "{response}");
        let warning = response["warnings"][0].as_str().unwrap();
        assert!(warning.contains(member) && warning.contains("pkisigning"), "{warning}");

        let service = response["serviceUuid"].as_str().unwrap();
        let policies = signing.admin.get(&format!("/api/v2/x509/services/{service}/signing-policies")).await;
        let policy = &policies.response()["items"][0];
        let terms = ["signingFormat", "hashAlgorithm", "numApprovals"].map(|member| &policy[member]);
        assert_eq!(terms, [&json!("CMS"), &json!("Sha2_256"), &json!(1)]);
        let submission = json!({
            "name": "a", "serviceUuid": service, "policyUuid": response["policyUuid"], "uploadData": "",
        });
        signing.admin.post(REQUESTS, submission).await.refused(409, "InvalidState", None);
    }
}

#[tokio::test]
async fn every_member_is_needed() {
    let signing = Signing::new().await;
    for (parent, member) in [
        ("", "template"),
        ("", "name"),
        ("", "pkisigning"),
        ("/pkisigning", "newCert"),
        ("/pkisigning", "signingFormat"),
        ("/pkisigning", "numApprovals"),
        ("/pkisigning", "hashAlgorithm"),
        ("/pkisigning/newCert", "issuerUuid"),
        ("/pkisigning/newCert", "subjectOneline"),
        ("/pkisigning/newCert", "newKey"),
        ("/pkisigning/newCert", "certParams"),
        ("/pkisigning/newCert/newKey", "keyTypeUuid"),
        ("/pkisigning/newCert/certParams", "validityPeriod"),
        ("/pkisigning/newCert/certParams/validityPeriod", "unit"),
        ("/pkisigning/newCert/certParams/validityPeriod", "amount"),
    ] {
        let mut body = signing.deployment("a", 0);
        at(&mut body, parent).as_object_mut().unwrap().remove(member).unwrap();
        let field = format!("{parent}/{member}");
        signing.admin.post(DEPLOY, body).await.refused(400, "ArgumentParseError", Some(&field));
    }
    let mut body = signing.deployment("a", 0);
    at(&mut body, "/pkisigning/newCert/newKey").as_object_mut().unwrap().remove("save").unwrap();
    signing.admin.post(DEPLOY, body).await.response();
}

#[tokio::test]
async fn values_are_refused_by_name() {
    const VALIDITY: &str = "/pkisigning/newCert/certParams/validityPeriod";
    let signing = Signing::new().await;
    let amount = format!("{VALIDITY}/amount");
    let unit = format!("{VALIDITY}/unit");
    let unknown = "11111111-1111-1111-1111-111111111111";
    let refusals = [
        ("/template", json!("Mail"), "InvalidSelection", "/template"),
        ("/name", json!(""), "InvalidValue", "/name"),
        ("/name", json!("n".repeat(256)), "InvalidValue", "/name"),
        ("/name", json!(7), "ArgumentParseError", "/name"),
        ("/pkisigning", json!([]), "ArgumentParseError", "/pkisigning"),
        ("/pkisigning/signingFormat", json!("cms"), "InvalidSelection", "/pkisigning/signingFormat"),
        ("/pkisigning/hashAlgorithm", json!("SHA256"), "InvalidSelection", "/pkisigning/hashAlgorithm"),
        ("/pkisigning/hashAlgorithm", json!("Md5"), "InvalidSelection", "/pkisigning/hashAlgorithm"),
        ("/pkisigning/numApprovals", json!(65), "InvalidValue", "/pkisigning/numApprovals"),
        ("/pkisigning/numApprovals", json!(-1), "InvalidValue", "/pkisigning/numApprovals"),
        ("/pkisigning/numApprovals", json!(1.5), "ArgumentParseError", "/pkisigning/numApprovals"),
        ("/pkisigning/numApprovals", json!("1"), "ArgumentParseError", "/pkisigning/numApprovals"),
        ("/pkisigning/newCert/issuerUuid", json!(unknown), "InvalidSelection", "/pkisigning/newCert/issuerUuid"),
        ("/pkisigning/newCert/issuerUuid", json!("x"), "InvalidSelection", "/pkisigning/newCert/issuerUuid"),
        ("/pkisigning/newCert/subjectOneline", json!(""), "InvalidValue", "/pkisigning/newCert/subjectOneline"),
        (
            "/pkisigning/newCert/subjectOneline",
            json!("CN=a,C=USA"),
            "InvalidValue",
            "/pkisigning/newCert/subjectOneline",
        ),
        ("/pkisigning/newCert/newKey/save", json!(false), "InvalidValue", "/pkisigning/newCert/newKey/save"),
        (
            "/pkisigning/newCert/newKey/keyTypeUuid",
            json!(unknown),
            "InvalidSelection",
            "/pkisigning/newCert/newKey/keyTypeUuid",
        ),
        (&amount, json!(1), "ArgumentParseError", &amount),
        (&amount, json!(""), "InvalidValue", &amount),
        (&amount, json!("0"), "InvalidValue", &amount),
        (&amount, json!("-1"), "InvalidValue", &amount),
        (&amount, json!("1.5"), "InvalidValue", &amount),
        (&amount, json!("99999999999999999999"), "InvalidValue", &amount),
        (&amount, json!("21"), "InvalidValue", VALIDITY),
        (&unit, json!("Decade"), "InvalidSelection", &unit),
    ];
    for (pointer, value, error_code, field) in refusals {
        let mut body = signing.deployment("a", 0);
        *at(&mut body, pointer) = value.clone();
        let reply = signing.admin.post(DEPLOY, body).await;
        assert_eq!(reply.json["errorCode"], error_code, "{pointer} {value}: {}", reply.text());
        reply.refused(400, error_code, Some(field));
    }
    let mut body = signing.deployment("a", 0);
    *at(&mut body, "/pkisigning/numApprovals") = json!(64);
    signing.admin.post(DEPLOY, body).await.response();
}

#[tokio::test]
async fn a_name_is_taken_in_any_letter_case() {
    let signing = Signing::new().await;
    signing.deploy("Builds", 0).await;
    let again = signing.admin.post(DEPLOY, signing.deployment("bUILDS", 0)).await;
    again.refused(409, "AlreadyExists", Some("/name"));
    let mut bare = signing.deployment("builds", 0);
    *at(&mut bare, "/pkisigning") = Value::Null;
    let members = bare.as_object_mut().unwrap();
    members.remove("pkisigning");
    members.insert("PkiSigning".to_owned(), Value::Null);
    signing.admin.post(DEPLOY, bare).await.refused(409, "AlreadyExists", Some("/name"));
}

#[tokio::test]
async fn an_issuer_that_may_not_issue_is_refused() {
    let signing = Signing::new().await;
    let service = signing.deploy("leaf", 0).await;
    let mut body = signing.deployment("a", 0);
    *at(&mut body, "/pkisigning/newCert/issuerUuid") = json!(service.certificate);
    let reply = signing.admin.post(DEPLOY, body).await;
    reply.refused(409, "InvalidState", Some("/pkisigning/newCert/issuerUuid"));
}

#[tokio::test]
async fn what_no_standard_defines_is_refused_and_the_refusal_says_what_is() {
    let signing = Signing::new().await;
    let mut body = signing.deployment("a", 0);
    *at(&mut body, "/pkisigning/newCert/newKey/keyTypeUuid") = json!(ED25519);
    let reply = signing.admin.post(DEPLOY, body.clone()).await;
    reply.refused(400, "InvalidSelection", Some("/pkisigning/hashAlgorithm"));
    assert!(reply.text().contains("allowed: Sha2_512."), "{}", reply.text());

    *at(&mut body, "/pkisigning/hashAlgorithm") = json!("Sha2_512");
    at(&mut body, "/pkisigning")["rsaPss"] = json!(true);
    signing.admin.post(DEPLOY, body.clone()).await.refused(400, "InvalidValue", Some("/pkisigning/rsaPss"));
    at(&mut body, "/pkisigning")["rsaPss"] = json!(false);
    signing.admin.post(DEPLOY, body).await.response();

    let mut body = signing.deployment("b", 0);
    *at(&mut body, "/pkisigning/newCert/newKey/keyTypeUuid") = json!(RSA_2048);
    at(&mut body, "/pkisigning")["rsaPss"] = json!(true);
    *at(&mut body, "/pkisigning/hashAlgorithm") = json!("RipeMd");
    signing.admin.post(DEPLOY, body).await.refused(400, "InvalidSelection", Some("/pkisigning/hashAlgorithm"));
}

#[tokio::test]
async fn weakness_is_named() {
    let signing = Signing::new().await;
    let mut body = signing.deployment("weak", 0);
    *at(&mut body, "/pkisigning/newCert/newKey/keyTypeUuid") = json!(RSA_2048);
    *at(&mut body, "/pkisigning/hashAlgorithm") = json!("Sha1");
    let reply = signing.admin.post(DEPLOY, body).await;
    let warnings = reply.response()["warnings"].to_string();
    assert!(warnings.contains("hashAlgorithm Sha1 is weak") && warnings.contains("RSA with 2048 bits"), "{warnings}");
}

#[tokio::test]
async fn hardened_mode_refuses_what_is_weak() {
    let signing = Signing::with(Setup { hardened: true, ..Setup::default() }).await;
    let refused = async |pointer: &str, value: &str, field: &str| {
        let mut body = signing.deployment("a", 0);
        *at(&mut body, "/pkisigning/newCert/newKey/keyTypeUuid") = json!(RSA_3072);
        at(&mut body, "/pkisigning")["selfApproval"] = json!("Never");
        *at(&mut body, pointer) = json!(value);
        signing.admin.post(DEPLOY, body).await.refused(400, "InvalidSelection", Some(field));
    };
    for hash in ["Md5", "RipeMd", "Sha1"] {
        refused("/pkisigning/hashAlgorithm", hash, "/pkisigning/hashAlgorithm").await;
    }
    let key_type = "/pkisigning/newCert/newKey/keyTypeUuid";
    refused(key_type, RSA_2048, key_type).await;
    refused("/pkisigning/selfApproval", "DualControl", "/pkisigning/selfApproval").await;
    signing.deploy("b", 0).await;
}

#[tokio::test]
async fn only_holders_of_the_permission_deploy() {
    let signing = Signing::new().await;
    let approver = signing.person("ann", APPROVER).await;
    approver.post(DEPLOY, signing.deployment("a", 0)).await.refused(403, "NotAuthorized", None);
    signing.app.nobody().post(DEPLOY, signing.deployment("a", 0)).await.refused(401, "InvalidAuthToken", None);
}

#[tokio::test]
async fn a_service_for_raw_signatures_signs_the_payload_and_nothing_else() {
    let signing = Signing::new().await;
    for (name, key_type) in [("ecdsa", EC_P256), ("rsa", RSA_3072)] {
        let raw = |body: &mut Value| {
            body["pkisigning"]["signingFormat"] = json!("Raw");
            body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(key_type);
        };
        let service = signing.deploy_with(name, 0, raw).await;
        let request = signing.submit(&service, b"payload").await;
        let request = signing.read(&request).await;
        assert_eq!(request["signingFormat"], "Raw");
        let folder = temp_dir();
        let certificate = signing.admin.get(&format!("/api/v2/x509/{}", service.certificate)).await;
        let certificate = certificate.response()["certificate"].as_str().unwrap().to_owned();
        let public_key = Tool::new("openssl").args(["x509", "-noout", "-pubkey"]).input(certificate).run().stdout;
        for (file, bytes) in [("key", &public_key), ("signature", &bytes(&request["signature"]))] {
            std::fs::write(folder.path().join(file), bytes).unwrap();
        }
        let verify = |payload: &str| {
            let verify = ["dgst", "-sha256", "-verify", "key", "-signature", "signature"];
            Tool::new("openssl").args(verify).folder(folder.path()).input(payload).try_run().text()
        };
        assert_eq!([verify("payload"), verify("other")], ["Verified OK\n", "Verification failure\n"], "{name}");
    }
}
