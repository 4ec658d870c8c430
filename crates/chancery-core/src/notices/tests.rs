//! Delivering, giving up, and telling of what waited too long.

use std::sync::{
    Arc,
    atomic::{AtomicU16, AtomicUsize, Ordering},
};

use chancery_store::tables::notice_targets;
use chancery_types::wire::{
    audit::AuditQuery,
    notices::{CreateNoticeTarget, NoticeTarget, UndeliveredQuery},
};
use serde_json::json;

use super::*;
use crate::{Caller, Chancery, Limits, Mail, Post, Posted, context::record::Draft, testing::Installation};

/// A receiver that answers what it is told to.
#[derive(Default)]
struct Receiver {
    status: AtomicU16,
    calls: AtomicUsize,
}

impl NoticeTransport for Receiver {
    fn post(&self, _: Post) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(Posted { status: self.status.load(Ordering::Relaxed), body: b"so it is".to_vec(), is_whole: true })
    }

    fn sends_mails(&self) -> bool {
        true
    }

    fn syslog(&self, _: crate::Syslog) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn append(&self, _: crate::Append) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }

    fn mail(&self, _: Mail) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(Posted { status: self.status.load(Ordering::Relaxed), body: b"2.0.0 queued".to_vec(), is_whole: true })
    }
}

async fn target(chancery: &Chancery, caller: &Caller, name: &str) -> NoticeTarget {
    let request =
        json!({"name": name, "webhook": {"url": "https://hooks.slack.com/services/T0/B0/x", "shape": "Slack"}});
    let request: CreateNoticeTarget = serde_json::from_value(request).unwrap();
    chancery.notices.create_notice_target(caller, request).await.unwrap()
}

/// Lets something happen, so many times.
async fn happen(chancery: &Chancery, times: usize) {
    for _ in 0..times {
        let at_ms = chancery.clock.now_ms();
        let written = chancery.storage.store().write(move |tx| {
            Box::pin(async move {
                let draft = Draft::of(chancery_types::Action::RowRefuse, chancery_types::ErrorCode::Success, "null")?;
                draft.expect("it is told").insert(tx, at_ms, None).await
            })
        });
        written.await.unwrap();
    }
}

async fn recorded(chancery: &Chancery, caller: &Caller, action: &str) -> Vec<serde_json::Value> {
    let query: AuditQuery = serde_json::from_value(json!({"action": action})).unwrap();
    let records = chancery.audit.audit_records(caller, query).await.unwrap();
    records.items.into_iter().map(|record| record.detail).collect()
}

#[tokio::test]
async fn a_target_that_is_down_is_tried_with_one_notice_until_it_takes_one() {
    let receiver = Arc::new(Receiver::default());
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, "chat").await;
    assert_eq!(made.webhook.as_ref().unwrap().url, "https://hooks.slack.com/…", "the rest is its secret");
    happen(chancery, 5).await;

    receiver.status.store(503, Ordering::Relaxed);
    assert!(!chancery.notices.deliver_some(made.uuid.into()).await.unwrap());
    assert_eq!(receiver.calls.swap(0, Ordering::Relaxed), 5);
    let deliveries = chancery.notices.notice_target(&caller, made.uuid).await.unwrap().deliveries;
    assert_eq!(
        (deliveries.waiting, deliveries.failures, deliveries.error.as_deref()),
        (5, 1, Some("HTTP 503 so it is"))
    );
    assert!(!chancery.notices.deliver_some(made.uuid.into()).await.unwrap(), "it is left alone");
    installation.clock.advance_ms(1_000);
    assert!(!chancery.notices.deliver_some(made.uuid.into()).await.unwrap());
    assert_eq!(receiver.calls.swap(0, Ordering::Relaxed), 1, "one is tried");

    receiver.status.store(200, Ordering::Relaxed);
    installation.clock.advance_ms(120_000);
    assert!(chancery.notices.deliver_some(made.uuid.into()).await.unwrap());
    assert!(chancery.notices.deliver_some(made.uuid.into()).await.unwrap());
    let deliveries = chancery.notices.notice_target(&caller, made.uuid).await.unwrap().deliveries;
    assert_eq!((deliveries.waiting, deliveries.delivered, deliveries.failures), (0, 5, 0));
    let undelivered = chancery.notices.undelivered_notices(&caller, UndeliveredQuery::default()).await.unwrap();
    assert_eq!(undelivered.total, 0);
}

#[tokio::test]
async fn a_clock_that_was_ahead_gives_nothing_up() {
    let installation = Installation::with_notices(Arc::new(Receiver::default()), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, "chat").await;
    happen(chancery, 5).await;
    chancery.look_at_clock().await.unwrap();
    const AHEAD_MS: i64 = 400 * 24 * 3_600_000;
    installation.clock.advance_ms(AHEAD_MS);
    chancery.look_at_clock().await.unwrap();
    chancery.notices.tidy_notices().await.unwrap();
    installation.clock.advance_ms(-AHEAD_MS);
    let deliveries = chancery.notices.notice_target(&caller, made.uuid).await.unwrap().deliveries;
    // The sixth tells of the jump.
    assert_eq!((deliveries.waiting, deliveries.given_up), (6, 0));
    let told = chancery.notices.notices(&caller, Default::default()).await.unwrap();
    assert!(told.items.iter().any(|notice| notice.kind == chancery_types::NoticeKind::ClockJumped), "{told:?}");
}

#[tokio::test]
async fn what_is_too_old_or_too_much_is_given_up_and_told() {
    let mut limits = Limits::default();
    limits.notices.waiting_max = 3;
    let installation = Installation::with_notices(Arc::new(Receiver::default()), limits).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, "chat").await;
    happen(chancery, 5).await;
    chancery.notices.tidy_notices().await.unwrap();
    assert_eq!(chancery.notices.notice_target(&caller, made.uuid).await.unwrap().deliveries.waiting, 3);
    assert_eq!(
        recorded(chancery, &caller, "NoticeGiveUp").await,
        [json!({"name": "chat", "count": 2, "why": "number"})]
    );
    installation.clock.advance_ms(3 * 24 * 3_600_000 + 1);
    chancery.notices.tidy_notices().await.unwrap();
    // The session has ended meanwhile.
    let caller = installation.administrators().await;
    let deliveries = chancery.notices.notice_target(&caller, made.uuid).await.unwrap().deliveries;
    assert_eq!((deliveries.waiting, deliveries.given_up), (0, 5));
    assert_eq!(recorded(chancery, &caller, "NoticeGiveUp").await[0], json!({"name": "chat", "count": 3, "why": "age"}));
}

#[tokio::test]
async fn a_target_hears_of_what_it_chose_while_it_is_enabled() {
    let installation = Installation::with_notices(Arc::new(Receiver::default()), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, "chat").await;
    let waiting = async || chancery.notices.notice_target(&caller, made.uuid).await.unwrap().deliveries.waiting;
    for (patch, expected) in [
        (json!({"kinds": ["Waiting"]}), 0),
        (json!({"kinds": ["Waiting", "RowRefused"]}), 1),
        (json!({"enabled": false}), 1),
        (json!({"enabled": true, "kinds": []}), 2),
    ] {
        let patch = serde_json::from_value(patch).unwrap();
        chancery.notices.change_notice_target(&caller, made.uuid, patch).await.unwrap();
        happen(chancery, 1).await;
        assert_eq!(waiting().await, expected);
    }
    let read =
        chancery.storage.store().read(|tx| Box::pin(async move { Ok::<_, Error>(notice_targets::all(tx).await?) }));
    let row = read.await.unwrap().remove(0);
    let sealed = String::from_utf8_lossy(row.secret.as_deref().unwrap()).into_owned();
    assert!(!row.content.contains("T0/B0") && !sealed.contains("T0/B0"), "the address is sealed");
}

#[tokio::test]
async fn many_go_in_one_turn_and_what_a_relay_refuses_waits() {
    let receiver = Arc::new(Receiver::default());
    receiver.status.store(200, Ordering::Relaxed);
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, "chat").await;
    happen(chancery, 100).await;
    assert!(chancery.notices.deliver_some(made.uuid.into()).await.unwrap());
    let deliveries = chancery.notices.notice_target(&caller, made.uuid).await.unwrap().deliveries;
    assert_eq!((deliveries.waiting, deliveries.delivered), (0, 100));

    let mailbox = json!({"name": "people", "email": {"address": "people@example.org"}});
    let mailbox: CreateNoticeTarget = serde_json::from_value(mailbox).unwrap();
    let mailbox = chancery.notices.create_notice_target(&caller, mailbox).await.unwrap();
    happen(chancery, 3).await;
    receiver.calls.store(0, Ordering::Relaxed);
    receiver.status.store(550, Ordering::Relaxed);
    assert!(!chancery.notices.deliver_some(mailbox.uuid.into()).await.unwrap());
    let deliveries = chancery.notices.notice_target(&caller, mailbox.uuid).await.unwrap().deliveries;
    assert_eq!((deliveries.waiting, deliveries.error.as_deref()), (3, Some("SMTP 550 2.0.0 queued")));
}
