//! The console's files: what a browser gets, what a program gets, and under which rules.

use std::path::Path;

use axum::{
    body::Body,
    http::{Request, StatusCode},
};

use chancery_testkit::Tool;

use crate::{app::TestApp, client::Reply};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../console");

async fn get(app: &TestApp, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut request = Request::builder().uri(path).header("host", "kms.test");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.nobody().call(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_browser_gets_the_page_and_a_program_is_told_where_to_begin() {
    let app = TestApp::new().await;
    let page = get(&app, "/", &[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")]).await;
    assert_eq!(
        (page.status, &page.headers["content-type"]),
        (StatusCode::OK, &"text/html; charset=utf-8".parse().unwrap())
    );
    assert!(page.text().starts_with("<!doctype html>"), "{}", page.text());
    for accept in [&[][..], &[("accept", "*/*")], &[("accept", "application/json")]] {
        let word = get(&app, "/", accept).await;
        assert_eq!(&word.headers["content-type"], "text/plain; charset=utf-8");
        assert!(word.text().contains("/openapi.json") && word.headers["vary"] == "accept", "{}", word.text());
    }
}

#[tokio::test]
async fn every_file_is_served_and_no_test_is() {
    let app = TestApp::new().await;
    let mut served = 0;
    let mut folders = vec![Path::new(FOLDER).to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(FOLDER).unwrap().to_str().unwrap().to_owned();
            let answer = app.nobody().get(&format!("/console/{name}")).await;
            if name.starts_with("test/") || name == "tsconfig.json" {
                assert_eq!(answer.status, StatusCode::NOT_FOUND, "{name}");
                continue;
            }
            assert_eq!(answer.body, std::fs::read(&path).unwrap(), "{name}");
            let policy = answer.headers["content-security-policy"].to_str().unwrap();
            for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"] {
                assert!(policy.contains(rule), "{name}: {policy}");
            }
            let text = answer.text();
            // The name space of SVG is a name and no address.
            let foreign = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!foreign.contains("http://") && !foreign.contains("https://"), "{name} names another host");
            served += 1;
        }
    }
    assert!(served >= 20, "{served}");
}

#[tokio::test]
async fn what_a_browser_has_is_not_sent_again() {
    let app = TestApp::new().await;
    let first = app.nobody().get("/console/main.js").await;
    let tag = first.headers["etag"].to_str().unwrap().to_owned();
    let again = get(&app, "/console/main.js", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(again.headers["etag"].to_str().unwrap(), tag);
    let other = get(&app, "/console/main.js", &[("if-none-match", "\"other\"")]).await;
    assert_eq!(other.status, StatusCode::OK);
}

#[tokio::test]
async fn texts_are_compressed_for_whoever_takes_that() {
    let app = TestApp::new().await;
    for path in ["/console/main.js", "/openapi.json", "/docs/interface.md"] {
        let plain = app.nobody().get(path).await;
        assert!(!plain.headers.contains_key("content-encoding"), "{path}");
        assert_eq!(plain.headers["vary"], "accept-encoding", "{path}");
        for refused in ["identity", "br", "gzip;q=0", "gzip;q=0, *", "gzip; q=x", "*;q=0", "gzip;Q=0"] {
            let answer = get(&app, path, &[("accept-encoding", refused)]).await;
            assert!(!answer.headers.contains_key("content-encoding") && answer.body == plain.body, "{path} {refused}");
        }
        for taken in ["gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "GZIP", "*"] {
            let answer = get(&app, path, &[("accept-encoding", taken)]).await;
            assert_eq!(answer.headers["content-encoding"], "gzip", "{path} {taken}");
            assert!(answer.body.len() * 2 < plain.body.len(), "{path}: {} bytes", answer.body.len());
            let unpacked = Tool::new("gzip").args(["-d", "-c"]).input(&answer.body[..]).run();
            assert_eq!(unpacked.stdout, plain.body, "{path}");
            // One tag is of one sequence of bytes.
            assert_ne!(answer.headers["etag"], plain.headers["etag"], "{path}");
            let tag = answer.headers["etag"].to_str().unwrap();
            let again = get(&app, path, &[("accept-encoding", taken), ("if-none-match", tag)]).await;
            assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{path}");
            let other = get(&app, path, &[("if-none-match", tag)]).await;
            assert_eq!(other.status, StatusCode::OK, "{path}");
        }
    }
    let page = get(&app, "/", &[("accept", "text/html"), ("accept-encoding", "gzip")]).await;
    let vary = page.headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(vary, ["accept-encoding", "accept"]);
}

#[tokio::test]
async fn what_is_no_file_of_the_console_is_not_found() {
    let app = TestApp::new().await;
    for path in [
        "/console",
        "/console/",
        "/console/no-such.js",
        "/console/../Cargo.toml",
        "/console/%2e%2e/Cargo.toml",
        "/console/%FF",
    ] {
        assert_eq!(app.nobody().get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}
