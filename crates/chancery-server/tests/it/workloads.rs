//! Workloads with tokens of an OpenID Connect provider that is not ours.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use chancery_core::{Clock, Fetched, Form, ProviderTransport};
use chancery_testkit::{IdentityProvider, TempDir, Tool, temp_dir};
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    client::{Client, Reply},
};

pub(crate) const EXCHANGE: &str = "/home/v1/login/exchange";
pub(crate) const PROVIDERS: &str = "/api/v2/identity-providers";
pub(crate) const BINDINGS: &str = "/api/v2/identity-bindings";
pub(crate) const AUDIENCE: &str = "https://kms.example.org";

/// Fetches by curl, and counts.
pub(crate) struct ByCurl {
    authority: PathBuf,
    fetched: AtomicUsize,
}

impl ByCurl {
    pub(crate) fn new(authority: PathBuf) -> Self {
        Self { authority, fetched: AtomicUsize::new(0) }
    }

    fn run(&self, curl: Tool, max: usize) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        self.fetched.fetch_add(1, Ordering::SeqCst);
        let ran = curl.args(["-s", "-m", "20", "-w", "\n%{http_code}", "--cacert"]).arg(&self.authority).try_run();
        if !ran.status.success() {
            return Err(format!("curl: {}", ran.status).into());
        }
        let text = ran.text();
        let (body, status) = text.rsplit_once('\n').ok_or("no status")?;
        Ok(Fetched { status: status.parse()?, body: body.bytes().take(max).collect() })
    }
}

impl ProviderTransport for ByCurl {
    fn get(&self, url: &str, max: usize, _: Duration) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        self.run(Tool::new("curl").arg(url), max)
    }

    fn post_form(
        &self,
        url: &str,
        form: &Form,
        max: usize,
        _: Duration,
    ) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>> {
        let mut curl = Tool::new("curl").args(["--data-binary", "@-"]).input(form.body.to_string());
        if let Some(authorization) = &form.authorization {
            curl = curl.args(["-H", &format!("Authorization: {}", **authorization)]);
        }
        self.run(curl.arg(url), max)
    }
}

/// An installation that trusts a provider, and an application `ci` that no token stands for yet.
pub(crate) struct Workloads {
    pub(crate) app: TestApp,
    pub(crate) provider: IdentityProvider,
    pub(crate) provider_uuid: String,
    pub(crate) ci: String,
    fetches: Arc<ByCurl>,
    _folder: TempDir,
}

impl Workloads {
    pub(crate) async fn new() -> Self {
        let folder = temp_dir();
        let provider = IdentityProvider::start(folder.path(), "one");
        let fetches = Arc::new(ByCurl::new(provider.authority()));
        let clock = Clock::fixed(machines_ms());
        let app = TestApp::with(Setup { clock, providers: Some(Arc::clone(&fetches) as _), ..Setup::default() }).await;
        let admin = app.admin().await;
        let trusted = admin.post(PROVIDERS, description("ours", &provider.issuer())).await;
        let provider_uuid = trusted.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
        let ci = application(&admin, "ci").await;
        Self { app, provider, provider_uuid, ci, fetches, _folder: folder }
    }

    /// The same, where tokens of `workload-1` stand for `ci`.
    pub(crate) async fn bound() -> (Self, String) {
        let workloads = Self::new().await;
        let admin = workloads.app.admin().await;
        let bound = admin.post(BINDINGS, workloads.binding("by subject", json!({"subject": "workload-1"}))).await;
        let binding = bound.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
        (workloads, binding)
    }

    /// A binding of `ci`, with what it asks for.
    pub(crate) fn binding(&self, name: &str, asks: Value) -> Value {
        self.binding_of(&self.ci, name, asks)
    }

    pub(crate) fn binding_of(&self, identity: &str, name: &str, mut asks: Value) -> Value {
        asks["name"] = json!(name);
        asks["identityUuid"] = json!(identity);
        asks["providerUuid"] = json!(self.provider_uuid);
        asks
    }

    /// A token of `workload-1` for us.
    pub(crate) fn token(&self, fields: &[&str]) -> String {
        self.provider.token("workload-1", AUDIENCE, fields)
    }

    /// The provider's keys as they are now.
    pub(crate) fn keys(&self) -> String {
        let curl = Tool::new("curl").args(["-s", "--cacert"]).arg(self.provider.authority());
        curl.arg(format!("{}/jwks", self.provider.issuer())).run().text()
    }

    pub(crate) async fn exchange(&self, token: &str) -> Reply {
        self.app.nobody().post(EXCHANGE, json!({"subjectToken": token})).await
    }

    /// How often something was fetched.
    pub(crate) fn fetched(&self) -> usize {
        self.fetches.fetched.load(Ordering::SeqCst)
    }

    /// Why tokens were refused, as the audit records say it, each once and in the order of the alphabet.
    pub(crate) async fn reasons(&self) -> Vec<String> {
        let items = self.app.refused_logins().await;
        let why = items.iter().filter_map(|(detail, _)| detail["why"].as_str().map(str::to_owned));
        let mut why: Vec<_> = why.collect();
        why.sort();
        why.dedup();
        why
    }
}

/// The time of the machine, by which the provider's tokens go.
pub(crate) fn machines_ms() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

/// A provider with the usual audience.
pub(crate) fn description(name: &str, issuer: &str) -> Value {
    json!({"name": name, "issuer": issuer, "audiences": [AUDIENCE]})
}

/// An application that may have something signed.
pub(crate) async fn application(admin: &Client, name: &str) -> String {
    let role = json!({"name": format!("role of {name}"), "loginsRequired": 1, "perms": ["Signing:Submit"]});
    let role = admin.post("/api/v2/roles", role).await.response()["uuid"].clone();
    let made =
        admin.post("/api/v2/identities", json!({"name": name, "kind": "Application", "roleUuids": [role]})).await;
    made.response()["uuid"].as_str().unwrap().to_owned()
}

/// Asserts that a token got nothing, in the one wording.
#[track_caller]
pub(crate) fn refused(reply: &Reply) {
    let message =
        "The token is refused: of no provider that is trusted here, not good now, taken before, or of nobody here.";
    assert_eq!(
        (reply.status.as_u16(), &reply.json),
        (401, &json!({"message": message, "status": "Failure"})),
        "{}",
        reply.text()
    );
}
