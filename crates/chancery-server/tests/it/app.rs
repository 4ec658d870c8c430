//! An installation of a test's own, with the routes in front of it.

use std::{
    net::Ipv4Addr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use chancery_core::{
    Chancery, Clock, Config, JournalConfig, KeyBackend, Limits, OutsideAuthorities, PasswordWork, ProviderTransport,
};
use chancery_server::Routes;
use chancery_testkit::Database;
use chancery_types::{Perm, RoleId};
use serde_json::{Value, json};

use crate::{
    client::{Client, Reply},
    template::{self, Place},
};

/// The environment variable with which every test runs on PostgreSQL instead of SQLite; `cargo xtask test` runs them
/// both ways.
const ON_POSTGRES: &str = "CHANCERY_TEST_ON_POSTGRES";

/// Midsummer of 2026, in the middle of a second: the time at which every test begins.
pub(crate) const NOON_MS: i64 = 1_782_043_200_500;

/// The password of the administrators.
pub(crate) const PASSWORD: &str = "correct horse batteries";

/// A new installation and its router, called without a socket.
pub(crate) struct TestApp {
    pub(crate) chancery: Arc<Chancery>,
    pub(crate) clock: Clock,
    pub(crate) routes: Routes,
    pub(crate) relay: Arc<Relay>,
    public_origin: Option<String>,
    place: Place,
}

/// What takes mails of a test: what was mailed to whom, and the code that it answers with. With 0 there is no relay.
pub(crate) struct Relay {
    pub(crate) mails: Mutex<Vec<(String, String)>>,
    pub(crate) answers: std::sync::atomic::AtomicU16,
}

impl Default for Relay {
    fn default() -> Self {
        Self { mails: Mutex::default(), answers: 250.into() }
    }
}

impl Relay {
    /// The code that was mailed last, to this address.
    #[track_caller]
    pub(crate) fn code(&self, to: &str) -> String {
        let mails = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, text) = mails.iter().rfind(|(address, _)| address == to).unwrap_or_else(|| panic!("no mail to {to}"));
        text.lines().find_map(|line| line.strip_prefix("    ")).unwrap().to_owned()
    }

    /// The code that was mailed last, to whomever.
    pub(crate) fn last_code(&self) -> Option<String> {
        let mails = self.mails.lock().unwrap_or_else(PoisonError::into_inner);
        mails
            .iter()
            .rev()
            .find_map(|(_, text)| text.lines().find_map(|line| line.strip_prefix("    ").map(str::to_owned)))
    }

    pub(crate) fn count(&self) -> usize {
        self.mails.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// How an installation is to be different from the usual one.
pub(crate) struct Setup {
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
    pub(crate) password_work: PasswordWork,
    pub(crate) hardened: bool,
    pub(crate) public_url: Option<String>,
    pub(crate) outside_stamps: Option<OutsideAuthorities>,
    pub(crate) postgres: bool,
    pub(crate) api_access: bool,
    /// What keeps new keys for signatures.
    pub(crate) key_backend: Option<Arc<dyn KeyBackend>>,
    pub(crate) relay: Arc<Relay>,
    pub(crate) providers: Option<Arc<dyn ProviderTransport>>,
    /// Where browsers reach it.
    pub(crate) public_origin: Option<String>,
}

impl Default for Setup {
    fn default() -> Self {
        let clock = Clock::fixed(NOON_MS);
        let mut limits = Limits::default();
        // A busy machine may stand still for longer than a search takes.
        limits.lists.journal_search_max = Duration::from_secs(30);
        let postgres = std::env::var_os(ON_POSTGRES).is_some();
        Self {
            clock,
            limits,
            password_work: PasswordWork::TRIFLING,
            hardened: false,
            public_url: None,
            outside_stamps: None,
            postgres,
            api_access: true,
            key_backend: None,
            relay: Arc::default(),
            providers: None,
            public_origin: None,
        }
    }
}

impl Setup {
    /// For an installation in this place.
    pub(crate) fn config(self, place: &Place) -> Config {
        let Self {
            clock,
            limits,
            password_work,
            hardened,
            public_url,
            outside_stamps,
            key_backend,
            relay,
            providers,
            public_origin,
            ..
        } = self;
        Config {
            store: place.store(),
            root_key: place.root_key(),
            clock,
            limits,
            password_work,
            hardened,
            public_url,
            outside_stamps,
            log_name: None,
            rsa_pool: 0,
            providers,
            key_backend,
            notices: notices(relay, public_origin),
            journal: Some(JournalConfig::small(place.new_journal())),
            witnesses: Vec::new(),
        }
    }
}

/// What a server logs of its own faults stands beside the test that met one: an answer never tells the cause.
fn tell_errors() {
    let errors = tracing_subscriber::fmt().with_max_level(tracing::Level::ERROR).with_test_writer();
    // Another test has done so already.
    let _first_or_not = errors.try_init();
}

impl TestApp {
    /// With the defaults and a clock that stands still.
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    /// On a database of a PostgreSQL that the test process started.
    pub(crate) async fn on_postgres() -> Self {
        Self::with(Setup { postgres: true, ..Setup::default() }).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        tell_errors();
        // What each test would make anew, with all migrations and two passwords, is made once and copied.
        let (clock, api_access, relay) = (setup.clock.clone(), setup.api_access, Arc::clone(&setup.relay));
        let public_origin = setup.public_origin.clone();
        let is_usual = api_access && clock.now_ms() == NOON_MS && setup.password_work == PasswordWork::TRIFLING;
        let place = if is_usual { template::copy(setup.postgres).await } else { Place::new(setup.postgres) };
        let config = setup.config(&place);
        let chancery = Chancery::open(config).await.unwrap();
        if !is_usual {
            template::provision(&chancery, api_access).await;
        }
        let routes = chancery_server::router(Arc::clone(&chancery));
        Self { chancery, clock, routes, relay, public_origin, place }
    }

    /// The database behind it, for what no interface does to it.
    pub(crate) fn database(&self) -> &Database {
        self.place.database.as_ref().expect("on PostgreSQL")
    }

    pub(crate) const fn is_on_postgres(&self) -> bool {
        self.place.database.is_some()
    }

    /// Changes its database, of either kind, as somebody who may write it and nothing else: how many rows.
    pub(crate) fn harm(&self, statement: &str) -> u64 {
        self.number(&match self.is_on_postgres() {
            true => format!("WITH changed AS ({statement} RETURNING 1) SELECT COUNT(*) FROM changed"),
            false => format!("{statement}; SELECT changes();"),
        })
    }

    /// How many rows a table has: read alone, so that it is in the way of nothing that is going on.
    pub(crate) fn rows(&self, table: &str) -> u64 {
        self.number(&format!("SELECT COUNT(*) FROM {table};"))
    }

    /// What the database's own client prints.
    fn number(&self, script: &str) -> u64 {
        let printed = match (&self.place.database, self.place.store().path()) {
            (Some(database), _) => database.psql(script),
            (None, Some(path)) => template::sqlite(path).input(script.to_owned()).run().text(),
            (None, None) => panic!("neither database"),
        };
        printed.trim().parse().unwrap_or_else(|_| panic!("{script}: {printed}"))
    }

    /// The routes of another node on the same store, with the default settings but for the public origin.
    pub(crate) async fn other_node(&self) -> Routes {
        chancery_server::router(self.another().await)
    }

    /// The same installation after a stop and a start: what was only in memory is written down.
    pub(crate) async fn restarted(self) -> Self {
        self.chancery.shut_down().await;
        let chancery = self.another().await;
        Self { routes: chancery_server::router(Arc::clone(&chancery)), chancery, ..self }
    }

    /// The same installation after an end without a stop: nothing that was only in memory is written down.
    pub(crate) async fn killed(self) -> Self {
        let Self { chancery, clock, routes, relay, public_origin, place } = self;
        let gone = Arc::downgrade(&chancery);
        drop((chancery, routes));
        let begun = std::time::Instant::now();
        while gone.strong_count() > 0 {
            assert!(begun.elapsed().as_secs() < 30, "somebody still has it");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        let setup = Setup { clock: clock.clone(), relay: Arc::clone(&relay), ..Setup::default() };
        let chancery = Chancery::open(setup.config(&place)).await.unwrap();
        let routes = chancery_server::router(Arc::clone(&chancery));
        Self { routes, chancery, clock, relay, public_origin, place }
    }

    async fn another(&self) -> Arc<Chancery> {
        let (clock, relay) = (self.clock.clone(), Arc::clone(&self.relay));
        let public_origin = self.public_origin.clone();
        let setup = Setup { clock, relay, public_origin, ..Setup::default() };
        Chancery::open(setup.config(&self.place)).await.unwrap()
    }

    /// What `/readyz` answers, once it does: not before the first turn of following is done.
    pub(crate) async fn ready(&self) -> Reply {
        let begun = std::time::Instant::now();
        loop {
            let reply = self.nobody().get("/readyz").await;
            if reply.status == 200 {
                return reply;
            }
            assert!(begun.elapsed().as_secs() < 20, "{}", reply.text());
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    /// A client that has not logged in.
    pub(crate) fn nobody(&self) -> Client {
        Client::new(self.routes.clone())
    }

    /// Admin1 and Admin2 in one session, with its cookie and its bearer token.
    pub(crate) async fn admin(&self) -> Client {
        self.logged_in(&[("Admin1", PASSWORD), ("Admin2", PASSWORD)]).await
    }

    /// These identities in one session, with its cookie and its bearer token.
    pub(crate) async fn logged_in(&self, logins: &[(&str, &str)]) -> Client {
        let mut client = self.nobody();
        for (name, password) in logins {
            let reply = client.log_in(name, password).await;
            assert_eq!(reply.status.as_u16(), 200, "{name}: {}", reply.text());
        }
        let reply = client.get("/home/v1/login/token").await;
        let token = reply.json["token"].as_str();
        client.bearer = Some(token.unwrap_or_else(|| panic!("{}", reply.text())).to_owned());
        client
    }

    /// The refusals of logins as the audit has them, once their minute is over: `detail`, and who it is.
    pub(crate) async fn refused_logins(&self) -> Vec<(Value, Value)> {
        static ROUNDS: AtomicU8 = AtomicU8::new(0);
        // All counts of a minute are written together: once this one, the last, is there, so are the others.
        let source = [203, 0, 113, ROUNDS.fetch_add(1, Ordering::Relaxed)];
        self.nobody().from(source).get("/api/v2/audit").await.refused(401, "InvalidAuthToken", None);
        self.clock.advance_ms(60_000);
        let (admin, source) = (self.admin().await, Ipv4Addr::from(source).to_string());
        let items = async |action: &str| {
            let found = admin.get(&format!("/api/v2/audit?action={action}&outcome=InvalidAuthToken")).await;
            found.response()["items"].as_array().unwrap().clone()
        };
        let are_written = async || items("ApiCall").await.iter().any(|item| item["source"] == source);
        until("the refusals are written", are_written).await;
        items("Login").await.iter().map(|item| (item["detail"].clone(), item["identities"].clone())).collect()
    }

    /// A person with these roles, made by the administrators and logged in. The password is [`PASSWORD`].
    pub(crate) async fn person(&self, name: &str, roles: &[RoleId]) -> Client {
        self.admin().await.create_person(name, roles).await;
        self.logged_in(&[(name, PASSWORD)]).await
    }

    /// A session of one person with a new role of one login and these permissions.
    pub(crate) async fn with_perms(&self, name: &str, perms: &[Perm]) -> Client {
        let body = json!({"name": format!("role of {name}"), "loginsRequired": 1, "perms": perms});
        let role = self.admin().await.post("/api/v2/roles", body).await;
        self.person(name, &[role.response()["uuid"].as_str().unwrap().parse().unwrap()]).await
    }
}

/// Waits until this is so.
pub(crate) async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so().await {
        assert!(begun.elapsed().as_secs() < 30, "never so: {what}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// A receiver of notices that takes everything.
fn notices(relay: Arc<Relay>, console: Option<String>) -> chancery_core::NoticeConfig {
    struct Taking(Arc<Relay>);
    impl chancery_core::NoticeTransport for Taking {
        fn post(
            &self,
            _: chancery_core::Post,
        ) -> Result<chancery_core::Posted, Box<dyn std::error::Error + Send + Sync>> {
            Ok(chancery_core::Posted { status: 200, body: b"taken".to_vec(), is_whole: true })
        }

        fn sends_mails(&self) -> bool {
            self.0.answers.load(std::sync::atomic::Ordering::Relaxed) > 0
        }

        fn mail(
            &self,
            mail: chancery_core::Mail,
        ) -> Result<chancery_core::Posted, Box<dyn std::error::Error + Send + Sync>> {
            let status = self.0.answers.load(std::sync::atomic::Ordering::Relaxed);
            self.0.mails.lock().unwrap_or_else(PoisonError::into_inner).push((mail.to, mail.text));
            Ok(chancery_core::Posted { status, body: b"2.0.0 queued".to_vec(), is_whole: true })
        }

        fn syslog(&self, _: chancery_core::Syslog) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            Ok(())
        }

        fn append(&self, _: chancery_core::Append) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
            Ok(())
        }
    }
    chancery_core::NoticeConfig { transport: Some(Arc::new(Taking(relay))), console }
}
