//! POST /home/v1/login/totp/remove.

use super::is;
use crate::{
    app::{PASSWORD, TestApp},
    second_factor::{REMOVE, carol, enrol, log_in, proof, proof_by},
};

#[tokio::test]
async fn the_second_factor_is_taken_away_by_a_code_of_it_and_sessions_end() {
    let app = TestApp::new().await;
    let (authenticator, uuid) = carol(&app).await;
    let session = app.nobody();
    is(&log_in(&session, "carol", Some(&authenticator.code(0))).await, 200);
    for (password, code) in
        [(PASSWORD, None), (PASSWORD, Some(authenticator.code(0))), ("wrong", Some(authenticator.code(1)))]
    {
        is(&app.nobody().post(REMOVE, proof_by("carol", password, code.as_deref())).await, 401);
    }
    session.get("/api/v2/whoami").await.response();
    is(&app.nobody().post(REMOVE, proof("carol", Some(&authenticator.code(1)))).await, 200);
    session.get("/api/v2/whoami").await.refused(401, "InvalidAuthToken", None);
    is(&app.nobody().log_in("carol", PASSWORD).await, 200);
    let identity = app.admin().await.get(&format!("/api/v2/identities/{uuid}")).await;
    assert_eq!(identity.response().get("totp"), None);
    // What comes next begins from nothing.
    let again = enrol(&app, "carol").await;
    is(&log_in(&app.nobody(), "carol", Some(&again.code(0))).await, 200);
}

#[tokio::test]
async fn where_there_is_none_there_is_nothing_to_take_away() {
    let app = TestApp::new().await;
    let reply = app.nobody().post(REMOVE, proof("Admin1", None)).await;
    assert_eq!((reply.status.as_u16(), reply.json["status"].as_str()), (409, Some("Failure")), "{}", reply.text());
    app.admin().await.saw_audited("TotpRemove").await;
}
