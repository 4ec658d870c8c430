//! Bodies: within their size, in their time, from their sender's share; and of who may not, none at all.

use std::{
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    http::{Request, header},
};
use chancery_core::{BodyLimits, Limits};
use chancery_types::RoleId;
use futures::{
    StreamExt as _,
    future::join_all,
    stream::{self, pending},
};
use serde_json::json;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use crate::{
    app::{Setup, TestApp},
    client::{Client, Reply},
    guards::{Guard, OPERATIONS, UUID, token_profile},
};

/// Longer than anything here takes, shorter than the default for bodies.
const PATIENCE: Duration = Duration::from_secs(15);

async fn with(bodies: BodyLimits) -> TestApp {
    let limits = Limits { bodies, ..Limits::default() };
    TestApp::with(Setup { limits, ..Setup::default() }).await
}

fn quick() -> BodyLimits {
    BodyLimits { body_wait_max: Duration::from_millis(300), ..BodyLimits::default() }
}

/// These pieces, and then nothing for ever.
fn without_end(pieces: Vec<Vec<u8>>) -> Body {
    let pieces = stream::iter(pieces.into_iter().map(Ok::<_, std::io::Error>));
    Body::from_stream(pieces.chain(pending()))
}

fn request((method, path): (&str, &str), announced: Option<usize>, body: Body) -> Request<Body> {
    let request = Request::builder().method(method.to_uppercase().as_str()).uri(path).header(header::HOST, "kms.test");
    let request = announced.into_iter().fold(request, |request, bytes| request.header(header::CONTENT_LENGTH, bytes));
    request.body(body).unwrap()
}

async fn call(client: &Client, to: (&str, &str), announced: Option<usize>, body: Body) -> Reply {
    let answered = timeout(PATIENCE, client.call(request(to, announced, body))).await;
    answered.unwrap_or_else(|_| panic!("{to:?} waits for ever"))
}

fn path_of(path: &str, uuid: &str) -> String {
    path.replace("{uuid}", uuid).replace("{name}", "IBAN")
}

#[tokio::test]
async fn no_route_waits_for_a_body_without_end() {
    let app = with(quick()).await;
    let (admin, begun) = (app.admin().await, Instant::now());
    let calls =
        OPERATIONS.iter().map(|(method, path, ..)| {
            let (admin, path) = (&admin, path_of(path, UUID));
            async move {
                call(admin, (*method, path.as_str()), None, without_end(vec![b"{".to_vec()])).await.status.as_u16()
            }
        });
    let statuses = join_all(calls).await;
    assert!(begun.elapsed() < PATIENCE && !statuses.contains(&500), "{statuses:?}");
}

#[tokio::test]
async fn nothing_is_taken_of_a_large_body_whose_sender_may_not_make_the_call() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let profile = token_profile(&admin).await;
    let clerk = app.person("clerk", &[RoleId::APPLICATION]).await;
    let guarded = OPERATIONS.iter().filter(|(method, path, guard, body)| {
        let has_body = !body.is_empty() || (*method == "post" && path.starts_with("/api"));
        let small = path.ends_with("/preview");
        has_body && !small && matches!(guard, Guard::Perms(_) | Guard::Operator(_) | Guard::Rules)
    });
    let calls = guarded.map(|(method, path, ..)| {
        let (clerk, to) = (&clerk, path_of(path, &profile));
        async move {
            // The password, API keys and passkeys of one's own anybody may change, with a small body.
            let own =
                to.ends_with("/password") || to.contains("/api-keys") || *method == "patch" && to.contains("/passkeys");
            let expected = if own { 413 } else { 403 };
            let announced = call(clerk, (*method, to.as_str()), Some(70_000), without_end(vec![])).await;
            assert_eq!(announced.status.as_u16(), expected, "{method} {to}: {}", announced.text());
            let pieces = vec![vec![b' '; 16 * 1024]; 5];
            let streamed = call(clerk, (*method, to.as_str()), None, without_end(pieces)).await;
            assert_eq!(streamed.status.as_u16(), expected, "{method} {to}: {}", streamed.text());
        }
    });
    assert!(join_all(calls).await.len() > 40);
}

#[tokio::test]
async fn a_large_body_of_somebody_who_may_is_read() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let calls = OPERATIONS.iter().filter(|(_, path, guard, body)| {
        let small = ["/password", "/preview", "/passkeys/{uuid}"].iter().any(|end| path.ends_with(end))
            || path.contains("/api-keys");
        guard.perms().is_some() && !body.is_empty() && !small
    });
    for (method, path, _, body) in calls {
        let padded = format!("{}{body}", " ".repeat(100_000));
        let path = path_of(path, UUID);
        let reply = admin.send(&method.to_uppercase(), &path, Some("application/json"), padded).await;
        assert!(![403, 413].contains(&reply.status.as_u16()), "{method} {path}: {}", reply.text());
    }
    let profile = token_profile(&admin).await;
    let refused = admin.post(&format!("/api/v2/token-profiles/{UUID}/batch-tokenize"), large_batch()).await;
    refused.refused(404, "InvalidSelection", None);
    let refused = admin.post(&format!("/api/v2/token-profiles/{profile}/batch-tokenize"), large_batch()).await;
    refused.refused(403, "NotAuthorized", None);
}

fn large_batch() -> serde_json::Value {
    json!({"messages": vec!["4111111111111111"; 10_000]})
}

/// A profile for whose rules an application may do all, with a client of that role.
async fn tokenizer(app: &TestApp) -> (Client, String) {
    let admin = app.admin().await;
    let profile = token_profile(&admin).await;
    let rule = |operation: &str| json!({"roleUuid": RoleId::APPLICATION, "operation": operation});
    let rules = json!({"controlRules": [rule("Tokenize"), rule("Detokenize"), rule("Batch")]});
    admin.patch(&format!("/api/v2/token-profiles/{profile}/permissions"), rules).await.response();
    (app.person("clerk", &[RoleId::APPLICATION]).await, format!("/api/v2/token-profiles/{profile}/batch-tokenize"))
}

#[tokio::test]
async fn what_waits_on_disk_is_read_whole_and_its_limit_is_exact_without_an_announced_length() {
    let max = 3 * 1024 * 1024;
    let limits = Limits { batch_body_max: max, ..Limits::default() };
    let app = TestApp::with(Setup { limits, ..Setup::default() }).await;
    let (clerk, path) = tokenizer(&app).await;
    let json = large_batch().to_string();
    for (size, status) in [(max, 200), (max + 1, 413), (1024 * 1024, 200)] {
        let body = format!("{}{json}", " ".repeat(size - json.len())).into_bytes();
        let pieces: Vec<_> = body.chunks(60_000).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
        let reply = call(&clerk, ("post", path.as_str()), None, Body::from_stream(stream::iter(pieces))).await;
        assert_eq!(reply.status.as_u16(), status, "{size}: {}", reply.text().get(..200).unwrap_or_default());
        if status == 200 {
            assert_eq!(reply.response()["tokens"].as_array().unwrap().len(), 10_000, "{size}");
        }
    }
}

#[tokio::test]
async fn a_caller_has_a_share_of_the_disk_and_no_more() {
    const MIB: usize = 1024 * 1024;
    let limits = BodyLimits { body_memory_max: 1, spool_per_caller_max: MIB, ..BodyLimits::default() };
    let app = with(limits).await;
    let (clerk, path) = tokenizer(&app).await;
    let pieces = vec![vec![b' '; 64 * 1024]; 13];
    let taken = Arc::new(Notify::new());
    let tell = Arc::clone(&taken);
    let end = stream::poll_fn(move |_| {
        tell.notify_one();
        Poll::Pending
    });
    let body = Body::from_stream(stream::iter(pieces.clone().into_iter().map(Ok::<_, std::io::Error>)).chain(end));
    let mut slow = Box::pin(clerk.call(request(("post", path.as_str()), None, body)));
    tokio::select! {
        _ = &mut slow => panic!("it never ends"),
        // More than 768 KiB of it are on disk.
        taken = timeout(PATIENCE, taken.notified()) => taken.expect("all of it is taken"),
    }
    let refused = call(&clerk, ("post", path.as_str()), None, without_end(pieces.clone())).await;
    refused.refused(429, "RateLimited", None);
    let other = app.person("another clerk", &[RoleId::APPLICATION]).await;
    let waits =
        timeout(Duration::from_millis(500), other.call(request(("post", path.as_str()), None, without_end(pieces))));
    waits.await.expect_err("another's share is another's");
    drop(slow);
    let small = clerk.post(&path, large_batch()).await;
    assert_eq!(small.status.as_u16(), 200, "given back: {}", small.text().get(..200).unwrap_or_default());
}

const LOGIN: (&str, &str) = ("post", "/home/v1/login");

#[tokio::test]
async fn a_login_has_16_kib() {
    let app = TestApp::new().await;
    let login = r#"{"authType": "apikey", "authCredentials": {"apiKey": "x"}}"#;
    for (size, status) in [(16 * 1024, 401), (16 * 1024 + 1, 413)] {
        let body = format!("{login}{}", " ".repeat(size - login.len()));
        let reply = app.nobody().send("POST", "/home/v1/login", Some("application/json"), body.clone()).await;
        assert_eq!((reply.status.as_u16(), &reply.json["status"]), (status, &"Failure".into()), "{}", reply.text());
        let piece = stream::iter([Ok::<_, std::io::Error>(body.into_bytes())]);
        let streamed = call(&app.nobody(), LOGIN, None, Body::from_stream(piece)).await;
        assert_eq!(streamed.status.as_u16(), status, "{}", streamed.text());
    }
}

#[tokio::test]
async fn callers_who_are_not_known_have_a_share_by_their_source() {
    let app = with(BodyLimits { visitor_bytes_per_source_max: 40_000, ..BodyLimits::default() }).await;
    let (one, two) = (app.nobody().from([192, 0, 2, 1]), app.nobody().from([192, 0, 2, 2]));
    let withheld = || without_end(vec![vec![b' '; 16_000]]);
    let held = [LOGIN, ("post", "/ocsp")].map(|to| one.call(request(to, None, withheld())));
    let mut held = Box::pin(join_all(held));
    timeout(Duration::from_millis(300), &mut held).await.expect_err("they never end");
    for path in ["/home/v1/login", "/ocsp", "/tsa"] {
        let refused = call(&one, ("post", path), None, withheld()).await;
        assert_eq!(refused.status.as_u16(), 429, "{path}: {}", refused.text());
        assert!(refused.headers.contains_key("retry-after"), "{path}");
    }
    assert_eq!(two.log_in("nobody", "x").await.status.as_u16(), 401, "another source");
    drop(held);
    sleep(Duration::from_millis(10)).await;
    assert_eq!(one.log_in("nobody", "x").await.status.as_u16(), 401, "given back");
}
