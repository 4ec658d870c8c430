//! `…/api-keys/{keyUuid}/rotate`.

use serde_json::{Value, json};

use super::{Till, make, path, till};
use crate::{app::TestApp, client::Client};

async fn key(admin: &Client, till: &Till, body: Value) -> (String, String) {
    let (key, secret) = make(admin, &till.id, body).await;
    (format!("{}/{key}/rotate", path(&till.id)), secret)
}

async fn rotated(client: &Client, path: &str, body: Value) -> String {
    client.post(path, body).await.response()["apiKey"].as_str().unwrap().to_owned()
}

async fn is_let_in(app: &TestApp, secret: &str) -> bool {
    let status = app.nobody().with_bearer(secret).get("/api/v2/identities/stubs").await.status.as_u16();
    assert!(status == 200 || status == 401, "{status}");
    status == 200
}

#[tokio::test]
async fn the_old_secret_goes_on_for_the_time_that_was_set() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let (path, first) = key(&admin, &till, json!({"name": "a"})).await;
    let answer = admin.post(&path, json!({"overlapSeconds": 60})).await.response().clone();
    assert_eq!(answer["previousUntil"], "2026-06-21T12:01:00.500Z");
    let second = answer["apiKey"].as_str().unwrap();
    assert!(is_let_in(&app, &first).await && is_let_in(&app, second).await);
    let listed = admin.get(&super::path(&till.id)).await.response()["results"][0].clone();
    assert_eq!((&listed["version"], &listed["rotatedAt"]), (&json!(2), &json!("2026-06-21T12:00:00.500Z")));
    let previous = json!({"until": "2026-06-21T12:01:00.500Z", "lastUsedAt": "2026-06-21T12:00:00.500Z"});
    assert_eq!(listed["previous"], previous);
    app.clock.advance_ms(59_999);
    assert!(is_let_in(&app, &first).await);
    app.clock.advance_ms(1);
    assert!(!is_let_in(&app, &first).await && is_let_in(&app, second).await);
    let listed = admin.get(&super::path(&till.id)).await.response()["results"][0].clone();
    assert_eq!(listed.get("previous"), None);
    // Another rotation ends what was still going on from the one before.
    let reply = admin.post(&path, json!({})).await;
    assert_eq!(reply.response().get("warnings"), None, "nothing goes on any more that it ends");
    let third = reply.response()["apiKey"].as_str().unwrap().to_owned();
    let until = reply.response()["previousUntil"].as_str().unwrap().to_owned();
    let reply = admin.post(&path, json!({})).await;
    let warning = reply.response()["warnings"][0].as_str().unwrap();
    assert!(warning.contains(&format!("was to go on until {until}")), "{warning}");
    let fourth = reply.response()["apiKey"].as_str().unwrap().to_owned();
    assert!(!is_let_in(&app, second).await && is_let_in(&app, &third).await && is_let_in(&app, &fourth).await);
}

#[tokio::test]
async fn a_key_rotates_itself_and_neither_outlives_its_end_nor_widens() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let till = till(&admin).await;
    let terms = json!({"name": "a", "expiresAt": "2026-06-21T13:00:00Z", "networks": ["127.0.0.0/8"]});
    let (path, first) = key(&admin, &till, terms).await;
    let by_first = app.nobody().with_bearer(&first);
    let answer = by_first.post(&path, json!({"overlapSeconds": 86_400})).await.response().clone();
    assert_eq!(answer["previousUntil"], "2026-06-21T13:00:00.000Z", "no longer than the key");
    let second = answer["apiKey"].as_str().unwrap().to_owned();
    // The secret that was replaced may be in other hands: it takes the new one from nobody.
    assert!(is_let_in(&app, &first).await);
    by_first.post_nothing(&path).await.refused(403, "NotAuthorized", None);
    by_first.delete(path.strip_suffix("/rotate").unwrap()).await.refused(403, "NotAuthorized", None);
    let elsewhere = app.nobody().from([192, 0, 2, 1]).with_bearer(&second);
    elsewhere.post_nothing(&path).await.refused(401, "InvalidAuthToken", None);
    let third = rotated(&app.nobody().with_bearer(&second), &path, json!({"overlapSeconds": 0})).await;
    assert!(!is_let_in(&app, &second).await && is_let_in(&app, &third).await);
    app.clock.advance_ms(60 * 60_000);
    assert!(!is_let_in(&app, &third).await);
    let admin = app.admin().await;
    admin.post_nothing(&path).await.refused(409, "InvalidState", None);
    admin.post(&path, json!({"overlapSeconds": 2_592_001})).await.refused(400, "InvalidValue", Some("/overlapSeconds"));
    admin.post(&path, json!({"overlap": 1})).await.refused(400, "ArgumentParseError", Some("/overlap"));
}
