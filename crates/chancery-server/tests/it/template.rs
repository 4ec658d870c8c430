//! Where an installation lies, and a new one that is made once and copied for each test.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use chancery_core::{Chancery, FirstIdentity, Host, Provision, RootKeySource, StoreUrl, create_root_key};
use chancery_testkit::{Database, Postgres, TempDir, Tool, temp_dir};
use chancery_types::RoleId;
use tokio::sync::OnceCell;

use crate::{
    app::{PASSWORD, Setup, until},
    audit_catalogue,
};

/// The root key, and the database beside it or on a server.
pub(crate) struct Place {
    folder: TempDir,
    /// On PostgreSQL.
    pub(crate) database: Option<Database>,
}

impl Place {
    /// With a new root key and an empty database.
    pub(crate) fn new(postgres: bool) -> Self {
        let place = Self { folder: temp_dir(), database: postgres.then(|| Postgres::shared().new_database()) };
        create_root_key(&place.folder.path().join("root.key")).unwrap();
        place
    }

    pub(crate) fn store(&self) -> StoreUrl {
        match &self.database {
            Some(database) => database.address().parse().unwrap(),
            None => StoreUrl::file(self.folder.path().join("chancery.db")),
        }
    }

    /// A folder for a journal. Each server has its own.
    pub(crate) fn new_journal(&self) -> PathBuf {
        static SERVERS: AtomicU32 = AtomicU32::new(0);
        self.folder.path().join(format!("journal-{}", SERVERS.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn root_key(&self) -> RootKeySource {
        RootKeySource::File(self.folder.path().join("root.key"))
    }
}

/// Every test's records are as docs/AUDIT.md says.
impl Drop for Place {
    fn drop(&mut self) {
        let store = self.folder.path().join("chancery.db");
        if self.database.is_none() && store.exists() && !std::thread::panicking() {
            audit_catalogue::check_file(&store);
        }
    }
}

/// An installation with two administrators and API access, kept so that nothing is left of it with the process.
struct Template {
    root_key: Vec<u8>,
    store: Stored,
}

enum Stored {
    File(Vec<u8>),
    Database(Database),
}

/// A copy of it.
pub(crate) async fn copy(postgres: bool) -> Place {
    static ON_SQLITE: OnceCell<Template> = OnceCell::const_new();
    static ON_POSTGRES: OnceCell<Template> = OnceCell::const_new();
    let template = if postgres { &ON_POSTGRES } else { &ON_SQLITE };
    let Template { root_key, store } = template.get_or_init(|| make(postgres)).await;
    let mut place = Place { folder: temp_dir(), database: None };
    write_private(&place.folder.path().join("root.key"), root_key);
    match store {
        Stored::File(bytes) => write_private(&place.folder.path().join("chancery.db"), bytes),
        Stored::Database(database) => place.database = Some(Postgres::shared().copy_of(database)),
    }
    place
}

async fn make(postgres: bool) -> Template {
    let mut place = Place::new(postgres);
    let chancery = Chancery::open(Setup::default().config(&place)).await.unwrap();
    provision(&chancery, true).await;
    chancery.shut_down().await;
    let root_key = fs::read(place.folder.path().join("root.key")).unwrap();
    let store = match place.database.take() {
        Some(database) => {
            until_nobody_is_connected(&database).await;
            Stored::Database(database)
        }
        None => Stored::File(whole_file(&place.folder.path().join("chancery.db"))),
    };
    Template { root_key, store }
}

/// On a busy machine the end of a server may come before that of its connections, and then no copy is made.
async fn until_nobody_is_connected(database: &Database) {
    let end =
        format!("SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{}'", database.name());
    until("nobody is connected", async || Postgres::shared().psql("postgres", &end) == "0").await;
}

/// The bytes of a database. On a busy machine some of it may still be in the log beside it.
fn whole_file(path: &Path) -> Vec<u8> {
    if fs::metadata(path.with_extension("db-wal")).is_ok_and(|log| log.len() > 0) {
        let told = sqlite(path).arg("PRAGMA wal_checkpoint(TRUNCATE)").run().text();
        assert!(told.starts_with("0|"), "{told}");
    }
    fs::read(path).unwrap()
}

/// The program of SQLite on a database that somebody may be writing.
pub(crate) fn sqlite(path: &Path) -> Tool {
    Tool::new("sqlite3").args(["-bail", "-cmd", ".timeout 60000"]).arg(path)
}

fn write_private(path: &Path, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.unwrap().write_all(bytes).unwrap();
}

/// Makes the two administrators, with [`PASSWORD`].
pub(crate) async fn provision(chancery: &Arc<Chancery>, api_access: bool) {
    let identities = ["Admin1", "Admin2"].map(first_administrator).into();
    let provision = Provision { identities, api_access, demo: false };
    chancery.identities.provision(&Host::running("test"), provision).await.unwrap();
}

fn first_administrator(name: &str) -> FirstIdentity {
    FirstIdentity::new(name, PASSWORD, &[RoleId::ADMINISTRATOR, RoleId::SECURITY_OFFICER])
}
