//! How much is done by the hour: values tokenized and detokenized, signatures, certificates. People look at the last day
//! of it; nothing is decided by it, and no audit record rests on it. It is here because calls end where they are recorded.
//!
//! Each server counts in memory what it does, and once a minute writes how far its hours have come: totals, not differences, so
//! that nothing is wrong with writing one twice. A server that is killed loses what it has counted since.

use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chancery_store::tables::activity::{self, Row};
use chancery_types::{
    Action,
    wire::activity::{Activity as Told, ActivityHour},
};

use crate::{
    Caller, Context, Error, Result,
    base::sharded::Sharded,
    context::{
        background::Recurring as _,
        storage::{Background, Evidence, MayRead},
    },
    time::rfc3339_ms,
};

const HOUR_MS: i64 = 3_600_000;

/// Hours that people see, with the one that is not over.
const SHOWN: i64 = 24;

/// Hours that are kept in the store: a week, for whoever looks there.
const KEPT: i64 = 7 * 24;

const WRITE_EVERY: Duration = Duration::from_mins(1);

/// The kinds, as the store calls them.
const TOKENIZED: &str = "tokenized";
const DETOKENIZED: &str = "detokenized";
const SIGNED: &str = "signed";
const ISSUED: &str = "issued";

/// How much of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) tokenized: u64,
    pub(crate) detokenized: u64,
    pub(crate) signed: u64,
    pub(crate) issued: u64,
}

impl Done {
    /// What a call of the data plane has done that was answered with so many values. A rewrapped token stands for what it
    /// stood for before, and questions about tokens turn none back.
    const fn by(action: Action, values: u64) -> Self {
        use Action::{
            BatchDetokenize, BatchTokenize, Detokenize, PartialDetokenize, Tokenize, TrackDetokenize, TrackTokenize,
        };
        let mut done = Self { tokenized: 0, detokenized: 0, signed: 0, issued: 0 };
        if matches!(action, Tokenize | BatchTokenize | TrackTokenize) {
            done.tokenized = values;
        } else if matches!(action, Detokenize | PartialDetokenize | BatchDetokenize | TrackDetokenize) {
            done.detokenized = values;
        }
        done
    }

    const fn add(&mut self, more: Self) {
        self.tokenized += more.tokenized;
        self.detokenized += more.detokenized;
        self.signed += more.signed;
        self.issued += more.issued;
    }

    /// What of it there is, by the store's names.
    fn kinds(self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            (TOKENIZED, self.tokenized),
            (DETOKENIZED, self.detokenized),
            (SIGNED, self.signed),
            (ISSUED, self.issued),
        ];
        all.into_iter().filter(|(_, count)| *count > 0)
    }

    /// With what the store says of one kind; a later release may know more of them.
    fn add_row(&mut self, row: &Row) {
        let count = u64::try_from(row.count).unwrap_or_default();
        match row.kind.as_str() {
            TOKENIZED => self.tokenized += count,
            DETOKENIZED => self.detokenized += count,
            SIGNED => self.signed += count,
            ISSUED => self.issued += count,
            _ => {}
        }
    }
}

/// One hour of this server.
#[derive(Clone, Copy, Debug, Default)]
struct Hour {
    done: Done,
    /// What of it the store has.
    written: Done,
}

/// What this server has done.
#[derive(Default)]
pub(crate) struct Activity {
    /// Since somebody last looked.
    new: Sharded<Done>,
    /// By the beginnings of the hours, in milliseconds. Those that people see, and those that could not be written yet.
    hours: Mutex<BTreeMap<i64, Hour>>,
}

impl Activity {
    /// Counts a call of the data plane that was recorded and is answered with so many values.
    pub(crate) fn call(&self, action: Action, values: u64) {
        self.add(Done::by(action, values));
    }

    /// Counts what was done.
    pub(crate) fn add(&self, done: Done) {
        self.new.own().add(done);
    }

    /// The hours, with what was counted since somebody last looked in the present one: its edge is right to a minute.
    fn hours(&self, now_ms: i64) -> MutexGuard<'_, BTreeMap<i64, Hour>> {
        let mut hours = self.hours.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = Done::default();
        for mut new in self.new.all() {
            sum.add(mem::take(&mut *new));
        }
        if sum != Done::default() {
            hours.entry(hour_of(now_ms)).or_default().done.add(sum);
        }
        hours
    }

    /// What the store does not have yet.
    fn unwritten(&self, now_ms: i64) -> Vec<(i64, Done)> {
        let hours = self.hours(now_ms);
        let unwritten = hours.iter().filter(|(_, hour)| hour.done != hour.written);
        unwritten.map(|(hour_ms, hour)| (*hour_ms, hour.done)).collect()
    }

    /// The store has this much now. What nobody will see again is forgotten.
    fn written(&self, rows: &[(i64, Done)], now_ms: i64) {
        let mut hours = self.hours(now_ms);
        for (hour_ms, done) in rows {
            if let Some(hour) = hours.get_mut(hour_ms) {
                hour.written = *done;
            }
        }
        let first = first_shown(now_ms);
        hours.retain(|hour_ms, hour| *hour_ms >= first || hour.done != hour.written);
    }
}

/// When the hour begins in which this is.
const fn hour_of(now_ms: i64) -> i64 {
    now_ms - now_ms.rem_euclid(HOUR_MS)
}

/// When the oldest hour begins that people see.
const fn first_shown(now_ms: i64) -> i64 {
    hour_of(now_ms) - (SHOWN - 1) * HOUR_MS
}

/// Writes what was counted, and removes what is old. Made only here.
pub(crate) struct WritingActivity(());

impl Evidence for WritingActivity {}
impl MayRead for WritingActivity {}
impl Background for WritingActivity {}

impl Context {
    /// How much all servers have done in the last day, by the hour: this one up to now, others up to a minute ago.
    pub async fn activity(&self, caller: &Caller) -> Result<Told> {
        let grant = self.grant_to_all(caller);
        let (node, now_ms) = (self.node, self.clock.now_ms());
        let first = first_shown(now_ms);
        let own: BTreeMap<i64, Done> =
            self.activity.hours(now_ms).iter().map(|(hour_ms, hour)| (*hour_ms, hour.done)).collect();
        let others = self.storage.read(&grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(activity::of_others(tx, node, first).await?) })
        });
        let others = others.await?;
        let hour = |index: i64| {
            let hour_ms = first + index * HOUR_MS;
            let mut done = own.get(&hour_ms).copied().unwrap_or_default();
            others.iter().filter(|row| row.hour_ms == hour_ms).for_each(|row| done.add_row(row));
            let Done { tokenized, detokenized, signed, issued } = done;
            ActivityHour { starts_at: rfc3339_ms(hour_ms), tokenized, detokenized, signed, issued }
        };
        Ok(Told { hours: (0..SHOWN).map(hour).collect() })
    }

    /// Writes what was counted once a minute, until the last user of this Chancery is gone.
    pub(crate) fn write_activity_in_turn(self: &Arc<Self>) {
        self.every(WRITE_EVERY, "writing how much is done", |context| Box::pin(context.write_activity()));
    }

    /// Writes what was counted since, and removes what is older than a week.
    pub(crate) async fn write_activity(&self) -> Result<()> {
        let (node, now_ms) = (self.node, self.clock.now_ms());
        let unwritten = self.activity.unwritten(now_ms);
        if unwritten.is_empty() {
            return Ok(());
        }
        let rows = unwritten.clone();
        let written = self.storage.background(&WritingActivity(()), move |tx| {
            Box::pin(async move {
                for (hour_ms, done) in rows {
                    for (kind, count) in done.kinds() {
                        let count = i64::try_from(count).unwrap_or(i64::MAX);
                        activity::reached(tx, node, &Row { hour_ms, kind: kind.to_owned(), count }).await?;
                    }
                }
                Ok::<_, Error>(activity::forget(tx, hour_of(now_ms) - KEPT * HOUR_MS).await?)
            })
        });
        written.await?;
        self.activity.written(&unwritten, now_ms);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
