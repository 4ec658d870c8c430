//! Notices by e-mail, through a relay of aiosmtpd: STARTTLS, a login, recipients that are refused, a relay that is down
//! and a server that is killed.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use chancery_client::Client;
use chancery_testkit::temp_dir;
use chancery_types::wire::notices::{CreateNoticeTarget, NoticeTarget, UndeliveredQuery};
use serde_json::{Value, json};

use super::{Receiver, submit, wait_until};
use crate::process::Demo;

const PASSWORD: &str = "of the relay alone";

/// A relay in a process of its own.
struct Relay {
    /// Its port, certificate and authority.
    place: Receiver,
    log: PathBuf,
    child: Option<Child>,
}

impl Relay {
    fn listen(&mut self) {
        let python = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv/bin/python");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/notices/relay.py");
        let mut command = Command::new(python);
        command.arg(script).arg(&self.place.chain).arg(self.place.port.to_string()).arg(PASSWORD).arg(&self.log);
        self.child = Some(command.stderr(Stdio::null()).spawn().unwrap());
    }

    /// What came, by its Message-ID.
    fn received(&self) -> BTreeMap<String, Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let mails = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        mails.map(|mail| (header(&mail, "Message-ID"), mail)).collect()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _gone_already = child.kill();
            let _reaped = child.wait();
        }
    }
}

/// A header field of a mail: it has one such line.
fn header(mail: &Value, name: &str) -> String {
    let head = mail["text"].as_str().unwrap().split("\r\n\r\n").next().unwrap();
    let lines: Vec<_> = head.split("\r\n").filter_map(|line| line.strip_prefix(&format!("{name}: "))).collect();
    assert_eq!(lines.len(), 1, "{name}: {head}");
    lines[0].to_owned()
}

fn mailbox(client: &Client, name: &str, address: &str) -> NoticeTarget {
    let sent = json!({"name": name, "email": {"address": address}, "kinds": ["Waiting"]});
    let sent: CreateNoticeTarget = serde_json::from_value(sent).unwrap();
    client.create_notice_target(&sent).unwrap()
}

#[test]
fn no_mail_is_lost_while_the_relay_is_down_and_the_server_is_killed() {
    let folder = temp_dir();
    let place = Receiver::new(folder.path());
    let mut relay = Relay { place, log: folder.path().join("mails"), child: None };
    let (authority, port) = (relay.place.authority.display().to_string(), relay.place.port.to_string());
    let password = folder.path().join("smtp-password");
    fs::write(&password, format!("{PASSWORD}\n")).unwrap();
    let password = password.display().to_string();
    let arguments = [
        ["--notice-ca", &authority],
        ["--smtp-host", "localhost"],
        ["--smtp-port", &port],
        ["--smtp-user", "chancery"],
        ["--smtp-password-file", &password],
        ["--smtp-from", "Chancery <chancery@kms.example.org>"],
        ["--public-origin", "https://kms.example.org"],
    ]
    .concat();
    let demo = Demo::start_made(folder.path(), &arguments);
    let listen = demo.address();
    let client = demo.client();
    let made = mailbox(&client, "releases", "releases@example.org");
    let refused = mailbox(&client, "nobody", "refused@example.org");
    let mut submitted = submit(&client, &demo, 20);
    wait_until("a failure is told", || client.notice_target(made.uuid).unwrap().deliveries.error.is_some());

    relay.listen();
    wait_until("the relay gets some", || relay.received().len() > 2);
    demo.server.kill();
    drop(demo);
    let demo = Demo::start_again(folder.path(), &listen, &arguments);
    let client = demo.client();
    submitted.extend(submit(&client, &demo, 20));
    wait_until("nothing waits", || client.notice_target(made.uuid).unwrap().deliveries.waiting == 0);

    let mut received = relay.received();
    received.retain(|_, mail| submitted.iter().any(|uuid| mail["text"].as_str().unwrap().contains(uuid)));
    assert_eq!(received.len(), submitted.len(), "none is missing, and each has one Message-ID");
    for (id, mail) in &received {
        let text = mail["text"].as_str().unwrap();
        assert_eq!((&mail["tls"], &mail["to"]), (&json!(true), &json!(["releases@example.org"])));
        assert_eq!(header(mail, "Subject"), "Chancery: Signing request waits for approvals");
        assert_eq!(header(mail, "From"), "Chancery <chancery@kms.example.org>");
        assert!(id.ends_with("@kms.example.org>"), "{id}");
        assert!(!text.contains("approve this"), "a submitter's words: {text}");
        assert!(text.contains("https://kms.example.org/#/approvals/request/"), "{text}");
    }

    // Who is refused holds up nobody, and it is told why.
    let state = || client.notice_target(refused.uuid).unwrap().deliveries;
    wait_until("the relay's reply", || state().error.is_some_and(|why| why.starts_with("SMTP 550 ")));
    let state = state();
    assert!(state.waiting > 0 && state.delivered == 0);
    let waiting =
        client.undelivered_notices(&UndeliveredQuery { target_uuid: Some(refused.uuid), ..Default::default() });
    assert!(
        waiting.unwrap().items.iter().any(|one| one.error.as_ref().is_some_and(|why| why.contains("nobody of that")))
    );
    let tested = client.test_notice_target(made.uuid, &Default::default()).unwrap();
    assert_eq!((tested.delivered, tested.status), (true, Some(250)), "{tested:?}");
    let tested = client.test_notice_target(refused.uuid, &Default::default()).unwrap();
    assert_eq!((tested.delivered, tested.status), (false, Some(550)), "{tested:?}");
}

#[test]
fn no_password_goes_to_a_relay_whose_certificate_is_not_trusted() {
    let folder = temp_dir();
    let mut relay = Relay { place: Receiver::new(folder.path()), log: folder.path().join("mails"), child: None };
    relay.listen();
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let (authority, port) = (Receiver::new(&other).authority.display().to_string(), relay.place.port.to_string());
    let arguments =
        ["--notice-ca", &authority, "--smtp-host", "localhost", "--smtp-port", &port, "--smtp-from", "a@b.example"];
    let demo = Demo::start_made(folder.path(), &arguments);
    let client = demo.client();
    let made = mailbox(&client, "releases", "releases@example.org");
    let mut tested = client.test_notice_target(made.uuid, &Default::default()).unwrap();
    wait_until("the relay listens", || {
        tested = client.test_notice_target(made.uuid, &Default::default()).unwrap();
        !tested.answer.contains("refused")
    });
    assert!(!tested.delivered && tested.status.is_none(), "{tested:?}");
    assert!(tested.answer.contains("certificate") || tested.answer.contains("UnknownIssuer"), "{tested:?}");
    assert!(relay.received().is_empty());
}

/// What came to an address.
fn mailed<'m>(received: &'m BTreeMap<String, Value>, to: &str) -> Vec<(&'m str, &'m str)> {
    let is_to = |mail: &&Value| mail["to"] == json!([to]);
    let of = received.iter().filter(|(_, mail)| is_to(mail));
    of.map(|(id, mail)| (id.as_str(), mail["text"].as_str().unwrap())).collect()
}

#[test]
fn a_person_confirms_its_mailbox_and_hears_of_what_it_can_decide() {
    let folder = temp_dir();
    let mut relay = Relay { place: Receiver::new(folder.path()), log: folder.path().join("mails"), child: None };
    relay.listen();
    let (authority, port) = (relay.place.authority.display().to_string(), relay.place.port.to_string());
    let password = folder.path().join("smtp-password");
    fs::write(&password, format!("{PASSWORD}\n")).unwrap();
    let password = password.display().to_string();
    let arguments = [
        ["--notice-ca", &authority],
        ["--smtp-host", "localhost"],
        ["--smtp-port", &port],
        ["--smtp-user", "chancery"],
        ["--smtp-password-file", &password],
        ["--smtp-from", "Chancery <chancery@kms.example.org>"],
        ["--public-origin", "https://kms.example.org"],
    ]
    .concat();
    let demo = Demo::start_made(folder.path(), &arguments);
    let listen = demo.address();
    let admins = demo.client();
    let approver = Client::new(demo.text("/base"), &fs::read(demo.text("/caFile")).unwrap()).unwrap();
    let _state = approver.log_in(demo.text("/approver/username"), demo.text("/approver/password")).unwrap();
    let id = approver.whoami().unwrap().identities[0].uuid;
    let set = |address: &str| serde_json::from_value(json!({"address": address})).unwrap();
    wait_until("the relay listens", || std::net::TcpStream::connect(("127.0.0.1", relay.place.port)).is_ok());
    approver.set_mailbox(id, &set("approver@example.org")).unwrap();
    let received = relay.received();
    let [(_, text)] = mailed(&received, "approver@example.org")[..] else { panic!("{received:?}") };
    assert!(!text.contains("http"), "nothing to click on: {text}");
    let code = text.lines().find_map(|line| line.strip_prefix("    ")).unwrap();
    let code = serde_json::from_value(json!({"code": code.trim()})).unwrap();
    assert!(approver.confirm_mailbox(id, &code).unwrap().enabled);

    let submitted = submit(&admins, &demo, 1).remove(0);
    let about = |received: &BTreeMap<String, Value>| -> Vec<(String, String)> {
        let all = mailed(received, "approver@example.org").into_iter().filter(|(_, text)| text.contains(&submitted));
        all.map(|(id, text)| (id.to_owned(), text.to_owned())).collect()
    };
    wait_until("it is told", || !about(&relay.received()).is_empty());
    demo.server.kill();
    drop(demo);
    let demo = Demo::start_again(folder.path(), &listen, &arguments);
    let approver = Client::new(demo.text("/base"), &fs::read(demo.text("/caFile")).unwrap()).unwrap();
    let _state = approver.log_in(demo.text("/approver/username"), demo.text("/approver/password")).unwrap();
    approver.approve(submitted.parse().unwrap(), &Default::default()).unwrap();
    wait_until("it is told of the end", || about(&relay.received()).len() == 2);
    let told = about(&relay.received());
    for (message, text) in &told {
        assert!(message.ends_with(&format!(".{id}@kms.example.org>")), "{message}");
        assert!(!text.contains("approve this") && text.contains("My mailbox"), "{text}");
    }
    assert!(told.iter().any(|(_, text)| text.contains("was approved and signed")), "{told:?}");
    let deliveries = approver.mailbox(id).unwrap().deliveries;
    assert_eq!((deliveries.failures, deliveries.given_up), (0, 0));
}
