//! Receivers that are not ours, each in a process of its own at a port that it has for itself: rsyslog, and Python packages.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use chancery_client::Client;
use chancery_testkit::free_port;
use chancery_types::{
    Base64,
    wire::audit_targets::{AuditTarget, CreateAuditTarget},
};
use serde::Deserialize;
use serde_json::{Value, json};

const KEY: [u8; 32] = [0x5e; 32];
const TOKEN: &str = "a-token-of-the-collector";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Webhook,
    Otlp,
    /// rsyslog, with its driver for TLS, and what the messages have in them.
    Rsyslog(&'static str, &'static str),
    /// rsyslog, by RELP, with messages in JSON.
    Relp,
    /// A file in this folder of all; while nobody listens the folder is away.
    File,
}

/// The folder of files.
pub(super) const FILES: &str = "audit-files";

/// One that is away.
const AWAY: &str = "audit-files-away";

/// What came.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Came {
    pub(super) id: String,
    /// None of what is no record.
    pub(super) sequence: Option<u64>,
    pub(super) line: Option<String>,
}

pub(super) struct Receiver {
    pub(super) kind: Kind,
    port: u16,
    folder: PathBuf,
    child: Option<Child>,
}

/// An authority of the test's own, and a certificate of it for `localhost`.
pub(crate) fn certificates(folder: &Path) -> String {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut root = rcgen::CertificateParams::new(Vec::new()).unwrap();
    root.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority = root.self_signed(&key).unwrap().pem();
    let issuer = rcgen::Issuer::new(root, key);
    let key = rcgen::KeyPair::generate().unwrap();
    let leaf = rcgen::CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&key, &issuer).unwrap().pem();
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    file("receiver.pem", &format!("{leaf}{}", key.serialize_pem()));
    file("receiver-key.pem", &key.serialize_pem());
    file("receiver-leaf.pem", &leaf);
    file("receiver-ca.pem", &authority)
}

impl Receiver {
    /// Nobody listens yet.
    pub(super) fn new(kind: Kind, folder: &Path) -> Self {
        Self { kind, port: free_port(), folder: folder.to_owned(), child: None }
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(format!("{}-{name}", self.port)).display().to_string()
    }

    fn of_all(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    pub(super) fn listen(&mut self) {
        let (chain, log, port) = (self.of_all("receiver.pem"), self.file("log"), self.port.to_string());
        let mut command = match self.kind {
            Kind::File => return self.move_folder(AWAY, FILES),
            Kind::Rsyslog(driver, _) => self.rsyslog(&self.over_tls(driver)),
            Kind::Relp => self.rsyslog(&self.by_relp()),
            Kind::Webhook => python(["webhook", &chain, &port, &Base64::encode(&KEY), &log]),
            Kind::Otlp => python(["otlp", &chain, &port, TOKEN, &log]),
        };
        self.child = Some(command.stdin(Stdio::null()).spawn().unwrap());
    }

    fn move_folder(&self, from: &str, to: &str) {
        let (from, to) = (self.folder.join(from), self.folder.join(to));
        if from.exists() { fs::rename(from, to).unwrap() } else { fs::create_dir(to).unwrap() }
    }

    /// The authority, the certificate and its key.
    fn credentials(&self) -> [String; 3] {
        ["receiver-ca.pem", "receiver-leaf.pem", "receiver-key.pem"].map(|name| self.of_all(name))
    }

    fn over_tls(&self, driver: &str) -> String {
        let (port, [ca, leaf, key]) = (self.port, self.credentials());
        format!(
            r#"global(DefaultNetstreamDriver="{driver}" DefaultNetstreamDriverCAFile="{ca}"
                DefaultNetstreamDriverCertFile="{leaf}" DefaultNetstreamDriverKeyFile="{key}")
            module(load="imtcp" StreamDriver.Name="{driver}" StreamDriver.Mode="1" StreamDriver.AuthMode="anon")
            input(type="imtcp" port="{port}" address="127.0.0.1" ruleset="kept")"#
        )
    }

    fn by_relp(&self) -> String {
        let (port, [ca, leaf, key]) = (self.port, self.credentials());
        format!(
            r#"module(load="imrelp" tls.tlslib="openssl")
            input(type="imrelp" port="{port}" address="127.0.0.1" ruleset="kept" maxDataSize="64k"
                tls="on" tls.caCert="{ca}" tls.myCert="{leaf}" tls.myPrivKey="{key}")"#
        )
    }

    fn rsyslog(&self, input: &str) -> Command {
        let (folder, log) = (self.folder.display(), self.file("log"));
        let config = format!(
            r#"global(workDirectory="{folder}" maxMessageSize="64k")
            template(name="all" type="string" string="%syslogfacility-text% %app-name% %structured-data% %msg%\n")
            ruleset(name="kept") {{ action(type="omfile" file="{log}" template="all") }}
            {input}
            "#
        );
        let file = self.file("rsyslog.conf");
        fs::write(&file, config).unwrap();
        // One that was killed leaves its file behind, and would not start again.
        let pid = self.file("pid");
        let _none_before = fs::remove_file(&pid);
        let mut command = Command::new("rsyslogd");
        command.args(["-n", "-f", &file, "-i", &pid]);
        command
    }

    pub(super) fn kill(&mut self) {
        if self.kind == Kind::File && self.folder.join(FILES).exists() {
            self.move_folder(FILES, AWAY);
        }
        if let Some(mut child) = self.child.take() {
            let _gone_already = child.kill();
            let _reaped = child.wait();
        }
    }

    /// A target that is this, from the first record on.
    pub(super) fn target(&self, client: &Client, name: &str) -> AuditTarget {
        let url = format!("https://localhost:{}/logs", self.port);
        let mut body = json!({"name": name, "firstSequence": 0});
        match self.kind {
            Kind::Webhook => {
                body["webhook"] = json!({"url": url});
                body["secret"] = json!(Base64::encode(&KEY));
            }
            Kind::Otlp => {
                body["otlp"] = json!({"url": url});
                body["secret"] = json!(Base64::encode(TOKEN.as_bytes()));
            }
            Kind::Rsyslog(_, of) => body["syslog"] = json!({"host": "localhost", "port": self.port, "body": of}),
            Kind::Relp => body["syslog"] = json!({"host": "localhost", "port": self.port, "transport": "Relp"}),
            Kind::File => body["file"] = json!({"name": "siem"}),
        }
        let body: CreateAuditTarget = serde_json::from_value(body).unwrap();
        client.create_audit_target(&body).unwrap()
    }

    /// What came, in its order. What is just being written has not come yet.
    pub(super) fn came(&self) -> Vec<Came> {
        let file =
            if self.kind == Kind::File { self.folder.join(FILES).join("siem.jsonl") } else { self.file("log").into() };
        let text = fs::read_to_string(file).unwrap_or_default();
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        match self.kind {
            Kind::Webhook | Kind::Otlp => lines.map(|line| serde_json::from_str(line).unwrap()).collect(),
            Kind::File => lines.map(of_file).collect(),
            Kind::Relp => lines.map(|line| syslog(line.trim_end(), "Json")).collect(),
            Kind::Rsyslog(_, body) => lines.map(|line| syslog(line.trim_end(), body)).collect(),
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.kill();
    }
}

fn python(arguments: [&str; 5]) -> Command {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/shipping/receiver.py");
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv/bin/python"));
    command.arg(script).args(arguments);
    command
}

/// A line of a file, in which the record stands byte by byte.
fn of_file(line: &str) -> Came {
    let members: Value = serde_json::from_str(line).unwrap();
    let record = line.trim_end().split_once(",\"record\":").map(|(_, rest)| rest.strip_suffix('}').unwrap().to_owned());
    Came { id: members["uuid"].as_str().unwrap().to_owned(), sequence: members["sequence"].as_u64(), line: record }
}

/// What rsyslog made of a message.
fn syslog(line: &str, body: &str) -> Came {
    let (data, message) = line.split_once("] ").unwrap();
    let data = data.strip_prefix("audit chancery [chancery@32473 ").unwrap_or_else(|| panic!("{line}"));
    let param = |name: &str| {
        let found = data.split(' ').find_map(|param| param.strip_prefix(name)?.strip_prefix("=\""));
        found.map(|value| value.trim_end_matches('"').to_owned())
    };
    let sequence = param("sequence").map(|sequence| sequence.parse().unwrap());
    let line = match (sequence, body) {
        (None, _) => None,
        (Some(_), "Json") => Some(message.to_owned()),
        (Some(sequence), _) => {
            // What is not ASCII begins with a byte order mark.
            let message = message.trim_start_matches('\u{feff}');
            let head = format!("CEF:0|Chancery|Chancery|{}|", env!("CARGO_PKG_VERSION"));
            assert!(message.starts_with(&head) && message.contains(&format!(" cn1={sequence} ")), "{message}");
            None
        }
    };
    assert!(param("ledger").unwrap().starts_with("chancery.invalid/"), "{data}");
    Came { id: param("id").unwrap(), sequence, line }
}

/// The records of an export of the ledger, by their leaves.
pub(super) fn exported(client: &Client) -> Vec<String> {
    let query = serde_json::from_value(json!({"ledger": true})).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut client.export_audit(&query).unwrap(), &mut text).unwrap();
    let leaf = |line: &str| serde_json::from_str::<Value>(line).unwrap()["leaf"].as_u64();
    let mut records: Vec<_> = text.lines().filter_map(|line| Some((leaf(line)?, line.to_owned()))).collect();
    records.sort_unstable();
    records.into_iter().map(|(_, line)| line).collect()
}
