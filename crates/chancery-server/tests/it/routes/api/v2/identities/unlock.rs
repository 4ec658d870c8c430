//! POST /api/v2/identities/{uuid}/unlock, and `chancery unlock` on the host.

use chancery_core::Host;
use chancery_types::RoleId;

use crate::app::{PASSWORD, TestApp};

#[tokio::test]
async fn an_unlocked_identity_logs_in_again_with_old_sessions_gone() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR]).await;
    let path = format!("/api/v2/identities/{}", admin.identity_uuid("auditor").await);
    admin.post_nothing(&format!("{path}/lock")).await.response();
    assert_eq!(admin.post_nothing(&format!("{path}/unlock")).await.response()["locked"], false);
    auditor.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    app.logged_in(&[("auditor", PASSWORD)]).await.get("/api/v2/audit").await.response();
}

#[tokio::test]
async fn wrong_passwords_are_forgiven() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let wrong = async || {
        for _ in 0..12 {
            app.nobody().log_in("Admin1", "wrong").await;
            app.clock.advance_ms(1);
        }
        assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status.as_u16(), 401, "delayed");
    };
    wrong().await;
    let path = format!("/api/v2/identities/{}/unlock", admin.identity_uuid("Admin1").await);
    admin.post_nothing(&path).await.response();
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status.as_u16(), 200);
    wrong().await;
    app.chancery.identities.unlock_from_host(&Host::running("unlock"), "ADMIN1").await.unwrap();
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status.as_u16(), 200);
}

#[tokio::test]
async fn the_host_unlocks_by_name() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let id = admin.create_person("auditor", &[RoleId::AUDITOR]).await;
    admin.post_nothing(&format!("/api/v2/identities/{id}/lock")).await.response();
    let host = Host::running("unlock");
    assert!(app.chancery.identities.unlock_from_host(&host, "nobody").await.is_err());
    assert!(app.chancery.identities.unlock_from_host(&host, "Auditor").await.unwrap(), "it was locked");
    assert!(!app.chancery.identities.unlock_from_host(&host, "Auditor").await.unwrap(), "it is not any more");
    assert_eq!(app.nobody().log_in("auditor", PASSWORD).await.status.as_u16(), 200);
    let records = admin.get(&format!("/api/v2/audit?action=IdentityUnlock&objectUuid={id}")).await;
    assert_eq!(records.response()["items"][0]["requestId"], "unlock");
}
