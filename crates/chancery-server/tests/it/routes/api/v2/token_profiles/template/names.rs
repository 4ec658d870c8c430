//! GET /api/v2/token-profiles/template/names.

use serde_json::json;

use crate::app::TestApp;

#[tokio::test]
async fn names_what_works() {
    let app = TestApp::new().await;
    let reply = app.admin().await.get("/api/v2/token-profiles/template/names").await;
    let names = json!([
        "card number keep last 4",
        "card number keep 6+4",
        "card number in full",
        "card number that never passes Luhn",
        "social security number",
        "date",
        "e-mail address",
        "phone number",
        "IBAN",
        "UUID",
        "free text",
    ]);
    assert_eq!(reply.response(), &json!({"names": names}));
}
