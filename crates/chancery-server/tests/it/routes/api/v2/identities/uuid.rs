//! GET, PATCH and DELETE /api/v2/identities/{uuid}.

use chancery_types::RoleId;
use serde_json::json;

use crate::app::{PASSWORD, TestApp};

fn path(id: impl std::fmt::Display) -> String {
    format!("/api/v2/identities/{id}")
}

#[tokio::test]
async fn a_name_and_roles_can_be_changed() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = admin.create_person("alice", &[RoleId::APPROVER]).await;
    let body = json!({"name": "Alice B", "roleUuids": [RoleId::AUDITOR, RoleId::APPROVER]});
    let reply = admin.patch(&path(&id), body).await;
    assert_eq!(reply.response()["objInfo"]["name"], "Alice B");
    let mut roles: Vec<_> = reply.response()["roleUuids"].as_array().unwrap().clone();
    roles.sort_by_key(ToString::to_string);
    assert_eq!(roles, [json!(RoleId::APPROVER), json!(RoleId::AUDITOR)]);
    assert_eq!(app.nobody().log_in("alice", PASSWORD).await.status.as_u16(), 401);
    let login = app.nobody().log_in("alice b", PASSWORD).await;
    assert_eq!(login.json["response"]["perms"], json!(["Signing:Approve", "Audit:Read"]));
    admin.patch(&path(&id), json!({"name": "ALICE b"})).await.response();
    for (body, status, code, field) in [
        (json!({"name": "admin1"}), 409, "AlreadyExists", "/name"),
        (json!({"name": "\n"}), 400, "InvalidValue", "/name"),
        (json!({"name": "Admin1 "}), 400, "InvalidValue", "/name"),
        (json!({"roleUuids": []}), 400, "InvalidValue", "/roleUuids"),
        (json!({"roleUuids": [RoleId::AUDITOR, RoleId::ADMINISTRATOR]}), 400, "InvalidValue", "/roleUuids"),
        (json!({"roleUuids": ["00000000-0000-0000-0000-000000000009"]}), 400, "InvalidSelection", "/roleUuids/0"),
    ] {
        admin.patch(&path(&id), body).await.refused(status, code, Some(field));
    }
}

#[tokio::test]
async fn a_withdrawn_role_ends_in_live_sessions_and_a_new_one_needs_a_login() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR, RoleId::APPLICATION]).await;
    let id = admin.identity_uuid("auditor").await;
    auditor.get("/api/v2/audit").await.response();
    admin.patch(&path(&id), json!({"roleUuids": [RoleId::APPLICATION]})).await.response();
    auditor.get("/api/v2/audit").await.refused(403, "NotAuthorized", None);
    auditor.get("/api/v2/roles/stubs").await.response();
    admin.patch(&path(&id), json!({"roleUuids": [RoleId::APPROVER]})).await.response();
    auditor.get("/api/v2/roles/stubs").await.refused(401, "InvalidAuthToken", None);
    assert_eq!(app.nobody().log_in("auditor", PASSWORD).await.json["response"]["perms"], json!(["Signing:Approve"]));
}

#[tokio::test]
async fn the_last_two_holders_of_a_built_in_two_login_role_stay() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let ids = [admin.identity_uuid("Admin1").await, admin.identity_uuid("Admin2").await];
    for id in &ids {
        admin.delete(&path(id)).await.refused(409, "InvalidState", None);
        admin.post_nothing(&format!("{}/lock", path(id))).await.refused(409, "InvalidState", None);
        for roles in [[RoleId::ADMINISTRATOR], [RoleId::SECURITY_OFFICER], [RoleId::APPROVER]] {
            admin.patch(&path(id), json!({"roleUuids": roles})).await.refused(409, "InvalidState", None);
        }
    }
    let third = admin.create_person("third", &[RoleId::ADMINISTRATOR]).await;
    // Admin1 is still one of the last two security officers.
    admin.delete(&path(&ids[0])).await.refused(409, "InvalidState", None);
    admin.patch(&path(&ids[0]), json!({"roleUuids": [RoleId::SECURITY_OFFICER]})).await.response();
    // Now there are two administrators again.
    let admin = app.logged_in(&[("Admin2", PASSWORD), ("third", PASSWORD)]).await;
    admin.delete(&path(&third)).await.refused(409, "InvalidState", None);
    let fourth = admin.create_person("fourth", &[RoleId::ADMINISTRATOR]).await;
    admin.post_nothing(&format!("{}/lock", path(&fourth))).await.response();
    // A locked holder does not count, and can go.
    admin.delete(&path(&third)).await.refused(409, "InvalidState", None);
    admin.delete(&path(&fourth)).await.response();
}

#[tokio::test]
async fn deleting_ends_the_sessions() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR]).await;
    let id = admin.identity_uuid("auditor").await;
    assert_eq!(admin.delete(&path(&id)).await.response(), &json!({}));
    auditor.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    auditor.with_cookie_alone().get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    admin.get(&path(&id)).await.refused(404, "InvalidSelection", None);
    assert_eq!(app.nobody().log_in("auditor", PASSWORD).await.status.as_u16(), 401);
    admin.create_person("auditor", &[RoleId::AUDITOR]).await;
}

#[tokio::test]
async fn permission_comes_before_the_object() {
    let app = TestApp::new().await;
    let (admin, clerk) = (app.admin().await, app.person("clerk", &[RoleId::APPLICATION]).await);
    let own = admin.identity_uuid("clerk").await;
    for id in ["00000000-0000-0000-0000-000000000009", &own] {
        clerk.get(&path(id)).await.refused(403, "NotAuthorized", None);
        clerk.patch(&path(id), json!({})).await.refused(403, "NotAuthorized", None);
        clerk.delete(&path(id)).await.refused(403, "NotAuthorized", None);
        for verb in ["lock", "unlock"] {
            clerk.post_nothing(&format!("{}/{verb}", path(id))).await.refused(403, "NotAuthorized", None);
            app.nobody().post_nothing(&format!("{}/{verb}", path(id))).await.refused(401, "InvalidAuthToken", None);
        }
    }
    for id in ["00000000-0000-0000-0000-000000000009", "x"] {
        admin.get(&path(id)).await.refused(404, "InvalidSelection", None);
        admin.patch(&path(id), json!({})).await.refused(404, "InvalidSelection", None);
        admin.delete(&path(id)).await.refused(404, "InvalidSelection", None);
        for verb in ["lock", "unlock"] {
            admin.post_nothing(&format!("{}/{verb}", path(id))).await.refused(404, "InvalidSelection", None);
        }
    }
}

#[tokio::test]
async fn a_role_that_is_given_back_needs_a_login_too() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let both = json!({"roleUuids": [RoleId::AUDITOR, RoleId::APPLICATION]});
    let auditor = app.person("auditor", &[RoleId::AUDITOR, RoleId::APPLICATION]).await;
    let id = admin.identity_uuid("auditor").await;
    app.clock.advance_ms(1_000);
    // What stays is not given anew.
    admin.patch(&path(&id), both.clone()).await.response();
    auditor.get("/api/v2/audit").await.response();
    admin.patch(&path(&id), json!({"roleUuids": [RoleId::APPLICATION]})).await.response();
    auditor.get("/api/v2/audit").await.refused(403, "NotAuthorized", None);
    admin.patch(&path(&id), both).await.response();
    auditor.get("/api/v2/audit").await.refused(403, "NotAuthorized", None);
    auditor.get("/api/v2/roles/stubs").await.response();
    app.logged_in(&[("auditor", PASSWORD)]).await.get("/api/v2/audit").await.response();
}
