//! POST /home/v1/login/totp/confirm.

use chancery_types::RoleId;

use super::is;
use crate::{
    app::{PASSWORD, TestApp},
    second_factor::{Authenticator, CONFIRM, ENROL, carol, proof, proof_by},
};

#[tokio::test]
async fn a_secret_that_nobody_confirmed_in_time_is_none() {
    let app = TestApp::new().await;
    app.admin().await.create_person("carol", &[RoleId::APPROVER]).await;
    let enrolled = Authenticator::of(&app, &app.nobody().post(ENROL, proof("carol", None)).await);
    app.clock.advance_ms(15 * 60_000);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&enrolled.code(0)))).await, 401);
    is(&app.nobody().log_in("carol", PASSWORD).await, 200);
    let enrolled = Authenticator::of(&app, &app.nobody().post(ENROL, proof("carol", None)).await);
    app.clock.advance_ms(15 * 60_000 - 1);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&enrolled.code(0)))).await, 200);
}

#[tokio::test]
async fn only_the_last_secret_is_confirmed_and_once() {
    let app = TestApp::new().await;
    app.admin().await.create_person("carol", &[RoleId::APPROVER]).await;
    let first = Authenticator::of(&app, &app.nobody().post(ENROL, proof("carol", None)).await);
    let second = Authenticator::of(&app, &app.nobody().post(ENROL, proof("carol", None)).await);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&first.code(0)))).await, 401);
    is(&app.nobody().post(CONFIRM, proof_by("carol", "wrong", Some(&second.code(0)))).await, 401);
    is(&app.nobody().post(CONFIRM, proof("carol", None)).await, 401);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&second.code(0)))).await, 200);
    is(&app.nobody().post(CONFIRM, proof("carol", Some(&second.code(1)))).await, 401);
}

/// Else whoever has guessed a password learned here that it is right, without a code.
#[tokio::test]
async fn who_has_nothing_to_confirm_is_refused_as_who_has_a_wrong_password() {
    let app = TestApp::new().await;
    let (authenticator, _) = carol(&app).await;
    let right = app.nobody().post(CONFIRM, proof("carol", Some(&authenticator.code(0)))).await;
    let wrong = app.nobody().post(CONFIRM, proof_by("carol", "wrong", Some(&authenticator.code(0)))).await;
    is(&right, 401);
    assert_eq!(right.body, wrong.body);
}
