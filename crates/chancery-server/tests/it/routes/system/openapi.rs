use crate::app::TestApp;

#[tokio::test]
async fn the_document_is_openapi_3_1() {
    let app = TestApp::new().await;
    let document = app.nobody().get("/openapi.json").await;
    assert_eq!(document.headers["content-type"], "application/json");
    assert_eq!(document.json["openapi"], "3.1.0");
    assert_eq!(document.json, serde_json::to_value(chancery_server::openapi()).unwrap());
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let text = document.to_string();
    let references = text.split(r##""$ref":"#"##).skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut followed = 0;
    for reference in references {
        assert!(document.pointer(reference).is_some(), "{reference}");
        followed += 1;
    }
    assert!(followed > 0);
}

#[tokio::test]
async fn the_page_needs_nothing_from_elsewhere() {
    let app = TestApp::new().await;
    let page = app.nobody().get("/docs").await;
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    for part in
        [page.text(), app.nobody().get("/docs/page.js").await.text(), app.nobody().get("/docs/page.css").await.text()]
    {
        assert!(!part.contains("http://") && !part.contains("https://") && !part.is_empty(), "{part}");
    }
    let linked = page.text().matches("/docs/page.").count();
    assert_eq!(linked, 2, "the script and the style");
}
