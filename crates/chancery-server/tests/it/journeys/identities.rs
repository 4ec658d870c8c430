//! People who come, change and go, on both databases.

use chancery_types::{Base64, RoleId};
use futures::future::join_all;
use serde_json::json;

use crate::app::{PASSWORD, Setup, TestApp};

#[tokio::test]
async fn an_auditor_comes_changes_and_goes() {
    for postgres in [false, true] {
        let app = TestApp::with(Setup { postgres, ..Setup::default() }).await;
        let admin = app.admin().await;
        let role =
            admin.post("/api/v2/roles", json!({"name": "Readers", "loginsRequired": 1, "perms": ["Audit:Read"]}));
        let role: RoleId = role.await.response()["uuid"].as_str().unwrap().parse().unwrap();
        let reader = app.person("Reader", &[role]).await;
        let path = format!("/api/v2/identities/{}", admin.identity_uuid("READ").await);
        reader.get("/api/v2/audit?action=IdentityCreate").await.response();
        admin
            .post("/api/v2/identities", json!({"name": "reader", "kind": "Application", "roleUuids": [role]}))
            .await
            .refused(409, "AlreadyExists", Some("/name"));
        admin.patch(&path, json!({"name": "Reader 2", "roleUuids": [role, RoleId::AUDITOR]})).await.response();
        let password = json!({"password": Base64::encode(b"another long password")});
        admin.post(&format!("{path}/password"), password).await.response();
        reader.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
        let reader = app.logged_in(&[("reader 2", "another long password")]).await;
        admin.post_nothing(&format!("{path}/lock")).await.response();
        reader.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
        admin.post_nothing(&format!("{path}/unlock")).await.response();
        app.logged_in(&[("reader 2", "another long password")]).await;
        admin.delete(&format!("/api/v2/roles/{role}")).await.refused(409, "InvalidState", None);
        admin.delete(&path).await.response();
        admin.delete(&format!("/api/v2/roles/{role}")).await.response();
        let records = admin.get(&format!("/api/v2/audit?objectUuid={role}")).await;
        assert_eq!(records.response()["total"], 2, "made and deleted: {}", records.text());
    }
}

#[tokio::test]
async fn locks_side_by_side_leave_two_administrators() {
    let app = TestApp::on_postgres().await;
    let admin = app.admin().await;
    for name in ["Admin3", "Admin4"] {
        admin.create_person(name, &[RoleId::ADMINISTRATOR]).await;
    }
    for name in ["Officer1", "Officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("Officer1", PASSWORD), ("Officer2", PASSWORD)]).await;
    let mut paths = Vec::new();
    for name in ["Admin2", "Admin3", "Admin4"] {
        paths.push(format!("/api/v2/identities/{}/lock", admin.identity_uuid(name).await));
    }
    let replies = join_all(paths.iter().map(|path| officers.post_nothing(path))).await;
    let mut statuses: Vec<_> = replies.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 409]);
}
