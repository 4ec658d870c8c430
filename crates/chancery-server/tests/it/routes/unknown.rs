//! Paths and methods that nobody serves, and what every answer has.

use crate::app::TestApp;

#[tokio::test]
async fn an_unknown_path_has_the_form_of_its_family() {
    let app = TestApp::new().await;
    for path in ["/api/v2", "/api/v2/", "/api/v2/no-such", "/api/v2/%FF", "/cuserv/v1", "/cuserv/v1/services/no-such"] {
        for method in ["GET", "POST", "DELETE", "BREW"] {
            app.nobody().send(method, path, None, "").await.refused(404, "InvalidSelection", None);
        }
    }
    let home = app.nobody().get("/home/v1/no-such").await;
    assert_eq!(home.status.as_u16(), 404);
    assert_eq!(home.json, serde_json::json!({"message": "There is no such path.", "status": "Failure"}));
    let plain = app.nobody().get("/no-such").await;
    assert_eq!((plain.status.as_u16(), plain.text()), (404, "There is no such path.\n"));
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let app = TestApp::new().await;
    let refused = app.nobody().send("POST", "/healthz", None, "").await;
    assert_eq!((refused.status.as_u16(), &refused.headers["allow"]), (405, &"GET,HEAD".parse().unwrap()));
}

#[tokio::test]
async fn every_answer_has_its_id_and_its_headers() {
    let app = TestApp::new().await;
    let mut ids = Vec::new();
    for path in ["/healthz", "/no-such", "/api/v2/no-such", "/home/v1/login"] {
        let answer = app.nobody().get(path).await;
        ids.push(answer.headers["x-request-id"].to_str().unwrap().to_owned());
        for (name, value) in
            [("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY")]
        {
            assert_eq!(answer.headers[name], value, "{path}");
        }
        assert!(answer.headers.contains_key("content-security-policy"), "{path}");
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}
