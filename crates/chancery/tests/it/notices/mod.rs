//! Notices to a receiver that is not ours: none is lost while it is down or the server is killed, each is signed, and none
//! goes where it must not.

mod mails;
mod nodes;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_client::Client;
use chancery_testkit::{free_port, temp_dir};
use chancery_types::{
    Base64,
    wire::{
        notices::{CreateNoticeTarget, NoticeTarget, UndeliveredQuery},
        signing_requests::SubmitRequest,
    },
};
use serde_json::{Value, json};

use crate::process::Demo;

const SECRET: [u8; 32] = [0x5e; 32];

/// A receiver in a process of its own, at a port that it has for itself.
struct Receiver {
    port: u16,
    log: PathBuf,
    chain: PathBuf,
    authority: PathBuf,
    child: Option<Child>,
}

impl Receiver {
    /// With a certificate for `localhost` from an authority of its own; nobody listens yet.
    fn new(folder: &Path) -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut root = rcgen::CertificateParams::new(Vec::new()).unwrap();
        root.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let authority = root.self_signed(&key).unwrap().pem();
        let issuer = rcgen::Issuer::new(root, key);
        let key = rcgen::KeyPair::generate().unwrap();
        let leaf = rcgen::CertificateParams::new(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        let leaf = leaf.signed_by(&key, &issuer).unwrap();
        let file = |name: &str, text: String| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path
        };
        Self {
            port: free_port(),
            log: folder.join("received"),
            chain: file("receiver.pem", leaf.pem() + &key.serialize_pem()),
            authority: file("receiver-ca.pem", authority),
            child: None,
        }
    }

    fn listen(&mut self) {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/notices/receiver.py");
        let secret: String = SECRET.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut command = Command::new("python3");
        command.arg(script).arg(&self.chain).arg(self.port.to_string()).arg(secret).arg(&self.log);
        self.child = Some(command.spawn().unwrap());
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}/{path}", self.port)
    }

    /// What came, by id, and how many calls there were. A line that is just being written is none yet.
    fn received(&self) -> (BTreeMap<String, Value>, usize) {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let calls: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let count = calls.len();
        let mut by_id = BTreeMap::new();
        for call in calls {
            assert_eq!(call["good"], true, "the signature is wrong: {call}");
            let body: Value = serde_json::from_str(call["body"].as_str().unwrap()).unwrap();
            assert_eq!(body["uuid"], call["id"]);
            by_id.insert(call["id"].as_str().unwrap().to_owned(), body);
        }
        (by_id, count)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _gone_already = child.kill();
            let _reaped = child.wait();
        }
    }
}

fn target(client: &Client, name: &str, url: &str) -> NoticeTarget {
    let secret = Base64::encode(&SECRET);
    let sent =
        json!({"name": name, "webhook": {"url": url, "shape": "Chancery"}, "secret": secret, "kinds": ["Waiting"]});
    let sent: CreateNoticeTarget = serde_json::from_value(sent).unwrap();
    client.create_notice_target(&sent).unwrap()
}

/// Submits so many requests that wait for an approval.
fn submit(client: &Client, demo: &Demo, number: u64) -> Vec<String> {
    let submit = |number| {
        let request = SubmitRequest {
            upload_data: Some(Base64(vec![7; 10])),
            ..SubmitRequest::new(
                format!("approve this now {number}"),
                demo.text("/demo/releaseServiceUuid").parse().unwrap(),
                demo.text("/demo/releasePolicyUuid").parse().unwrap(),
            )
        };
        client.submit(&request).unwrap().uuid.to_string()
    };
    (0..number).map(submit).collect()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(180), "{what}: not in time");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn no_notice_is_lost_while_the_receiver_is_down_and_the_server_is_killed() {
    let number = if env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { 10_000 } else { 200 };
    let folder = temp_dir();
    let mut receiver = Receiver::new(folder.path());
    let authority = receiver.authority.display().to_string();
    let arguments =
        ["--notice-ca", &authority, "--notice-networks", "127.0.0.1", "--public-origin", "https://kms.example.org"];
    let demo = Demo::start_made(folder.path(), &arguments);
    let client = demo.client();
    let made = target(&client, "receiver", &receiver.url("localhost", "hook"));
    let mut submitted = submit(&client, &demo, number / 2);
    wait_until("a failure is told", || client.notice_target(made.uuid).unwrap().deliveries.error.is_some());
    let waiting = client.undelivered_notices(&UndeliveredQuery::default()).unwrap();
    assert_eq!(waiting.total, number / 2);

    receiver.listen();
    wait_until("the receiver gets some", || receiver.received().1 > 10);
    demo.server.kill();
    let listen = demo.address();
    drop(demo);
    let before = receiver.received().1;
    let drill = Demo::start_again(folder.path(), &listen, &[&arguments[..], &["--no-deliveries"]].concat());
    let refused = drill.client().test_notice_target(made.uuid, &Default::default()).unwrap_err();
    assert!(refused.to_string().contains("--no-deliveries"), "{refused}");
    // Somewhat longer than it takes to find what waits.
    sleep(Duration::from_secs(3));
    assert_eq!(receiver.received().1, before, "a copy for a drill delivers nothing");
    drill.server.kill();
    drop(drill);
    let demo = Demo::start_again(folder.path(), &listen, &arguments);
    let client = demo.client();
    submitted.extend(submit(&client, &demo, number / 2));
    wait_until("nothing waits", || client.notice_target(made.uuid).unwrap().deliveries.waiting == 0);

    let (mut received, _calls) = receiver.received();
    // The demonstration's own that it submits when it starts.
    received.retain(|_, body| submitted.iter().any(|uuid| body["objectUuid"] == **uuid));
    assert_eq!(received.len(), submitted.len(), "none is missing, and each has one id");
    let sequences: BTreeSet<_> = received.values().map(|body| body["sequence"].as_i64().unwrap()).collect();
    let objects: BTreeSet<_> = received.values().map(|body| body["objectUuid"].as_str().unwrap()).collect();
    assert_eq!((sequences.len(), objects.len()), (submitted.len(), submitted.len()));
    for body in received.values() {
        assert_eq!((&body["kind"], &body["state"]), (&json!("Waiting"), &json!("Approval")));
        assert!(body["url"].as_str().unwrap().starts_with("https://kms.example.org/#/approvals/request/"), "{body}");
        assert!(!body.to_string().contains("approve this"), "a submitter's words: {body}");
    }
    let deliveries = client.notice_target(made.uuid).unwrap().deliveries;
    assert_eq!((deliveries.failures, deliveries.given_up), (0, 0));

    let tested = client.test_notice_target(made.uuid, &Default::default()).unwrap();
    assert!(tested.delivered, "{tested:?}");
    // A redirect is not followed: it takes nothing.
    let elsewhere = target(&client, "redirecting", &receiver.url("localhost", "elsewhere"));
    let tested = client.test_notice_target(elsewhere.uuid, &Default::default()).unwrap();
    assert_eq!((tested.delivered, tested.status), (false, Some(302)), "{tested:?}");
}

#[test]
fn nothing_is_sent_to_this_machine_or_a_private_network() {
    let folder = temp_dir();
    let mut receiver = Receiver::new(folder.path());
    receiver.listen();
    let authority = receiver.authority.display().to_string();
    let demo = Demo::start_made(folder.path(), &["--notice-ca", &authority]);
    let client = demo.client();
    let port = receiver.port;
    for (number, host) in [
        "localhost",
        "127.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "2130706433",
    ]
    .iter()
    .enumerate()
    {
        let made = target(&client, &format!("target {number}"), &format!("https://{host}:{port}/hook"));
        let tested = client.test_notice_target(made.uuid, &Default::default()).unwrap();
        assert!(!tested.delivered && tested.status.is_none(), "{host}: {tested:?}");
        assert!(tested.answer.contains("no public address"), "{host}: {tested:?}");
    }
    assert_eq!(receiver.received().1, 0);
}
