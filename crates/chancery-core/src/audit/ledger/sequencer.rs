//! Makes leaves of records that are committed, as the transparency log's sequencer does with its entries: what is next is
//! read and worked out first, then the key signs the checkpoint, and then one transaction stores places, tiles and
//! checkpoint, if the ledger is still as it was read. Any node may do it, one at a time.

use std::{
    ops::{Range, RangeInclusive},
    sync::Arc,
    time::Duration,
};

use chancery_store::{
    Tx,
    tables::{
        audit_ledger::{self, Checkpoint},
        journals,
        tiles::{self, Tree},
        turns,
    },
};
use chancery_types::Action;
use chancery_verify::ledger::{JournalAnchor, LedgerCheckpoint, TOLERANCE_MS, leaf_hash};
use tracing::error;

use super::leaf_of;
use crate::{
    Audit, Error, Result,
    audit::journal::{head, told_missing},
    context::{
        background::Recurring as _,
        storage::{Background, Evidence, MayRead, Recording},
    },
    log::{
        LogKey, load, number, ranges,
        tree::{self, TileId},
    },
    time::{parse_rfc3339, rfc3339_ms},
};

/// Between two looks: a checkpoint covers a record within a second.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Records of one checkpoint: all of them are in memory, with at most some 20 KiB each and usually less than one.
const TOGETHER: u32 = 1_000;

/// Makes leaves of records. Made only here.
pub(crate) struct SequencingLedger(pub(super) ());

impl Evidence for SequencingLedger {}
impl MayRead for SequencingLedger {}
impl Background for SequencingLedger {}
impl Recording for SequencingLedger {
    const NAME: &'static str = "ledger";
    const ACTIONS: &'static [Action] = &[Action::LedgerFail, Action::LedgerResume];
}

impl Audit {
    /// Looks for records that are no leaves until the last user of this Chancery is gone. Where there are none nothing is
    /// written.
    #[cfg_attr(test, expect(dead_code, reason = "tests do without"))]
    pub(crate) fn sequence_ledger_in_turn(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "extending the audit ledger", |audit| {
            Box::pin(async move {
                let extended = audit.sequence_ledger().await;
                audit.tell_of_ledger(extended.as_ref().err()).await?;
                extended
            })
        });
    }

    /// Makes leaves of all records that are committed.
    pub(crate) async fn sequence_ledger(&self) -> Result<()> {
        while let Some(extension) = self.ledger_extension().await? {
            let (note, is_last) = (self.ledger.sign(&extension.checkpoint).await?, !extension.is_full);
            let stored = self
                .context
                .storage
                .background(&SequencingLedger(()), move |tx| Box::pin(async move { extension.store(tx, note).await }));
            if stored.await? && is_last {
                break;
            }
        }
        Ok(())
    }

    /// What the ledger is to be extended by, if by anything.
    pub(super) async fn ledger_extension(&self) -> Result<Option<Extension>> {
        let (key, now_ms) = (self.ledger.0.key.clone(), self.context.clock.now_ms());
        let read = self
            .context
            .storage
            .read(&SequencingLedger(()), move |tx| Box::pin(async move { Extension::read(tx, &key, now_ms).await }));
        read.await
    }
}

/// Records that are to become leaves, and what the ledger is with them.
pub(in crate::audit) struct Extension {
    /// The number of the newest checkpoint when that was read, and its leaves.
    base: (i64, i64),
    /// The records, by their numbers: each of these is one, in this order.
    records: Vec<RangeInclusive<i64>>,
    tiles: Vec<(TileId, Vec<u8>)>,
    pub(in crate::audit) checkpoint: LedgerCheckpoint,
    /// Whether more records may wait.
    is_full: bool,
}

impl Extension {
    async fn read(tx: &mut Tx, key: &LogKey, now_ms: i64) -> Result<Option<Self>> {
        let pending = audit_ledger::pending(tx, TOGETHER).await?;
        if pending.is_empty() {
            return Ok(None);
        }
        let (newest, before) = newest(tx, key).await?;
        let mut edge = load(tx, Tree::Ledger, tree::tiles_of(0..before.head.size).collect()).await?;
        // What was altered in the store, or restored in part, is never signed over.
        let is_whole = tree::range_hash(0..before.head.size, &edge) == Some(before.head.root);
        if !is_whole || number(before.number)? != newest {
            return Err(Error::internal("the audit ledger's tiles are not those of its newest checkpoint"));
        }
        let records = ranges(pending.iter().map(|row| row.seq));
        let leaves = pending.into_iter().map(|row| Ok(leaf_hash(&leaf_of(row)?)));
        let leaves: Vec<_> = leaves.collect::<Result<_>>()?;
        let changed = tree::append(&mut edge, before.head.size, &leaves);
        let changed = changed.ok_or_else(|| Error::internal("the audit ledger's tiles are not those of its size"))?;
        let stored = |id: TileId| (id, edge.get(&id).map(|tile| tile.concat()).unwrap_or_default());
        let changed = changed.into_iter().map(stored).collect();
        let mut checkpoint = next(tx, before, now_ms).await?;
        let base = (newest, number(checkpoint.head.size)?);
        checkpoint.head.size += leaves.len() as u64;
        let root = tree::range_hash(0..checkpoint.head.size, &edge);
        checkpoint.head.root = root.ok_or_else(|| Error::internal("the audit ledger's edge is not whole"))?;
        Ok(Some(Self { base, records, tiles: changed, checkpoint, is_full: leaves.len() == TOGETHER as usize }))
    }

    /// No leaves, but the word of a checkpoint that these may have no records any more, either, but for so many that stay.
    pub(in crate::audit) async fn of_removal(
        tx: &mut Tx,
        key: &LogKey,
        now_ms: i64,
        removed: Range<i64>,
        kept: u64,
    ) -> Result<Self> {
        let (newest, before) = newest(tx, key).await?;
        // Of what is missing between them, no checkpoint ever says that it may be.
        if number(before.removed)? != removed.start {
            return Err(Error::internal("an archive of the audit records that is older than the oldest one is gone"));
        }
        let mut checkpoint = next(tx, before, now_ms).await?;
        let base = (newest, number(checkpoint.head.size)?);
        checkpoint.removed = u64::try_from(removed.end).map_err(Error::internal)?;
        checkpoint.kept += kept;
        Ok(Self { base, records: Vec::new(), tiles: Vec::new(), checkpoint, is_full: false })
    }

    /// Stores it with its signed checkpoint; false, and nothing is stored, where the ledger was extended by somebody else.
    pub(in crate::audit) async fn store(self, tx: &mut Tx, note: String) -> Result<bool> {
        turns::take(tx, "audit ledger").await?;
        let (base, size) = self.base;
        if audit_ledger::newest(tx).await?.is_none_or(|newest| newest.number != base) {
            return Ok(false);
        }
        let taken_back = audit_ledger::take_back(tx, size).await?;
        if taken_back > 0 {
            error!(
                taken_back,
                "the audit's table of leaves had places that no checkpoint covers; they were taken back"
            );
        }
        let mut leaf = size;
        for numbers in self.records {
            leaf += audit_ledger::place(tx, numbers, leaf).await?;
        }
        if leaf != number(self.checkpoint.head.size)? {
            return Err(Error::internal("records are leaves that no checkpoint of the audit ledger covers"));
        }
        for (id, hashes) in self.tiles {
            tiles::put(tx, Tree::Ledger, id.level.into(), number(id.index)?, &hashes).await?;
        }
        let next = Checkpoint { number: number(self.checkpoint.number)?, note };
        if !audit_ledger::add(tx, &next).await? {
            return Err(Error::internal("the audit ledger was extended by somebody else in its turn"));
        }
        Ok(true)
    }
}

/// The newest checkpoint, and its number in the store.
async fn newest(tx: &mut Tx, key: &LogKey) -> Result<(i64, LedgerCheckpoint)> {
    let newest = audit_ledger::newest(tx).await?.ok_or_else(|| Error::internal("the ledger has no checkpoint"))?;
    Ok((newest.number, LedgerCheckpoint::open(&newest.note, key).map_err(Error::internal)?))
}

/// The checkpoint that comes after this one, over the same leaves.
async fn next(tx: &mut Tx, before: LedgerCheckpoint, now_ms: i64) -> Result<LedgerCheckpoint> {
    Ok(LedgerCheckpoint {
        number: before.number + 1,
        time: rfc3339_ms(now_ms),
        previous: before.hash(),
        journals: anchors(tx, &before).await?,
        removed: before.removed,
        kept: before.kept,
        head: before.head,
    })
}

/// How far the journals go, as the database knows it. What the checkpoint before has stays where the database has less of a
/// journal, and no record says that a part is missing: somebody put its row back, and the journal with it.
async fn anchors(tx: &mut Tx, before: &LedgerCheckpoint) -> Result<Vec<JournalAnchor>> {
    let known = journals::all(tx).await?;
    let anchor = |row: &journals::Row| {
        head(row).map(|head| JournalAnchor { journal: row.id.to_string(), head: head.to_string() })
    };
    let mut anchors: Vec<_> = known.iter().filter_map(anchor).collect();
    for said in &before.journals {
        let now = anchors.iter_mut().find(|now| now.journal == said.journal);
        if now.as_ref().is_some_and(|now| now.follows(said)) || is_told(tx, said, before).await? {
            continue;
        }
        error!(
            journal = said.journal,
            "the database has less of this journal than the newest checkpoint of the ledger"
        );
        match now {
            Some(now) => now.head.clone_from(&said.head),
            None => anchors.push(said.clone()),
        }
    }
    Ok(anchors)
}

/// Whether a record since this checkpoint says that a part of the journal is missing.
async fn is_told(tx: &mut Tx, said: &JournalAnchor, before: &LedgerCheckpoint) -> Result<bool> {
    let Ok(journal) = said.journal.parse() else { return Ok(false) };
    let from_ms = parse_rfc3339(&before.time).map(|time_ms| time_ms.saturating_sub(TOLERANCE_MS));
    Ok(told_missing(tx, journal, from_ms).await?.is_some())
}
