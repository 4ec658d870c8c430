//! Every endpoint of the document, with wrong methods, wrong paths, and every body that is none. Who may call them is
//! in `guards`.

use axum::{body::Body, http::Request};

use crate::{
    app::TestApp,
    client::{Client, Reply},
};

/// Some UUID, of which no object exists.
const SOME: &str = "12345678-1234-1234-1234-123456789abc";

/// One operation of the document.
#[derive(Clone, Debug)]
struct Endpoint {
    method: String,
    template: String,
    takes_json: bool,
    needs_body: bool,
}

impl Endpoint {
    /// Its path, with this in the place of every id and name.
    fn path(&self, id: &str) -> String {
        let parts = self.template.split('/').map(|part| if part.starts_with('{') { id } else { part });
        parts.collect::<Vec<_>>().join("/")
    }

    fn is_api(&self) -> bool {
        self.template.starts_with("/api/v2/") || self.template.starts_with("/cuserv/v1/")
    }
}

fn endpoints() -> Vec<Endpoint> {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let mut endpoints = Vec::new();
    for (template, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let body = &operation["requestBody"];
            // A method that carries a body reads it as JSON, also where none is described, unless another type is.
            let may_be_json = body.is_null() || body["content"]["application/json"].is_object();
            let takes_json = matches!(method.as_str(), "post" | "patch" | "put") && may_be_json;
            let needs_body = takes_json && body["required"] == true;
            let (method, template) = (method.to_uppercase(), template.clone());
            endpoints.push(Endpoint { method, template, takes_json, needs_body });
        }
    }
    assert!(endpoints.len() > 50, "{}", endpoints.len());
    endpoints
}

fn check(endpoint: &Endpoint, reply: &Reply, status: u16, error_code: &str) {
    assert_eq!(reply.status.as_u16(), status, "{endpoint:?}: {}", reply.text());
    if endpoint.is_api() {
        assert_eq!(reply.json["errorCode"], error_code, "{endpoint:?}: {}", reply.text());
        reply.refused(status, error_code, None);
    } else {
        assert_eq!(reply.json["status"], "Failure", "{endpoint:?}: {}", reply.text());
    }
}

/// Asserts that every endpoint that takes a body refuses this one.
async fn refused_everywhere(client: &Client, body: &[u8], content_type: &str, status: u16) {
    for endpoint in endpoints().iter().filter(|endpoint| endpoint.takes_json) {
        let reply = client.send(&endpoint.method, &endpoint.path(SOME), Some(content_type), body.to_vec()).await;
        check(endpoint, &reply, status, "ArgumentParseError");
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_object() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let too_deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(32), "]".repeat(32));
    for body in [
        &b"[1]"[..],
        b"null",
        b"\"x\"",
        b"{",
        b"{}{}",
        b"not json",
        b"{\"x\":\"\xff\"}",
        b"\xef\xbb\xbf{}",
        br#"{"x":1,"x":1}"#,
        br#"{"x":{"y":[{"z":1,"z":2}]}}"#,
        too_deep.as_bytes(),
    ] {
        refused_everywhere(&admin, body, "application/json", 400).await;
    }
}

#[tokio::test]
async fn a_body_of_another_content_type() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"] {
        refused_everywhere(&admin, b"{}", content_type, 415).await;
    }
}

#[tokio::test]
async fn a_body_that_is_announced_as_larger_than_any_limit() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for endpoint in endpoints().iter().filter(|endpoint| endpoint.takes_json) {
        let request = Request::builder().method(endpoint.method.as_str()).uri(endpoint.path(SOME));
        let request = request.header("host", "kms.test").header("content-length", "100000000");
        let reply = admin.call(request.body(Body::empty()).unwrap()).await;
        check(endpoint, &reply, 413, "LimitExceeded");
    }
}

#[tokio::test]
async fn no_body_where_one_is_needed() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for endpoint in endpoints().iter().filter(|endpoint| endpoint.needs_body) {
        let reply = admin.send(&endpoint.method, &endpoint.path(SOME), None, "").await;
        check(endpoint, &reply, 400, "ArgumentParseError");
    }
}

#[tokio::test]
async fn a_method_that_the_path_does_not_have() {
    let app = TestApp::new().await;
    for endpoint in endpoints() {
        let reply = app.nobody().send("BREW", &endpoint.path(SOME), None, "").await;
        assert_eq!(reply.status.as_u16(), 405, "{endpoint:?}: {}", reply.text());
        let allowed = reply.headers["allow"].to_str().unwrap();
        assert!(allowed.split(',').any(|method| method == endpoint.method), "{endpoint:?}: {allowed}");
        if endpoint.is_api() {
            reply.refused(405, "InvalidSelection", None);
        }
    }
}

#[tokio::test]
async fn a_path_with_something_else_where_an_id_belongs() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for endpoint in endpoints().iter().filter(|endpoint| endpoint.is_api() && endpoint.template.contains('{')) {
        for id in ["not-a-uuid", "%FF", "123456781234123412341234567890ab"] {
            let reply = admin.send(&endpoint.method, &endpoint.path(id), None, "{}").await;
            check(endpoint, &reply, 404, "InvalidSelection");
        }
    }
}
