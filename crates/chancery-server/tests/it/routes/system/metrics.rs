use crate::app::TestApp;

#[tokio::test]
async fn requests_are_counted_by_route_and_never_by_path() {
    let app = TestApp::new().await;
    app.nobody().get("/healthz").await;
    app.nobody().get("/no/such/secret-path").await;
    app.nobody().send("BREW", "/healthz", None, "").await;
    let metrics = app.nobody().get("/metrics").await;
    assert_eq!(metrics.headers["content-type"], "text/plain; version=0.0.4");
    let text = metrics.text();
    assert!(text.contains(r#"chancery_http_requests_total{method="GET",route="/healthz",status="200"}"#), "{text}");
    assert!(text.contains(r#"chancery_http_requests_total{method="GET",route="none",status="404"}"#), "{text}");
    assert!(text.contains(r#"method="other",route="/healthz",status="405""#), "{text}");
    assert!(
        text.contains(r#"chancery_http_request_seconds_bucket{method="GET",route="/healthz",le="0.001"}"#),
        "{text}"
    );
    assert!(text.contains(r#"chancery_recovered_identities{by="Host"} "#), "{text}");
    assert!(!text.contains("secret-path") && !text.contains("BREW"), "{text}");
}
