//! POST /api/v2/x509/requests: the two names of whoever shall issue.

use serde_json::json;

use super::{P256, csr};
use crate::{
    app::TestApp,
    certificates::{profile, root, with},
};

#[tokio::test]
async fn the_member_that_named_no_authority_is_named_and_what_is_not_known_is_told() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let root = root(&admin).await;
    let nothing = "01a210bf-c0c6-7419-b882-000000000000";
    let plain = json!({"csr": csr(P256, "/CN=client", &[]), "certProfileUuid": profile(&admin, "TLS Client").await});
    for (members, status, code, field) in [
        (json!({"serviceOrIssuerUuid": nothing}), 400, "InvalidSelection", "/serviceOrIssuerUuid"),
        (json!({"serviceUuid": nothing}), 400, "InvalidSelection", "/serviceUuid"),
        (json!({"serviceOrIssuerUuid": root, "serviceUuid": nothing}), 400, "InvalidValue", "/serviceUuid"),
        (json!({}), 400, "ArgumentParseError", "/serviceOrIssuerUuid"),
    ] {
        let reply = admin.post("/api/v2/x509/requests", with(plain.clone(), members)).await;
        reply.refused(status, code, Some(field));
    }
    let named = json!({"serviceOrIssuerUuid": root, "serviceUuid": root, "unheardOf": 1});
    let reply = admin.post("/api/v2/x509/requests", with(plain, named)).await;
    assert!(reply.response()["warnings"].to_string().contains("unheardOf"), "{}", reply.text());
}
