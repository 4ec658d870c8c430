//! Delivering what waits, target by target.
//!
//! A node takes a target's lease and some of what is due, posts it, and writes down what came of it. What it could not
//! write down, because it was killed or the store was away, is due again when the lease has ended: so a target may get a
//! notice twice, and never none. After a failure a target is tried with one notice at a time, ever more seldom, until it
//! takes one. So a target that is down costs little, and one notice that it never takes holds up no others.

use std::{
    sync::{Arc, PoisonError, Weak, atomic::Ordering},
    time::{Duration, Instant},
};

use chancery_store::tables::{
    self,
    deliveries::{Failed, Row, Settled, State},
};
use chancery_types::Action;
use futures::{StreamExt as _, future, stream};
use tokio::time;
use tracing::{error, warn};
use uuid::Uuid;

use super::{personal::StoredMailbox, stored_target::StoredTarget};
use crate::{
    Error, Host, Notices, Result,
    base::clock::ms,
    context::{
        background::Recurring as _,
        record::QUEUE,
        storage::{Background, Evidence, MayRead, Recording},
    },
    outbound::{Attempt, delay_ms, jitter},
};

/// How often it is looked what is due.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Within which time of a turn notices are begun: with the longest wait of each a turn ends within its lease. The others of
/// the turn stay due.
const BEGUN_WITHIN: Duration = Duration::from_secs(10);

/// How fast notices are sent.
#[derive(Clone, Copy)]
struct Pace {
    /// Notices of one turn: each turn is two transactions.
    together: u32,
    /// How many of them are sent at a time.
    at_once: usize,
    /// Waits that one may take.
    steps: i64,
}

const WEBHOOKS: Pace = Pace { together: 256, at_once: 16, steps: 1 };

/// A mail takes an answer to each of its commands, and a connection of its own to the relay.
const MAILS: Pace = Pace { together: 64, at_once: 2, steps: 6 };

/// Delivers notices. Made only in this module.
pub(crate) struct DeliveringNotices(pub(super) ());

impl Evidence for DeliveringNotices {}
impl MayRead for DeliveringNotices {}
impl Background for DeliveringNotices {}
impl Recording for DeliveringNotices {
    const NAME: &'static str = "notices";
    const ACTIONS: &'static [Action] = &[Action::NoticeGiveUp];
}

/// To whom something is delivered.
enum Receiver {
    Target(StoredTarget),
    Person(StoredMailbox),
}

impl Notices {
    /// Delivers notices until the last user of this Chancery is gone. Only for a server that stays: a command on the host
    /// would end in the midst of it.
    pub fn deliver_notices(self: &Arc<Self>, _host: &Host) {
        if self.context.outbound.transport().is_err() {
            return;
        }
        self.tidy_notices_in_turn();
        if self.context.outbound.sends_mails() {
            self.tell_persons_in_turn();
            self.mail_to_persons_in_turn();
        }
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut looks = time::interval(LOOK_EVERY);
            looks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
            loop {
                looks.tick().await;
                let Some(notices) = Self::while_open(&weak) else { return };
                // While the store is away everybody says so; the next look is soon.
                let Ok(ready) = notices.ready_targets().await else { continue };
                for target in ready {
                    if notices.is_taken_up(target) {
                        tokio::spawn(deliver_all(weak.clone(), target));
                    }
                }
            }
        });
    }

    async fn ready_targets(&self) -> Result<Vec<Uuid>> {
        let now_ms = self.context.clock.now_ms();
        let ready = self.context.storage.read(&DeliveringNotices(()), move |tx| {
            Box::pin(async move { tables::deliveries::ready(tx, QUEUE, now_ms, u32::MAX).await })
        });
        Ok(ready.await?)
    }

    /// Whether this node was not delivering to a target already.
    fn is_taken_up(&self, target: Uuid) -> bool {
        self.state.busy.lock().unwrap_or_else(PoisonError::into_inner).insert(target)
    }

    /// Delivers some of what is due to a target or a mailbox; whether there may be more.
    pub(super) async fn deliver_some(&self, target: Uuid) -> Result<bool> {
        let begun = Instant::now();
        let Some((receiver, state, due)) = self.take_due(target).await? else { return Ok(false) };
        let due = self.with_notices(due).await?;
        let (due, dropped) = match &receiver {
            Receiver::Person(mailbox) => self.still_for(mailbox, due).await?,
            Receiver::Target(_) => (due, Vec::new()),
        };
        let attempts = stream::iter(due).map(|(row, notice)| {
            let receiver = &receiver;
            async move {
                if begun.elapsed() >= BEGUN_WITHIN {
                    return None;
                }
                let attempt = match (super::shown(self.context.outbound.console(), notice), receiver) {
                    (Ok(notice), Receiver::Target(target)) => self.post_notice(target, &notice).await,
                    (Ok(notice), Receiver::Person(mailbox)) => self.mail_notice(mailbox, &notice).await,
                    (Err(failure), _) => Err(failure),
                };
                Some((row, attempt))
            }
        });
        let attempts = attempts.buffer_unordered(receiver.pace().at_once);
        let attempts: Vec<_> = attempts.filter_map(future::ready).collect().await;
        let settled = Settled { dropped, ..self.settled(&receiver, &state, attempts) };
        let goes_on = !settled.delivered.is_empty() || !settled.dropped.is_empty();
        let (node, now_ms) = (self.context.node, self.context.clock.now_ms());
        self.context
            .storage
            .background(&DeliveringNotices(()), move |tx| {
                Box::pin(async move {
                    tables::deliveries::settle(tx, target, node, settled, now_ms).await?;
                    Ok::<_, Error>(())
                })
            })
            .await?;
        Ok(goes_on)
    }

    /// Takes the lease of a target or a mailbox, and what is due; none where another node has it, or it is gone.
    async fn take_due(&self, target: Uuid) -> Result<Option<(Receiver, State, Vec<Row>)>> {
        let (node, now_ms, wait) =
            (self.context.node, self.context.clock.now_ms(), ms(self.context.limits.notices.wait_max));
        let knows_who_may = self.context.knows_who_may();
        let taken = self.context.storage.background(&DeliveringNotices(()), move |tx| {
            Box::pin(async move {
                let receiver = match tables::notice_targets::by_id(tx, target).await? {
                    Some(row) => Receiver::Target(StoredTarget::from_row(row)?),
                    // What a person may see another node knows, or this one later.
                    None if !knows_who_may => return Ok(None),
                    None => match tables::mailboxes::by_identity(tx, target).await? {
                        Some(row) => Receiver::Person(StoredMailbox::from_row(row)?),
                        None => return Ok(None),
                    },
                };
                let pace = receiver.pace();
                let limit = |state: &State| if state.failures > 0 { 1 } else { pace.together };
                let until_ms = now_ms.saturating_add(pace.lease_ms(wait));
                let taken = tables::deliveries::take(tx, target, node, (now_ms, until_ms), limit).await?;
                Ok::<_, Error>(taken.map(|(state, due)| (receiver, state, due)))
            })
        });
        taken.await
    }

    /// What is due, with what is to be said: read apart, so that nobody who writes waits for it.
    async fn with_notices(&self, due: Vec<Row>) -> Result<Vec<(Row, tables::notices::Row)>> {
        let read = self.context.storage.read(&DeliveringNotices(()), move |tx| {
            Box::pin(async move {
                let mut notices = Vec::with_capacity(due.len());
                for row in due {
                    if let Some(notice) = tables::notices::by_seq(tx, row.item).await? {
                        notices.push((row, notice));
                    }
                }
                Ok::<_, Error>(notices)
            })
        });
        read.await
    }

    /// What is written down of a turn.
    fn settled(&self, receiver: &Receiver, state: &State, attempts: Vec<(Row, Result<Attempt>)>) -> Settled {
        let now_ms = self.context.clock.now_ms();
        let mut settled = Settled::default();
        for (row, attempt) in attempts {
            let error = match attempt {
                Ok(Attempt { delivered: true, .. }) => {
                    settled.delivered.push(row.seq);
                    continue;
                }
                Ok(attempt) => attempt.why(receiver.protocol()),
                Err(failure) => {
                    error!(error = &failure as &dyn std::error::Error, "a notice could not be sent");
                    "Chancery could not send it; its log says why".to_owned()
                }
            };
            let due_at_ms = now_ms.saturating_add(delay_ms(row.attempts.saturating_add(1), jitter()));
            settled.failed.push(Failed { seq: row.seq, due_at_ms, error });
        }
        let counts = &self.state.counts;
        counts.delivered.fetch_add(settled.delivered.len() as u64, Ordering::Relaxed);
        counts.failed.fetch_add(settled.failed.len() as u64, Ordering::Relaxed);
        if settled.delivered.is_empty()
            && let Some(failed) = settled.failed.last()
        {
            settled.failures = state.failures.saturating_add(1);
            settled.due_at_ms = now_ms.saturating_add(delay_ms(settled.failures, jitter()));
            let is_told = match receiver {
                Receiver::Target(_) => state.failures == 0,
                Receiver::Person(_) => state.failures == 0 && self.state.tells_of_mailboxes(now_ms),
            };
            if is_told {
                let target = receiver.name();
                warn!(target, error = failed.error, "a target takes no notices; it is tried again");
            }
        }
        settled
    }
}

impl Receiver {
    /// The target's name; of a person the id, as whoever reads the log need not know where it has its mails.
    fn name(&self) -> String {
        match self {
            Self::Target(target) => target.row.name.clone(),
            Self::Person(mailbox) => format!("the mailbox of {}", mailbox.identity()),
        }
    }

    const fn is_mailbox(&self) -> bool {
        match self {
            Self::Target(target) => target.content.email.is_some(),
            Self::Person(_) => true,
        }
    }

    const fn protocol(&self) -> &'static str {
        if self.is_mailbox() { "SMTP" } else { "HTTP" }
    }

    const fn pace(&self) -> Pace {
        if self.is_mailbox() { MAILS } else { WEBHOOKS }
    }
}

impl Pace {
    /// Until the last is begun, its longest wait, and some seconds to write down what came of all.
    fn lease_ms(self, wait_ms: i64) -> i64 {
        wait_ms.saturating_mul(self.steps).saturating_add(ms(BEGUN_WITHIN)).saturating_add(10_000)
    }
}

/// Delivers all that is due to a target.
async fn deliver_all(weak: Weak<Notices>, target: Uuid) {
    while let Some(notices) = Notices::while_open(&weak) {
        match notices.deliver_some(target).await {
            Ok(true) => {}
            Ok(false) => break,
            Err(failure) => {
                error!(error = &failure as &dyn std::error::Error, "notices could not be delivered; trying again");
                time::sleep(Duration::from_secs(1)).await;
                break;
            }
        }
    }
    if let Some(notices) = weak.upgrade() {
        notices.state.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&target);
    }
}
