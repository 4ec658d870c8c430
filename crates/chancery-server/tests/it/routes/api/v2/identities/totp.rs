//! DELETE /api/v2/identities/{uuid}/totp.

use chancery_types::RoleId;

use crate::{
    app::{PASSWORD, TestApp},
    second_factor::{carol, enrol, log_in},
};

fn path(id: &str) -> String {
    format!("/api/v2/identities/{id}/totp")
}

#[tokio::test]
async fn who_lost_their_codes_is_helped_by_others() {
    let app = TestApp::new().await;
    let (authenticator, uuid) = carol(&app).await;
    let session = app.nobody();
    assert_eq!(log_in(&session, "carol", Some(&authenticator.code(0))).await.status, 200);
    let admin = app.admin().await;
    let reset = admin.delete(&path(&uuid)).await;
    assert_eq!((reset.response()["objInfo"]["name"].as_str(), reset.response().get("totp")), (Some("carol"), None));
    admin.saw_audited("TotpReset").await;
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    assert_eq!(app.nobody().log_in("carol", PASSWORD).await.status, 200);
    admin.delete(&path(&uuid)).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn nobody_takes_the_second_factor_of_somebody_who_holds_more() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for name in ["officer1", "officer2"] {
        admin.create_person(name, &[RoleId::SECURITY_OFFICER]).await;
    }
    let officers = app.logged_in(&[("officer1", PASSWORD), ("officer2", PASSWORD)]).await;
    let uuid = admin.identity_uuid("Admin1").await;
    let authenticator = enrol(&app, "Admin1").await;
    officers.delete(&path(&uuid)).await.refused(403, "NotAuthorized", None);
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status, 401);
    assert_eq!(log_in(&app.nobody(), "Admin1", Some(&authenticator.code(0))).await.status, 200);
}

#[tokio::test]
async fn a_password_that_others_set_leaves_the_second_factor() {
    let app = TestApp::new().await;
    let (authenticator, uuid) = carol(&app).await;
    let body = serde_json::json!({"password": chancery_types::Base64::encode(PASSWORD.as_bytes())});
    app.admin().await.post(&format!("/api/v2/identities/{uuid}/password"), body).await.response();
    assert_eq!(app.nobody().log_in("carol", PASSWORD).await.status, 401);
    assert_eq!(log_in(&app.nobody(), "carol", Some(&authenticator.code(0))).await.status, 200);
}
