use std::time::{Duration, Instant};

use chancery_testkit::Postgres;
use serde_json::json;

use crate::app::TestApp;

#[tokio::test]
async fn alive_and_ready_on_sqlite() {
    let app = TestApp::new().await;
    let live = app.nobody().get("/healthz").await;
    assert_eq!((live.status.as_u16(), live.json), (200, json!({"status": "ok"})));
    let ready = app.ready().await;
    assert_eq!((ready.status.as_u16(), ready.json), (200, json!({"status": "ok", "demo": false})));
}

#[tokio::test]
async fn ready_on_postgresql() {
    let app = TestApp::on_postgres().await;
    let ready = app.ready().await;
    assert_eq!((ready.status.as_u16(), ready.json), (200, json!({"status": "ok", "demo": false})));
}

/// As where a standby stands behind the address, or an administrator has made the database read-only.
#[tokio::test]
async fn not_ready_while_the_database_only_reads() {
    let app = TestApp::on_postgres().await;
    // Connections keep what held when they began.
    let end_connections = || {
        app.database().psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
    };
    let turn_to = |how: &str| {
        let change = format!("ALTER DATABASE {} SET default_transaction_read_only = {how}", app.database().name());
        Postgres::shared().psql("postgres", &change);
        end_connections();
    };
    let becomes = async |status: u16| {
        let began = Instant::now();
        loop {
            let ready = app.nobody().get("/readyz").await;
            if ready.status.as_u16() == status {
                return ready;
            }
            if status == 503 {
                // Again, since one may have been beginning when the others ended.
                end_connections();
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{}", ready.status);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    becomes(200).await;
    turn_to("on");
    let began = Instant::now();
    loop {
        let text = String::from_utf8(becomes(503).await.body).unwrap();
        if text.contains("The storage cannot be written: the database is read-only") {
            break;
        }
        // First its connections broke.
        assert!(began.elapsed() < Duration::from_secs(20), "{text}");
        // And lets the node follow again, which runs on this thread.
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The counters are the process's, so another test may have looked between.
    while !app.nobody().get("/metrics").await.text().contains("chancery_ready 0\n") {
        assert!(began.elapsed() < Duration::from_secs(40));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    turn_to("off");
    becomes(200).await;
}
