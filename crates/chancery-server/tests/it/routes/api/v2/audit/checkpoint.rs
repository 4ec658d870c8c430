//! GET /api/v2/audit/checkpoint.

use crate::app::TestApp;

#[tokio::test]
async fn the_newest_checkpoint_is_over_every_record_within_a_second() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let total = admin.get("/api/v2/audit?pageSize=1").await.response()["total"].as_u64().unwrap();
    let began = std::time::Instant::now();
    let newest = loop {
        let newest = admin.get("/api/v2/audit/checkpoint").await.response().clone();
        if newest["records"].as_u64().unwrap() >= total {
            break newest;
        }
        assert!(began.elapsed().as_secs() < 10, "{newest}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    let (note, key) = (newest["checkpoint"].as_str().unwrap(), newest["key"].as_str().unwrap());
    let origin = key.split('+').next().unwrap();
    assert!(note.starts_with(&format!("{origin}\n{}\n", newest["records"])) && note.contains("\nprevious "), "{note}");
    app.nobody().get("/api/v2/audit/checkpoint").await.refused(401, "InvalidAuthToken", None);
}
