use axum::{Json, Router, body::Body, routing::get};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::{ServiceExt as _, layer::layer_fn, service_fn};

use super::*;

const SECRET: &str = "the key is 4711";

fn defect() -> StatusCode {
    panic!("{SECRET}")
}

fn odd_defect() -> StatusCode {
    std::panic::panic_any(4_711)
}

/// Routes with a defect, and one without, behind the layer that the server has in front of its own.
fn router() -> Router {
    let called = service_fn(|_: Request| {
        let status = defect();
        async move { Ok::<_, Infallible>(status.into_response()) }
    });
    let polled = || async {
        tokio::task::yield_now().await;
        defect()
    };
    let of_no_kind = || async { odd_defect() };
    Router::new()
        .route_service("/api/v2/called", called)
        .route("/api/v2/polled", get(polled))
        .route("/home/v1/polled", get(polled))
        .route("/polled", get(polled))
        .route("/api/v2/of-no-kind", get(of_no_kind))
        .route("/api/v2/good", get(|| async { Json("good") }))
        .layer(layer_fn(Outermost))
}

async fn answer(router: &Router, path: &str) -> (Response, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let (head, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (Response::from_parts(head, Body::empty()), String::from_utf8(body.into()).unwrap())
}

#[tokio::test]
async fn a_panic_is_an_answer_without_its_cause_and_the_server_goes_on() {
    let router = router();
    for path in ["/api/v2/called", "/api/v2/polled", "/home/v1/polled", "/polled", "/api/v2/of-no-kind"] {
        let (head, body) = answer(&router, path).await;
        assert_eq!(head.status(), StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        let id = head.headers()[headers::REQUEST_ID].to_str().unwrap();
        assert_eq!(id.len(), 32);
        assert!(!body.contains("panic") && !body.contains("4711"), "{path}: {body}");
        for usual in headers::of_json().keys().filter(|name| *name != header::CONTENT_TYPE) {
            assert!(head.headers().contains_key(usual), "{path}: {usual}");
        }
        if path.starts_with("/api") {
            let body: Value = serde_json::from_str(&body).unwrap();
            let message = &body["response"]["message"];
            let response = json!({"message": message, "requestId": id});
            assert_eq!(body, json!({"success": false, "errorCode": "InternalError", "response": response}));
            assert!(!message.as_str().unwrap().is_empty());
        }
        let (head, body) = answer(&router, "/api/v2/good").await;
        assert_eq!((head.status(), body.as_str()), (StatusCode::OK, "\"good\""), "after {path}");
    }
}
