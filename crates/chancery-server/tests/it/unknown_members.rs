//! Members that nobody knows: ignored, named in a warning, or refused where they would say what is allowed to whom.

use serde_json::{Value, json};

use crate::{
    app::TestApp,
    client::Client,
    signing::{DEPLOY, EC_P256, REQUESTS, Signing},
};

const ROLE: &str = "00000000-0000-0000-726f-000000000001";
const PROFILES: &str = "/api/v2/token-profiles";
const TLS_CLIENT: &str = "00000000-0000-0000-6370-000000000007";

/// The body with `typo` in the object at this pointer.
fn misspelt(mut body: Value, object: &str) -> Value {
    body.pointer_mut(object).unwrap()["typo"] = json!({"a": 1});
    body
}

/// A member that is misspelt is refused by its name; the body without it is taken, and what is then read is taken back.
async fn refused_then_written_back(client: &Client, path: &str, body: &Value, objects: &[&str]) -> Value {
    for object in objects {
        let reply = client.post(path, misspelt(body.clone(), object)).await;
        reply.refused(400, "ArgumentParseError", Some(&format!("{object}/typo")));
        assert!(reply.text().contains("There is no such member; there are "), "{}", reply.text());
    }
    let made = client.post(path, body.clone()).await.response().clone();
    let uuid = made.get("uuid").unwrap_or_else(|| &made["objInfo"]["uuid"]);
    let path = format!("{path}/{}", uuid.as_str().unwrap());
    let read = client.get(&path).await.response().clone();
    let written = client.patch(&path, read.clone()).await.response().clone();
    assert_eq!(written, read);
    for object in objects {
        let reply = client.patch(&path, misspelt(read.clone(), object)).await;
        reply.refused(400, "ArgumentParseError", Some(&format!("{object}/typo")));
    }
    read
}

#[tokio::test]
async fn what_says_who_may_do_what_is_never_dropped() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let key = json!({"name": "k", "keyTypeUuid": "00000000-0000-0000-6b74-00000000000c"});
    let key = admin.post("/api/v2/keys", key).await.response()["uuid"].clone();
    let profile = json!({
        "objInfo": {"name": "cards"}, "algorithm": "Ff1", "keyUuid": key, "unknown": {"a": 1},
        "format": {"alphabet": "Decimal", "minLength": 8, "maxLength": 12},
        "controlRules": [{"roleUuid": ROLE, "operation": "Tokenize"}, {"roleUuid": ROLE, "operation": "Batch"}],
    });
    let read = refused_then_written_back(&admin, PROFILES, &profile, &["/format", "/controlRules/1"]).await;
    let permissions = format!("{PROFILES}/{}/permissions", read["objInfo"]["uuid"].as_str().unwrap());
    let rules = json!({"controlRules": read["controlRules"]});
    let reply = admin.patch(&permissions, misspelt(rules, "/controlRules/0")).await;
    reply.refused(400, "ArgumentParseError", Some("/controlRules/0/typo"));
    let draft = json!({"profile": profile, "samples": ["12345678"]});
    let reply = admin.post(&format!("{PROFILES}/preview"), misspelt(draft, "/profile/format")).await;
    reply.refused(400, "ArgumentParseError", Some("/profile/format/typo"));
}

#[tokio::test]
async fn bodies_of_roles_take_what_their_answers_have_and_nothing_else() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let role = json!({"name": "reader", "loginsRequired": 1, "perms": ["Audit:Read"]});
    let read = refused_then_written_back(&admin, "/api/v2/roles", &role, &[""]).await;
    let path = format!("/api/v2/roles/{}", read["objInfo"]["uuid"].as_str().unwrap());
    let named = json!({"objInfo": {"name": "auditor of logs"}});
    assert_eq!(admin.patch(&path, named.clone()).await.response()["objInfo"]["name"], "auditor of logs");
    let reply = admin.patch(&path, misspelt(named, "/objInfo")).await;
    reply.refused(400, "ArgumentParseError", Some("/objInfo/typo"));
    let mut again = read;
    again["name"] = json!("another");
    admin.post("/api/v2/roles", again).await.response();
}

#[tokio::test]
async fn rules_of_policies_are_refused_with_what_nobody_knows_and_the_rest_is_named_in_warnings() {
    let signing = Signing::new().await;
    let mut body = signing.deployment("builds", 0);
    let step = json!({"roleUuids": [ROLE], "numApprovals": 1});
    body["pkisigning"]["rules"] = json!({"approvalSteps": [step], "maxSize": 100});
    for object in ["/pkisigning/rules", "/pkisigning/rules/approvalSteps/0"] {
        let reply = signing.admin.post(DEPLOY, misspelt(body.clone(), object)).await;
        reply.refused(400, "ArgumentParseError", Some(&format!("{object}/typo")));
    }
    let body = misspelt(misspelt(signing.deployment("builds", 0), ""), "/pkisigning/newCert");
    let deployed = signing.admin.post(DEPLOY, body).await.response().clone();
    let warnings = deployed["warnings"].to_string();
    for pointer in ["/typo", "/pkisigning/newCert/typo"] {
        let said = format!("The member {pointer} is not known here and was ignored.");
        assert!(warnings.contains(&said), "{warnings}");
    }
    let request = json!({
        "name": "a", "serviceUuid": deployed["serviceUuid"], "policyUuid": deployed["policyUuid"], "uploadData": "eA==",
        "note": "for the release", "a/b": 1,
    });
    let mut many = request.clone();
    let warnings = signing.admin.post(REQUESTS, request).await.response()["warnings"].clone();
    assert!(warnings.to_string().contains("The member /a~1b is not known here"), "{warnings}");
    (0..30).for_each(|number| many[format!("x{number}")] = json!(number));
    let warnings = signing.admin.post(REQUESTS, many).await.response()["warnings"].as_array().unwrap().clone();
    assert!(warnings.len() == 21 && warnings[20].as_str().unwrap().contains("further members"), "{warnings:?}");
    let generate = json!({
        "certProfileUuid": TLS_CLIENT, "issuerUuid": signing.root, "subjectOneline": "CN=a",
        "newKey": {"keyTypeUuid": EC_P256, "size": 7}, "keyUsage": "all",
    });
    let warnings = signing.admin.post("/api/v2/x509/generate", generate).await.response()["warnings"].to_string();
    for pointer in ["/newKey/size", "/keyUsage"] {
        assert!(warnings.contains(&format!("The member {pointer} is not known")), "{warnings}");
    }
}

#[tokio::test]
async fn certificate_profiles_take_what_they_know_and_nothing_else() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let profile = json!({
        "objInfo": {"name": "servers"}, "validityPeriod": {"unit": "Year", "amount": "1"},
        "basicConstraints": {"ca": true, "pathLength": 0}, "subject": {"allowed": ["CN"]},
        "subjectAltNames": {"presence": "Refused"}, "nameConstraints": {"permitted": ["DNS:example.com"]},
        "approval": {"numApprovals": 0},
    });
    let objects = ["", "/objInfo", "/validityPeriod", "/basicConstraints", "/subject", "/subjectAltNames", "/approval"];
    let read = refused_then_written_back(&admin, "/api/v2/x509/cert-profiles", &profile, &objects).await;
    let mut again = read.clone();
    again["objInfo"]["name"] = json!("servers again");
    admin.post("/api/v2/x509/cert-profiles", again).await.response();
    let path = format!("/api/v2/x509/{}/approval", crate::certificates::root(&admin).await);
    let reply = admin.json("PUT", &path, &misspelt(json!({"numApprovals": 0}), "")).await;
    reply.refused(400, "ArgumentParseError", Some("/typo"));
    let approval = admin.json("PUT", &path, &json!({"numApprovals": 0})).await.response()["approval"].clone();
    admin.json("PUT", &path, &approval).await.response();
}
