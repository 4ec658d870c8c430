//! POST /api/v2/roles.

mod second_factor;
mod stubs;
mod uuid;

use chancery_types::{Perm, RoleId};
use serde_json::json;

use crate::app::TestApp;

const ROLES: &str = "/api/v2/roles";

#[tokio::test]
async fn a_role_is_made_and_read_back() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let body = json!({"name": "Submitter", "loginsRequired": 1, "perms": ["Signing:Submit", "Audit:Read"]});
    let uuid = admin.post(ROLES, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let expected = json!({
        "objInfo": {"name": "Submitter", "uuid": uuid}, "loginsRequired": 1,
        "perms": ["Signing:Submit", "Audit:Read"], "management": false, "secondFactor": "None", "system": false,
    });
    assert_eq!(admin.get(&format!("{ROLES}/{uuid}")).await.response(), &expected);
}

#[tokio::test]
async fn names_are_unique_without_regard_to_letter_case() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for name in ["auditor", "AUDITOR", "Auditor"] {
        let body = json!({"name": name, "loginsRequired": 1, "perms": []});
        admin.post(ROLES, body).await.refused(409, "AlreadyExists", Some("/name"));
    }
}

#[tokio::test]
async fn what_is_not_as_described_is_refused_by_name() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let body = |change: serde_json::Value| {
        let mut body = json!({"name": "New", "loginsRequired": 1, "perms": []});
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    for (change, code, field) in [
        (json!({"name": ""}), "InvalidValue", "/name"),
        (json!({"name": "x".repeat(256)}), "InvalidValue", "/name"),
        (json!({"name": "a\u{0}b"}), "InvalidValue", "/name"),
        (json!({"name": "Auditor "}), "InvalidValue", "/name"),
        (json!({"name": "\u{3000}Auditor"}), "InvalidValue", "/name"),
        (json!({"name": " "}), "InvalidValue", "/name"),
        (json!({"name": 1}), "ArgumentParseError", "/name"),
        (json!({"name": null}), "ArgumentParseError", "/name"),
        (json!({"loginsRequired": 0}), "InvalidValue", "/loginsRequired"),
        (json!({"loginsRequired": 3}), "InvalidValue", "/loginsRequired"),
        (json!({"loginsRequired": -1}), "ArgumentParseError", "/loginsRequired"),
        (json!({"loginsRequired": "1"}), "ArgumentParseError", "/loginsRequired"),
        (json!({"perms": ["Audit:Read", "Audit:Write"]}), "InvalidSelection", "/perms/1"),
        (json!({"perms": "Audit:Read"}), "ArgumentParseError", "/perms"),
        (json!({"perms": ["Identity:Manage"]}), "InvalidValue", "/loginsRequired"),
        (json!({"perms": ["Services:Deploy"]}), "InvalidValue", "/loginsRequired"),
        (json!({"management": true}), "InvalidValue", "/loginsRequired"),
        (json!({"management": 1}), "ArgumentParseError", "/management"),
    ] {
        admin.post(ROLES, body(change.clone())).await.refused(400, code, Some(field));
    }
    admin.post(ROLES, json!({"name": "New", "perms": []})).await.refused(
        400,
        "ArgumentParseError",
        Some("/loginsRequired"),
    );
    admin.post(ROLES, json!([1])).await.refused(400, "ArgumentParseError", None);
    admin.send("POST", ROLES, None, &b"\xff"[..]).await.refused(400, "ArgumentParseError", None);
    let longest = body(json!({"name": "x".repeat(255)}));
    admin.post(ROLES, longest).await.response();
}

#[tokio::test]
async fn it_needs_identity_manage_and_what_the_role_shall_have() {
    let app = TestApp::new().await;
    let body = json!({"name": "New", "loginsRequired": 2, "perms": ["Audit:Read", "Keys:Add"]});
    app.nobody().post(ROLES, body.clone()).await.refused(401, "InvalidAuthToken", None);
    let auditor = app.with_perms("auditor", &[Perm::AuditRead]).await;
    auditor.post(ROLES, body.clone()).await.refused(403, "NotAuthorized", None);
    let admin = app.admin().await;
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let password = crate::app::PASSWORD;
    let officers = app.logged_in(&[("officer1", password), ("officer2", password)]).await;
    officers.post(ROLES, body).await.refused(403, "NotAuthorized", Some("/perms/1"));
    let within = json!({"name": "New", "loginsRequired": 2, "perms": ["Audit:Read"], "management": true});
    officers.post(ROLES, within).await.response();
    // What the rules forbid is recorded like a missing permission.
    let refusals = admin.get("/api/v2/audit?action=RoleCreate&outcome=NotAuthorized").await;
    assert_eq!(refusals.response()["total"], 2, "{}", refusals.text());
}
