//! A PostgreSQL cluster of the test process's own.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::guard::Guard;
use crate::{TempDir, Tool, temp_dir};

const INSTALLED: &str = "/usr/lib/postgresql";
const SUPERUSER: &str = "postgres";
const SHARED_MEMORY: &str = "/dev/shm";

/// A running cluster, reached by a Unix socket in its own folder. It is stopped and removed when the value is dropped,
/// and when the process ends in any way.
pub struct Postgres {
    client: Client,
    databases: AtomicU32,
    guard: Option<Guard>,
}

impl Postgres {
    /// The cluster that the tests of this process share.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        SHARED.get_or_init(Postgres::start)
    }

    /// A cluster for one test, as for one that stops it.
    #[must_use]
    pub fn start() -> Self {
        let programs = programs();
        let folder = own_folder();
        // Names sort as people of a country would have them: tests then show where byte order was taken for granted.
        let initdb = ["--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"];
        let data = format!("--pgdata={}", folder.join("data").display());
        let _ = as_postgres(&programs.join("initdb"))
            .args(["--username", SUPERUSER, "--auth=trust", "--no-sync", &data])
            .args(initdb)
            .run();
        let client = Client { programs, folder };
        let mut cluster = Postgres { client, databases: AtomicU32::new(0), guard: None };
        cluster.resume();
        cluster
    }

    /// A new, empty database.
    #[must_use]
    pub fn new_database(&self) -> Database {
        self.create("template1")
    }

    /// A new database with everything that is in another one, to which nobody may be connected.
    #[must_use]
    pub fn copy_of(&self, template: &Database) -> Database {
        self.create(&template.name)
    }

    fn create(&self, template: &str) -> Database {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        // Since version 15 the copy goes through the log otherwise, which takes five times as long.
        let copied = if version(&self.client.programs) < 15 { "" } else { "STRATEGY FILE_COPY" };
        self.psql("postgres", &format!("CREATE DATABASE {name} TEMPLATE {template} {copied}"));
        Database { name, client: self.client.clone() }
    }

    /// Runs SQL in a database, by its name, and answers the output, without headings.
    pub fn psql(&self, database: &str, sql: &str) -> String {
        self.client.psql(database, sql)
    }

    /// Stops the server; its data stay.
    pub fn stop(&mut self) {
        if let Some(guard) = self.guard.take() {
            guard.stop();
        }
    }

    /// Starts the server again.
    pub fn resume(&mut self) {
        let Client { programs, folder } = &self.client;
        let (data, socket) = (folder.join("data").display().to_string(), folder.display().to_string());
        // Without fsync: the tests look at what is committed, never at what a power failure would leave. With a short
        // log, which is a gigabyte otherwise. And without a vacuum, which would look at hundreds of databases in turn.
        let settings = [
            ["listen_addresses=", "fsync=off", "max_connections=1000", "shared_buffers=32MB"],
            ["wal_level=minimal", "max_wal_senders=0", "min_wal_size=32MB", "max_wal_size=128MB"],
            ["full_page_writes=off", "autovacuum=off", "track_counts=off", "jit=off"],
        ];
        let settings = settings.concat();
        let mut command = as_postgres_words(&programs.join("postgres"));
        command.extend(["-D".into(), data, "-k".into(), socket]);
        command.extend(settings.iter().flat_map(|setting| ["-c".to_owned(), (*setting).to_owned()]));
        self.guard = Some(Guard::start(folder, &command));
        self.wait_until_ready();
    }

    fn wait_until_ready(&self) {
        let started = Instant::now();
        let ready = || {
            let ready = Tool::new(&self.client.programs.join("pg_isready").display().to_string());
            ready.args(["-q", "-h", &self.client.folder.display().to_string()]).try_run().status.success()
        };
        while !ready() {
            if started.elapsed() > Duration::from_secs(60) {
                panic!("PostgreSQL did not start in 60 s; its log ends:\n{}", self.client.end_of_log());
            }
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.guard.take().is_none() {
            // It was stopped: nobody else removes the folder.
            let _ = fs::remove_dir_all(&self.client.folder);
        }
    }
}

/// A database of a cluster. It goes with the value: a cluster with the databases of all tests would take gigabytes.
pub struct Database {
    name: String,
    client: Client,
}

impl Database {
    /// Its address.
    #[must_use]
    pub fn address(&self) -> String {
        format!("postgres:///{}?host={}&user={SUPERUSER}", self.name, self.client.folder.display())
    }

    /// Its name in the cluster.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs SQL in it and answers the output, without headings.
    pub fn psql(&self, sql: &str) -> String {
        self.client.psql(&self.name, sql)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A cluster that a test stopped is removed as a whole.
        let _ = self.client.command("postgres", &format!("DROP DATABASE {} WITH (FORCE)", self.name)).try_run();
    }
}

/// How psql reaches a cluster.
#[derive(Clone)]
struct Client {
    programs: PathBuf,
    folder: PathBuf,
}

impl Client {
    fn command(&self, database: &str, sql: &str) -> Tool {
        let folder = self.folder.display().to_string();
        let arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", SUPERUSER];
        let psql = Tool::new(&self.programs.join("psql").display().to_string());
        psql.args(arguments).args(["-h", &folder, "-d", database, "-c", sql])
    }

    /// A failure shows the end of the server's log too: only that says why a server is down.
    fn psql(&self, database: &str, sql: &str) -> String {
        let ran = self.command(database, sql).try_run();
        assert!(ran.status.success(), "{sql}: {}\nThe server's log ends:\n{}", ran.stderr, self.end_of_log());
        ran.text().trim_end().to_owned()
    }

    fn end_of_log(&self) -> String {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

/// The newest installed version's programs; Debian does not put them on the PATH.
fn programs() -> PathBuf {
    let versions = fs::read_dir(INSTALLED).into_iter().flatten().flatten().map(|version| version.path().join("bin"));
    let newest = versions.filter(|programs| programs.join("initdb").is_file()).max_by_key(|programs| version(programs));
    newest.unwrap_or_else(|| {
        panic!(
            "PostgreSQL is not installed (nothing in {INSTALLED}/*/bin): `cargo xtask test` installs it, \
            or run apt-get install postgresql"
        )
    })
}

fn version(programs: &Path) -> u32 {
    let folder = programs.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    folder.and_then(|name| name.parse().ok()).unwrap_or(0)
}

/// A folder that the server may write, in memory where there is room: every test has a database of some 300 files, and a
/// file system on a disk took longer to make those than the tests to run. Its path is short: a Unix socket's path has at
/// most 107 bytes.
fn own_folder() -> PathBuf {
    let folder = in_memory().unwrap_or_else(temp_dir).keep();
    if runs_as_root() {
        let _ = Tool::new("chown").arg(SUPERUSER).arg(&folder).run();
    }
    folder
}

/// A new folder in the memory that processes share, unless that is as small as containers have it by default.
fn in_memory() -> Option<TempDir> {
    const ENOUGH_KIB: u64 = 1024 * 1024;
    let free = Tool::new("df").args(["--output=avail", "--block-size=1K", SHARED_MEMORY]).try_run();
    let free: u64 = free.text().lines().last()?.trim().parse().ok()?;
    let folder = || tempfile::Builder::new().prefix("chancery-").tempdir_in(SHARED_MEMORY).ok();
    if free < ENOUGH_KIB { None } else { folder() }
}

/// PostgreSQL refuses to run as root: then it runs as the user that Debian's package made.
fn as_postgres_words(program: &Path) -> Vec<String> {
    let program = program.display().to_string();
    if !runs_as_root() {
        return vec![program];
    }
    let words = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"];
    words.iter().map(|word| (*word).to_owned()).chain([program]).collect()
}

fn as_postgres(program: &Path) -> Tool {
    let words = as_postgres_words(program);
    let (first, rest) = words.split_first().expect("as_postgres_words answers the program at least");
    // Not our folder: that user may not be allowed to see it.
    Tool::new(first).args(rest).folder("/")
}

fn runs_as_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_keeps_its_data_over_a_stop_and_leaves_nothing_behind() {
        let mut cluster = Postgres::start();
        let database = cluster.new_database();
        assert!(database.address().starts_with("postgres:///test_0?host=/"), "{}", database.address());
        database.psql("CREATE TABLE seen AS SELECT 7 AS number");
        cluster.stop();
        cluster.resume();
        assert_eq!(database.psql("SELECT number FROM seen"), "7");
        drop(database);
        assert_eq!(cluster.psql("postgres", "SELECT count(*) FROM pg_database WHERE datname LIKE 'test%'"), "0");
        let folder = cluster.client.folder.clone();
        drop(cluster);
        assert!(!folder.exists());
    }

    #[test]
    fn a_killed_process_leaves_nothing_behind() {
        let me = std::env::current_exe().unwrap_or_else(|error| panic!("this program: {error}"));
        let me = me.display().to_string();
        let ran = Tool::new(&me).args(["--exact", "postgres::tests::is_killed", "--ignored", "--nocapture"]).try_run();
        let folder = ran.stderr.lines().find_map(|line| line.strip_prefix("in ")).map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| panic!("no folder was told:\n{}\n{}", ran.text(), ran.stderr));
        let started = Instant::now();
        while folder.exists() {
            assert!(started.elapsed() < Duration::from_secs(60), "{} is still there", folder.display());
            sleep(Duration::from_millis(20));
        }
    }

    #[test]
    #[ignore = "run by a_killed_process_leaves_nothing_behind"]
    fn is_killed() {
        let cluster = Postgres::start();
        eprintln!("in {}", cluster.client.folder.display());
        let _ = Tool::new("kill").args(["-KILL", &std::process::id().to_string()]).run();
    }
}
