//! POST /home/v1/logout.

use serde_json::json;

use crate::app::{PASSWORD, TestApp};

const LOGOUT: &str = "/home/v1/logout";
const TOKEN: &str = "/home/v1/login/token";

#[tokio::test]
async fn it_ends_the_session_and_its_tokens() {
    let app = TestApp::new().await;
    let (admin, others) = (app.admin().await, app.admin().await);
    let (bearer, cookie) = (admin.with_bearer(admin.bearer.as_ref().unwrap()), admin.with_cookie_alone());
    let reply = cookie.post_nothing(LOGOUT).await;
    assert_eq!((reply.status.as_u16(), &reply.json), (200, &json!({"message": "Success", "status": "Success"})));
    assert!(reply.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(bearer.get(TOKEN).await.status.as_u16(), 401);
    assert_eq!(admin.with_cookie_alone().get(TOKEN).await.status.as_u16(), 401);
    assert_eq!(others.get(TOKEN).await.status.as_u16(), 200, "another session of the same identities");
}

#[tokio::test]
async fn a_bearer_and_a_half_open_session_can_log_out() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let bearer = admin.with_bearer(admin.bearer.as_ref().unwrap());
    assert_eq!(bearer.post_nothing(LOGOUT).await.status.as_u16(), 200);
    assert_eq!(admin.with_cookie_alone().get(TOKEN).await.status.as_u16(), 401);
    let half_open = app.nobody();
    half_open.log_in("Admin1", PASSWORD).await;
    let kept = half_open.with_cookie_alone();
    assert_eq!(half_open.post_nothing(LOGOUT).await.status.as_u16(), 200);
    // The cookie that was kept names nothing: the second login begins another session.
    assert_eq!(kept.log_in("Admin2", PASSWORD).await.json["response"]["fullyLoggedIn"], false);
}

#[tokio::test]
async fn without_a_session_there_is_nothing_to_end() {
    let app = TestApp::new().await;
    let reply = app.nobody().post_nothing(LOGOUT).await;
    let message = "A valid bearer token or a completed login is needed.";
    assert_eq!((reply.status.as_u16(), reply.json), (401, json!({"message": message, "status": "Failure"})));
}
