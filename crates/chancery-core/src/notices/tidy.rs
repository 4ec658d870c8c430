//! What was not delivered for too long, or is too much, is given up, and told; old notices are removed.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use chancery_store::{Tx, tables};
use chancery_types::{Action, ErrorCode};
use serde_json::json;
use uuid::Uuid;

use super::{deliver::DeliveringNotices, personal};
use crate::{
    Error, Event, Notices, Result,
    base::clock::ms,
    context::{
        background::Recurring as _,
        record::{Actor, Entry},
    },
};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Rows removed in one transaction: others wait for it.
const TOGETHER: u32 = 500;

/// What one look at a target found.
struct Found {
    gone: u64,
    waiting: u64,
    more: bool,
}

impl Notices {
    /// Looks every half minute, until the last user of this Chancery is gone.
    pub(super) fn tidy_notices_in_turn(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "tidying notices", |notices| Box::pin(notices.tidy_notices()));
    }

    pub(crate) async fn tidy_notices(&self) -> Result<()> {
        let targets = self.context.storage.read(&DeliveringNotices(()), |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::notice_targets::all(tx).await?) })
        });
        let mut waiting = 0;
        for target in targets.await? {
            let (node, id, name) = (self.context.node, target.id, target.name);
            loop {
                let (name, waiting_max, now_ms) =
                    (name.clone(), self.context.limits.notices.waiting_max, self.context.clock.now_ms());
                let old_ms = self.too_old_ms();
                let found = self.context.storage.background(&DeliveringNotices(()), move |tx| {
                    Box::pin(async move { give_up(tx, node, id, &name, waiting_max, old_ms, now_ms).await })
                });
                let Found { gone, waiting: left, more } = found.await?;
                self.state.counts.given_up.fetch_add(gone, Ordering::Relaxed);
                if !more {
                    waiting += left;
                    break;
                }
            }
        }
        waiting += self.tidy_mailboxes().await?;
        self.state.counts.waiting.store(waiting, Ordering::Relaxed);
        if !self.context.is_steady(self.context.limits.notices.kept) {
            return Ok(());
        }
        let before_ms = self.context.clock.now_ms().saturating_sub(ms(self.context.limits.notices.kept));
        loop {
            let pruned = self.context.storage.background(&DeliveringNotices(()), move |tx| {
                Box::pin(async move { Ok::<_, Error>(tables::notices::prune(tx, before_ms, TOGETHER).await?) })
            });
            if pruned.await? < u64::from(TOGETHER) {
                return Ok(());
            }
        }
    }
}

impl Notices {
    /// What waits since before this time is given up; none while the clock cannot be believed.
    fn too_old_ms(&self) -> Option<i64> {
        let notices = &self.context.limits.notices;
        // A notice is kept for longer than it is tried.
        let age = notices.age_max.min(notices.kept / 2);
        self.context.is_steady(age).then(|| self.context.clock.now_ms().saturating_sub(ms(age)))
    }

    /// Gives up what people's own mailboxes did not take for too long; how much is left for all of them.
    async fn tidy_mailboxes(&self) -> Result<u64> {
        while let Some(before_ms) = self.too_old_ms() {
            let (node, now_ms) = (self.context.node, self.context.clock.now_ms());
            let gone = self.context.storage.background(&DeliveringNotices(()), move |tx| {
                Box::pin(async move { give_up_old_mails(tx, node, before_ms, now_ms).await })
            });
            let gone = gone.await?;
            self.state.counts.given_up.fetch_add(gone, Ordering::Relaxed);
            if gone < u64::from(TOGETHER) {
                break;
            }
        }
        let left = self.context.storage.read(&DeliveringNotices(()), |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::deliveries::waiting_in(tx, personal::QUEUE).await?) })
        });
        Ok(u64::try_from(left.await?).unwrap_or(0))
    }
}

async fn give_up_old_mails(tx: &mut Tx, node: Uuid, before_ms: i64, now_ms: i64) -> Result<u64> {
    tables::turns::take(tx, "notices").await?;
    let gone = tables::deliveries::give_up_old_of_queue(tx, personal::QUEUE, before_ms, TOGETHER).await?;
    let (count, mailboxes) = (gone.values().sum(), gone.len() as u64);
    if count > 0 {
        personal::record_given_up(tx, node, (count, mailboxes), "age", now_ms).await?;
    }
    Ok(count)
}

/// Gives up some of what is too old, or else of what is too much, with a record of it.
async fn give_up(
    tx: &mut Tx,
    node: Uuid,
    target: Uuid,
    name: &str,
    waiting_max: u32,
    old_ms: Option<i64>,
    now_ms: i64,
) -> Result<Found> {
    tables::turns::take(tx, "notices").await?;
    let mut why = "age";
    let mut gone = match old_ms {
        Some(before_ms) => tables::deliveries::give_up_old(tx, target, before_ms, TOGETHER).await?,
        None => 0,
    };
    let left = |waiting: i64| u64::try_from(waiting).unwrap_or(0);
    let mut waiting = left(tables::deliveries::waiting(tx, target).await?);
    let beyond = waiting.saturating_sub(u64::from(waiting_max));
    if gone == 0 && beyond > 0 {
        why = "number";
        let beyond = u32::try_from(beyond).unwrap_or(u32::MAX).min(TOGETHER);
        gone = tables::deliveries::give_up_oldest(tx, target, beyond).await?;
        waiting = waiting.saturating_sub(gone);
    }
    if gone > 0 {
        let event =
            Event::new(Action::NoticeGiveUp).on(target).detail(json!({"name": name, "count": gone, "why": why}));
        let actor = Actor::of_task(node, &DeliveringNotices(()));
        Entry::new(now_ms, &actor, event, ErrorCode::Success)?.append(tx).await?;
    }
    Ok(Found { gone, waiting, more: gone > 0 })
}
