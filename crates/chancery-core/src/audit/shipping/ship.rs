//! The task that ships, target by target.

use std::{
    sync::{Arc, PoisonError, Weak, atomic::Ordering},
    time::Duration,
};

use chancery_store::{
    Tx,
    tables::{
        audit_ledger,
        audit_targets::{self as table, Refused, State},
    },
};
use chancery_types::{Action, ErrorCode};
use serde_json::json;
use tokio::time;
use tracing::{error, warn};
use uuid::Uuid;

use super::{
    item::Item,
    stored_target::{Receiver, StoredTarget},
};
use crate::{
    Audit, Error, Event, Host, Result,
    audit::archives::Archived,
    base::clock::ms,
    context::{
        background::Recurring as _,
        record::{Actor, Entry},
        storage::{Background, Evidence, MayRead, Recording},
    },
    outbound::{Attempt, jitter, next_delay_ms},
};

/// How often it is looked what is to be shipped.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Records of one turn, and about how many bytes of them: proxies take a mebibyte.
const TOGETHER: i64 = 200;
const BYTES_MAX: usize = 512 * 1024;

/// Each failure halves the records of a turn, each success makes them so many times as many again. More than twice: a target
/// that was down and then refuses every second batch, whatever is in it, would get one at a time for ever.
const GROWTH: i64 = 4;

/// A receiver of syslog says that it has read what was sent, not that it has kept it: when one has failed, so many records
/// before are sent again, and so often from there on where it fails once more while it catches up.
const SYSLOG_WINDOW: i64 = 1_000;
const AGAIN_MAX: i64 = 3;

/// At which failure it is told that a target fails, counted until it has taken what it had refused: one that takes every second
/// batch falls behind, too. With waits between of 1 and 2 seconds, and of `notice-wait-max` for each attempt, within a minute.
const TOLD_AT: i64 = 3;

/// For how long a target of which that was told must not have failed before it is told that it works. What is told is a record,
/// which is shipped, too: one that fails now and then would be told of again and again on a server on which nothing else happens.
const QUIET_MS: i64 = 600_000;

/// What came of what was sent.
struct Turn {
    attempt: Attempt,
    /// The leaf behind that.
    next_leaf: i64,
    /// How many leaves there are.
    leaves: i64,
}

/// Ships audit records. Made only here.
pub(crate) struct ShippingAudit(());

impl Evidence for ShippingAudit {}
impl MayRead for ShippingAudit {}
impl Background for ShippingAudit {}
impl Recording for ShippingAudit {
    const NAME: &'static str = "shipping";
    const ACTIONS: &'static [Action] = &[Action::AuditTargetFail, Action::AuditTargetResume];
}

impl Audit {
    /// Ships audit records until the last user of this Chancery is gone. Only for a server that stays.
    pub fn ship_audit(self: &Arc<Self>, _host: &Host) {
        if self.context.outbound.transport().is_err() {
            return;
        }
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut looks = time::interval(LOOK_EVERY);
            looks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
            loop {
                looks.tick().await;
                let Some(audit) = Self::while_open(&weak) else { return };
                // While the store is away everybody says so; the next look is soon.
                let Ok(ready) = audit.targets_behind().await else { continue };
                for target in ready {
                    if audit.shipping.busy.lock().unwrap_or_else(PoisonError::into_inner).insert(target) {
                        tokio::spawn(ship_all(weak.clone(), target));
                    }
                }
            }
        });
    }

    /// The targets that something can be shipped to now; the figures for the metrics are noted.
    pub(super) async fn targets_behind(&self) -> Result<Vec<Uuid>> {
        let read = self.context.storage.read(&ShippingAudit(()), |tx| {
            Box::pin(async move {
                let states = table::states(tx).await?;
                let leaves = if states.is_empty() { 0 } else { audit_ledger::leaves(tx).await? };
                let enabled: Vec<_> = if states.is_empty() { Vec::new() } else { table::all(tx).await? };
                Ok::<_, Error>((states, leaves, enabled))
            })
        });
        let (states, leaves, rows) = read.await?;
        let is_enabled = |state: &&State| rows.iter().any(|row| row.id == state.target && row.is_enabled);
        let enabled: Vec<_> = states.iter().filter(is_enabled).collect();
        let counts = &self.shipping.counts;
        let behind = enabled.iter().map(|state| leaves - state.next_leaf).max().unwrap_or_default();
        counts.behind.store(u64::try_from(behind).unwrap_or_default(), Ordering::Relaxed);
        counts.failing.store(enabled.iter().filter(|state| state.is_failing).count() as u64, Ordering::Relaxed);
        let now_ms = self.context.clock.now_ms();
        // One that failed shows that it works also where nothing is new: it gets the newest checkpoint once more.
        let has_to_show = |state: &State| state.is_failing && (state.due_at_ms > 0 || is_quiet(state, now_ms));
        let is_ready = |state: &&&State| {
            let has_something = state.next_leaf < leaves || has_to_show(state);
            has_something && state.due_at_ms <= now_ms && state.leased_until_ms <= now_ms
        };
        Ok(enabled.iter().filter(is_ready).map(|state| state.target).collect())
    }

    /// Ships some of what a target has not got yet; whether there may be more.
    pub(super) async fn ship_some(&self, target: Uuid) -> Result<bool> {
        let Some((target, state)) = self.take_target(target).await? else { return Ok(false) };
        let counts = &self.shipping.counts;
        let (settled, leaves, goes_on) = match self.send_turn(&target, &state).await {
            Ok(Turn { attempt, next_leaf, leaves }) if attempt.delivered => {
                let shipped = next_leaf - state.next_leaf;
                counts.shipped.fetch_add(u64::try_from(shipped).unwrap_or_default(), Ordering::Relaxed);
                (self.after_taking(&state, next_leaf), leaves, next_leaf < leaves)
            }
            Ok(Turn { attempt, next_leaf, leaves }) => {
                counts.failed.fetch_add(1, Ordering::Relaxed);
                (self.after_refusal(&target, &state, &attempt, next_leaf), leaves, false)
            }
            // A record that is gone is a failure, too, and has to be told.
            Err(failure) => {
                error!(error = &failure as &dyn std::error::Error, "audit records could not be shipped");
                counts.failed.fetch_add(1, Ordering::Relaxed);
                let why = "Chancery could not read or send them; its log says why";
                (self.after_failing(&target, &state, why.to_owned()), state.next_leaf, false)
            }
        };
        self.settle_shipping(&target, state, settled, leaves).await?;
        Ok(goes_on)
    }

    /// Takes the lease of a target; none where another node has it, or it is gone.
    pub(super) async fn take_target(&self, target: Uuid) -> Result<Option<(StoredTarget, State)>> {
        let (node, now_ms) = (self.context.node, self.context.clock.now_ms());
        // Until there is room, until it is sent, and some seconds to write down what came of it.
        let lease_ms = ms(self.context.limits.pool_wait_max) + ms(self.context.limits.notices.wait_max) + 10_000;
        let taken = self.context.storage.background(&ShippingAudit(()), move |tx| {
            Box::pin(async move {
                let Some(row) = table::by_id(tx, target).await?.filter(|row| row.is_enabled) else { return Ok(None) };
                let until_ms = now_ms.saturating_add(lease_ms);
                let Some(mut state) = table::take(tx, target, node, (now_ms, until_ms)).await? else { return Ok(None) };
                // Its archive may have been removed while the target failed and went back.
                state.next_leaf = state.next_leaf.max(audit_ledger::removed(tx).await?);
                Ok::<_, Error>(Some((StoredTarget::from_row(row)?, state)))
            })
        });
        taken.await
    }

    /// Sends a target what it gets next.
    async fn send_turn(&self, target: &StoredTarget, state: &State) -> Result<Turn> {
        let from = state.next_leaf;
        let limit = u32::try_from(together(state)).unwrap_or(1);
        let now_ms = self.context.clock.now_ms();
        let read = self.context.storage.read(&ShippingAudit(()), move |tx| Box::pin(items(tx, from, limit, now_ms)));
        let (items, next_leaf, leaves) = read.await?;
        Ok(Turn { attempt: self.send_to_target(target, items).await?, next_leaf, leaves })
    }

    /// What was sent again before the batch that was refused says nothing of that one. What was refused stays known while it is
    /// told that the target fails, so that the window is not sent again and again.
    fn after_taking(&self, state: &State, next_leaf: i64) -> State {
        let now_ms = self.context.clock.now_ms();
        let shipped = state.shipped.saturating_add(next_leaf - state.next_leaf);
        let grown = state.together.map(|_| (together(state) * GROWTH).min(TOGETHER));
        let taken =
            State { next_leaf, shipped, due_at_ms: 0, shipped_at_ms: Some(now_ms), together: grown, ..state.clone() };
        let lacks_some = state.refused.is_some_and(|refused| next_leaf < refused.until);
        if lacks_some || (state.is_failing && !is_quiet(state, now_ms)) {
            return taken;
        }
        State { failures: 0, is_failing: false, together: None, refused: None, ..taken }
    }

    /// After a batch that a target did not take, which ends before a leaf. A receiver of syslog may have lost what it took before:
    /// that is sent again, some few times, but not while it takes nothing at all. It never goes further back than at first, so
    /// that one which fails now and then gets on.
    fn after_refusal(&self, target: &StoredTarget, state: &State, attempt: &Attempt, until: i64) -> State {
        let from = state.next_leaf;
        let stays = |refused: &Refused| from <= refused.again_from || refused.times >= AGAIN_MAX;
        let before = match (&target.receiver, &state.refused) {
            (Receiver::Syslog(_), Some(refused)) if stays(refused) => from,
            (Receiver::Syslog(_), Some(refused)) => refused.again_from.max(from - SYSLOG_WINDOW),
            (Receiver::Syslog(_), None) => state.first_leaf.max(from - SYSLOG_WINDOW),
            (Receiver::Webhook(_) | Receiver::Otlp(_) | Receiver::File(_), _) => from,
        };
        let refused = match state.refused {
            Some(refused) => Refused {
                until: refused.until.max(until),
                again_from: if before < from { before } else { refused.again_from },
                times: refused.times + i64::from(before < from),
            },
            None => Refused { until, again_from: before, times: 1 },
        };
        let failed = self.after_failing(target, state, attempt.why("HTTP"));
        State { next_leaf: before, refused: Some(refused), ..failed }
    }

    /// Whoever failed, it is tried again later.
    fn after_failing(&self, target: &StoredTarget, state: &State, error: String) -> State {
        let now_ms = self.context.clock.now_ms();
        let failures = state.failures.saturating_add(1);
        if state.failures == 0 {
            warn!(target = target.row.name, error, "a target takes no audit records; it is tried again");
        }
        // What it takes makes it due at once, so that the first failure in a row is tried again soon: one that takes smaller
        // batches than it is sent gets on.
        let waited_ms = state.due_at_ms.saturating_sub(state.failed_at_ms.unwrap_or_default());
        let due_at_ms = now_ms.saturating_add(next_delay_ms(waited_ms, jitter()));
        let is_failing = state.is_failing || failures >= TOLD_AT;
        let (error, failed_at_ms, together) = (Some(error), Some(now_ms), Some((together(state) / 2).max(1)));
        State { failures, due_at_ms, is_failing, error, failed_at_ms, together, ..state.clone() }
    }

    /// Writes down what came of a turn, and tells where a target begins or ends to fail.
    async fn settle_shipping(&self, target: &StoredTarget, before: State, settled: State, leaves: i64) -> Result<()> {
        let (node, now_ms, name) = (self.context.node, self.context.clock.now_ms(), target.row.name.clone());
        let told = match (before.is_failing, settled.is_failing) {
            (false, true) => Some(Action::AuditTargetFail),
            (true, false) => Some(Action::AuditTargetResume),
            (false, false) | (true, true) => None,
        };
        let by = ShippingAudit(());
        let entry = told.map(|action| {
            let behind = leaves.saturating_sub(settled.next_leaf);
            let mut detail = json!({"name": name, "nextSequence": settled.next_leaf, "behind": behind});
            if action == Action::AuditTargetFail {
                detail["error"] = json!(settled.error);
            }
            let event = Event::new(action).on(settled.target).detail(detail);
            Entry::new(now_ms, &Actor::of_task(node, &by), event, ErrorCode::Success)
        });
        let entry = entry.transpose()?;
        let written = self.context.storage.background(&by, move |tx| {
            Box::pin(async move {
                if table::settle(tx, node, settled).await?
                    && let Some(entry) = entry
                {
                    entry.append(tx).await?;
                }
                Ok::<_, Error>(())
            })
        });
        written.await
    }
}

/// How many records a target gets next.
fn together(state: &State) -> i64 {
    state.together.unwrap_or(TOGETHER).clamp(1, TOGETHER)
}

/// Whether its last failure is long ago.
fn is_quiet(state: &State, now_ms: i64) -> bool {
    state.failed_at_ms.is_none_or(|failed_at_ms| failed_at_ms.saturating_add(QUIET_MS) <= now_ms)
}

/// Somebody took away the record of a leaf.
fn gone(leaf: i64) -> Error {
    Error::internal(format!("leaf {leaf} of the audit ledger has no record"))
}

/// What comes from this leaf on, the leaf behind it, and how many leaves there are. Whoever gets the last one gets the
/// newest checkpoint with it, which is over all of them.
async fn items(tx: &mut Tx, from: i64, limit: u32, now_ms: i64) -> Result<(Vec<Item>, i64, i64)> {
    let leaves = audit_ledger::leaves(tx).await?;
    let (mut items, mut next, mut bytes) = (Vec::new(), from, 0);
    for item in records(tx, next, limit).await? {
        if item.sequence() != Some(next) {
            return Err(gone(next));
        }
        bytes += item.line.len();
        if bytes > BYTES_MAX && !items.is_empty() {
            break;
        }
        items.push(item);
        next += 1;
    }
    if items.is_empty() && next < leaves {
        return Err(gone(next));
    }
    if next == leaves
        && let Some(newest) = audit_ledger::newest(tx).await?
    {
        let at_ms = items.last().map_or(now_ms, |item| item.at_ms);
        items.push(Item::of_checkpoint(&newest.note, at_ms));
    }
    Ok((items, next, leaves))
}

/// Records that are leaves, from this leaf on, at most so many: those at hand, or of one archive with those of its leaves that
/// stayed at hand.
async fn records(tx: &mut Tx, from: i64, limit: u32) -> Result<Vec<Item>> {
    let at_hand = audit_ledger::leaves_from(tx, from, limit).await?;
    let Some((archived, end)) = Archived::over(tx, from).await? else {
        return at_hand.into_iter().map(Item::of_record).collect();
    };
    let stayed = at_hand.into_iter().filter(|placed| placed.leaf.is_some_and(|leaf| leaf < end)).map(Item::of_record);
    let archived = archived.into_iter().filter(|record| record.leaf >= from).map(Item::of_archived);
    let mut items = stayed.chain(archived).collect::<Result<Vec<_>>>()?;
    items.sort_by_key(Item::sequence);
    items.truncate(limit as usize);
    Ok(items)
}

/// Ships all that a target has not got yet.
async fn ship_all(weak: Weak<Audit>, target: Uuid) {
    while let Some(audit) = Audit::while_open(&weak) {
        match audit.ship_some(target).await {
            Ok(true) => {}
            Ok(false) => break,
            Err(failure) => {
                error!(error = &failure as &dyn std::error::Error, "audit records could not be shipped; trying again");
                time::sleep(Duration::from_secs(1)).await;
                break;
            }
        }
    }
    if let Some(audit) = weak.upgrade() {
        audit.shipping.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&target);
    }
}
