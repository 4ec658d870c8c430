//! An installation of a test's own, with the routes in front of it.

use std::sync::Arc;

use axum::Router;
use chancery_core::{Chancery, Clock, Config, Limits, RootKeySource, StoreUrl, create_root_key};
use chancery_testkit::{Postgres, TempDir, temp_dir};

use crate::client::Client;

/// Midsummer of 2026, in the middle of a second: the time at which every test begins.
pub(crate) const NOON_MS: i64 = 1_782_043_200_500;

/// A new installation and its router, called without a socket.
pub(crate) struct TestApp {
    pub(crate) chancery: Arc<Chancery>,
    pub(crate) clock: Clock,
    pub(crate) router: Router,
    _folder: TempDir,
}

/// How an installation is to be different from the usual one.
pub(crate) struct Setup {
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
    pub(crate) hardened: bool,
    pub(crate) public_url: Option<String>,
    pub(crate) postgres: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let clock = Clock::fixed(NOON_MS);
        Self { clock, limits: Limits::default(), hardened: false, public_url: None, postgres: false }
    }
}

impl TestApp {
    /// On SQLite, with the defaults and a clock that stands still.
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    /// On a database of a PostgreSQL that the test process started.
    pub(crate) async fn on_postgres() -> Self {
        Self::with(Setup { postgres: true, ..Setup::default() }).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let Setup { clock, limits, hardened, public_url, postgres } = setup;
        let folder = temp_dir();
        let root_key = folder.path().join("root.key");
        create_root_key(&root_key).unwrap();
        let store = if postgres {
            Postgres::shared().new_database().parse().unwrap()
        } else {
            StoreUrl::file(folder.path().join("chancery.db"))
        };
        let root_key = RootKeySource::File(root_key);
        let config = Config { store, root_key, clock: clock.clone(), limits, hardened, public_url };
        let chancery = Chancery::open(config).await.unwrap();
        let router = chancery_server::router(Arc::clone(&chancery));
        Self { chancery, clock, router, _folder: folder }
    }

    /// A client that has not logged in.
    pub(crate) fn nobody(&self) -> Client {
        Client::new(self.router.clone())
    }
}
