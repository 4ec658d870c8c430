//! GET, PATCH and DELETE /api/v2/roles/{uuid}.

use chancery_types::{Perm, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
};

fn path(role: impl std::fmt::Display) -> String {
    format!("/api/v2/roles/{role}")
}

async fn create(admin: &Client, name: &str, logins_required: u8, perms: &[Perm]) -> RoleId {
    let body = json!({"name": name, "loginsRequired": logins_required, "perms": perms});
    let reply = admin.post("/api/v2/roles", body).await;
    reply.response()["uuid"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_built_in_roles_are_as_decided_and_stay_so() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let all = [
        "Tokenization:Manage",
        "Keys:Add",
        "CertManage:Generate",
        "CertManage:Manage",
        "CertManage:Export",
        "Services:Deploy",
        "Signing:Submit",
        "Signing:Approve",
        "Identity:Manage",
        "Audit:Read",
        "System:Manage",
    ];
    for (role, logins_required, perms, management) in [
        (RoleId::ADMINISTRATOR, 2, &all[..], true),
        (RoleId::SECURITY_OFFICER, 2, &["Identity:Manage", "Audit:Read", "System:Manage"], true),
        (RoleId::APPROVER, 1, &["Signing:Approve"], false),
        (RoleId::APPLICATION, 1, &[], false),
        (RoleId::AUDITOR, 1, &["Audit:Read"], false),
    ] {
        let read = admin.get(&path(role)).await;
        let body = read.response();
        assert_eq!(
            (&body["loginsRequired"], &body["perms"], &body["management"], &body["system"]),
            (&json!(logins_required), &json!(perms), &json!(management), &json!(true))
        );
        admin.patch(&path(role), json!({"name": "x"})).await.refused(409, "InvalidState", None);
        admin.delete(&path(role)).await.refused(409, "InvalidState", None);
    }
}

#[tokio::test]
async fn a_change_of_permissions_reaches_live_sessions() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let role = create(&admin, "reader", 1, &[]).await;
    let reader = app.person("reader", &[role]).await;
    reader.get("/api/v2/audit").await.refused(403, "NotAuthorized", None);
    let patched = admin.patch(&path(role), json!({"perms": ["Audit:Read"], "name": "Reader 2"})).await;
    assert_eq!(patched.response()["perms"], json!(["Audit:Read"]));
    assert_eq!(patched.response()["objInfo"]["name"], "Reader 2");
    reader.get("/api/v2/audit").await.response();
    admin.patch(&path(role), json!({"perms": []})).await.response();
    reader.get("/api/v2/audit").await.refused(403, "NotAuthorized", None);
    assert_eq!(admin.patch(&path(role), json!({})).await.response()["objInfo"]["name"], "Reader 2");
}

#[tokio::test]
async fn the_rules_hold_for_changes_too() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let role = create(&admin, "role", 2, &[Perm::KeysAdd]).await;
    let single = create(&admin, "single", 1, &[]).await;
    for (role, body, status, code, field) in [
        (single, json!({"perms": ["System:Manage"]}), 400, "InvalidValue", "/loginsRequired"),
        (single, json!({"management": true}), 400, "InvalidValue", "/loginsRequired"),
        (single, json!({"loginsRequired": 4}), 400, "InvalidValue", "/loginsRequired"),
        (single, json!({"name": "ROLE"}), 409, "AlreadyExists", "/name"),
        (single, json!({"name": ""}), 400, "InvalidValue", "/name"),
        (single, json!({"name": "role "}), 400, "InvalidValue", "/name"),
        (single, json!({"perms": ["x"]}), 400, "InvalidSelection", "/perms/0"),
    ] {
        admin.patch(&path(role), body).await.refused(status, code, Some(field));
    }
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    for (body, field) in [
        (json!({"perms": ["Keys:Add", "Signing:Approve"]}), "/perms/1"),
        (json!({"loginsRequired": 1}), "/loginsRequired"),
    ] {
        officers.patch(&path(role), body).await.refused(403, "NotAuthorized", Some(field));
    }
    officers.patch(&path(role), json!({"perms": ["Keys:Add", "Audit:Read"]})).await.response();
}

#[tokio::test]
async fn a_role_that_somebody_holds_keeps_its_logins_and_cannot_be_deleted() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let role = create(&admin, "role", 1, &[]).await;
    let holder = admin.create_person("holder", &[role]).await;
    admin.patch(&path(role), json!({"loginsRequired": 2})).await.refused(409, "InvalidState", None);
    admin.delete(&path(role)).await.refused(409, "InvalidState", None);
    admin.delete(&format!("/api/v2/identities/{holder}")).await.response();
    assert_eq!(admin.patch(&path(role), json!({"loginsRequired": 2})).await.response()["loginsRequired"], 2);
    assert_eq!(admin.delete(&path(role)).await.response(), &json!({}));
    admin.get(&path(role)).await.refused(404, "InvalidSelection", None);
}

#[tokio::test]
async fn permission_comes_before_the_object() {
    let app = TestApp::new().await;
    let (admin, clerk) = (app.admin().await, app.person("clerk", &[RoleId::APPLICATION]).await);
    for id in ["00000000-0000-0000-0000-000000000009".to_owned(), RoleId::AUDITOR.to_string()] {
        clerk.get(&path(&id)).await.refused(403, "NotAuthorized", None);
        clerk.patch(&path(&id), json!({})).await.refused(403, "NotAuthorized", None);
        clerk.delete(&path(&id)).await.refused(403, "NotAuthorized", None);
        app.nobody().get(&path(&id)).await.refused(401, "InvalidAuthToken", None);
    }
    for id in ["00000000-0000-0000-0000-000000000009", "x", "{00000000-0000-0000-726f-000000000001}"] {
        admin.get(&path(id)).await.refused(404, "InvalidSelection", None);
        admin.patch(&path(id), json!({})).await.refused(404, "InvalidSelection", None);
        admin.delete(&path(id)).await.refused(404, "InvalidSelection", None);
    }
    let upper = RoleId::AUDITOR.to_string().to_uppercase();
    assert_eq!(admin.get(&path(upper)).await.response()["objInfo"]["name"], "Auditor");
    admin.patch(&path(RoleId::AUDITOR), Value::Array(vec![])).await.refused(400, "ArgumentParseError", None);
    admin.send("POST", &path(RoleId::AUDITOR), None, "").await.refused(405, "InvalidSelection", None);
}

/// Policies and approvals show roles by their names: two that changed theirs would be given for each other.
#[tokio::test]
async fn nobody_renames_what_they_do_not_hold() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let release = create(&admin, "Release", 1, &[Perm::SigningApprove]).await;
    let readers = create(&admin, "Readers", 1, &[Perm::AuditRead]).await;
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    officers.patch(&path(readers), json!({"name": "All readers"})).await.response();
    for (body, field) in [
        (json!({"name": "Juniors"}), "/name"),
        (json!({"objInfo": {"name": "Juniors"}}), "/objInfo/name"),
        // What it gives before the change counts.
        (json!({"name": "Juniors", "perms": []}), "/name"),
    ] {
        officers.patch(&path(release), body).await.refused(403, "NotAuthorized", Some(field));
    }
    let read = officers.get(&path(release)).await.response().clone();
    assert_eq!((&read["objInfo"]["name"], &read["perms"]), (&json!("Release"), &json!(["Signing:Approve"])));
    assert_eq!(
        officers.patch(&path(release), read.clone()).await.response(),
        &read,
        "the name that it has is no new one"
    );
    admin.patch(&path(release), json!({"name": "Releases"})).await.response();
    officers.saw_audited("RoleChange").await;
}

/// A role that rules name gives more than its permissions.
#[tokio::test]
async fn nobody_renames_a_role_of_rules_that_they_could_not_write() {
    let signing = crate::signing::Signing::new().await;
    let (app, admin) = (&signing.app, &signing.admin);
    let role = create(admin, "Seniors", 1, &[]).await;
    signing
        .deploy_with("builds", 1, |body| {
            let steps = json!([{"roleUuids": [role], "numApprovals": 1}]);
            body["pkisigning"]["rules"] = json!({"approvalSteps": steps});
        })
        .await;
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    officers.patch(&path(role), json!({"name": "Juniors"})).await.refused(403, "NotAuthorized", Some("/name"));
    admin.patch(&path(role), json!({"name": "Juniors"})).await.response();
}
