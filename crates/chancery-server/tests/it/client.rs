//! A client of the router: one cookie jar, maybe a bearer token.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    sync::Mutex,
};

use axum::{
    body::Body,
    http::{HeaderMap, Request, StatusCode, header},
    response::Response,
};
use chancery_server::Routes;
use chancery_types::{Base64, RoleId};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::app::PASSWORD;

/// A client with its own cookie jar.
pub(crate) struct Client {
    routes: Routes,
    pub(crate) source: IpAddr,
    pub(crate) bearer: Option<String>,
    /// By name.
    cookies: Mutex<BTreeMap<String, String>>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// The body, if it is JSON; null otherwise.
    pub(crate) json: Value,
}

impl Reply {
    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// `response` of a call that succeeded.
    #[track_caller]
    pub(crate) fn response(&self) -> &Value {
        assert_eq!(
            (self.status, &self.json["success"], &self.json["errorCode"]),
            (StatusCode::OK, &true.into(), &"Success".into()),
            "{}",
            self.text()
        );
        &self.json["response"]
    }

    /// Asserts a refusal: its status, its errorCode and, where one member is at fault, the pointer to it.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, error_code: &str, field: Option<&str>) {
        let response = &self.json["response"];
        assert_eq!(
            (self.status.as_u16(), &self.json["success"], &self.json["errorCode"], response["field"].as_str()),
            (status, &false.into(), &error_code.into(), field),
            "{}",
            self.text()
        );
        assert_eq!(response["requestId"].as_str(), self.headers["x-request-id"].to_str().ok(), "{}", self.text());
        assert!(response["message"].as_str().is_some_and(|message| message.ends_with('.')), "{}", self.text());
    }
}

impl Client {
    pub(crate) fn new(routes: Routes) -> Self {
        Self { routes, source: IpAddr::V4(Ipv4Addr::LOCALHOST), bearer: None, cookies: Mutex::default() }
    }

    /// The same, from another address.
    pub(crate) fn from(mut self, source: [u8; 4]) -> Self {
        self.source = IpAddr::from(source);
        self
    }

    /// A client with the same cookie jar's content and no bearer token.
    pub(crate) fn with_cookie_alone(&self) -> Self {
        let cookies = Mutex::new(self.cookies.lock().unwrap().clone());
        Self { routes: self.routes.clone(), source: self.source, bearer: None, cookies }
    }

    /// A client with this bearer token and no cookie.
    pub(crate) fn with_bearer(&self, bearer: &str) -> Self {
        let mut client = Self::new(self.routes.clone());
        client.source = self.source;
        client.bearer = Some(bearer.to_owned());
        client
    }

    /// What the jar holds, as the Cookie header has it.
    pub(crate) fn cookie(&self) -> Option<String> {
        let cookies = self.cookies.lock().unwrap();
        let pairs: Vec<_> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// POST /home/v1/login with name and password.
    pub(crate) async fn log_in(&self, name: &str, password: &str) -> Reply {
        let password = Base64::encode(password.as_bytes());
        let credentials = json!({"username": name, "password": password});
        self.post("/home/v1/login", json!({"authType": "userpass", "authCredentials": credentials})).await
    }

    /// Makes a person with the usual password; answers the new uuid.
    pub(crate) async fn create_person(&self, name: &str, roles: &[RoleId]) -> String {
        let password = Base64::encode(PASSWORD.as_bytes());
        let body = json!({"name": name, "kind": "Person", "roleUuids": roles, "password": password});
        self.post("/api/v2/identities", body).await.response()["uuid"].as_str().unwrap().to_owned()
    }

    /// An attempt was audited just now, also one that was refused. Not always as the last record: on a busy machine the
    /// bearer token of whoever looks may have to be made anew first.
    pub(crate) async fn saw_audited(&self, action: &str) {
        let audit = self.get("/api/v2/audit?pageSize=20").await;
        let records = audit.response()["items"].as_array().expect("a list");
        assert!(records.iter().any(|record| record["action"] == action), "{action} in {records:?}");
    }

    /// The uuid of the identity with this name.
    pub(crate) async fn identity_uuid(&self, name: &str) -> String {
        let stubs = self.get(&format!("/api/v2/identities/stubs?search={name}")).await;
        stubs.response()["results"][0]["objInfo"]["uuid"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, None, Body::empty()).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.json("POST", path, &body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> Reply {
        self.json("PATCH", path, &body).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, None, Body::empty()).await
    }

    /// A POST without any body.
    pub(crate) async fn post_nothing(&self, path: &str) -> Reply {
        self.send("POST", path, None, Body::empty()).await
    }

    pub(crate) async fn json(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.send(method, path, Some("application/json"), body.to_string()).await
    }

    /// Any call, with the jar's cookie and the bearer token.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        content_type: Option<&str>,
        body: impl Into<Body>,
    ) -> Reply {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "kms.test");
        if let Some(content_type) = content_type {
            request = request.header(header::CONTENT_TYPE, content_type);
        }
        self.call(request.body(body.into()).unwrap()).await
    }

    /// Any request, with the jar's cookie and the bearer token added.
    pub(crate) async fn call(&self, request: Request<Body>) -> Reply {
        let (head, body) = self.begin(request).await.into_parts();
        self.keep_cookies(&head.headers);
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        let json = serde_json::from_slice(&body).unwrap_or_default();
        Reply { status: head.status, headers: head.headers, body, json }
    }

    /// The same, with an answer that is still to be read.
    pub(crate) async fn begin(&self, mut request: Request<Body>) -> Response {
        if let Some(bearer) = &self.bearer {
            request.headers_mut().insert(header::AUTHORIZATION, format!("Bearer {bearer}").parse().unwrap());
        }
        if let Some(cookie) = self.cookie() {
            request.headers_mut().insert(header::COOKIE, cookie.parse().unwrap());
        }
        let Ok(answer) = Routes::answer(&self.routes, request, self.source).await;
        answer
    }

    /// How large the future of a call is.
    pub(crate) fn bytes_of_a_call(&self) -> usize {
        size_of_val(&Routes::answer(&self.routes, Request::new(Body::empty()), self.source))
    }

    /// Does what a cookie jar does: keeps the pairs, forgets those that expire.
    fn keep_cookies(&self, headers: &HeaderMap) {
        for set in headers.get_all(header::SET_COOKIE) {
            let set = set.to_str().unwrap();
            let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
            let mut cookies = self.cookies.lock().unwrap();
            if set.contains("Max-Age=0") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// Puts a cookie of somebody else's jar into this one, or takes it out.
    pub(crate) fn plant_cookie(&self, name: &str, value: Option<&str>) {
        let mut cookies = self.cookies.lock().unwrap();
        match value {
            Some(value) => drop(cookies.insert(name.to_owned(), value.to_owned())),
            None => drop(cookies.remove(name)),
        }
    }

    /// The value of a cookie in the jar.
    pub(crate) fn cookie_value(&self, name: &str) -> Option<String> {
        self.cookies.lock().unwrap().get(name).cloned()
    }
}
