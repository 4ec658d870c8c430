//! HTTP/2 connections of callers whom nobody knows.

use std::time::{Duration, Instant};

use chancery_server::Bounds;
use chancery_testkit::Tool;
use tokio::task::spawn_blocking;

use super::served::{Served, slow_router};

const SLOW: Duration = Duration::from_millis(700);

/// Sixteen requests at a time on one connection, by a client that we did not write; how long they take.
async fn sixteen(bounds: Bounds) -> Duration {
    let served = Served::over_tls(slow_router(SLOW), bounds).await;
    let (url, ca_file) = (format!("https://{}/slow?[1-16]", served.address), served.ca_file.clone());
    let curl = move || {
        let parallel = [
            "-sS",
            "--http2",
            "-Z",
            "--parallel-max",
            "16",
            "-o",
            "/dev/null",
            "-w",
            " %{http_code} %{num_connects}\n",
        ];
        Tool::new("curl").args(parallel).arg("--cacert").arg(ca_file).arg(url).run()
    };
    let begun = Instant::now();
    let text = spawn_blocking(curl).await.unwrap().text();
    assert_eq!(text.matches(" 200 ").count(), 16, "all are answered in the end: {text}");
    assert_eq!(text.matches(" 200 1\n").count(), 1, "on one connection: {text}");
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_run_at_a_time_and_the_others_wait() {
    let all_at_once = sixteen(Bounds { streams_before_login_max: 100, ..Bounds::default() }).await;
    let in_turn = sixteen(Bounds::default()).await;
    assert!(in_turn >= 2 * SLOW, "{in_turn:?}");
    assert!(in_turn > all_at_once, "{in_turn:?} {all_at_once:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_too_large_is_told_so_in_the_envelope() {
    let app = crate::app::TestApp::new().await;
    let served = Served::over_tls(app.routes.clone(), Bounds::default()).await;
    let url = format!("https://{}/api/v2/token-profiles/stubs", served.address);
    let ask = |length: usize| {
        let (url, ca_file) = (url.clone(), served.ca_file.clone());
        let field = format!("X: {}", "y".repeat(length));
        let told = "\n%{http_version} %{http_code} %header{x-request-id}";
        spawn_blocking(move || {
            let words = ["-sS", "--http2", "-w", told, "-H", &field];
            Tool::new("curl").args(words).arg("--cacert").arg(ca_file).arg(url).run().text()
        })
    };
    let answer = ask(40 * 1024).await.unwrap();
    let (body, told) = answer.rsplit_once('\n').unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("no envelope: {answer}"));
    assert_eq!(body["errorCode"], "LimitExceeded", "{answer}");
    let id = body["response"]["requestId"].as_str().unwrap();
    assert_eq!(told, format!("2 431 {id}"));
    let answer = ask(30 * 1024).await.unwrap();
    assert!(answer.contains("\n2 401 "), "30 KiB are taken: {answer}");
}
