//! `init` and `serve`, the sober pair.

mod host;

use std::{fs, path::PathBuf};

use chancery_testkit::{TempDir, Tool, temp_dir};

use crate::process::{Server, chancery};

/// A folder with two password files, and the arguments that name an installation in it.
pub(crate) struct Place {
    folder: TempDir,
    root_key: PathBuf,
    /// Where the store is not a file in the data folder.
    store: Option<String>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = temp_dir();
        Self { root_key: folder.path().join("root.key"), folder, store: None }.furnished()
    }

    /// On a database of PostgreSQL.
    pub(crate) fn on(store: String) -> Self {
        Self { store: Some(store), ..Self::new() }
    }

    /// Another node of the same installation, with a data folder of its own.
    pub(crate) fn beside(&self) -> Self {
        Self { root_key: self.root_key.clone(), store: self.store.clone(), ..Self::new() }
    }

    /// One that finds the database elsewhere.
    pub(crate) fn beside_on(&self, store: String) -> Self {
        Self { store: Some(store), ..self.beside() }
    }

    fn furnished(self) -> Self {
        let folder = &self.folder;
        for (name, password) in [("one", "first password"), ("two", "second password")] {
            fs::write(folder.path().join(name), format!("{password}\n")).unwrap();
        }
        self
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn installation(&self) -> Vec<String> {
        let root_key = self.root_key.display().to_string();
        let mut words: Vec<_> = ["--data", &self.path("data"), "--root-key", &root_key].map(str::to_owned).into();
        words.extend(self.store.iter().flat_map(|store| ["--store".to_owned(), store.clone()]));
        words
    }

    pub(crate) fn run(&self, words: &[&str]) -> Tool {
        chancery(words).args(self.installation())
    }

    pub(crate) fn init(&self) -> Tool {
        let (one, two) = (self.path("one"), self.path("two"));
        self.run(&["init", "--admin1-password-file", &one, "--admin2-password-file", &two])
    }

    pub(crate) fn serve(&self, more: &[&str]) -> (Server, String) {
        let installation = self.installation();
        let mut arguments = vec!["serve", "--listen", "127.0.0.1:0"];
        arguments.extend(installation.iter().map(String::as_str));
        arguments.extend(more);
        let mut server = Server::spawn(self.folder.path(), &arguments);
        let address = server.wait_until("the address", |server| {
            let log = server.log();
            let line = log.lines().find(|line| line.contains("serving"))?;
            Some(line.split("address=").nth(1)?.split_whitespace().next()?.to_owned())
        });
        (server, format!("https://{address}"))
    }

    /// A server whose log nobody reads; where it serves stands in its folder.
    pub(crate) fn serve_unread(&self, reader: &str, more: &[&str]) -> (Server, String) {
        let installation = self.installation();
        let mut arguments = vec!["serve", "--listen", "127.0.0.1:0"];
        arguments.extend(installation.iter().map(String::as_str));
        arguments.extend(more);
        let mut server = Server::spawn_with_log_to(reader, self.folder.path(), &arguments);
        let data = PathBuf::from(self.path("data"));
        let (lock, last) = (data.join("lock"), data.join("tls/tls.json"));
        let base = server.wait_until("the address", |_| {
            // What clients trust is made after the address is known.
            last.exists().then_some(())?;
            let holder = fs::read_to_string(&lock).ok()?;
            Some(holder.split_once("serves at ")?.1.trim().to_owned())
        });
        (server, base)
    }

    fn client(&self, base: &str) -> chancery_client::Client {
        let authority = PathBuf::from(self.path("data")).join("tls/ca.pem");
        let client = chancery_client::Client::new(base, &fs::read(authority).unwrap()).unwrap();
        assert!(!client.log_in("Admin1", "first password").unwrap().fully_logged_in);
        assert!(client.log_in("admin2", "second password").unwrap().fully_logged_in);
        client
    }
}

#[test]
fn an_installation_begins_with_api_access_off_and_the_host_switches_it() {
    let place = Place::new();
    let made = place.init().run();
    assert!(!made.text().contains("password") || !made.text().contains("first password"), "{}", made.text());
    let (server, base) = place.serve(&[]);
    let client = place.client(&base);
    let refused = client.take_token().unwrap_err().to_string();
    assert_eq!(refused, "API access is switched off on this installation. (status 403)");

    let changed = place.run(&["settings", "--api-access", "on"]).run().text();
    let settings: serde_json::Value = serde_json::from_str(&changed).unwrap();
    assert_eq!((&settings["apiAccess"], &settings["demo"]), (&true.into(), &false.into()));
    // The server beside the command follows within a second.
    let begun = std::time::Instant::now();
    while client.take_token().is_err() {
        assert!(begun.elapsed().as_secs() < 20, "not seen in time");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(server.stop().success());
}

/// A backup that is put in the place of the file would otherwise meet the log of another.
#[test]
fn a_server_or_command_that_ends_leaves_no_log_beside_the_database() {
    let place = Place::new();
    let log = PathBuf::from(place.path("data")).join("chancery.db-wal");
    let _made = place.init().run();
    assert!(!log.exists(), "init");
    let (server, _) = place.serve(&[]);
    let _changed = place.run(&["settings", "--api-access", "on"]).run();
    assert!(log.exists(), "the server uses it");
    assert!(server.stop().success());
    assert!(!log.exists(), "serve");
    let _changed = place.run(&["settings", "--api-access", "off"]).run();
    assert!(!log.exists(), "settings");
}

#[test]
fn a_file_or_an_address_that_does_not_serve_is_named() {
    let place = Place::new();
    let _made = place.init().run();
    let [nothing, junk] = ["nothing.pem", "junk.pem"].map(|name| place.path(name));
    fs::write(&junk, "junk\n").unwrap();
    let [certificate, key] = ["own.pem", "own.key"].map(|name| place.path(name));
    let made = Tool::new("openssl").args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    let _made = made.args(["-nodes", "-subj", "/CN=a", "-keyout", &key, "-out", &certificate]).run();
    let smtp = ["--smtp-host", "localhost", "--smtp-from"];
    for (options, told) in [
        (["--tls-cert", &nothing, "--tls-key", &key], format!("--tls-cert {nothing}: No such file")),
        (["--tls-cert", &junk, "--tls-key", &key], format!("--tls-cert {junk}: there is no certificate in it")),
        (["--tls-cert", &certificate, "--tls-key", &junk], format!("--tls-key {junk}: there is no private key in it")),
        (["--notice-ca", &junk, "--log-level", "info"], format!("--notice-ca {junk}: the certificate authority's")),
        ([smtp[0], smtp[1], smtp[2], "nobody"], "--smtp-from nobody: it is no address, such as".to_owned()),
    ] {
        let refused = place.run(&["serve", "--listen", "127.0.0.1:0"]).args(options).try_run();
        assert!(!refused.status.success() && refused.stderr.contains(&told), "{options:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains("--ca "), "{}", refused.stderr);
    }
    let refused = place.run(&["serve", "--listen", "127.0.0.1:0"]).env("TMPDIR", &nothing).try_run();
    assert!(refused.stderr.contains(&format!("(TMPDIR), {nothing}: No such file")), "{}", refused.stderr);
    let store = "postgres://127.0.0.1:1/kms".to_owned();
    let refused = place.beside_on(store).run(&["serve", "--listen", "127.0.0.1:0"]).try_run();
    assert!(refused.stderr.contains("with its store postgres://127.0.0.1:1/kms: "), "{}", refused.stderr);
}

#[test]
fn serve_needs_what_init_makes() {
    let place = Place::new();
    let refused = place.run(&["serve", "--listen", "127.0.0.1:0"]).try_run();
    assert!(!refused.status.success() && refused.stderr.contains("there is no installation"), "{}", refused.stderr);
    let _made = place.init().run();
    let again = place.init().try_run();
    assert!(again.stderr.contains("there is an installation in "), "{}", again.stderr);
    fs::remove_file(place.path("root.key")).unwrap();
    let refused = place.run(&["serve", "--listen", "127.0.0.1:0"]).try_run();
    assert!(refused.stderr.contains("root.key does not exist"), "{}", refused.stderr);
}

#[test]
fn init_keeps_the_root_key_and_weak_passwords_out() {
    let place = Place::new();
    let inside = place.path("data/root.key");
    let (one, two) = (place.path("one"), place.path("two"));
    let words = ["init", "--data", &place.path("data"), "--admin1-password-file", &one, "--admin2-password-file", &two];
    let refused = chancery(&words).args(["--root-key", &inside]).try_run();
    assert!(refused.stderr.contains("outside the data folder"), "{}", refused.stderr);
    assert!(!PathBuf::from(place.path("data")).exists());
    fs::write(&two, "short").unwrap();
    let refused = place.init().try_run();
    assert!(!refused.status.success() && refused.stderr.contains("12"), "{}", refused.stderr);
    fs::copy(&one, &two).unwrap();
    let warned = place.init().run();
    assert!(warned.stderr.contains("have the same password"), "{}", warned.stderr);
    let nowhere = Place::new().run(&["init"]).try_run();
    assert!(nowhere.stderr.contains("there is no password for Admin1"), "{}", nowhere.stderr);
}

#[test]
fn other_sockets_serve_what_they_are_for() {
    let place = Place::new();
    let _made = place.init().run();
    let (public, plain) = (chancery_testkit::free_port(), chancery_testkit::free_port());
    let (public, plain) = (format!("127.0.0.1:{public}"), format!("127.0.0.1:{plain}"));
    let (server, _) = place.serve(&["--public-listen", &public, "--plain-listen", &plain]);
    let status = |address: &str, path: &str| {
        let curl = Tool::new("curl").args(["-sS", "-o", "/dev/null", "-w", "%{http_code}"]);
        curl.arg(format!("http://{address}{path}")).run().text()
    };
    assert_eq!((status(&plain, "/healthz").as_str(), status(&public, "/healthz").as_str()), ("200", "200"));
    assert_eq!(status(&plain, "/api/v2/token-profiles/stubs"), "401");
    for path in ["/api/v2/token-profiles/stubs", "/home/v1/login", "/metrics", "/readyz", "/openapi.json"] {
        assert_eq!(status(&public, path), "404", "{path} on the public socket");
    }
    drop(server);
    let refused = place.run(&["serve", "--drain-delay", "3601"]).try_run();
    assert!(refused.stderr.contains("--drain-delay 3601: at most 3600 seconds"), "{}", refused.stderr);
    let refused = place.run(&["serve", "--plain-listen", "0.0.0.0:0"]).try_run();
    assert!(refused.stderr.contains("only a loopback address"), "{}", refused.stderr);
}

#[test]
fn a_busy_port_is_named() {
    let place = Place::new();
    let _made = place.init().run();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = place.run(&["serve", "--listen", &address]).try_run();
    assert!(!refused.status.success());
    assert!(refused.stderr.contains(&format!("--listen {address}: Address already in use")), "{}", refused.stderr);
}

#[test]
fn addresses_that_would_fail_later_are_refused_at_the_start() {
    let place = Place::new();
    let _made = place.init().run();
    for (flag, value, told) in [
        ("--public-url", "foo", "an http or https URL with a host is needed"),
        ("--listen", "21204", "HOST:PORT is needed"),
        ("--trusted-proxies", "proxy.example", "a network is an address"),
        ("--trusted-proxies", "0.0.0.0/0", "anybody could then say whose address they have"),
        ("--trusted-proxies", "::/0", "anybody could then say whose address they have"),
    ] {
        let refused = place.run(&["serve", flag, value]).try_run();
        assert!(!refused.status.success(), "{flag} {value}");
        assert!(refused.stderr.contains(&format!("{flag} {value}: {told}")), "{}", refused.stderr);
    }
}

/// A word that is no level would be taken for a module, and everything else would be silent.
#[test]
fn what_would_silence_or_stop_everything_is_refused_at_the_start() {
    let place = Place::new();
    let _made = place.init().run();
    for (flag, value, told) in [
        ("--log-level", "inof", "inof is none of error, warn, info, debug, trace, off and MODULE=LEVEL"),
        ("--log-level", "info,chancery_core", "chancery_core is none of"),
        ("--token-lifetime", "0", "nothing would be allowed any more"),
    ] {
        let refused = Tool::new("timeout").args(["20", crate::process::PROGRAM, "serve", "--listen", "127.0.0.1:0"]);
        let refused = refused.args(place.installation()).args([flag, value]).try_run();
        assert!(refused.stderr.contains(&format!("{flag} {value}: {told}")), "{}", refused.stderr);
    }
}

#[test]
fn a_fault_in_the_file_of_settings_stands_in_one_line() {
    let place = Place::new();
    fs::write(place.path("chancery.toml"), "data = \"x\"\nlisen = \"127.0.0.1:1\"\n").unwrap();
    let refused = place.run(&["serve", "--config", &place.path("chancery.toml")]).try_run().stderr;
    assert!(refused.contains("line 2, column 1: unknown field `lisen`, expected one of"), "{refused}");
    assert!(!refused.contains("\\u{a}"), "{refused}");
}

#[test]
fn a_command_whose_output_nobody_reads_ends_quietly() {
    let place = Place::new();
    let _made = place.init().run();
    let command = |then: &str| {
        let line = format!("{} settings {} {then}", crate::process::PROGRAM, place.installation().join(" "));
        Tool::new("sh").args(["-c", &format!("{line}; echo \"ended with $?\"")]).run()
    };
    let closed = command("| true");
    assert_eq!(closed.stderr, "");
    let full = command("> /dev/full");
    assert_eq!(full.text(), "ended with 1\n");
    assert_eq!(full.stderr, "chancery: standard output: No space left on device (os error 28)\n");
}

#[test]
fn init_says_whose_password_it_is_and_how_to_go_on() {
    let place = Place::new();
    fs::write(place.path("two"), "short").unwrap();
    let refused = place.init().try_run().stderr;
    assert!(refused.contains("the password of Admin2 must have 12 to 1024 characters"), "{refused}");
    assert!(!PathBuf::from(place.path("root.key")).exists());
    fs::write(place.path("two"), "second password").unwrap();
    let said = place.init().run().text();
    let (_, command) = said.split_once("API access is off; `").unwrap();
    let (command, _) = command.split_once('`').unwrap();
    assert_eq!(command, format!("chancery settings {} --api-access on", place.installation().join(" ")));
    fs::remove_file(place.path("root.key")).unwrap();
    let again = place.init().try_run();
    assert!(again.stderr.contains("exists already, and the root key"), "{}", again.stderr);
    assert!(!PathBuf::from(place.path("root.key")).exists(), "no key is made that opens nothing");
}

#[test]
fn a_command_makes_nothing_where_there_is_no_installation() {
    let place = Place::new();
    let _made = place.init().run();
    let empty = place.path("empty.db");
    fs::write(&empty, "").unwrap();
    for command in [&["settings"][..], &["unlock", "Admin1"], &["serve", "--listen", "127.0.0.1:0"]] {
        let refused = place.run(command).args(["--store", &empty]).try_run().stderr;
        assert!(refused.contains(&format!("there is no installation in {empty}")), "{command:?}: {refused}");
        assert_eq!(fs::metadata(&empty).unwrap().len(), 0);
        assert!(!PathBuf::from(format!("{empty}-wal")).exists());
    }
    let missing = place.path("nofile.db");
    let refused = place.run(&["settings", "--store", &missing]).try_run().stderr;
    assert!(refused.contains(&format!("there is no installation in {missing}")), "{refused}");
}

/// Who runs `init` where something is already learns what that is, before anybody types a password.
#[test]
fn init_says_what_is_there_already() {
    let place = Place::new();
    let _made = place.init().run();
    let (data, key) = (place.path("data"), place.path("root.key"));
    let identities = || {
        Tool::new("sqlite3")
            .args([&format!("{data}/chancery.db"), "SELECT hex(id), name, password FROM identities"])
            .run()
            .text()
    };
    let before = identities();
    for again in [place.init(), place.run(&["init"])] {
        let again = again.try_run();
        assert_eq!((again.status.code(), again.text()), (Some(1), String::new()), "{}", again.stderr);
        for says in [
            format!("there is an installation in {data} already; nothing was changed\n"),
            format!("To serve it: chancery serve --data {data} --root-key {key}\n"),
            format!("chancery settings --data {data} --root-key {key}\n"),
            "For a new one beside it: another folder with --data".to_owned(),
        ] {
            assert!(again.stderr.contains(&says), "{says}: {}", again.stderr);
        }
    }
    assert_eq!((identities(), before.lines().count()), (before, 2));
    // Its lines are told as they run.
    let settings = place.run(&["settings"]).run().text();
    assert!(settings.contains("apiAccess"), "{settings}");
    let other = chancery(&["init", "--data", &data, "--root-key", &place.path("other.key")]).try_run();
    assert!(
        other.stderr.contains("exists already, and the root key") && other.stderr.contains("name its root key"),
        "{}",
        other.stderr
    );
    assert!(!PathBuf::from(place.path("other.key")).exists());

    let folder = temp_dir();
    let demo = crate::process::Demo::start(folder.path(), &[]);
    assert!(demo.server.stop().success());
    // A root key has to be outside of the folder for this.
    let (data, key) = (folder.path().join("data"), folder.path().join("moved.key"));
    fs::rename(data.join("root.key"), &key).unwrap();
    let (data, key) = (data.display().to_string(), key.display().to_string());
    let refused = chancery(&["init", "--data", &data, "--root-key", &key]).try_run();
    assert!(refused.stderr.contains(&format!("there is a demonstration in {data} already")), "{}", refused.stderr);
    assert!(
        refused.stderr.contains(&format!("chancery quickstart --data {data} --root-key {key}\n")),
        "{}",
        refused.stderr
    );
}
