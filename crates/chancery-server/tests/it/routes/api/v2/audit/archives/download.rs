//! GET /api/v2/audit/archives/download.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::archived;

const PATH: &str = "/api/v2/audit/archives/download";

#[tokio::test]
async fn an_archive_is_the_first_lines_of_an_export_of_the_ledger() {
    let (app, admin, archives) = archived().await;
    let reply = admin.get(&format!("{PATH}?firstLeaf=0")).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.headers["content-type"], "application/x-ndjson");
    assert_eq!(reply.headers["content-disposition"], "attachment; filename=\"audit-0.jsonl\"");
    let hash: String = Sha256::digest(&reply.body).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        (archives[0]["sha256"].as_str(), archives[0]["bytes"].as_u64()),
        (Some(&*hash), Some(reply.body.len() as u64))
    );
    let export = admin.get("/api/v2/audit/export?ledger=true").await.body;
    assert!(export.starts_with(&reply.body));
    let told = admin.get("/api/v2/audit?action=AuditExport&outcome=Success").await.response()["items"].clone();
    let told: Vec<_> = told.as_array().unwrap().iter().map(|record| record["detail"]["archive"].clone()).collect();
    assert_eq!(told, [Value::Null, 0.into()], "who has read it is known");
    admin.get(&format!("{PATH}?firstLeaf=1")).await.refused(400, "InvalidSelection", Some("/firstLeaf"));
    assert_eq!(admin.get(PATH).await.body, reply.body, "the oldest one");
    admin.get(&format!("{PATH}?firstLeaf=x")).await.refused(400, "InvalidValue", Some("/firstLeaf"));
    app.nobody().get(&format!("{PATH}?firstLeaf=0")).await.refused(401, "InvalidAuthToken", None);
}
