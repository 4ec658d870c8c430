//! People who log in by a provider of our own making, which answers whatever a test wants.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use axum::{body::Body, http::Request};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_core::{Fetched, Form, LdapPlace, Limits, NoAnswer, ProviderTransport};
use chancery_ldap::{Answer, Question};
use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    client::{Client, Reply},
    directories::usual,
    workloads::{BINDINGS, PROVIDERS},
};

pub(crate) const OIDC: &str = "/home/v1/login/oidc";
pub(crate) const CALLBACK: &str = "/home/v1/login/oidc/callback";
pub(crate) const ISSUER: &str = "https://login.example.org";
pub(crate) const ORIGIN: &str = "https://kms.example.org";
pub(crate) const LOGIN_COOKIE: &str = "__Host-chancery-login";
pub(crate) const SECRET: &str = "a s\u{e9}cret: of ours";

/// What the provider does.
pub(crate) struct Behaviour {
    /// The status of its answers to codes.
    pub(crate) status: u16,
    /// What it answers to the next code in the place of a token.
    pub(crate) body: Option<Vec<u8>>,
    /// The claims of the next ID token.
    pub(crate) claims: Value,
    /// Whether it says that its answers name their issuer.
    pub(crate) says_issuer: bool,
    /// Whether it cannot be reached.
    pub(crate) is_away: bool,
    /// How long it takes for a code; what it holds is answered once this is shorter.
    pub(crate) takes: Duration,
}

/// The provider.
pub(crate) struct Fake {
    key: EcdsaKeyPair,
    pub(crate) behaviour: Mutex<Behaviour>,
    /// The forms that were posted, with their Authorization.
    pub(crate) posted: Mutex<Vec<(Option<String>, String)>>,
    pub(crate) at_once: AtomicUsize,
    pub(crate) at_once_most: AtomicUsize,
}

impl Fake {
    pub(crate) fn new() -> Arc<Self> {
        let behaviour = Behaviour {
            status: 200,
            body: None,
            claims: json!({}),
            says_issuer: false,
            is_away: false,
            takes: Duration::ZERO,
        };
        Arc::new(Self {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap(),
            behaviour: Mutex::new(behaviour),
            posted: Mutex::default(),
            at_once: AtomicUsize::new(0),
            at_once_most: AtomicUsize::new(0),
        })
    }

    pub(crate) fn jwks(&self) -> String {
        let point = self.key.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        json!({"keys": [{"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": "1", "use": "sig"}]}).to_string()
    }

    pub(crate) fn token(&self, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({"alg": "ES256", "kid": "1"})), part(claims));
        let signature = self.key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.behaviour.lock().unwrap());
    }
}

impl ProviderTransport for Fake {
    fn get(&self, url: &str, _: usize, _: Duration) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        let behaviour = self.behaviour.lock().unwrap();
        if behaviour.is_away {
            return Err("nobody answers".into());
        }
        let body = match url.strip_prefix(ISSUER) {
            Some("/.well-known/openid-configuration") => json!({
                "issuer": ISSUER,
                "jwks_uri": format!("{ISSUER}/jwks"),
                "authorization_endpoint": format!("{ISSUER}/authorize"),
                "token_endpoint": format!("{ISSUER}/token"),
                "authorization_response_iss_parameter_supported": behaviour.says_issuer,
            })
            .to_string(),
            Some("/jwks") => self.jwks(),
            Some(_) | None => return Err(format!("nothing is at {url}").into()),
        };
        Ok(Fetched { status: 200, body: body.into_bytes() })
    }

    fn post_form(
        &self,
        url: &str,
        form: &Form,
        max: usize,
        wait: Duration,
    ) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        assert_eq!(url, format!("{ISSUER}/token"));
        let authorization = form.authorization.as_ref().map(|value| value.to_string());
        self.posted.lock().unwrap().push((authorization, form.body.to_string()));
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.at_once_most.fetch_max(now, Ordering::SeqCst);
        let begun = Instant::now();
        let takes_longer = || begun.elapsed() < self.behaviour.lock().unwrap().takes;
        while takes_longer() && begun.elapsed() < wait {
            thread::sleep(Duration::from_millis(5));
        }
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        if takes_longer() {
            return Err("it took too long".into());
        }
        let behaviour = self.behaviour.lock().unwrap();
        let usual = json!({"token_type": "Bearer", "access_token": "x", "id_token": self.token(&behaviour.claims)});
        let body = behaviour.body.clone().unwrap_or_else(|| usual.to_string().into_bytes());
        Ok(Fetched { status: behaviour.status, body: body.into_iter().take(max).collect() })
    }

    fn ask_directory(&self, _: &LdapPlace, question: &Question<'_>, _: Duration) -> Result<Answer, NoAnswer> {
        Ok(usual(question))
    }
}

/// An installation where `carol`, an approver, logs in as `sub-carol` of the provider.
pub(crate) struct People {
    pub(crate) app: TestApp,
    pub(crate) fake: Arc<Fake>,
    pub(crate) provider: String,
    pub(crate) carol: String,
    pub(crate) binding: String,
}

/// A login that was begun.
pub(crate) struct Begun {
    pub(crate) asked: BTreeMap<String, String>,
}

impl People {
    pub(crate) async fn new() -> Self {
        Self::with(Limits::default(), json!({"clientId": "kms", "clientSecret": SECRET})).await
    }

    pub(crate) async fn with(limits: Limits, client: Value) -> Self {
        let fake = Fake::new();
        let providers = Some(Arc::clone(&fake) as _);
        let setup = Setup { providers, public_origin: Some(ORIGIN.to_owned()), limits, ..Setup::default() };
        let app = TestApp::with(setup).await;
        let admin = app.admin().await;
        let mut described = json!({"name": "staff", "issuer": ISSUER, "audiences": []});
        described.as_object_mut().unwrap().extend(client.as_object().unwrap().clone());
        let made = admin.post(PROVIDERS, described).await.response().clone();
        let provider = made["objInfo"]["uuid"].as_str().unwrap().to_owned();
        let carol = admin.create_person("carol", &[RoleId::APPROVER]).await;
        let binding = bind(&admin, &provider, &carol, "sub-carol").await;
        Self { app, fake, provider, carol, binding }
    }

    pub(crate) async fn change_provider(&self, change: Value) -> Value {
        let path = format!("{PROVIDERS}/{}", self.provider);
        self.app.admin().await.patch(&path, change).await.response().clone()
    }

    /// Sends a browser to the provider.
    pub(crate) async fn begin(&self, browser: &Client) -> Begun {
        let reply = browser.post(OIDC, json!({"providerUuid": self.provider})).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        Begun::of(&reply)
    }

    /// The claims of a good ID token of `sub-carol` for this login.
    pub(crate) fn claims(&self, begun: &Begun) -> Value {
        let now_s = self.app.clock.now_ms() / 1_000;
        json!({"iss": ISSUER, "aud": "kms", "sub": "sub-carol", "iat": now_s, "exp": now_s + 300, "nonce": begun.asked["nonce"]})
    }

    /// Has the provider log somebody in, with some claims changed, and send the browser back.
    pub(crate) async fn come_back(&self, browser: &Client, begun: &Begun, changes: Value) -> Reply {
        let mut claims = self.claims(begun);
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let claims = claims.as_object().unwrap().clone().into_iter().filter(|(_, value)| !value.is_null());
        self.fake.set(|behaviour| behaviour.claims = Value::Object(claims.collect()));
        // It is the provider's page that sends the browser back.
        let path = callback(&[("code", "c1"), ("state", &begun.asked["state"])]);
        let request = Request::get(path).header("Host", "kms.test").header("Sec-Fetch-Site", "cross-site");
        browser.call(request.body(Body::empty()).unwrap()).await
    }

    /// A browser in which carol has logged in by the provider.
    pub(crate) async fn logged_in(&self) -> Client {
        let browser = self.app.nobody();
        let begun = self.begin(&browser).await;
        let reply = self.come_back(&browser, &begun, json!({})).await;
        assert_eq!(reply.status, 303, "{}", reply.text());
        browser
    }

    /// Why logins were refused, each reason once and in the order of the alphabet.
    pub(crate) async fn reasons(&self) -> Vec<String> {
        let refusals = self.app.refused_logins().await;
        let mut why: Vec<_> =
            refusals.iter().filter_map(|(detail, _)| detail["why"].as_str().map(str::to_owned)).collect();
        why.sort();
        why.dedup();
        why
    }
}

impl Begun {
    pub(crate) fn of(reply: &Reply) -> Self {
        let url = reply.json["authorizationUrl"].as_str().unwrap();
        let (_, query) = url.split_once('?').unwrap();
        let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap());
        Self { asked: pairs.map(|(name, value)| (name.to_owned(), unescaped(value))).collect() }
    }
}

/// Binds a subject of the provider to an identity.
pub(crate) async fn bind(admin: &Client, provider: &str, identity: &str, subject: &str) -> String {
    let asks = json!({"name": format!("{subject} {identity}"), "identityUuid": identity, "providerUuid": provider, "subject": subject});
    admin.post(BINDINGS, asks).await.response()["objInfo"]["uuid"].as_str().unwrap().to_owned()
}

/// The path by which a provider sends browsers back.
pub(crate) fn callback(pairs: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    format!("{CALLBACK}?{}", pairs.join("&"))
}

fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'%', [_, _, ..]) => {
                bytes.push(u8::from_str_radix(std::str::from_utf8(&after[..2]).unwrap(), 16).unwrap());
                rest = &after[2..];
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Asserts a refusal in words that say this, and that the login's cookie is gone with it.
#[track_caller]
pub(crate) fn refused(reply: &Reply, status: u16, says: &str) {
    assert_eq!((reply.status.as_u16(), &reply.json["status"]), (status, &json!("Failure")), "{}", reply.text());
    assert!(reply.json["message"].as_str().unwrap().contains(says), "{}", reply.text());
    let cookies: Vec<_> = reply.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap()).collect();
    assert_eq!(cookies, ["__Host-chancery-login=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0"]);
}
