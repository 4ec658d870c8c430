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

#[tokio::test]
async fn what_would_bound_something_is_refused_where_it_is_misspelt() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 2).await;
    let (services, policies) = ("/api/v2/x509/services", "/api/v2/x509/signing-policies");
    let identity = json!({"name": "ann", "kind": "Person", "roleUuids": [ROLE], "password": "Y29ycmVjdCBob3JzZQ=="});
    let ann = signing.admin.post("/api/v2/identities", identity).await.response()["uuid"].clone();
    let policy = json!({"name": "strict", "numApprovals": 3, "hashAlgorithm": "Sha2_256"});
    let pre_approval = json!({
        "name": "nightly", "policyUuid": service.policy, "maxRequests": 2, "submitterUuid": ann,
        "lifetime": {"unit": "Hour", "amount": "1"},
    });
    let notices = json!({"name": "chat", "webhook": {"url": "https://chat.example.org/x", "shape": "Slack"}});
    let records = json!({"name": "archive", "syslog": {"host": "logs.example.org"}, "enabled": false});
    let password = json!({"password": "YW5vdGhlciBob3JzZQ==", "oneTime": true});
    for (path, body) in [
        (format!("{services}/{}/signing-policies", service.uuid), policy),
        (format!("{services}/{}/renew", service.uuid), json!({})),
        ("/api/v2/x509/pre-approvals".to_owned(), pre_approval),
        ("/api/v2/notice-targets".to_owned(), notices),
        ("/api/v2/audit/targets".to_owned(), records),
        (format!("/api/v2/identities/{}/password", ann.as_str().unwrap()), password),
    ] {
        let reply = signing.admin.post(&path, misspelt(body.clone(), "")).await;
        reply.refused(400, "ArgumentParseError", Some("/typo"));
        signing.admin.post(&path, body).await.response();
    }
    let path = format!("{policies}/{}", service.policy);
    let read = signing.admin.get(&path).await.response().clone();
    let reply = signing.admin.patch(&path, misspelt(read.clone(), "")).await;
    reply.refused(400, "ArgumentParseError", Some("/typo"));
    signing.admin.patch(&path, read).await.response();
    let reply = signing.admin.patch(&format!("{services}/{}", service.uuid), json!({"timestampin": {}})).await;
    reply.refused(400, "ArgumentParseError", Some("/timestampin"));
}

#[tokio::test]
async fn keys_profiles_and_renewals_name_what_they_ignore() {
    let signing = Signing::new().await;
    let admin = &signing.admin;
    let told = |reply: &crate::client::Reply, member: &str| {
        let warnings = reply.response()["warnings"].to_string();
        assert!(warnings.contains(&format!("The member {member} is not known here and was ignored.")), "{warnings}");
    };
    let key = json!({"name": "k", "keyTypeUuid": "00000000-0000-0000-6b74-00000000000c", "usage": ["Tokenize"]});
    let made = admin.post("/api/v2/keys", key).await;
    told(&made, "/usage");
    let path = format!("/api/v2/keys/{}", made.response()["uuid"].as_str().unwrap());
    told(&admin.patch(&path, json!({"name": "k", "state": "Disabled"})).await, "/state");
    assert_eq!(admin.get(&path).await.response().get("warnings"), None);
    let profile = json!({
        "objInfo": {"name": "cards"}, "algorithm": "Random", "keyUuid": made.response()["uuid"],
        "format": {"alphabet": "Decimal", "minLength": 8, "maxLength": 12}, "timeToLiv": {"unit": "Day", "amount": "1"},
    });
    let made = admin.post(PROFILES, profile).await;
    told(&made, "/timeToLiv");
    let path = format!("{PROFILES}/{}", made.response()["objInfo"]["uuid"].as_str().unwrap());
    let read = admin.get(&path).await.response().clone();
    assert_eq!(
        admin.patch(&path, read.clone()).await.response(),
        &read,
        "what was read is written back without a word"
    );
    told(&admin.patch(&path, json!({"keyVersoin": 1})).await, "/keyVersoin");
    told(&admin.post(&format!("{path}/copy"), json!({"objInfo": {"name": "b"}, "formt": {}})).await, "/formt");
    let leaf = json!({
        "certProfileUuid": TLS_CLIENT, "issuerUuid": signing.root, "subjectOneline": "CN=a",
        "newKey": {"keyTypeUuid": EC_P256, "save": true},
    });
    let leaf = admin.post("/api/v2/x509/generate", leaf).await.response()["certificateUuid"].clone();
    let path = format!("/api/v2/x509/{}", leaf.as_str().unwrap());
    told(&admin.post(&format!("{path}/renew"), json!({"validity": 1})).await, "/validity");
    told(&admin.post(&format!("{path}/rekey"), json!({"certParam": {}})).await, "/certParam");
}

/// An approval without the digest that its sender meant approves whatever is there.
#[tokio::test]
async fn what_binds_an_approval_is_refused_where_it_is_misspelt() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let nothing = "00000000-0000-4000-8000-000000000000";
    let digest = "PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=";
    for place in ["signing-requests", "proposals"] {
        let path = format!("/api/v2/x509/{place}/{nothing}/approve");
        for misspelt in ["diget", "Digest", "approvalDigest", "assertion"] {
            let reply = admin.post(&path, json!({misspelt: digest})).await;
            reply.refused(400, "ArgumentParseError", Some(&format!("/{misspelt}")));
        }
        admin.post(&path, json!({"digest": digest, "comment": "fine"})).await.refused(404, "InvalidSelection", None);
    }
    let many = json!({"uuids": [nothing], "decision": "Approve", "digests": digest});
    let path = "/api/v2/x509/signing-requests/batch-approve-deny";
    admin.post(path, many).await.refused(400, "ArgumentParseError", Some("/digests"));
}
