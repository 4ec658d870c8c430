//! Every operation of the interface, called by those who may not: nobody, half logged in, with tokens that are no good,
//! with a role that does not permit it, and while API access is off. An operation that is missing here fails the test.

mod operations;

use std::collections::BTreeSet;

use axum::{body::Body, http::Request};
use chancery_core::Host;
use chancery_types::{Perm, RoleId, wire::system::PatchSettings};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::{Client, Reply},
};

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Anybody.
    Public,
    /// Whoever has a session, also a half-open one.
    Session,
    /// Every fully logged-in caller.
    LoggedIn,
    /// Callers with one of these permissions.
    Perms(&'static [Perm]),
    /// The same, and a cookie session also while API access is off.
    Operator(&'static [Perm]),
    /// Callers with a role that a Control Rule of the token profile names.
    Rules,
    /// The person in the path, whatever others may.
    Own,
}
use Guard::{LoggedIn, Operator, Own, Perms, Public, Rules, Session};
pub(crate) use operations::OPERATIONS;

/// Of no object.
pub(crate) const UUID: &str = "00000000-0000-0000-0000-0000000000aa";

impl Guard {
    /// Whether the operation demands more than a session.
    fn demands_login(self) -> bool {
        match self {
            Public | Session => false,
            LoggedIn | Perms(_) | Operator(_) | Rules | Own => true,
        }
    }

    /// The permissions of which a caller must have one.
    pub(crate) fn perms(self) -> Option<&'static [Perm]> {
        match self {
            Perms(perms) | Operator(perms) => Some(perms),
            Public | Session | LoggedIn | Rules | Own => None,
        }
    }
}

async fn call(client: &Client, (method, path, _, body): (&str, &str, Guard, &'static str), uuid: &str) -> Reply {
    let path = path.replace("{uuid}", uuid).replace("{name}", "IBAN");
    client.send(&method.to_uppercase(), &path, Some("application/json"), body).await
}

/// A refusal in the form of the path's family.
#[track_caller]
fn refused(reply: &Reply, status: u16, error_code: &str, what: &str) {
    let told = if reply.json.get("success").is_some() {
        &reply.json["errorCode"]
    } else {
        assert_eq!(reply.json["status"], "Failure", "{what}: {}", reply.text());
        &json!(error_code)
    };
    assert_eq!((reply.status.as_u16(), told), (status, &json!(error_code)), "{what}: {}", reply.text());
}

#[test]
fn every_operation_of_the_document_is_listed_here() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let in_document: BTreeSet<(String, String)> = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(move |method| (method.clone(), anonymous(path))))
        .collect();
    let here: BTreeSet<_> =
        OPERATIONS.iter().map(|(method, path, ..)| ((*method).to_owned(), anonymous(path))).collect();
    assert_eq!(here.len(), OPERATIONS.len(), "an operation is listed twice");
    assert_eq!(in_document, here);
}

/// The path without the names of its variables.
fn anonymous(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn nobody_half_logged_in_expired_and_forged_are_401() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (good, gone) = (admin.bearer.clone().unwrap(), app.admin().await);
    gone.post_nothing("/home/v1/logout").await;
    let half_open = app.nobody();
    half_open.log_in("Admin1", PASSWORD).await;
    let expired = app.admin().await.bearer.unwrap();
    app.clock.advance_ms(10 * 60_000);
    let half_open_later = app.nobody();
    half_open_later.log_in("Admin1", PASSWORD).await;
    let mut tampered = good.clone().into_bytes();
    let middle = tampered.len() / 2;
    tampered[middle] = if tampered[middle] == b'A' { b'B' } else { b'A' };
    let tampered = String::from_utf8(tampered).unwrap();
    for (who, client) in [
        ("nobody", app.nobody()),
        ("half logged in, ended", half_open),
        ("half logged in", half_open_later),
        ("expired token", app.nobody().with_bearer(&expired)),
        ("tampered token", app.nobody().with_bearer(&tampered)),
        ("token of a session that ended", app.nobody().with_bearer(gone.bearer.as_ref().unwrap())),
        ("expired token beside a good cookie", {
            let mut client = admin.with_cookie_alone();
            client.bearer = Some(expired.clone());
            client
        }),
    ] {
        for operation in OPERATIONS.iter().filter(|(_, _, guard, _)| guard.demands_login()) {
            let what = format!("{who}: {} {}", operation.0, operation.1);
            refused(&call(&client, *operation, UUID).await, 401, "InvalidAuthToken", &what);
            // A bad path, body or content type is found only in calls of somebody.
            let (method, path) = (operation.0.to_uppercase(), operation.1.replace("{uuid}", "x"));
            let unreadable = client.send(&method, &path, Some("x/y"), "[").await;
            refused(&unreadable, 401, "InvalidAuthToken", &what);
        }
    }
}

/// As a page at a sibling's name has the browser send it: an image, a link, a form.
async fn from_elsewhere(client: &Client, method: &str, path: &str, site: &str) -> Reply {
    let request = Request::builder().method(method).uri(path).header("Host", "kms.test").header("Sec-Fetch-Site", site);
    client.call(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_page_of_another_origin_calls_nothing_by_the_cookie() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (by_cookie, by_bearer) = (admin.with_cookie_alone(), admin.with_bearer(admin.bearer.as_ref().unwrap()));
    for (method, path, guard, _) in OPERATIONS {
        let (upper, path) = (method.to_uppercase(), path.replace("{uuid}", UUID).replace("{name}", "IBAN"));
        // Anybody may ask whose session it is; what the answer is the cookie decides.
        let looks_at_cookie = *guard != Public || (*method, path.as_str()) == ("get", "/home/v1/login");
        for site in ["same-site", "cross-site"] {
            let what = format!("{site}: {upper} {path}");
            if looks_at_cookie {
                refused(&from_elsewhere(&by_cookie, &upper, &path, site).await, 403, "NotAuthorized", &what);
            } else if *method == "get" {
                let reply = from_elsewhere(&by_cookie, &upper, &path, site).await;
                assert_ne!(reply.status.as_u16(), 403, "{what}: {}", reply.text());
            }
        }
    }
    for path in ["/api/v2/whoami", "/home/v1/login"] {
        assert_eq!(from_elsewhere(&by_cookie, "HEAD", path, "same-site").await.status.as_u16(), 403, "{path}");
        for site in ["same-origin", "none"] {
            assert_eq!(from_elsewhere(&by_cookie, "GET", path, site).await.status.as_u16(), 200, "{site}: {path}");
        }
        assert_eq!(from_elsewhere(&by_bearer, "GET", path, "cross-site").await.status.as_u16(), 200, "{path}");
        assert_eq!(by_cookie.get(path).await.status.as_u16(), 200, "what is no browser: {path}");
    }
}

#[tokio::test]
async fn a_role_without_the_permission_is_403() {
    let app = TestApp::new().await;
    let profile = token_profile(&app.admin().await).await;
    let application = app.person("clerk", &[RoleId::APPLICATION]).await;
    for operation in OPERATIONS {
        let (method, path, guard, _) = *operation;
        let what = format!("{method} {path}");
        match guard {
            Public | Session => {}
            LoggedIn => {
                let status = call(&application, *operation, UUID).await.status.as_u16();
                assert!(status == 200 || (status == 404 && path.contains("{uuid}")), "{what}: {status}");
            }
            Perms(_) | Operator(_) | Own => {
                refused(&call(&application, *operation, UUID).await, 403, "NotAuthorized", &what);
            }
            Rules => refused(&call(&application, *operation, &profile).await, 403, "NotAuthorized", &what),
        }
    }
}

#[tokio::test]
async fn each_permission_opens_its_operations_and_no_others() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for perm in Perm::ALL {
        let body = json!({"name": format!("only {perm}"), "loginsRequired": 2, "perms": [perm]});
        let role = admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().parse().unwrap();
        let names = [format!("{perm} 1"), format!("{perm} 2")];
        for name in &names {
            admin.create_person(name, &[role]).await;
        }
        let holders = app.logged_in(&[(&names[0], PASSWORD), (&names[1], PASSWORD)]).await;
        for operation in OPERATIONS {
            let Some(needed) = operation.2.perms() else { continue };
            let reply = call(&holders, *operation, UUID).await;
            let forbidden = reply.status.as_u16() == 403;
            assert_eq!(forbidden, !needed.contains(perm), "{perm}: {} {}: {}", operation.0, operation.1, reply.text());
        }
    }
}

#[tokio::test]
async fn while_api_access_is_off_only_operators_get_through() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (bearer, cookie) = (admin.with_bearer(admin.bearer.as_ref().unwrap()), admin.with_cookie_alone());
    let off = PatchSettings { api_access: Some(false), ..PatchSettings::default() };
    app.chancery.change_host_settings(&Host::running("settings"), off).await.unwrap();
    for operation in OPERATIONS {
        let (method, path, guard, _) = *operation;
        let what = format!("{method} {path}");
        let (by_bearer, by_cookie) = (guard != Public && guard != Session, guard.demands_login());
        if by_bearer {
            refused(&call(&bearer, *operation, UUID).await, 403, "ApiAccessDisabled", &what);
        }
        if by_cookie && !matches!(guard, Operator(_)) {
            refused(&call(&cookie, *operation, UUID).await, 403, "ApiAccessDisabled", &what);
        }
        if matches!(guard, Operator(_)) {
            assert_eq!(call(&cookie, *operation, UUID).await.status.as_u16(), 200, "{what}");
        }
        if guard == Public {
            assert_ne!(call(&app.nobody(), *operation, UUID).await.status.as_u16(), 403, "{what}");
        }
    }
}

#[tokio::test]
async fn no_body_but_an_object_is_taken() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let with_body = OPERATIONS.iter().filter(|(_, _, _, body)| !body.is_empty());
    for operation in with_body {
        for (what, bytes) in
            [("an array", &b"[1]"[..]), ("no UTF-8", b"{\"a\":\"\xff\"}"), ("a number", b"1"), ("null", b"null")]
        {
            let path = operation.1.replace("{uuid}", UUID);
            let reply = admin.send(&operation.0.to_uppercase(), &path, Some("application/json"), bytes).await;
            refused(&reply, 400, "ArgumentParseError", &format!("{what}: {} {path}", operation.0));
        }
    }
}

/// A profile that nobody has a rule for.
pub(crate) async fn token_profile(admin: &Client) -> String {
    token_profile_named(admin, "p").await
}

/// Another one.
pub(crate) async fn token_profile_named(admin: &Client, name: &str) -> String {
    let uuid = |value: &Value| value["uuid"].as_str().unwrap().to_owned();
    let types = admin.post("/api/v2/key-types/stubs", json!({"search": "AES-256"})).await;
    let key_type = uuid(&types.response()["results"][0]["objInfo"]);
    let key = admin.post("/api/v2/keys", json!({"name": format!("k of {name}"), "keyTypeUuid": key_type})).await;
    let mut body: Value = serde_json::from_str(operations::PROFILE).unwrap();
    body["objInfo"]["name"] = json!(name);
    body["keyUuid"] = key.response()["uuid"].clone();
    uuid(&admin.post("/api/v2/token-profiles", body).await.response()["objInfo"])
}
