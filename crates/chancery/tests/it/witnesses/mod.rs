//! Witnesses that we did not write, but for the transport: what they cosign, what a verifier demands of it, and what becomes of
//! another history.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_client::Client;
use chancery_testkit::{Ran, Tool, free_port, temp_dir};
use chancery_types::wire::{
    audit::{AuditExportQuery, AuditQuery, AuditRecord},
    notices::NoticeQuery,
};
use serde_json::{Value, json};

use crate::{
    process::{Demo, chancery},
    shipping::certificates,
};

fn wait_until<T>(what: &str, mut is_so: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = is_so() {
            return found;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: not in time");
        sleep(Duration::from_millis(100));
    }
}

/// A witness in a process of its own.
struct Witness {
    name: String,
    seed: String,
    port: u16,
    folder: PathBuf,
    child: Option<Child>,
}

fn python(arguments: &[&str]) -> Command {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv/bin/python"));
    command.args(arguments);
    command
}

impl Witness {
    /// Nobody listens yet.
    fn new(name: &str, folder: &Path) -> Self {
        let port = free_port();
        Self { name: name.to_owned(), seed: format!("{port:064x}"), port, folder: folder.to_owned(), child: None }
    }

    fn state(&self) -> PathBuf {
        self.folder.join(format!("witness-{}", self.port))
    }

    /// Listens, for these logs.
    fn listen(&mut self, logs: &[&str]) {
        self.kill();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/witnesses/witness.py");
        let chain = self.folder.join("receiver.pem").display().to_string();
        let (port, state) = (self.port.to_string(), self.state().display().to_string());
        let arguments = [&[script, &chain, &port, &self.name, &self.seed, &state][..], logs].concat();
        self.child = Some(python(&arguments).stdin(Stdio::null()).spawn().unwrap());
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _gone_already = child.kill();
            let _reaped = child.wait();
        }
    }

    /// Its key, as its operator would tell it.
    fn vkey(&self) -> String {
        let script = "import sys,base64,hashlib\n\
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey as K\n\
            k=b'\\x04'+K.from_private_bytes(bytes.fromhex(sys.argv[2])).public_key().public_bytes_raw()\n\
            h=hashlib.sha256(sys.argv[1].encode()+b'\\n'+k).hexdigest()[:8]\n\
            print(sys.argv[1]+'+'+h+'+'+base64.b64encode(k).decode())";
        let out = python(&["-c", script, &self.name, &self.seed]).output().unwrap();
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    }

    fn flag(&self) -> String {
        format!("{} https://localhost:{}/base", self.vkey(), self.port)
    }

    /// The statuses of what it answered, in their order.
    fn answered(&self) -> Vec<String> {
        let file = format!("{}.requests", self.state().display());
        fs::read_to_string(file).unwrap_or_default().lines().map(|line| line[..3].to_owned()).collect()
    }

    /// Changes what it believes to have seen of a log: its size, and the root. It takes that over when it is asked next.
    fn believes(&self, origin: &str, size: u64, root: &str) {
        // It never finds half of it.
        let whole = self.state().with_extension("whole");
        fs::write(&whole, json!({origin: [size, root]}).to_string()).unwrap();
        fs::rename(whole, self.state().with_extension("changed")).unwrap();
    }

    fn seen(&self, origin: &str) -> Option<u64> {
        let states: Value = serde_json::from_slice(&fs::read(self.state()).ok()?).ok()?;
        states[origin][0].as_u64()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.kill();
    }
}

fn records(client: &Client, action: &str) -> Vec<AuditRecord> {
    let query: AuditQuery = serde_json::from_value(json!({"action": action, "pageSize": 100})).unwrap();
    client.audit(&query).unwrap().items
}

/// Something for the ledger.
fn make_role(client: &Client, name: &str) {
    let role = json!({"name": name, "loginsRequired": 1, "perms": []});
    client.create_role(&serde_json::from_value(role).unwrap()).unwrap();
}

/// Something for the log: a signature.
fn sign(demo: &Demo, client: &Client, name: &str) {
    let body = json!({
        "serviceUuid": demo.text("/demo/serviceUuid"), "policyUuid": demo.text("/demo/policyUuid"), "name": name,
        "uploadData": chancery_types::Base64::encode(name.as_bytes()),
    });
    client.submit(&serde_json::from_value(body).unwrap()).unwrap();
}

fn origin(note: &str) -> String {
    note.lines().next().unwrap().to_owned()
}

fn verify(what: &[&str]) -> Ran {
    chancery(&[&["audit", "verify"][..], what].concat()).try_run()
}

fn log_checkpoint(client: &Client) -> String {
    String::from_utf8(client.checkpoint().unwrap()).unwrap()
}

#[test]
fn checkpoints_are_cosigned_and_verifiers_can_demand_it() {
    let folder = temp_dir();
    let authority = certificates(folder.path());
    let mut witnesses = ["w1.example.org/one", "w2.example.org"].map(|name| Witness::new(name, folder.path()));
    let (first, second) = (witnesses[0].flag(), witnesses[1].flag());
    let arguments =
        ["--notice-ca", &authority, "--notice-networks", "127.0.0.1", "--witness", &first, "--witness", &second];
    let demo = Demo::start_made(folder.path(), &arguments);
    let client = demo.client();
    sign(&demo, &client, "one");
    // Nobody listens: it is told, with a record, a notice and a figure.
    wait_until("it is told that they cannot be reached", || (records(&client, "WitnessFail").len() == 4).then_some(()));
    let told = records(&client, "WitnessFail");
    assert_eq!((&told[0].detail["why"], told[0].request_id.as_str()), (&json!("NoAnswer"), "witnesses"));
    let query: NoticeQuery = serde_json::from_value(json!({"kind": "WitnessFailed"})).unwrap();
    assert_eq!(client.notices(&query).unwrap().total, 4);

    let keys = [
        String::from_utf8(client.log_key().unwrap()).unwrap().trim().to_owned(),
        client.audit_checkpoint().unwrap().key,
    ];
    let keys = keys.each_ref().map(String::as_str);
    witnesses.iter_mut().for_each(|witness| witness.listen(&keys));
    let note = wait_until("both cosign the log", || {
        Some(log_checkpoint(&client))
            .filter(|note| witnesses.iter().all(|one| note.contains(&format!("\u{2014} {} ", one.name))))
    });
    assert!(!note.contains("other.example"), "{note}");
    let witnessed = wait_until("both cosign the ledger", || {
        client.audit_checkpoint().unwrap().witnessed.filter(|witnessed| witnessed.witnesses.len() == 2)
    });
    assert!(witnessed.checkpoint.starts_with("chancery.invalid/"));
    wait_until("it is told that they are back", || (records(&client, "WitnessResume").len() == 4).then_some(()));
    let metrics = wait_until("the metrics have it", || {
        let text = String::from_utf8(client.body("GET", "/metrics", None).unwrap()).unwrap();
        text.contains("\nchancery_witnesses_failing 0\n").then_some(text)
    });
    assert!(metrics.contains("chancery_witness_cosignatures_total"), "{metrics}");
    // Trees that grow are cosigned from where they were, and not from the beginning.
    for number in 0..5 {
        sign(&demo, &client, &format!("more {number}"));
        make_role(&client, &format!("role {number}"));
    }
    let size = wait_until("the grown log is cosigned", || {
        let note = log_checkpoint(&client);
        let size: u64 = note.lines().nth(1).unwrap().parse().unwrap();
        let names = ["w1.example.org", "w2.example.org"];
        (size >= 6 && names.iter().all(|name| note.matches(name).count() == 1)).then_some(size)
    });
    assert_eq!(witnesses[0].seen(&origin(&note)), Some(size));
    let answered = witnesses[0].answered();
    assert!(answered.iter().all(|status| status == "200"), "{answered:?}");

    // A verifier that demands both, one of them, and one more.
    let asked = AuditExportQuery { ledger: Some(true), ..AuditExportQuery::default() };
    let (w1, w2) = (witnesses[0].vkey(), witnesses[1].vkey());
    let stranger = Witness::new("stranger.example", folder.path()).vkey();
    let export = folder.path().join("audit.jsonl");
    let newest = client.audit_checkpoint().unwrap();
    let file = export.clone();
    let export = export.display().to_string();
    let base = [export.as_str(), "--key", newest.key.as_str()];
    let demanded = |more: &[&str]| verify(&[&base[..], more].concat());
    // Of each witness the last cosignature is kept, and for a moment these are of two checkpoints.
    let good = wait_until("an export has both", || {
        fs::write(&file, std::io::read_to_string(client.export_audit(&asked).unwrap()).unwrap()).unwrap();
        Some(demanded(&["--witness-key", &w1, "--witness-key", &w2])).filter(|ran| ran.status.success())
    });
    let state: Value = serde_json::from_str(&good.text()).unwrap();
    assert_eq!(state["witnessed"]["by"].as_array().unwrap().len(), 2, "{state}");
    assert!(state["witnessed"]["records"].as_u64() > Some(0), "{state}");
    assert!(demanded(&["--witness-key", &w1, "--witness-key", &stranger, "--witnesses", "1"]).status.success());
    let bad = demanded(&["--witness-key", &w1, "--witness-key", &stranger]);
    assert_eq!((bad.status.code(), bad.text().as_str()), (Some(1), ""));
    assert!(bad.stderr.contains("no checkpoint has the cosignatures of 2"), "{}", bad.stderr);
    assert_eq!(demanded(&["--witness-key", &w1, "--witnesses", "2"]).status.code(), Some(2));
    let text = fs::read_to_string(&export).unwrap();
    let forged = text.replacen("\u{2014} w2.example.org ", "\u{2014} w2.example.orh ", 1);
    fs::write(&export, forged).unwrap();
    assert_eq!(demanded(&["--witness-key", &w2]).status.code(), Some(1));
    fs::write(&export, &text).unwrap();

    let watch = |more: &[&str]| {
        let config = folder.path().join("config").display().to_string();
        let arguments = ["log", "watch", "--once", "--server", demo.text("/base"), "--ca", demo.text("/caFile")];
        chancery(&[&arguments[..], more].concat()).env("XDG_CONFIG_HOME", config).try_run()
    };
    let watched = watch(&["--witness-key", &w1, "--witness-key", &w2]);
    assert!(watched.status.success(), "{}", watched.stderr);
    let unwatched = watch(&["--witness-key", &stranger]);
    assert_eq!(unwatched.status.code(), Some(1), "{}", unwatched.stderr);
    assert!(unwatched.stderr.contains("0 of the witnesses"), "{}", unwatched.stderr);
    bundle(&demo, &client, folder.path(), (&w1, &stranger));
}

/// A signature's proof has the cosignatures with it.
fn bundle(demo: &Demo, client: &Client, folder: &Path, (w1, stranger): (&str, &str)) {
    let body = json!({
        "serviceUuid": demo.text("/demo/serviceUuid"), "policyUuid": demo.text("/demo/policyUuid"), "name": "bundle",
        "uploadData": chancery_types::Base64::encode(b"bundle"),
    });
    let uuid = client.submit(&serde_json::from_value(body).unwrap()).unwrap().uuid;
    let path = format!("/api/v2/x509/signing-requests/{uuid}");
    let bundle = wait_until("its proof is cosigned", || {
        let bundle = String::from_utf8(client.body("GET", &path, None).unwrap()).unwrap();
        bundle.contains("w1.example.org").then_some(bundle)
    });
    let file = |name: &str, content: &str| {
        fs::write(folder.join(name), content).unwrap();
        folder.join(name).display().to_string()
    };
    let (bundle, content) = (file("bundle.json", &bundle), file("content", "bundle"));
    let key = String::from_utf8(client.log_key().unwrap()).unwrap();
    let base = ["verify", "--bundle", &bundle, "--log-key", key.trim(), "--file", &content];
    let verify = |more: &[&str]| chancery(&[&base[..], more].concat()).try_run();
    let good = verify(&["--witness-key", w1]);
    assert!(good.status.success() && good.text().contains("w1.example.org/one, at 20"), "{}", good.stderr);
    let bad = verify(&["--witness-key", stranger]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(bad.stderr.contains("0 of the witnesses have cosigned"), "{}", bad.stderr);
}

#[test]
fn a_witness_that_has_seen_another_history_refuses_and_that_is_told_at_once() {
    let folder = temp_dir();
    let authority = certificates(folder.path());
    let mut witness = Witness::new("w1.example.org", folder.path());
    let flag = witness.flag();
    let arguments = ["--notice-ca", &authority, "--notice-networks", "127.0.0.1", "--witness", &flag];
    let demo = Demo::start_made(folder.path(), &arguments);
    let listen = demo.address();
    let client = demo.client();
    let log = String::from_utf8(client.log_key().unwrap()).unwrap().trim().to_owned();
    let ledger = client.audit_checkpoint().unwrap().key;
    // It does not know the log.
    witness.listen(&[&ledger]);
    sign(&demo, &client, "one");
    let why = |name: &str| {
        let found = |record: &AuditRecord| record.detail["why"] == name && record.detail["tree"] == "Log";
        records(&client, "WitnessFail").into_iter().find(found)
    };
    let told = wait_until("it is told that the log is unknown", || why("UnknownLog"));
    assert_eq!(told.detail["name"], "w1.example.org");
    witness.listen(&[&log, &ledger]);
    let note =
        wait_until("it cosigns", || Some(log_checkpoint(&client)).filter(|note| note.contains("w1.example.org")));
    let size: u64 = note.lines().nth(1).unwrap().parse().unwrap();

    // It has seen another tree of the same size, as somebody has shown it.
    let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    witness.believes(&origin(&note), size, other);
    sign(&demo, &client, "two");
    let told = wait_until("another history is told", || why("AnotherHistory"));
    assert!(told.detail["error"].as_str().unwrap().contains("does not begin with"), "{}", told.detail);
    let of_log = |record: &AuditRecord| record.detail["why"] == "AnotherHistory" && record.detail["tree"] == "Log";
    assert_eq!(records(&client, "WitnessFail").into_iter().filter(of_log).count(), 1, "once");
    assert!(
        !log_checkpoint(&client).contains(&format!("\n{}\n", size + 1))
            || !log_checkpoint(&client).contains("w1.example")
    );
    // It has seen a larger one: here something was set back.
    let conflicts = || witness.answered().iter().filter(|status| *status == "409").count();
    let before = conflicts();
    witness.believes(&origin(&note), 1_000_000, other);
    wait_until("it is asked again", || (conflicts() > before).then_some(()));
    assert!(wait_until("that is told in its log", || {
        demo.server.log().contains("it has a tree of 1000000 leaves").then_some(true)
    }));
    // What it really saw is gone on from, whatever size is kept here.
    let root = note.lines().nth(2).unwrap();
    witness.believes(&origin(&note), size, root);
    wait_until("it cosigns again", || Some(log_checkpoint(&client)).filter(|note| note.contains("w1.example.org")));
    wait_until("it is told that it is back", || (!records(&client, "WitnessResume").is_empty()).then_some(()));

    // The database is put back, and goes on otherwise: the witness has seen more.
    demo.server.stop();
    let database = folder.path().join("data/chancery.db");
    let kept = folder.path().join("kept.db");
    let sql = |file: &Path, text: &str| {
        Tool::new("sqlite3").args(["-bail", "-cmd", ".timeout 5000"]).arg(file).arg(text).run()
    };
    sql(&database, &format!("VACUUM INTO '{}'", kept.display()));
    let demo = Demo::start_again(folder.path(), &listen, &arguments);
    let client = demo.client();
    make_role(&client, "seen by the witness");
    // More than there is in what was kept: else nothing of it will be another history.
    let kept_records: u64 = sql(&kept, "SELECT COUNT(*) FROM audit").text().trim().parse().unwrap();
    let tree = origin(&client.audit_checkpoint().unwrap().checkpoint);
    wait_until("the ledger is cosigned", || witness.seen(&tree).filter(|seen| *seen > kept_records));
    demo.server.stop();
    for end in ["", "-wal", "-shm"] {
        let _none = fs::remove_file(format!("{}{end}", database.display()));
    }
    fs::copy(&kept, &database).unwrap();
    let demo = Demo::start_again(folder.path(), &listen, &arguments);
    let client = demo.client();
    let found = wait_until("the split view is told", || {
        let is_it =
            |record: &AuditRecord| record.detail["why"] == "AnotherHistory" && record.detail["tree"] == "Ledger";
        records(&client, "WitnessFail").into_iter().find(is_it)
    });
    assert_eq!(found.detail["name"], "w1.example.org");
}
