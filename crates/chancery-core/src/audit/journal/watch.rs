//! What is done beside the calls: the store learns how far the journal goes, and the audit what becomes of its files.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chancery_journal::{Event as Told, Head, Numbers, Opened, has_head};
use chancery_store::tables::journals::{self, Row};
use chancery_types::Action;
use serde_json::json;
use tracing::error;

use super::{
    JournalConfig, JournalKeys,
    known::{self, has_no_row, head},
};
use crate::{
    Audit, Error, Event, Result, Visitor,
    context::{
        background::Recurring as _,
        storage::{Background, Evidence, MayRead, Recording, host_name},
    },
};

/// How often it is looked after, and how often of these the store learns how far it goes: what is cut off from a journal
/// shows but for so long. Tests say themselves when it learns it.
const LOOK_EVERY: Duration = Duration::from_secs(1);
const LOOKS: u8 = if cfg!(test) { u8::MAX } else { 10 };

/// Keeps what the store knows of the journal, and tells what becomes of its files. Made only here.
pub(crate) struct KeepingJournal(());

impl Evidence for KeepingJournal {}
impl MayRead for KeepingJournal {}
impl Background for KeepingJournal {}
impl Recording for KeepingJournal {
    const NAME: &'static str = "journal";
    const ACTIONS: &'static [Action] =
        &[Action::JournalMiss, Action::JournalFail, Action::JournalResume, Action::JournalRemove];
}

/// What the store knows.
#[derive(Default)]
pub(crate) struct Anchored(Mutex<State>);

#[derive(Default)]
struct State {
    row: Option<Row>,
    looks: u8,
    /// What is still to be told.
    told: Vec<Told>,
    is_failing: bool,
}

impl Audit {
    /// Compares a journal that was opened with what the store knows of this place, and tells what is missing.
    pub(crate) async fn journal_begins(&self, config: Option<&JournalConfig>, found: Option<&Found>) -> Result<()> {
        let (Some(journal), Some(config), Some(found)) = (&self.journal, config, found) else { return Ok(()) };
        let by = &KeepingJournal(());
        let key = self.ledger.0.key.clone();
        let known =
            self.context.storage.read(by, move |tx| Box::pin(async move { known::all(tx, &key).await })).await?;
        let folder = std::path::absolute(&config.folder).map_err(Error::internal)?;
        let (host, folder) = (host_name(), folder.display().to_string());
        let id = journal.id();
        let is_here = |row: &&Row| has_no_row(row) || (&row.host, &row.folder) == (&host, &folder);
        // Of a journal that never had a record nothing can be missed: its volume was full, say.
        for row in known.iter().filter(is_here).filter(|row| row.record > 0 && row.missed_at_ms.is_none()) {
            if row.id == id && found.reaches(row) && self.is_continued(row)? {
                continue;
            }
            let found = (row.id == id).then(|| found.head.map_or(0, |head| number(head.record)));
            self.tell_of_missing(by, row, found).await?;
        }
        if let Some(fault) = found.fault {
            error!(%fault, "the journal's newest segment is not as it was written");
            let event = Event::new(Action::JournalFail)
                .on(id)
                .detail(json!({"why": fault.to_string(), "segment": fault.segment}));
            self.context.commit(by, event, |_| Box::pin(async { Ok(()) })).await?;
        }
        let told_failing =
            self.context.storage.read(by, move |tx| Box::pin(async move { known::told_failing(tx, id).await })).await?;
        if told_failing && !journal.refuses() {
            // The process that told so did not live to see it written again.
            self.anchored.state().told.push(Told::Well);
        }
        let known = known.into_iter().find(|row| row.id == id && !has_no_row(row));
        let began = known.as_ref().map(|row| row.began_at_ms);
        let mut row = row(id, (host, folder), found.first, journal.head(), (began, self.context.clock.now_ms()));
        // Segments that went away while nobody looked are still missing.
        row.first_segment = known.map_or(row.first_segment, |row| row.first_segment);
        self.write_anchor(row.clone()).await?;
        self.anchored.state().row = Some(row);
        Ok(())
    }

    /// Whether what the store knows of a journal that goes as far, or farther, is what its files have: one that was put back
    /// may have gone on from a former place.
    fn is_continued(&self, row: &Row) -> Result<bool> {
        let (Some(journal), Some(known)) = (&self.journal, head(row)) else { return Ok(false) };
        let keys = JournalKeys(Arc::clone(&self.context.custodian));
        has_head(journal.folder(), &keys, &known).map_err(Error::internal)
    }

    /// Tells that a journal is not there, ends before its row, or has other records up to it. What is another one's is noted to be missed.
    async fn tell_of_missing(&self, by: &KeepingJournal, row: &Row, found: Option<i64>) -> Result<()> {
        let Row { id, host, folder, record, written_at_ms, .. } = row;
        error!(journal = %id, folder, record, "a journal is not there, or ends too early");
        let detail = json!({
            "host": host, "folder": folder, "record": record, "writtenAtMs": written_at_ms, "found": found,
        });
        let event = Event::new(Action::JournalMiss).on(*id).detail(detail);
        let missed = Row { missed_at_ms: Some(self.context.clock.now_ms()), ..row.clone() };
        let missed = found.is_none().then_some(missed);
        self.context
            .commit(by, event, move |tx| {
                Box::pin(async move {
                    match missed {
                        Some(missed) => Ok(journals::put(tx, &missed).await?),
                        None => Ok(()),
                    }
                })
            })
            .await
    }

    async fn write_anchor(&self, row: Row) -> Result<()> {
        let by = &KeepingJournal(());
        self.context
            .storage
            .background(by, move |tx| Box::pin(async move { Ok::<_, Error>(journals::put(tx, &row).await?) }))
            .await
    }

    /// Looks after the journal each second, until the last user of this Chancery is gone.
    pub(crate) fn watch_journal(self: &Arc<Self>) {
        if self.journal.is_some() {
            self.every(LOOK_EVERY, "looking after the journal", |audit| Box::pin(audit.look_at_journal()));
        }
    }

    pub(crate) async fn look_at_journal(&self) -> Result<()> {
        let is_due = {
            let mut state = self.anchored.state();
            state.told.extend(self.journal.as_ref().map(|journal| journal.take_events()).unwrap_or_default());
            state.looks = (state.looks + 1) % LOOKS;
            state.looks == 0
        };
        while let Some(told) = self.anchored.first() {
            self.tell_of_journal(told).await?;
            self.anchored.told_first();
        }
        if is_due {
            self.anchor_journal().await?;
            self.look_for_rows().await?;
        }
        Ok(())
    }

    /// Somebody may have taken away the row of a journal, so that nobody looks for it.
    async fn look_for_rows(&self) -> Result<()> {
        let Some(own) = self.anchored.state().row.clone() else { return Ok(()) };
        let (by, key) = (&KeepingJournal(()), self.ledger.0.key.clone());
        let known =
            self.context.storage.read(by, move |tx| Box::pin(async move { known::all(tx, &key).await })).await?;
        for row in known.iter().filter(|row| has_no_row(row)) {
            if row.id == own.id {
                self.write_anchor(own.clone()).await?;
            } else {
                self.tell_of_missing(by, row, None).await?;
            }
        }
        Ok(())
    }

    /// The store learns how far the journal goes.
    pub(crate) async fn anchor_journal(&self) -> Result<()> {
        let (Some(journal), Some(known)) = (&self.journal, self.anchored.state().row.clone()) else { return Ok(()) };
        let head = journal.head();
        if (known.segment, known.record) == (number(head.segment), number(head.record)) {
            return Ok(());
        }
        let first_segment = self.anchored.state().row.as_ref().map_or(known.first_segment, |row| row.first_segment);
        let now_ms = self.context.clock.now_ms();
        let row = Row {
            first_segment,
            ..row(known.id, (known.host, known.folder), 1, head, (Some(known.began_at_ms), now_ms))
        };
        self.write_anchor(row.clone()).await?;
        self.anchored.state().row = Some(row);
        Ok(())
    }

    pub(crate) async fn tell_of_journal(&self, told: Told) -> Result<()> {
        let by = &KeepingJournal(());
        let Some(mut row) = self.anchored.state().row.clone() else { return Ok(()) };
        let event = |action: Action, detail| Event::new(action).on(row.id).detail(detail);
        let event = match &told {
            Told::Trouble(why) => event(Action::JournalFail, json!({"why": why})),
            Told::Changed(segment) => {
                let why = format!(
                    "segment {segment} is not as it was written; `chancery audit verify-journal` finds the place"
                );
                event(Action::JournalFail, json!({"why": why, "segment": segment}))
            }
            Told::Well => event(Action::JournalResume, serde_json::Value::Null),
            Told::Gone(segments) => {
                let named: Vec<_> = segments.iter().take(100).collect();
                event(Action::JournalMiss, json!({"host": row.host, "folder": row.folder, "segments": named}))
            }
            Told::Removed(removed) => {
                row.first_segment = number(removed.to + 1);
                event(Action::JournalRemove, json!({"from": removed.from, "to": removed.to}))
            }
        };
        let written = row.clone();
        self.context
            .commit(by, event, move |tx| Box::pin(async move { Ok(journals::put(tx, &written).await?) }))
            .await?;
        let mut state = self.anchored.state();
        state.row = Some(row);
        match told {
            Told::Trouble(_) => state.is_failing = true,
            Told::Well => state.is_failing = false,
            Told::Gone(_) | Told::Changed(_) | Told::Removed(_) => {}
        }
        Ok(())
    }

    /// What this node has written to its journal since it started, and whether the journal is in trouble; none where it
    /// has none.
    #[must_use]
    pub fn journal_numbers(&self, _: &Visitor) -> Option<(Numbers, bool)> {
        let numbers = self.journal.as_ref()?.numbers();
        let state = self.anchored.state();
        let is_failing = state.is_failing || state.told.iter().any(|told| matches!(told, Told::Trouble(_)));
        Some((numbers, is_failing))
    }
}

impl Anchored {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn first(&self) -> Option<Told> {
        self.state().told.first().cloned()
    }

    /// What could not be told stays in its place, and is told again.
    fn told_first(&self) {
        let mut state = self.state();
        if !state.told.is_empty() {
            state.told.remove(0);
        }
    }
}

/// What was found in the folder.
pub(crate) struct Found {
    head: Option<Head>,
    first: u64,
    fault: Option<chancery_journal::Fault>,
}

impl Found {
    /// With the journal apart.
    pub(crate) fn of(opened: Opened) -> (chancery_journal::Journal, Self) {
        let Opened { journal, found: head, first, fault } = opened;
        (journal, Self { head, first, fault })
    }

    /// Whether it goes as far as the store knows.
    fn reaches(&self, row: &Row) -> bool {
        let Some(head) = self.head else { return false };
        let is_there = (number(head.segment), number(head.record));
        number(self.first) <= row.first_segment && is_there >= (row.segment, row.record)
    }
}

fn row(
    id: uuid::Uuid,
    (host, folder): (String, String),
    first: u64,
    head: Head,
    (began, now_ms): (Option<i64>, i64),
) -> Row {
    Row {
        id,
        host,
        folder,
        began_at_ms: began.unwrap_or(now_ms),
        first_segment: number(first),
        segment: number(head.segment),
        record: number(head.record),
        hash: head.hash.to_vec(),
        written_at_ms: now_ms,
        missed_at_ms: None,
    }
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
