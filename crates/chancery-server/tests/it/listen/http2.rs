//! HTTP/2 connections of callers whom nobody knows.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{Router, routing::get};
use chancery_server::Bounds;
use chancery_testkit::Tool;
use tokio::{task::spawn_blocking, time::sleep};

use super::served::Served;

const SLOW: Duration = Duration::from_millis(700);

/// Sixteen requests at a time on one connection, by a client that we did not write; how long they take, and how many of
/// them ran at once.
async fn sixteen(bounds: Bounds) -> (Duration, usize) {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let most_of_all = Arc::clone(&most);
    let slow = move || async move {
        most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        sleep(SLOW).await;
        running.fetch_sub(1, Ordering::SeqCst);
        "done"
    };
    let served = Served::over_tls(Router::new().route("/slow", get(slow)), bounds).await;
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
    (begun.elapsed(), most_of_all.load(Ordering::SeqCst))
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_run_at_a_time_and_the_others_wait() {
    let (_, all_at_once) = sixteen(Bounds { streams_before_login_max: 100, ..Bounds::default() }).await;
    let (took, in_turn) = sixteen(Bounds::default()).await;
    assert!(took >= 2 * SLOW && in_turn <= 8, "{in_turn} at a time in {took:?}");
    assert!(all_at_once > 8, "{all_at_once} at a time");
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
