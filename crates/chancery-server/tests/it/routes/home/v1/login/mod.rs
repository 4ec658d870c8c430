//! POST /home/v1/login.

mod certificate;
mod exchange;
mod hung_up;
mod ldap;
mod oidc;
mod passkey;
mod password;
mod state;
mod timing;
mod token;
mod totp;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use chancery_core::PasswordWork;
use chancery_types::Base64;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    client::Reply,
    signing::{RSA_2048, Signing},
};

fn failure(message: &str) -> Value {
    json!({"message": message, "status": "Failure", "response": {"fullyLoggedIn": false}})
}

#[track_caller]
fn refused(reply: &Reply, status: u16) {
    assert_eq!(
        (reply.status.as_u16(), &reply.json),
        (status, &failure(reply.json["message"].as_str().unwrap())),
        "{}",
        reply.text()
    );
    assert!(!reply.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn wrong_logins_of_one_address_hold_up_neither_signatures_nor_logins_of_others() {
    let password_work = PasswordWork::default();
    let signing = Signing::with(Setup { password_work, ..Setup::default() }).await;
    let rsa = |body: &mut Value| body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(RSA_2048);
    let service = signing.deploy_with("builds", 0, rsa).await;
    // Of known and unknown names alike, as many as an address may try in a minute.
    let answered = Arc::new(AtomicUsize::new(0));
    let flood: Vec<_> = (0..600)
        .map(|number| {
            let (client, answered) = (signing.app.nobody().from([192, 0, 2, 66]), Arc::clone(&answered));
            tokio::spawn(async move {
                let name = if number % 2 == 0 { "Admin1".to_owned() } else { format!("nobody {number}") };
                let reply = client.log_in(&name, "not the password").await;
                answered.fetch_add(1, Ordering::SeqCst);
                (number % 2 == 0, reply)
            })
        })
        .collect();
    while answered.load(Ordering::SeqCst) < 400 {
        tokio::task::yield_now().await;
    }
    signing.submit(&service, b"payload").await;
    let signed = answered.load(Ordering::SeqCst);
    let login = signing.app.nobody().from([198, 51, 100, 7]).log_in("Admin2", PASSWORD).await;
    assert_eq!(login.status.as_u16(), 200, "{}", login.text());
    signing.app.admin().await;
    let logged_in = answered.load(Ordering::SeqCst);
    // Argon2 has its usual work here and is optimised; all checks of the flood together take some thirty seconds.
    assert!(signed < 590 && logged_in < 590, "the flood had come to {signed} and {logged_in} of 600");
    let (mut wrong, mut busy) = ([0; 2], [0; 2]);
    for reply in flood {
        let (is_known, reply) = reply.await.unwrap();
        if reply.status.as_u16() == 429 {
            assert_eq!(
                (&reply.headers["retry-after"], reply.json["status"].as_str()),
                (&"1".parse().unwrap(), Some("Failure"))
            );
            busy[usize::from(is_known)] += 1;
        } else {
            refused(&reply, 401);
            wrong[usize::from(is_known)] += 1;
        }
    }
    assert!(busy.iter().all(|busy| *busy > 150), "one address has some seconds of checks: {busy:?}");
    assert!(wrong.iter().all(|wrong| *wrong > 1), "known and unknown names alike: {wrong:?}");
}

#[tokio::test]
async fn two_different_administrators_complete_the_session() {
    let app = TestApp::new().await;
    let client = app.nobody();
    let first = client.log_in("Admin1", PASSWORD).await;
    let half_open = json!({"fullyLoggedIn": false, "hardened": false, "management": false, "perms": []});
    assert_eq!((first.status.as_u16(), &first.json), (200, &json!({"message": "Success", "response": half_open})));
    let second = client.log_in("Admin2", PASSWORD).await;
    let perms = [
        "Tokenization:Manage",
        "Keys:Add",
        "CertManage:Generate",
        "CertManage:Manage",
        "CertManage:Export",
        "Services:Deploy",
        "Signing:Submit",
        "Signing:Approve",
        "Identity:Manage",
        "Audit:Read",
        "System:Manage",
    ];
    let complete = json!({"fullyLoggedIn": true, "hardened": false, "management": true, "perms": perms});
    assert_eq!((second.status.as_u16(), &second.json), (200, &json!({"message": "Success", "response": complete})));
}

#[tokio::test]
async fn hardened_mode_is_told() {
    let app = TestApp::with(Setup { hardened: true, ..Setup::default() }).await;
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.json["response"]["hardened"], true);
}

#[tokio::test]
async fn the_cookie_is_for_us_alone_and_new_at_each_login() {
    let app = TestApp::new().await;
    let client = app.nobody();
    let mut seen = Vec::new();
    for name in ["Admin1", "Admin2"] {
        let reply = client.log_in(name, PASSWORD).await;
        let cookies: Vec<_> = reply.headers.get_all("set-cookie").iter().collect();
        assert_eq!(cookies.len(), 1);
        let (pair, attributes) = cookies[0].to_str().unwrap().split_once("; ").unwrap();
        assert_eq!(attributes, "Path=/; Secure; HttpOnly; SameSite=Strict");
        seen.push(pair.to_owned());
    }
    assert_ne!(seen[0], seen[1]);
    let old = client.with_cookie_alone();
    old.post_nothing("/home/v1/logout").await;
    assert_eq!(client.get("/home/v1/login/token").await.status.as_u16(), 401);
}

#[tokio::test]
async fn the_same_administrator_twice_never_counts() {
    let app = TestApp::new().await;
    let client = app.nobody();
    client.log_in("Admin1", PASSWORD).await;
    for again in ["Admin1", "ADMIN1", "admin1"] {
        refused(&client.log_in(again, PASSWORD).await, 401);
        assert_eq!(client.get("/home/v1/login/token").await.status.as_u16(), 401);
    }
    // The session stayed as it was.
    assert_eq!(client.log_in("admin2", PASSWORD).await.json["response"]["fullyLoggedIn"], true);
    refused(&client.log_in("Admin1", PASSWORD).await, 401);
    assert_eq!(client.get("/home/v1/login/token").await.status.as_u16(), 200);
}

#[tokio::test]
async fn the_login_steps_can_be_repeated_in_the_same_jar_after_the_token_expired() {
    let app = TestApp::new().await;
    let mut client = app.admin().await;
    client.bearer = None;
    app.clock.advance_ms(10 * 60_000);
    assert_eq!(client.log_in("Admin1", PASSWORD).await.json["response"]["fullyLoggedIn"], false);
    assert_eq!(client.log_in("Admin2", PASSWORD).await.json["response"]["fullyLoggedIn"], true);
    assert_eq!(client.get("/home/v1/login/token").await.status.as_u16(), 200);
}

#[tokio::test]
async fn a_refusal_has_one_wording_byte_for_byte() {
    let app = TestApp::new().await;
    let unknown = app.nobody().log_in("nobody", PASSWORD).await;
    refused(&unknown, 401);
    for (name, password) in [("Admin1", "wrong"), ("Admin1", ""), ("", ""), ("no\0body", PASSWORD), ("ADMIN1", "x")] {
        let reply = app.nobody().log_in(name, password).await;
        assert_eq!((reply.status.as_u16(), &reply.body), (401, &unknown.body), "{name:?}");
    }
    for _ in 0..3 {
        app.nobody().log_in("Admin1", "wrong").await;
    }
    let delayed = app.nobody().log_in("Admin1", PASSWORD).await;
    assert_eq!((delayed.status.as_u16(), &delayed.body), (401, &unknown.body), "delayed");
    let key = json!({"authType": "apikey", "authCredentials": {"apiKey": "unknown"}});
    let reply = app.nobody().post("/home/v1/login", key).await;
    assert_eq!((reply.status.as_u16(), &reply.body), (401, &unknown.body), "unknown key");
}

#[tokio::test]
async fn wrong_passwords_delay_new_logins_of_one_identity_from_one_source_only() {
    let app = TestApp::new().await;
    let live = app.admin().await;
    for _ in 0..5 {
        app.nobody().log_in("Admin1", "wrong").await;
    }
    refused(&app.nobody().log_in("Admin1", PASSWORD).await, 401);
    assert_eq!(live.get("/home/v1/login/token").await.status.as_u16(), 200, "live sessions are untouched");
    assert_eq!(app.nobody().from([198, 51, 100, 9]).log_in("Admin1", PASSWORD).await.status.as_u16(), 200);
    assert_eq!(app.nobody().log_in("Admin2", PASSWORD).await.status.as_u16(), 200);
    app.clock.advance_ms(1_000);
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status.as_u16(), 200);
}

#[tokio::test]
async fn what_is_no_password_in_base64_is_400_and_does_not_count() {
    let app = TestApp::new().await;
    for _ in 0..6 {
        for password in [json!("not base64!"), json!("a-_b"), json!("aGk=="), json!(7), Value::Null] {
            let credentials = json!({"username": "Admin1", "password": password});
            let body = json!({"authType": "userpass", "authCredentials": credentials});
            refused(&app.nobody().post("/home/v1/login", body).await, 400);
        }
    }
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status.as_u16(), 200);
}

#[tokio::test]
async fn padding_is_optional_and_line_breaks_are_ignored() {
    let app = TestApp::new().await;
    let encoded = Base64::encode(PASSWORD.as_bytes());
    let bare = encoded.trim_end_matches('=').to_owned();
    assert_ne!(bare, encoded);
    for password in [bare, format!("{}\n{}\n", &encoded[..8], &encoded[8..]), encoded.replace('b', "b\r\n")] {
        let credentials = json!({"username": "Admin1", "password": password});
        let body = json!({"authType": "userpass", "authCredentials": credentials});
        assert_eq!(app.nobody().post("/home/v1/login", body).await.status.as_u16(), 200, "{password:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_as_described_is_400_in_the_same_envelope() {
    let app = TestApp::new().await;
    let good = json!({"username": "Admin1", "password": "eA=="});
    for body in [
        json!([1]),
        json!({}),
        json!({"authType": "userpass"}),
        json!({"authCredentials": good}),
        json!({"authType": "Userpass", "authCredentials": good}),
        json!({"authType": "clientcert", "authCredentials": good}),
        json!({"authType": 1, "authCredentials": good}),
        json!({"authType": "userpass", "authCredentials": [good]}),
        json!({"authType": "userpass", "authCredentials": {"username": "Admin1"}}),
        json!({"authType": "userpass", "authCredentials": {"password": "eA=="}}),
        json!({"authType": "userpass", "authCredentials": {"username": 1, "password": "eA=="}}),
        json!({"authType": "apikey", "authCredentials": good}),
    ] {
        refused(&app.nobody().post("/home/v1/login", body.clone()).await, 400);
    }
    let json = Some("application/json");
    for text in [&b""[..], b"{", b"\xff", b"{\"authType\":\"userpass\",\"authType\":\"userpass\"}"] {
        refused(&app.nobody().send("POST", "/home/v1/login", json, text.to_vec()).await, 400);
    }
    refused(&app.nobody().send("POST", "/home/v1/login", Some("text/plain"), "{}").await, 415);
    refused(&app.nobody().send("POST", "/home/v1/login", json, vec![b' '; 1024 * 1024 + 1]).await, 413);
    refused(&app.nobody().delete("/home/v1/login").await, 405);
}

#[tokio::test]
async fn too_many_logins_of_one_source_are_429() {
    let app = TestApp::new().await;
    let incomplete = json!({"authType": "userpass", "authCredentials": {"username": "Admin1"}});
    for _ in 0..600 {
        refused(&app.nobody().post("/home/v1/login", incomplete.clone()).await, 400);
    }
    let reply = app.nobody().log_in("Admin1", PASSWORD).await;
    refused(&reply, 429);
    assert!(reply.headers.contains_key("retry-after"));
    assert_eq!(app.nobody().from([198, 51, 100, 9]).log_in("Admin1", PASSWORD).await.status.as_u16(), 200);
}

#[tokio::test]
async fn a_page_of_another_origin_cannot_log_anybody_in() {
    let app = TestApp::new().await;
    let body = json!({"authType": "userpass", "authCredentials": {"username": "Admin1", "password": "eA=="}});
    let request = axum::http::Request::post("/home/v1/login")
        .header("host", "kms.test")
        .header("origin", "https://evil.test")
        .body(body.to_string().into());
    refused(&app.nobody().call(request.unwrap()).await, 403);
}

#[tokio::test]
async fn logins_work_while_api_access_is_off() {
    let app = TestApp::with(Setup { api_access: false, ..Setup::default() }).await;
    let client = app.nobody();
    client.log_in("Admin1", PASSWORD).await;
    assert_eq!(client.log_in("Admin2", PASSWORD).await.json["response"]["fullyLoggedIn"], true);
    assert_eq!(client.post_nothing("/home/v1/logout").await.status.as_u16(), 200);
}

/// The clock was two hours ahead when the identities were made, and was put right.
#[tokio::test]
async fn a_clock_that_was_put_back_shuts_nobody_out() {
    let app = TestApp::new().await;
    app.clock.advance_ms(-2 * 3_600_000);
    let admin = app.admin().await;
    assert_eq!(admin.get("/api/v2/audit").await.status.as_u16(), 200);
}
