//! What signals do to a server.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_testkit::{Postgres, Tool};

use crate::{
    process::{Demo, Server},
    serve::Place,
    web::status,
};

/// A certificate for 127.0.0.1 with this name.
fn certificate(folder: &Path, name: &str) {
    let _made = Tool::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
        .args(["-subj", &format!("/CN={name}"), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout"])
        .arg(folder.join("tls.key"))
        .arg("-out")
        .arg(folder.join("tls.pem"))
        .run();
}

/// One that ended in 2020, which the system's OpenSSL does not make.
fn ended_certificate(folder: &Path) {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut made = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    made.not_before = rcgen::date_time_ymd(2019, 1, 1);
    made.not_after = rcgen::date_time_ymd(2020, 1, 1);
    fs::write(folder.join("tls.pem"), made.self_signed(&key).unwrap().pem()).unwrap();
    fs::write(folder.join("tls.key"), key.serialize_pem()).unwrap();
}

fn presented(base: &str) -> String {
    let address = base.strip_prefix("https://").unwrap();
    Tool::new("openssl").args(["s_client", "-connect", address, "-brief"]).input("").try_run().stderr
}

#[test]
fn sighup_reads_the_tls_files_and_the_log_level_again() {
    let place = Place::new();
    let _made = place.init().run();
    let folder = Path::new(&place.path("x")).parent().unwrap().to_owned();
    let file = place.path("chancery.toml");
    fs::write(&file, "log-level = \"info\"\n").unwrap();
    certificate(&folder, "before");
    let (cert, key) = (place.path("tls.pem"), place.path("tls.key"));
    let (mut server, base) = place.serve(&["--config", &file, "--tls-cert", &cert, "--tls-key", &key]);
    assert!(presented(&base).contains("CN = before"), "{}", presented(&base));

    certificate(&folder, "after");
    fs::write(&file, "log-level = \"debug\"\n").unwrap();
    server.signal("-HUP");
    server.wait_until("the log", |server| server.log().contains("read the TLS files").then_some(()));
    assert!(presented(&base).contains("CN = after"), "{}", presented(&base));
    assert_eq!(status(&base, "/healthz", &cert), "200");
    let everybody_reads = "everybody on this host can read the TLS key";
    assert!(!server.log().contains(everybody_reads), "{}", server.log());
    server.wait_until("a line of debug", |server| server.log().contains("route=\"/healthz\"").then_some(()));

    // What cannot be read changes nothing.
    fs::write(&key, "no key").unwrap();
    server.signal("-HUP");
    server.wait_until("the log", |server| server.log().contains("SIGHUP changed nothing").then_some(()));
    assert_eq!(status(&base, "/healthz", &cert), "200");

    certificate(&folder, "open");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    server.signal("-HUP");
    server.wait_until("the log", |server| server.log().contains(everybody_reads).then_some(()));

    // One of two days is late, and one that has ended is told apart.
    assert!(server.logs("the TLS certificate ends soon"), "{}", server.log());
    assert!(!server.log().contains("the TLS certificate has ended"), "{}", server.log());
    ended_certificate(&folder);
    server.signal("-HUP");
    server.wait_until("the log", |server| server.log().contains("the TLS certificate has ended").then_some(()));
    assert!(server.stop().success());
}

/// A terminal that was closed, a pipe whose reader has ended, and one whose reader stands still.
#[test]
fn a_log_that_nobody_reads_stops_nothing() {
    for reader in ["true", "sleep 30"] {
        let place = Place::new();
        let _made = place.init().run();
        let (mut server, base) = place.serve_unread(reader, &["--log-level", "debug"]);
        let ca = place.path("data/tls/ca.pem");
        for _ in 0..300 {
            server.signal("-HUP");
        }
        for _ in 0..5 {
            assert_eq!(status(&base, "/readyz", &ca), "200", "{reader}");
        }
        let began = Instant::now();
        server.signal("-TERM");
        assert!(server.wait().success(), "{reader}");
        assert!(began.elapsed() < Duration::from_secs(20), "{reader}: {:?}", began.elapsed());
        assert!(!Path::new(&place.path("data/chancery.db-wal")).exists(), "{reader}");
    }
}

#[test]
fn sighup_ends_no_demonstration() {
    let folder = chancery_testkit::temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    for _ in 0..3 {
        demo.server.signal("-HUP");
        sleep(Duration::from_millis(50));
    }
    assert_eq!(status(demo.text("/base"), "/readyz", demo.text("/caFile")), "200");
    assert!(demo.server.stop().success());
}

/// Sends SIGHUP as soon as it is caught, which is before the settings are read and the store is opened.
#[test]
fn sighup_ends_no_start() {
    let place = Place::new();
    let _made = place.init().run();
    for _ in 0..3 {
        let installation = [place.path("data"), place.path("root.key")];
        let arguments =
            ["serve", "--listen", "127.0.0.1:0", "--data", &installation[0], "--root-key", &installation[1]];
        let mut server = Server::spawn(Path::new(&place.path("x")).parent().unwrap(), &arguments);
        server.wait_until("a handler", |server| server.catches_hang_ups().then_some(()));
        server.signal("-HUP");
        server.wait_until("serving", |server| server.log().contains("serving").then_some(()));
        assert!(server.stop().success());
    }
}

#[test]
fn a_server_that_is_to_stop_says_so_before_it_takes_no_more_calls() {
    let folder = chancery_testkit::temp_dir();
    let mut demo = Demo::start(folder.path(), &["--drain-delay", "10"]);
    let (base, authority) = (demo.text("/base").to_owned(), demo.text("/caFile").to_owned());
    assert_eq!(status(&base, "/readyz", &authority), "200");
    let told = Instant::now();
    demo.server.signal("-TERM");
    while status(&base, "/readyz", &authority) != "503" {
        assert!(told.elapsed() < Duration::from_secs(10), "not told in time");
        sleep(Duration::from_millis(50));
    }
    assert_eq!(status(&base, "/healthz", &authority), "200", "calls are taken still");
    assert!(told.elapsed() < Duration::from_secs(10), "looked too late");
    assert!(demo.server.wait().success());
    assert!(told.elapsed() >= Duration::from_secs(10));
}

/// A server that is killed leaves a start without a stop.
#[test]
fn start_and_stop_are_recorded_with_host_release_and_account() {
    let place = Place::new();
    let _made = place.init().run();
    let (server, _) = place.serve(&["--limit", "page-size-max=77"]);
    assert!(server.stop().success());
    let (mut server, _) = place.serve(&[]);
    server.kill();
    server.wait();
    let store = format!("{}/chancery.db", place.path("data"));
    let told = |columns: &str| {
        let select = format!("SELECT {columns} FROM audit WHERE action LIKE 'Server%' ORDER BY seq");
        Tool::new("sqlite3").args([&store, &select]).run().text()
    };
    assert_eq!(
        told("action, request_id"),
        "ServerStart|chancery serve\nServerStop|server\nServerStart|chancery serve\n"
    );
    let nodes = told("node");
    let nodes: Vec<_> = nodes.lines().collect();
    assert!(nodes[0] == nodes[1] && nodes[1] != nodes[2], "{nodes:?}");
    let start: serde_json::Value = serde_json::from_str(told("detail").lines().next().unwrap()).unwrap();
    assert_eq!((&start["version"], &start["settings"]["store"]), (&env!("CARGO_PKG_VERSION").into(), &"SQLite".into()));
    assert_eq!(start["settings"]["limits"][0], "page-size-max=77");
    let account: serde_json::Value = serde_json::from_str(told("account").lines().next().unwrap()).unwrap();
    assert!(account["uid"].is_number(), "{account}");
    assert_eq!(account["host"], start["host"]);
}

/// A cluster that stands still, with all its processes, until the value is dropped.
struct Still(Vec<String>);

impl Still {
    fn make(cluster: &Postgres) -> Self {
        let file = cluster.psql("postgres", "SELECT pg_read_file('postmaster.pid')");
        let others = cluster.psql("postgres", "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
        let still = Self(file.lines().take(1).chain(others.lines()).map(str::to_owned).collect());
        still.signal("-STOP");
        still
    }

    fn signal(&self, signal: &str) {
        let _sent = Tool::new("kill").arg(signal).args(&self.0).try_run();
    }
}

impl Drop for Still {
    fn drop(&mut self) {
        self.signal("-CONT");
    }
}

/// As when the network swallows everything: connections stand and new ones are begun, but nothing comes back. The counts of
/// calls that cannot be written are in the log then.
#[test]
fn a_server_whose_database_stands_still_stops_in_its_time() {
    const STOP_MAX: Duration = Duration::from_secs(5);
    // What shutting down may take, and what a machine under load adds.
    const MORE: Duration = Duration::from_secs(8 + 4);
    let cluster = Postgres::start();
    let database = cluster.new_database();
    let place = Place::on(database.address());
    let _made = place.init().run();
    let _changed = place.run(&["settings", "--api-access", "on"]).run();
    let authority = place.path("data/tls/ca.pem");
    for call_in_flight in [false, true] {
        let (mut server, base) = place.serve(&["--limit", &format!("stop-max={}", STOP_MAX.as_secs())]);
        assert_eq!(status(&base, "/readyz", &authority), "200");
        let still = Still::make(&cluster);
        let calling = call_in_flight.then(|| {
            let login = r#"{"authType":"userpass","authCredentials":{"username":"Admin1","password":"eA=="}}"#;
            let curl = Tool::new("curl").args(["-s", "-m", "60", "--json", login, "--cacert", &authority]);
            let curl = curl.arg(format!("{base}/home/v1/login"));
            std::thread::spawn(move || curl.try_run())
        });
        sleep(Duration::from_millis(500));
        let told = Instant::now();
        server.signal("-TERM");
        assert!(server.wait().success(), "{}", server.log());
        let took = told.elapsed();
        assert!(took < STOP_MAX + MORE, "call in flight: {call_in_flight}: {took:?}: {}", server.log());
        assert!(server.logs("stopped"), "{}", server.log());
        drop(still);
        let _answered = calling.map(|calling| calling.join().unwrap());
    }
    // Nothing of it stands in the way of the next.
    let (server, base) = place.serve(&[]);
    assert_eq!(status(&base, "/readyz", &authority), "200");
    assert!(server.stop().success());
}
