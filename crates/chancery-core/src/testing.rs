//! An installation for tests: a folder that is removed, and a clock that stands until it is moved.

use std::{fmt::Debug, net::IpAddr, sync::Arc};

use chancery_keys::{RootKey, RootKeySource};
use chancery_store::StoreUrl;
use chancery_testkit::{Database, Postgres};
use chancery_types::{
    AuthType, Base64,
    wire::login::{AuthCredentials, LoginRequest},
};
use tempfile::TempDir;

use crate::{
    Caller, Chancery, Clock, Config, Credentials, FirstIdentity, Host, Limits, Provision, RequestId, RequestInfo,
    Visitor,
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

impl Installation {
    /// A provisioned installation with API access on.
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("chancery.db").display().to_string().parse().unwrap();
        Self::of(folder, store, 0).await
    }

    /// The same, with so many RSA keys of each size made ahead.
    pub(crate) async fn with_rsa_pool(rsa_pool: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("chancery.db").display().to_string().parse().unwrap();
        Self::of(folder, store, rsa_pool).await
    }

    /// The same on PostgreSQL.
    pub(crate) async fn on_postgres() -> Self {
        let database = tokio::task::spawn_blocking(|| Postgres::shared().new_database()).await.unwrap();
        let installation = Self::of(tempfile::tempdir().unwrap(), database.address().parse().unwrap(), 0).await;
        Self { _database: Some(database), ..installation }
    }

    async fn of(folder: TempDir, store: StoreUrl, rsa_pool: usize) -> Self {
        RootKey::create_file(&folder.path().join("root.key")).unwrap();
        let clock = Clock::fixed(START_MS);
        let chancery = open(&store, &folder, &clock, rsa_pool).await;
        let administrator = |name| FirstIdentity::new(name, PASSWORD, &[chancery_types::RoleId::ADMINISTRATOR]);
        let identities = ["Admin1", "Admin2", "Admin3"].map(administrator).into();
        let provision = Provision { identities, api_access: true, demo: false };
        chancery.provision(&Host::running("test"), provision).await.unwrap();
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
                api_key: None,
            };
            let request = LoginRequest { auth_credentials, auth_type: AuthType::Userpass };
            cookie = Some(self.chancery.log_in(&visitor(), cookie.as_deref(), request).await.unwrap().cookie);
        }
        let cookie = cookie.expect("two logins were made");
        let credentials = Credentials::Cookie(cookie.as_str().into());
        (self.chancery.authenticate(request(), credentials).await.unwrap(), cookie)
    }

    /// Another node on the same store.
    pub(crate) async fn other_node(&self) -> Arc<Chancery> {
        open(&self.store, &self.folder, &self.clock, 0).await
    }
}

async fn open(store: &StoreUrl, folder: &TempDir, clock: &Clock, rsa_pool: usize) -> Arc<Chancery> {
    let config = Config {
        store: store.clone(),
        root_key: RootKeySource::File(folder.path().join("root.key")),
        clock: clock.clone(),
        limits: Limits::default(),
        hardened: false,
        public_url: None,
        outside_stamps: None,
        log_name: None,
        rsa_pool,
    };
    Chancery::open(config).await.unwrap()
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
