//! GET /home/v1/login/token, and what a bearer token is good for.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    client::{Client, Reply},
};

const TOKEN: &str = "/home/v1/login/token";
const MINUTE_MS: i64 = 60_000;

#[track_caller]
fn refused(reply: &Reply) {
    let message = &reply.json["message"];
    let expected = json!({"message": message, "status": "Failure"});
    assert_eq!((reply.status.as_u16(), &reply.json), (401, &expected), "{}", reply.text());
}

fn part(token: &str, index: usize) -> Value {
    let part = token.split('.').nth(index).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

/// The token with another header or other claims and the same signature.
fn with_part(token: &str, index: usize, change: impl FnOnce(&mut Value)) -> String {
    let mut value = part(token, index);
    change(&mut value);
    let mut parts: Vec<_> = token.split('.').map(str::to_owned).collect();
    parts[index] = URL_SAFE_NO_PAD.encode(value.to_string());
    parts.join(".")
}

async fn token(client: &Client) -> String {
    client.get(TOKEN).await.json["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_complete_session_gets_a_jwt() {
    let app = TestApp::new().await;
    let client = app.admin().await.with_cookie_alone();
    let reply = client.get(TOKEN).await;
    let token = reply.json["token"].as_str().unwrap();
    assert_eq!(reply.json, json!({"message": "Success", "status": "Success", "token": token}));
    let header = part(token, 0);
    assert_eq!((&header["alg"], &header["typ"], header["kid"].is_string()), (&"HS256".into(), &"JWT".into(), true));
    let claims = part(token, 1);
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 600);
}

#[tokio::test]
async fn nobody_and_half_logged_in_get_none() {
    let app = TestApp::new().await;
    refused(&app.nobody().get(TOKEN).await);
    let client = app.nobody();
    client.log_in("Admin1", PASSWORD).await;
    refused(&client.get(TOKEN).await);
}

#[tokio::test]
async fn an_authorization_header_alone_decides() {
    let app = TestApp::new().await;
    let mut client = app.admin().await;
    for bad in ["", "x", "a.b.c"] {
        client.bearer = Some(bad.to_owned());
        refused(&client.get(TOKEN).await);
    }
    client.bearer = None;
    assert_eq!(client.get(TOKEN).await.status.as_u16(), 200);
}

#[tokio::test]
async fn forged_tokens_are_refused() {
    let app = TestApp::new().await;
    let other = TestApp::new().await;
    let admin = app.admin().await;
    let good = token(&admin.with_cookie_alone()).await;
    assert_eq!(admin.with_bearer(&good).get(TOKEN).await.status.as_u16(), 200);
    let unsigned = |token: String| format!("{}.", token.rsplit_once('.').unwrap().0);
    let foreign = token(&other.admin().await).await;
    for (what, forged) in [
        ("alg none, unsigned", unsigned(with_part(&good, 0, |header| header["alg"] = "none".into()))),
        ("alg none, signed", with_part(&good, 0, |header| header["alg"] = "none".into())),
        ("another alg", with_part(&good, 0, |header| header["alg"] = "HS512".into())),
        ("an unknown kid", with_part(&good, 0, |header| header["kid"] = "other".into())),
        ("no kid", with_part(&good, 0, |header| drop(header.as_object_mut().unwrap().remove("kid")))),
        ("edited claims", with_part(&good, 1, |claims| claims["exp"] = json!(9_999_999_999_i64))),
        ("unsigned", unsigned(good.clone())),
        ("another installation's key", foreign.clone()),
        ("another installation's key under our kid", {
            let kid = part(&good, 0)["kid"].clone();
            with_part(&foreign, 0, |header| header["kid"] = kid)
        }),
        ("over 4 KiB", format!("{good}{}", "A".repeat(4096))),
    ] {
        refused(&admin.with_bearer(&forged).get(TOKEN).await);
        assert_eq!(admin.with_bearer(&good).get(TOKEN).await.status.as_u16(), 200, "after {what}");
    }
}

#[tokio::test]
async fn a_token_expires_after_ten_minutes() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let bearer = admin.with_bearer(admin.bearer.as_ref().unwrap());
    // Tokens end at whole seconds, and tests begin in the middle of one.
    app.clock.advance_ms(10 * MINUTE_MS - 501);
    assert_eq!(bearer.get(TOKEN).await.status.as_u16(), 200);
    let prolonged = token(&bearer).await;
    app.clock.advance_ms(1);
    refused(&bearer.get(TOKEN).await);
    refused(&admin.with_bearer(&prolonged).get(TOKEN).await);
    // The cookie gives a new one.
    let renewed = token(&admin.with_cookie_alone()).await;
    assert_eq!(admin.with_bearer(&renewed).get(TOKEN).await.status.as_u16(), 200);
}

#[tokio::test]
async fn the_use_of_the_bearer_keeps_the_session() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    app.clock.advance_ms(9 * MINUTE_MS);
    assert_eq!(admin.get(TOKEN).await.status.as_u16(), 200);
    app.clock.advance_ms(14 * MINUTE_MS);
    assert_eq!(admin.with_cookie_alone().get(TOKEN).await.status.as_u16(), 200);
    app.clock.advance_ms(15 * MINUTE_MS);
    refused(&admin.with_cookie_alone().get(TOKEN).await);
}

#[tokio::test]
async fn while_api_access_is_off_there_is_no_token() {
    let app = TestApp::with(Setup { api_access: false, ..Setup::default() }).await;
    refused(&app.nobody().get(TOKEN).await);
    let client = app.nobody();
    client.log_in("Admin1", PASSWORD).await;
    client.log_in("Admin2", PASSWORD).await;
    let reply = client.get(TOKEN).await;
    let message = "API access is switched off on this installation.";
    let expected = json!({"message": message, "status": "Failure", "errorCode": "ApiAccessDisabled"});
    assert_eq!((reply.status.as_u16(), reply.json), (403, expected));
}
