//! An installation for tests: a folder that is removed, and a clock that stands until it is moved.

use std::{fmt::Debug, net::IpAddr, sync::Arc};

use chancery_keys::{RootKey, RootKeySource};
use chancery_store::StoreUrl;
use chancery_testkit::{Database, Postgres};
use chancery_types::{
    AuthType, Base64, TokenProfileId,
    wire::{
        keys::CreateKey,
        login::{AuthCredentials, LoginRequest},
    },
};
use tempfile::TempDir;

use crate::{
    Caller, Chancery, Clock, Config, Credentials, FirstIdentity, Host, Limits, PasswordWork, Provision, RequestId,
    RequestInfo, Result, Visitor,
};

/// When tests begin: 2026-01-01T00:00:00Z.
pub(crate) const START_MS: i64 = 1_767_225_600_000;

/// The password of every first identity.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// An installation with the administrators Admin1, Admin2 and Admin3.
pub(crate) struct Installation {
    pub(crate) chancery: Arc<Chancery>,
    pub(crate) clock: Clock,
    store: StoreUrl,
    folder: TempDir,
    /// On PostgreSQL.
    _database: Option<Database>,
}

/// So that nothing can be moved out of an installation: what is left would drop the folder under a running database.
impl Drop for Installation {
    fn drop(&mut self) {}
}

impl Installation {
    /// A provisioned installation with API access on.
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("chancery.db").display().to_string().parse().unwrap();
        Self::of(folder, store, Limits::default(), 0).await
    }

    /// The same, with other limits.
    pub(crate) async fn with_limits(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("chancery.db").display().to_string().parse().unwrap();
        Self::of(folder, store, limits, 0).await
    }

    /// The same, with somebody who takes notices.
    pub(crate) async fn with_notices(transport: Arc<dyn crate::NoticeTransport>, limits: Limits) -> Self {
        let mut installation = Self::with_limits(limits.clone()).await;
        installation.chancery = installation.node_with_notices(transport, limits).await;
        installation
    }

    /// Another node on the same store, whose notices and records go out by this.
    pub(crate) async fn node_with_notices(
        &self,
        transport: Arc<dyn crate::NoticeTransport>,
        limits: Limits,
    ) -> Arc<Chancery> {
        let config = config(&self.store, &self.folder, &self.clock, limits, 0);
        let notices = crate::NoticeConfig { transport: Some(transport), console: None };
        Chancery::open(Config { notices, ..config }).await.unwrap()
    }

    /// The same, with a witness that is reached so.
    pub(crate) async fn with_witness(transport: Arc<dyn crate::NoticeTransport>, witness: crate::Witness) -> Self {
        let mut installation = Self::new().await;
        let config = config(&installation.store, &installation.folder, &installation.clock, Limits::default(), 0);
        let notices = crate::NoticeConfig { transport: Some(transport), console: None };
        installation.chancery = Chancery::open(Config { notices, witnesses: vec![witness], ..config }).await.unwrap();
        installation
    }

    /// The same, with so many RSA keys of each size made ahead.
    pub(crate) async fn with_rsa_pool(rsa_pool: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("chancery.db").display().to_string().parse().unwrap();
        Self::of(folder, store, Limits::default(), rsa_pool).await
    }

    /// The same on PostgreSQL.
    pub(crate) async fn on_postgres() -> Self {
        Self::in_database(tokio::task::spawn_blocking(|| Postgres::shared().new_database()).await.unwrap()).await
    }

    /// The same on a PostgreSQL of the test's own.
    pub(crate) async fn in_cluster(cluster: &Postgres) -> Self {
        Self::in_database(cluster.new_database()).await
    }

    async fn in_database(database: Database) -> Self {
        let store = database.address().parse().unwrap();
        let mut installation = Self::of(tempfile::tempdir().unwrap(), store, Limits::default(), 0).await;
        installation._database = Some(database);
        installation
    }

    async fn of(folder: TempDir, store: StoreUrl, limits: Limits, rsa_pool: usize) -> Self {
        RootKey::create_file(&folder.path().join("root.key")).unwrap();
        let clock = Clock::fixed(START_MS);
        let chancery = open(&store, &folder, &clock, limits, rsa_pool).await;
        let administrator = |name| FirstIdentity::new(name, PASSWORD, &[chancery_types::RoleId::ADMINISTRATOR]);
        let identities = ["Admin1", "Admin2", "Admin3"].map(administrator).into();
        let provision = Provision { identities, api_access: true, demo: false };
        chancery.identities.provision(&Host::running("test"), provision).await.unwrap();
        Self { chancery, clock, store, folder, _database: None }
    }

    /// Admin1 and Admin2 in one session.
    pub(crate) async fn administrators(&self) -> Caller {
        self.logged_in().await.0
    }

    /// Admin1 and Admin2 in a new session, and its cookie.
    pub(crate) async fn logged_in(&self) -> (Caller, String) {
        let mut cookie = None;
        for name in ["Admin1", "Admin2"] {
            let auth_credentials = AuthCredentials {
                username: Some(name.to_owned()),
                password: Some(Base64(PASSWORD.as_bytes().to_vec())),
                ..AuthCredentials::default()
            };
            let request = LoginRequest { auth_credentials, auth_type: AuthType::Userpass };
            cookie =
                Some(self.chancery.identities.log_in(&visitor(), cookie.as_deref(), request).await.unwrap().cookie);
        }
        let cookie = cookie.expect("two logins were made");
        let credentials = Credentials::Cookie(cookie.as_str().into());
        (self.chancery.identities.authenticate(request(), credentials).await.unwrap(), cookie)
    }

    /// Another node on the same store.
    pub(crate) async fn other_node(&self) -> Arc<Chancery> {
        open(&self.store, &self.folder, &self.clock, Limits::default(), 0).await
    }

    /// Another node on the same store, if that can be opened.
    pub(crate) async fn opened_again(&self) -> std::result::Result<Arc<Chancery>, crate::OpenFailure> {
        Chancery::open(config(&self.store, &self.folder, &self.clock, Limits::default(), 0)).await
    }

    /// Whether the store is a PostgreSQL.
    pub(crate) const fn is_on_postgres(&self) -> bool {
        self._database.is_some()
    }

    /// Another node on the same store, with its journal in this folder.
    pub(crate) async fn node_with_journal(&self, journal: std::path::PathBuf) -> Arc<Chancery> {
        let config = config(&self.store, &self.folder, &self.clock, Limits::default(), 0);
        Chancery::open(Config { journal: Some(crate::JournalConfig::small(journal)), ..config }).await.unwrap()
    }

    /// The same in hardened mode.
    pub(crate) async fn hardened_node(&self) -> Arc<Chancery> {
        let config = config(&self.store, &self.folder, &self.clock, Limits::default(), 0);
        Chancery::open(Config { hardened: true, ..config }).await.unwrap()
    }
}

async fn open(store: &StoreUrl, folder: &TempDir, clock: &Clock, limits: Limits, rsa_pool: usize) -> Arc<Chancery> {
    Chancery::open(config(store, folder, clock, limits, rsa_pool)).await.unwrap()
}

fn config(store: &StoreUrl, folder: &TempDir, clock: &Clock, limits: Limits, rsa_pool: usize) -> Config {
    Config {
        store: store.clone(),
        root_key: RootKeySource::File(folder.path().join("root.key")),
        clock: clock.clone(),
        limits,
        password_work: PasswordWork::TRIFLING,
        hardened: false,
        public_url: None,
        outside_stamps: None,
        log_name: None,
        rsa_pool,
        key_backend: None,
        notices: crate::NoticeConfig::default(),
        providers: None,
        journal: Some(crate::JournalConfig::small(new_journal(folder))),
        witnesses: Vec::new(),
    }
}

/// A folder for a journal. Each node has its own.
fn new_journal(folder: &TempDir) -> std::path::PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NODES: AtomicU32 = AtomicU32::new(0);
    folder.path().join(format!("journal-{}", NODES.fetch_add(1, Ordering::Relaxed)))
}

/// A profile for card numbers, with rules for the administrators.
pub(crate) async fn profile(chancery: &Chancery, caller: &Caller, name: &str) -> TokenProfileId {
    let types = chancery.keys.key_type_stubs(caller, &Default::default()).await.unwrap().results;
    let aes = types.into_iter().find(|stub| stub.obj_info.name == "AES-256 Tokenization").unwrap().obj_info.uuid;
    let key = CreateKey { name: name.to_owned(), key_type_uuid: aes, usages: None };
    let key = chancery.keys.create_key(caller, key).await.unwrap();
    let rules = ["Tokenize", "Detokenize"].map(
        |operation| serde_json::json!({"roleUuid": chancery_types::RoleId::ADMINISTRATOR, "operation": operation}),
    );
    let request = serde_json::json!({
        "objInfo": {"name": name}, "algorithm": "Ff1", "keyUuid": key.uuid, "controlRules": rules,
        "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19},
    });
    let made = chancery.tokens.create_token_profile(caller, serde_json::from_value(request).unwrap()).await;
    made.unwrap().obj_info.uuid
}

/// The token of a card number.
pub(crate) async fn tokenize(chancery: &Chancery, caller: &Caller, id: TokenProfileId) -> Result<String> {
    let message = serde_json::from_value(serde_json::json!({"message": "4111111111111111"})).unwrap();
    chancery.tokens.tokenize(caller, id, message).await.map(|answer| answer.token)
}

/// What a token stands for.
pub(crate) async fn detokenize(
    chancery: &Chancery,
    caller: &Caller,
    id: TokenProfileId,
    token: &str,
) -> Result<String> {
    let token = serde_json::from_value(serde_json::json!({"token": token})).unwrap();
    chancery.tokens.detokenize(caller, id, token).await.map(|answer| answer.message)
}

/// A request from a test network.
pub(crate) fn request() -> RequestInfo {
    RequestInfo { id: RequestId(0x7e57), source: IpAddr::from([192, 0, 2, 1]) }
}

/// Nobody in particular.
pub(crate) fn visitor() -> Visitor {
    Visitor { request: request() }
}

/// All variants of an enumeration, with what some of them carry. Where one is missing this does not compile.
macro_rules! every {
    ($type:ident: $($variant:ident $(($content:expr))?),+ $(,)?) => {{
        let _complete = |one: &$type| match one {
            $($type::$variant { .. } => (),)+
        };
        [$($type::$variant $(($content))?),+]
    }};
}
pub(crate) use every;

/// Lets every event happen in every state, and compares what becomes of it: a row of the table for each event, with a
/// place for each state.
#[track_caller]
pub(crate) fn compare_all<S: Copy + Debug, E: Copy + Debug, R: PartialEq + Debug, const N: usize, const M: usize>(
    states: [S; N],
    events: [E; M],
    table: [[R; N]; M],
    next: impl Fn(S, E) -> R,
) {
    for (event, row) in events.into_iter().zip(table) {
        for (state, expected) in states.into_iter().zip(row) {
            assert_eq!(next(state, event), expected, "{state:?} meets {event:?}");
        }
    }
}
