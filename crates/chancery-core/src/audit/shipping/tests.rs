//! Cursor, order, back-off, alarm and window, against a receiver that does what it is told to.

mod again;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU16, Ordering},
};

use chancery_types::{
    AuditTargetId,
    wire::{
        audit::AuditQuery,
        audit_archives::ArchiveQuery,
        audit_targets::{AuditTarget, CreateAuditTarget},
        system::{AuditRetention, PatchSettings},
    },
};
use serde_json::{Value, json};

use crate::{Append, Caller, Chancery, Limits, Mail, NoticeTransport, Post, Posted, Syslog, testing::Installation};

type Refused = Box<dyn std::error::Error + Send + Sync>;

/// Answers this status, and keeps what it took.
struct Receiver {
    status: AtomicU16,
    answer: Mutex<Vec<u8>>,
    posts: Mutex<Vec<Value>>,
    appended: Mutex<Vec<Append>>,
    /// A message of syslog with this in it is never taken, nor what is sent with it.
    never: Mutex<Option<String>>,
}

impl Receiver {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            status: AtomicU16::new(200),
            answer: Mutex::default(),
            posts: Mutex::default(),
            appended: Mutex::default(),
            never: Mutex::default(),
        })
    }

    /// The sequences that came since this was asked, in their order.
    fn sequences(&self) -> Vec<u64> {
        let posts = std::mem::take(&mut *self.posts.lock().unwrap());
        let items = posts.iter().flat_map(|post| post["items"].as_array().unwrap());
        items.filter_map(|item| item["sequence"].as_u64()).collect()
    }

    fn answer(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }
}

impl NoticeTransport for Receiver {
    fn post(&self, post: Post) -> Result<Posted, Refused> {
        let status = self.status.load(Ordering::Relaxed);
        if status == 200 {
            self.posts.lock().unwrap().push(serde_json::from_slice(&post.body).unwrap());
        }
        Ok(Posted { status, body: self.answer.lock().unwrap().clone(), is_whole: true })
    }

    fn sends_mails(&self) -> bool {
        false
    }

    fn mail(&self, _: Mail) -> Result<Posted, Refused> {
        Err("no mails".into())
    }

    fn syslog(&self, syslog: Syslog) -> Result<(), Refused> {
        let never = self.never.lock().unwrap().clone();
        if never.is_some_and(|never| syslog.messages.iter().any(|message| message.contains(&never))) {
            return Err("too long".into());
        }
        if self.status.load(Ordering::Relaxed) == 200 { Ok(()) } else { Err("connection refused".into()) }
    }

    fn append(&self, append: Append) -> Result<(), Refused> {
        self.appended.lock().unwrap().push(append);
        Ok(())
    }
}

async fn target(chancery: &Chancery, caller: &Caller, of: Value) -> AuditTarget {
    let mut body = json!({"name": "archive", "firstSequence": 0});
    body.as_object_mut().unwrap().extend(of.as_object().unwrap().clone());
    let request: CreateAuditTarget = serde_json::from_value(body).unwrap();
    chancery.audit.create_audit_target(caller, request).await.unwrap()
}

fn webhook() -> Value {
    json!({"webhook": {"url": "https://logs.example.org/"}, "secret": chancery_types::Base64::encode(&[7; 32])})
}

/// Lets something be recorded, so many times, and makes leaves of it; how many leaves there are.
async fn record(chancery: &Chancery, times: usize) -> u64 {
    for _ in 0..times {
        let event = crate::Event::new(chancery_types::Action::Backup);
        let host = crate::Host::running("test");
        chancery.commit(&host, event, |_| Box::pin(async { Ok(()) })).await.unwrap();
    }
    chancery.audit.sequence_ledger().await.unwrap();
    let read = chancery.storage.store().read(|tx| {
        Box::pin(async move { Ok::<_, crate::Error>(chancery_store::tables::audit_ledger::leaves(tx).await?) })
    });
    u64::try_from(read.await.unwrap()).unwrap()
}

/// That a target which failed and has caught up works again is told once, after some time, though nothing is new.
async fn works_again(installation: &Installation, id: AuditTargetId) {
    let chancery = &installation.chancery;
    assert!(chancery.audit.targets_behind().await.unwrap().is_empty(), "it has everything");
    installation.clock.advance_ms(600_000);
    assert_eq!(chancery.audit.targets_behind().await.unwrap(), [uuid::Uuid::from(id)]);
    chancery.audit.ship_some(id.into()).await.unwrap();
    assert!(chancery.audit.targets_behind().await.unwrap().is_empty(), "it has shown that it works");
    let caller = installation.administrators().await;
    let shipping = chancery.audit.audit_target(&caller, id).await.unwrap().shipping;
    assert_eq!((shipping.behind, shipping.failures, shipping.failing), (0, 0, false), "{shipping:?}");
    assert_eq!(told(chancery, &caller, "AuditTargetResume").await.len(), 1);
}

async fn told(chancery: &Chancery, caller: &Caller, action: &str) -> Vec<Value> {
    let query: AuditQuery = serde_json::from_value(json!({"action": action})).unwrap();
    let records = chancery.audit.audit_records(caller, query).await.unwrap();
    records.items.into_iter().map(|record| record.detail).collect()
}

#[tokio::test]
async fn a_target_gets_all_leaves_in_their_order_and_no_more() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, webhook()).await;
    let leaves = record(chancery, 450).await;
    assert_eq!(chancery.audit.targets_behind().await.unwrap(), [uuid::Uuid::from(made.uuid)]);
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    assert_eq!(receiver.sequences(), (0..leaves).collect::<Vec<_>>());
    assert!(chancery.audit.targets_behind().await.unwrap().is_empty());
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert_eq!((shipping.next_sequence, shipping.shipped, shipping.failures), (leaves, leaves, 0));
    let more = record(chancery, 1).await;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    assert_eq!(receiver.sequences(), (leaves..more).collect::<Vec<_>>());
}

/// What is in an archive, what stayed at hand, and what is at hand, in one order; what was removed cannot be had any more.
#[tokio::test]
async fn a_target_gets_archived_leaves_in_their_order_too() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let profile = crate::testing::profile(chancery, &caller, "cards").await;
    record(chancery, 150).await;
    chancery.tokens.delete_token_profile(&caller, profile).await.unwrap();
    record(chancery, 150).await;
    let retention = AuditRetention { at_hand_days: Some(90), keep_days: Some(100), beyond_authorities_days: None };
    let patch = PatchSettings { audit_retention: Some(retention), ..PatchSettings::default() };
    chancery.change_settings(&caller, patch).await.unwrap();
    let old = record(chancery, 1).await;
    installation.clock.advance_ms(92 * 86_400_000);
    chancery.audit.keep_archives().await.unwrap();
    let caller = installation.administrators().await;
    assert_eq!(
        chancery.audit.audit_archives(&caller, ArchiveQuery::default()).await.unwrap().items[0].leaves as u64,
        old
    );
    let made = target(chancery, &caller, webhook()).await;
    let leaves = record(chancery, 10).await;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    assert_eq!(receiver.sequences(), (0..leaves).collect::<Vec<_>>());
    // One that has not got them holds up their removal.
    let slow = target(
        chancery,
        &caller,
        json!({"name": "slow", "webhook": webhook()["webhook"], "secret": webhook()["secret"]}),
    )
    .await;
    installation.clock.advance_ms(10 * 86_400_000);
    let host = crate::Host::running("test");
    let kept = chancery.audit.keep_archives_now(&host).await.unwrap();
    assert_eq!((kept.made, kept.removed, kept.waits_for), (0, 0, vec!["slow".to_owned()]));
    // Also one that is switched off.
    let patch = serde_json::from_value(json!({"enabled": false})).unwrap();
    let caller = installation.administrators().await;
    chancery.audit.change_audit_target(&caller, slow.uuid, patch).await.unwrap();
    assert_eq!(chancery.audit.keep_archives_now(&host).await.unwrap().waits_for, ["slow"]);
    let caller = installation.administrators().await;
    chancery.audit.delete_audit_target(&caller, slow.uuid).await.unwrap();
    chancery.audit.delete_audit_target(&caller, made.uuid).await.unwrap();
    let kept = chancery.audit.keep_archives_now(&host).await.unwrap();
    assert_eq!((kept.made, kept.removed, kept.waits_for), (0, 1, vec![]));
    let late = target(chancery, &caller, webhook()).await;
    let leaves = record(chancery, 1).await;
    while chancery.audit.ship_some(late.uuid.into()).await.unwrap() {}
    assert_eq!(receiver.sequences(), (old..leaves).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_target_that_fails_is_told_of_once_and_catches_up() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, webhook()).await;
    record(chancery, 10).await;
    receiver.answer(503);
    let begun_ms = installation.clock.now_ms();
    for failures in 1..=5 {
        assert!(!chancery.audit.ship_some(made.uuid.into()).await.unwrap());
        let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
        assert_eq!((shipping.failures, shipping.failing), (failures, failures >= 3));
        assert_eq!(shipping.error.as_deref(), Some("HTTP 503"));
        assert!(chancery.audit.targets_behind().await.unwrap().is_empty(), "it is left alone");
        if failures == 3 {
            assert!(installation.clock.now_ms() - begun_ms < 60_000);
        }
        installation.clock.advance_ms(2_000 << failures);
    }
    let failed = told(chancery, &caller, "AuditTargetFail").await;
    assert_eq!((failed.len(), &failed[0]["name"], &failed[0]["error"]), (1, &json!("archive"), &json!("HTTP 503")));
    assert_eq!(chancery.audit.shipping.counts.failing.load(Ordering::Relaxed), 1);

    receiver.answer(200);
    installation.clock.advance_ms(60_000);
    let leaves = record(chancery, 5).await;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    assert_eq!(receiver.sequences(), (0..leaves).collect::<Vec<_>>());
    assert_eq!(told(chancery, &caller, "AuditTargetResume").await.len(), 0, "it might fail again");
    works_again(&installation, made.uuid).await;
    assert_eq!(chancery.audit.shipping.counts.failing.load(Ordering::Relaxed), 0);
    assert_eq!(told(chancery, &caller, "AuditTargetFail").await.len(), 1);
}

#[tokio::test]
async fn what_a_collector_rejects_is_a_failure() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, json!({"otlp": {"url": "https://logs.example.org/v1/logs"}})).await;
    record(chancery, 1).await;
    *receiver.answer.lock().unwrap() =
        br#"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}"#.to_vec();
    chancery.audit.ship_some(made.uuid.into()).await.unwrap();
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert_eq!((shipping.next_sequence, shipping.failures), (0, 1));
    assert_eq!(shipping.error.as_deref(), Some("HTTP 200 1 records were rejected: too old"));
}

/// What goes into the log, into records, and so to every other target.
#[tokio::test]
async fn what_is_kept_of_an_answer_has_no_secret() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let (token, query) = ("t0ken/of+a~collector==", "https://logs.example.org/v1/logs?api_key=0123456789abcdef");
    let secret = chancery_types::Base64::encode(token.as_bytes());
    let made = target(chancery, &caller, json!({"otlp": {"url": query}, "secret": secret})).await;
    record(chancery, 1).await;
    receiver.answer(401);
    let answer = format!("no such token: Bearer {token} ({secret}), key 0123456789abcdef");
    *receiver.answer.lock().unwrap() = answer.into_bytes();
    for _ in 0..3 {
        chancery.audit.ship_some(made.uuid.into()).await.unwrap();
        installation.clock.advance_ms(60_000);
    }
    let kept = "HTTP 401 no such token: Bearer … (…==), key …";
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert_eq!(shipping.error.as_deref(), Some(kept));
    assert_eq!(told(chancery, &caller, "AuditTargetFail").await[0]["error"], json!(kept));
    let made = chancery.audit.test_audit_target(&caller, made.uuid).await.unwrap();
    assert_eq!(format!("HTTP 401 {}", made.answer), kept);
}

#[tokio::test]
async fn records_have_no_query_of_an_address() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let url = |key: &str| json!({"url": format!("https://logs.example.org:8443/v1?api_key={key}")});
    let made = target(chancery, &caller, json!({"otlp": url("one")})).await;
    assert_eq!(made.otlp.unwrap().url, "https://logs.example.org:8443/v1?api_key=one");
    let patch = serde_json::from_value(json!({"otlp": url("two")})).unwrap();
    chancery.audit.change_audit_target(&caller, made.uuid, patch).await.unwrap();
    chancery.audit.delete_audit_target(&caller, made.uuid).await.unwrap();
    let shown = "https://logs.example.org:8443/v1?…";
    let told = async |action: &str| told(chancery, &caller, action).await.remove(0);
    assert_eq!(told("AuditTargetCreate").await["receiver"]["otlp"]["url"], shown);
    let change = json!([{"member": "/otlp/url", "before": shown, "after": format!("{shown} (another)")}]);
    assert_eq!(told("AuditTargetChange").await["changes"], change);
    let gone = told("AuditTargetDelete").await.to_string();
    assert!(gone.contains(shown) && !gone.contains("api_key"), "{gone}");
}

#[tokio::test]
async fn a_file_gets_each_record_on_a_line_and_belongs_to_one_target() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, json!({"file": {"name": "siem"}})).await;
    let leaves = record(chancery, 250).await;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    let appended = std::mem::take(&mut *receiver.appended.lock().unwrap());
    assert!(appended.len() > 1 && appended.iter().all(|append| append.name == "siem" && append.lines.ends_with(b"\n")));
    let text = String::from_utf8(appended.into_iter().flat_map(|append| append.lines).collect()).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sequences: Vec<_> = lines.iter().filter_map(|line| line["sequence"].as_u64()).collect();
    assert_eq!(sequences, (0..leaves).collect::<Vec<_>>());
    assert!(lines.last().unwrap()["checkpoint"].is_string(), "{lines:?}");

    let of = |name: &str, body: Value| {
        let mut whole = json!({"name": name});
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        serde_json::from_value::<CreateAuditTarget>(whole).unwrap()
    };
    for (body, field) in [
        (json!({"file": {"name": "SIEM"}}), "/file/name"),
        (json!({"file": {"name": ""}}), "/file/name"),
        (json!({"file": {"name": "../siem"}}), "/file/name"),
        (json!({"file": {"name": "a.jsonl"}}), "/file/name"),
        (json!({"file": {"name": "-rf"}}), "/file/name"),
        (json!({"file": {"name": "a".repeat(65)}}), "/file/name"),
        (json!({"file": {"name": "b"}, "secret": "c2VjcmV0"}), "/secret"),
        (json!({"file": {"name": "b"}, "otlp": {"url": "https://logs.example.org/"}}), "/file"),
        (json!({}), "/webhook"),
    ] {
        let refused = chancery.audit.create_audit_target(&caller, of("other", body.clone())).await.unwrap_err();
        assert_eq!(refused.field(), Some(field), "{body}");
    }
    let other = chancery.audit.create_audit_target(&caller, of("other", json!({"file": {"name": "b"}}))).await.unwrap();
    let patch = |name: &str| serde_json::from_value(json!({"file": {"name": name}})).unwrap();
    let refused = chancery.audit.change_audit_target(&caller, other.uuid, patch("siem")).await.unwrap_err();
    assert_eq!(refused.field(), Some("/file/name"));
    let changed = chancery.audit.change_audit_target(&caller, other.uuid, patch("B")).await.unwrap();
    assert_eq!(changed.file.unwrap().name, "B");
    let kind = serde_json::from_value(json!({"syslog": {"host": "logs.example.org"}})).unwrap();
    let refused = chancery.audit.change_audit_target(&caller, other.uuid, kind).await.unwrap_err();
    assert_eq!(refused.field(), Some("/syslog"));
}

/// Two nodes and the lease of one that is gone.
async fn one_node_at_a_time_ships(installation: Installation) {
    let (one, caller) = (&installation.chancery, installation.administrators().await);
    let other = installation.other_node().await;
    let made = target(one, &caller, webhook()).await;
    record(one, 3).await;
    let taken = one.audit.take_target(made.uuid.into()).await.unwrap();
    assert!(taken.is_some() && other.audit.take_target(made.uuid.into()).await.unwrap().is_none());
    assert!(other.audit.targets_behind().await.unwrap().is_empty());
    installation.clock.advance_ms(60_000);
    assert_eq!(other.audit.targets_behind().await.unwrap(), [uuid::Uuid::from(made.uuid)]);
    assert!(other.audit.take_target(made.uuid.into()).await.unwrap().is_some());
}

#[tokio::test]
async fn one_node_at_a_time_ships_on_sqlite() {
    one_node_at_a_time_ships(Installation::new().await).await;
}

#[tokio::test]
async fn one_node_at_a_time_ships_on_postgresql() {
    one_node_at_a_time_ships(Installation::on_postgres().await).await;
}
