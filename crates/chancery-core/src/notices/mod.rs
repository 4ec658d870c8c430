//! Notices: what waits for approvals, what was decided, what ends and what failed, told to targets elsewhere.
//!
//! A notice follows from the audit record of a change (`of_record.rs`) and is stored in its transaction, with one
//! delivery for each target that wants it. So no change forgets its notice, and none is told that did not happen. A task
//! delivers (`deliver.rs`): at least once, and by one node at a time. What comes twice has the same id. People's own
//! mailboxes are told by the same outbox, a moment later (`personal/`).

mod api_key_ends;
mod deliver;
mod follow;
mod mail;
mod overdue;
mod personal;
mod post;
mod shape;
mod stored_target;
mod targets;

/// Who hears of what happened.
pub struct Notices {
    context: Arc<Context>,
    identities: Arc<Identities>,
    approvals: Arc<Approvals>,
    state: NoticesState,
}

impl Notices {
    pub(crate) fn new(context: &Arc<Context>, approvals: &Arc<Approvals>) -> Self {
        Self {
            state: NoticesState::new(&context.limits),
            context: Arc::clone(context),
            identities: Arc::clone(&approvals.identities),
            approvals: Arc::clone(approvals),
        }
    }
}

impl AsRef<Context> for Notices {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}
#[cfg(test)]
mod tests;
mod tidy;
mod told;

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use chancery_store::tables;
use chancery_types::{NoticeObject, wire::notices::Notice};
use uuid::Uuid;

pub(crate) use self::deliver::DeliveringNotices;
use self::follow::Followers;
pub use self::follow::{NoticeEvent, NoticeEventId, NoticeFollower};
use crate::{
    Approvals, Context, Error, Identities, Limits, NoticeTransport, Result, Visitor, base::pool::Pool,
    context::record::Facts, time::rfc3339_ms,
};

/// Posts that run at a time. They wait for the network, not for a core.
const POSTS_MAX: usize = 32;

/// Mails that are handed to the relay at a time: each is a connection to it.
const MAILS_MAX: usize = 8;

/// How notices leave the server.
#[derive(Default)]
pub struct NoticeConfig {
    /// What posts them; without it nothing is delivered, and all waits for a server that does.
    pub transport: Option<Arc<dyn NoticeTransport>>,
    /// Where people reach the console, such as `https://kms.example.org`: notices then have the address of the object's
    /// page.
    pub console: Option<String>,
}

/// What notices need while the server runs.
pub(crate) struct NoticesState {
    pool: Pool,
    /// For mails: a slow relay holds up no webhooks.
    mails: Pool,
    /// When the log last told of a mailbox that takes nothing.
    mailboxes_told_of_ms: AtomicI64,
    /// Targets to which this node delivers just now.
    busy: Mutex<HashSet<Uuid>>,
    /// Who hears of notices as they happen.
    followers: Followers,
    counts: Counts,
}

/// What this server did since it started, and what waited when it last looked.
#[derive(Default)]
struct Counts {
    waiting: AtomicU64,
    delivered: AtomicU64,
    failed: AtomicU64,
    given_up: AtomicU64,
}

/// Figures for the metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeCounts {
    /// Deliveries that wait, as the last look found.
    pub waiting: u64,
    /// Deliveries that this server made.
    pub delivered: u64,
    /// Attempts of this server that failed.
    pub failed: u64,
    /// Deliveries that this server gave up.
    pub given_up: u64,
}

impl NoticesState {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            pool: Pool::with_slots(POSTS_MAX, limits),
            mails: Pool::with_slots(MAILS_MAX, limits),
            mailboxes_told_of_ms: AtomicI64::new(0),
            busy: Mutex::default(),
            followers: Followers::new(),
            counts: Counts::default(),
        }
    }

    /// Whether the log is to tell now that mailboxes take nothing: once a minute of all, as it is one relay that does not.
    fn tells_of_mailboxes(&self, now_ms: i64) -> bool {
        let told_at_ms = self.mailboxes_told_of_ms.load(Ordering::Relaxed);
        let is_time = now_ms.saturating_sub(told_at_ms) >= 60_000;
        if is_time {
            self.mailboxes_told_of_ms.store(now_ms, Ordering::Relaxed);
        }
        is_time
    }
}

/// A stored notice as the interface has it.
fn shown(console: Option<&str>, row: tables::notices::Row) -> Result<Notice> {
    let tables::notices::Row { seq, notice } = row;
    let Facts { state, approvals, not_after, days } = serde_json::from_str(&notice.detail).map_err(Error::internal)?;
    let object_kind = notice.object_kind.map(|kind| kind.parse::<NoticeObject>()).transpose();
    let object_kind = object_kind.map_err(Error::internal)?;
    let url = match (console, object_kind.and_then(page), notice.object) {
        (Some(console), Some(page), Some(object)) => Some(format!("{console}/#/{page}/{object}")),
        _ => None,
    };
    Ok(Notice {
        uuid: notice.id.into(),
        sequence: seq,
        time: rfc3339_ms(notice.at_ms),
        kind: notice.kind.parse().map_err(Error::internal)?,
        object_kind,
        object_uuid: notice.object.map(Into::into),
        service_uuid: notice.service_id.map(Into::into),
        state,
        approvals,
        not_after,
        days,
        url,
    })
}

/// The folder of the console's pages about objects of this kind; an API key has none of its own.
const fn page(kind: NoticeObject) -> Option<&'static str> {
    match kind {
        NoticeObject::SigningRequest => Some("approvals/request"),
        NoticeObject::Proposal => Some("approvals/proposal"),
        NoticeObject::Certificate => Some("certificates"),
        NoticeObject::Identity => Some("identities"),
        NoticeObject::TokenProfile => Some("tokenization/profile"),
        NoticeObject::SigningPolicy => Some("signing/policy"),
        NoticeObject::AuditTarget => Some("audit/targets"),
        NoticeObject::ApiKey => None,
    }
}

impl Notices {
    /// How many notices wait, were delivered, failed and were given up.
    #[must_use]
    pub fn notice_counts(&self, _visitor: &Visitor) -> NoticeCounts {
        let Counts { waiting, delivered, failed, given_up } = &self.state.counts;
        NoticeCounts {
            waiting: waiting.load(Ordering::Relaxed),
            delivered: delivered.load(Ordering::Relaxed),
            failed: failed.load(Ordering::Relaxed),
            given_up: given_up.load(Ordering::Relaxed),
        }
    }
}
