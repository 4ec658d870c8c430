//! People who log in by a directory of our own making, which answers whatever a test wants.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use chancery_core::{Fetched, Form, LdapPlace, Limits, NoAnswer, ProviderTransport};
use chancery_ldap::{Account, Answer, Fault, Outcome, Question, Refusal};
use chancery_types::{Base64, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    client::{Client, Reply},
    people::bind,
    workloads::PROVIDERS,
};

pub(crate) const LOGIN: &str = "/home/v1/login";
pub(crate) const SERVICE_PASSWORD: &str = "a s\u{e9}cret of the service";
pub(crate) const CAROL_PASSWORD: &str = "carol's password there";
pub(crate) const CAROL_ID: &str = "0b5c2d3e-1111-4111-8111-00000000ca01";
pub(crate) const DAVE_ID: &str = "0b5c2d3e-1111-4111-8111-00000000da0e";

/// What the directory does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Lets carol in, and dave, who has the same password.
    Usual,
    /// Is not reached.
    Away,
    /// Does not know the service account.
    ServiceAccount,
    /// Breaks off.
    BreaksOff,
    /// Answers what is no id.
    NoId,
}

/// The directory.
pub(crate) struct FakeDirectory {
    pub(crate) mood: Mutex<Mood>,
    /// How long it takes to answer; what it holds is answered once this is shorter.
    pub(crate) takes: Mutex<Duration>,
    /// What it was asked: where, how the entry was to be found, for whom.
    pub(crate) asked: Mutex<Vec<(String, String, String)>>,
    pub(crate) at_once: AtomicUsize,
    pub(crate) at_once_most: AtomicUsize,
}

impl FakeDirectory {
    pub(crate) fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl ProviderTransport for FakeDirectory {
    fn get(&self, url: &str, _: usize, _: Duration) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("nothing is at {url}").into())
    }

    fn post_form(
        &self,
        url: &str,
        _: &Form,
        _: usize,
        _: Duration,
    ) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("nothing is at {url}").into())
    }

    fn ask_directory(&self, at: &LdapPlace, question: &Question<'_>, _: Duration) -> Result<Answer, NoAnswer> {
        let found_by = match &question.account {
            Account::Named(_) => "by name".to_owned(),
            Account::Searched { bind_dn, bind_password, base, .. } => {
                assert_eq!(*bind_password, SERVICE_PASSWORD.as_bytes());
                format!("by {bind_dn} below {base}")
            }
        };
        let place = format!("{}:{} {}", at.address.host, at.address.port, question.id_attribute);
        self.asked.lock().unwrap().push((place, found_by, question.username.to_owned()));
        let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.at_once_most.fetch_max(now, Ordering::SeqCst);
        let begun = Instant::now();
        while begun.elapsed() < *self.takes.lock().unwrap() {
            thread::sleep(Duration::from_millis(5));
        }
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        let outcome = Outcome { code: 49, text: String::new() };
        match *self.mood.lock().unwrap() {
            Mood::Away => return Err(NoAnswer::NotReached("nobody answers".into())),
            Mood::ServiceAccount => return Err(Fault::ServiceAccount(outcome).into()),
            Mood::BreaksOff => return Err(Fault::Io(std::io::ErrorKind::UnexpectedEof.into()).into()),
            Mood::NoId => return Ok(Answer::Is(b"ann".to_vec())),
            Mood::Usual => {}
        }
        Ok(usual(question))
    }
}

/// What a directory answers that has carol and dave, who have the same password, and twins.
pub(crate) fn usual(question: &Question<'_>) -> Answer {
    let is_right = question.password == CAROL_PASSWORD.as_bytes();
    match question.username {
        "carol" | "CAROL" if is_right => Answer::Is(CAROL_ID.as_bytes().to_vec()),
        "dave" if is_right => Answer::Is(DAVE_ID.as_bytes().to_vec()),
        "carol" | "CAROL" | "dave" => Answer::Not(Refusal::Bind(Outcome { code: 49, text: String::new() })),
        "twins" => Answer::Not(Refusal::SeveralEntries),
        _ => Answer::Not(Refusal::NoEntry),
    }
}

/// An installation where `carol jones`, an approver, has an account of the directory.
pub(crate) struct Staff {
    pub(crate) app: TestApp,
    pub(crate) fake: Arc<FakeDirectory>,
    pub(crate) provider: String,
    pub(crate) carol: String,
    pub(crate) binding: String,
}

pub(crate) fn described() -> Value {
    json!({"name": "staff", "ldap": {"url": "ldaps://ldap.example.org", "bindDn": "cn=kms,dc=example,dc=org",
        "bindPassword": SERVICE_PASSWORD, "baseDn": "dc=example,dc=org", "filter": "(uid={username})"}})
}

pub(crate) fn fake() -> Arc<FakeDirectory> {
    Arc::new(FakeDirectory {
        mood: Mutex::new(Mood::Usual),
        takes: Mutex::default(),
        asked: Mutex::default(),
        at_once: AtomicUsize::new(0),
        at_once_most: AtomicUsize::new(0),
    })
}

impl Staff {
    pub(crate) async fn new() -> Self {
        let fake = fake();
        let setup = Setup { providers: Some(Arc::clone(&fake) as _), limits: Limits::default(), ..Setup::default() };
        let app = TestApp::with(setup).await;
        let admin = app.admin().await;
        let made = admin.post(PROVIDERS, described()).await.response().clone();
        let provider = made["objInfo"]["uuid"].as_str().unwrap().to_owned();
        let carol = admin.create_person("carol jones", &[RoleId::APPROVER]).await;
        let binding = bind(&admin, &provider, &carol, CAROL_ID).await;
        Self { app, fake, provider, carol, binding }
    }

    pub(crate) fn body(&self, name: &str, password: &str, code: Option<&str>) -> Value {
        let mut proof = json!({"providerUuid": self.provider, "username": name,
            "password": Base64::encode(password.as_bytes())});
        if let Some(code) = code {
            proof["totp"] = json!(code);
        }
        json!({"authType": "ldap", "authCredentials": proof})
    }

    pub(crate) async fn log_in(&self, client: &Client, name: &str, password: &str) -> Reply {
        client.post(LOGIN, self.body(name, password, None)).await
    }

    pub(crate) async fn change(&self, change: Value) -> Reply {
        self.app.admin().await.patch(&format!("{PROVIDERS}/{}", self.provider), change).await
    }
}
