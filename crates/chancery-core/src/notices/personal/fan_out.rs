//! Giving notices to people's own mailboxes, after the change: one node at a time, some mailboxes in a transaction, each
//! notice once.
//!
//! A notice's row in `fan_outs` was committed with it, and says up to which identity its mailboxes were told. The
//! deliveries are added, and the row moved on, in one transaction: a node that is killed leaves nothing half done, and there
//! is nothing to look back for, as a notice that is committed late brings its row with it.

use std::{sync::Arc, time::Duration};

use chancery_store::{Tx, tables};
use chancery_types::{Action, ErrorCode};
use serde_json::json;
use uuid::Uuid;

use super::{
    QUEUE, StoredMailbox,
    concern::{Rules, Subject},
};
use crate::{
    Error, Event, Notices, Result,
    context::{
        background::Recurring as _,
        record::{Actor, Entry},
    },
    identity::Directory,
    notices::DeliveringNotices,
};

/// How often it is looked for notices.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Mailboxes that are told in one transaction: whoever sets one waits for it.
const TOGETHER: u32 = 200;

/// What a round needs to know.
struct Round {
    node: Uuid,
    directory: Arc<Directory>,
    rules: Rules,
    now_ms: i64,
    waiting_max: u32,
}

impl Notices {
    /// Looks twice a second, until the last user of this Chancery is gone.
    pub(in crate::notices) fn tell_persons_in_turn(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "telling people's own mailboxes", |notices| Box::pin(notices.tell_persons()));
    }

    /// Adds a delivery of each notice for every mailbox that it is for.
    pub(crate) async fn tell_persons(&self) -> Result<()> {
        while self.tell_some().await? {}
        Ok(())
    }

    /// Tells some; whether there may be more.
    pub(super) async fn tell_some(&self) -> Result<bool> {
        // Who may not know any more what somebody may tells nobody; another node does, or this one later.
        if !self.context.knows_who_may() {
            return Ok(false);
        }
        let task = DeliveringNotices(());
        let first = self
            .context
            .storage
            .read(&task, |tx| Box::pin(async move { Ok::<_, Error>(tables::fan_outs::first(tx).await?) }));
        if first.await?.is_none() {
            return Ok(false);
        }
        let round = Round {
            node: self.context.node,
            directory: self.identities.state.directory.load_full(),
            rules: self.rules_of_concern(),
            now_ms: self.context.clock.now_ms(),
            waiting_max: self.context.limits.notices.mailbox_waiting_max,
        };
        self.context.storage.background(&task, move |tx| Box::pin(async move { round.tell(tx).await })).await
    }
}

impl Round {
    async fn tell(self, tx: &mut Tx) -> Result<bool> {
        tables::turns::take(tx, tables::mailboxes::TURN).await?;
        let Some(row) = tables::fan_outs::first(tx).await? else { return Ok(false) };
        let after = row.reached.unwrap_or(Uuid::nil());
        let tables::mailboxes::Told { rows, reached } = tables::mailboxes::told_after(tx, after, TOGETHER).await?;
        if rows.is_empty() && reached.is_none() && row.reached.is_none() {
            // Nobody has a mailbox that is told anything: all that is there by now is done.
            return Ok(tables::fan_outs::done_first(tx, TOGETHER).await? == u64::from(TOGETHER));
        }
        let notice = tables::notices::by_seq(tx, row.notice).await?.map(|row| row.notice);
        if let Some(notice) = notice.filter(|_| !rows.is_empty())
            && let Some(subject) = Subject::read(tx, notice.clone(), self.rules).await?
        {
            let mut told = Vec::new();
            for row in rows {
                let mailbox = StoredMailbox::from_row(row)?;
                let is_asked = mailbox.was_there_at(notice.at_ms, self.now_ms) && mailbox.wants(&notice);
                if is_asked && subject.is_for(&self.directory, mailbox.identity()) {
                    told.push(mailbox.identity().into());
                }
            }
            self.give_up_beyond(tx, &told).await?;
            tables::deliveries::add_all(tx, QUEUE, &told, row.notice, self.now_ms).await?;
        }
        match reached {
            Some(reached) => tables::fan_outs::reach(tx, row.notice, reached).await?,
            None => tables::fan_outs::done(tx, row.notice).await?,
        }
        Ok(true)
    }

    /// Makes room for one delivery more to each of these, with one record for all.
    async fn give_up_beyond(&self, tx: &mut Tx, told: &[Uuid]) -> Result<()> {
        let (mut count, mut mailboxes) = (0, 0);
        for one in tables::deliveries::waiting_for(tx, told).await? {
            let beyond = one.waiting.saturating_add(1).saturating_sub(i64::from(self.waiting_max));
            if let Some(beyond) = u32::try_from(beyond).ok().filter(|beyond| *beyond > 0) {
                count += tables::deliveries::give_up_oldest(tx, one.target, beyond).await?;
                mailboxes += 1;
            }
        }
        if count > 0 {
            record_given_up(tx, self.node, (count, mailboxes), "number", self.now_ms).await?;
        }
        Ok(())
    }
}

/// Records that so many notices to so many mailboxes were given up: one record for all, however many people there are.
pub(in crate::notices) async fn record_given_up(
    tx: &mut Tx,
    node: Uuid,
    (count, mailboxes): (u64, u64),
    why: &str,
    now_ms: i64,
) -> Result<()> {
    let event = Event::new(Action::NoticeGiveUp).detail(json!({"mailboxes": mailboxes, "count": count, "why": why}));
    let actor = Actor::of_task(node, &DeliveringNotices(()));
    Entry::new(now_ms, &actor, event, ErrorCode::Success)?.append(tx).await
}
