//! POST /api/v2/identities/{uuid}/lock.

use chancery_types::RoleId;

use crate::app::{PASSWORD, TestApp};

#[tokio::test]
async fn a_locked_identity_is_out_at_once_and_cannot_log_in() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let auditor = app.person("auditor", &[RoleId::AUDITOR]).await;
    let path = format!("/api/v2/identities/{}", admin.identity_uuid("auditor").await);
    let locked = admin.post_nothing(&format!("{path}/lock")).await;
    assert_eq!(locked.response()["locked"], true);
    auditor.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    let login = app.nobody().log_in("auditor", PASSWORD).await;
    assert_eq!(login.body, app.nobody().log_in("nobody", PASSWORD).await.body, "the same words as for nobody");
    admin.post_nothing(&format!("{path}/lock")).await.response();
    assert_eq!(admin.get(&path).await.response()["locked"], true);
}

#[tokio::test]
async fn it_ends_every_session_in_which_the_identity_sits() {
    let app = TestApp::new().await;
    app.admin().await.create_person("third", &[RoleId::ADMINISTRATOR]).await;
    let (with_third, without) = (app.logged_in(&[("Admin1", PASSWORD), ("third", PASSWORD)]).await, app.admin().await);
    let path = format!("/api/v2/identities/{}/lock", without.identity_uuid("third").await);
    without.post_nothing(&path).await.response();
    with_third.get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
    without.get("/api/v2/audit").await.response();
}
