use serde_json::json;

use crate::app::TestApp;

#[tokio::test]
async fn alive_and_ready_on_sqlite() {
    let app = TestApp::new().await;
    let live = app.nobody().get("/healthz").await;
    assert_eq!((live.status.as_u16(), live.json), (200, json!({"status": "ok"})));
    let ready = app.nobody().get("/readyz").await;
    assert_eq!((ready.status.as_u16(), ready.json), (200, json!({"status": "ok", "demo": false})));
}

#[tokio::test]
async fn ready_on_postgresql() {
    let app = TestApp::on_postgres().await;
    let ready = app.nobody().get("/readyz").await;
    assert_eq!((ready.status.as_u16(), ready.json), (200, json!({"status": "ok", "demo": false})));
}
