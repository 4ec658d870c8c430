//! Gives entries their places. What is next is read and worked out first, then the key signs the checkpoint of it, and then
//! one transaction stores the places, the tiles and the checkpoint. So what anybody is shown is stored, what is stored is
//! whole, and a server that dies at any point leaves either all of it or nothing.
//!
//! Any node may do it, one at a time: each takes the log's turn to store, and stores only if the log is still as it was
//! read. A checkpoint that came too late is thrown away; nobody has seen it.

use std::{ops::RangeInclusive, sync::Arc, time::Duration};

use chancery_store::{
    Tx,
    tables::{self, log_entries::Pending, tiles::Tree},
};

use super::{
    Leaf,
    checkpoint::Checkpoint,
    note::LogKey,
    tree::{self, TileId, Tiles},
};
use crate::{
    Error, Log, Result,
    context::{
        activity::Done,
        background::Recurring as _,
        storage::{Background, Evidence, MayRead},
    },
};

/// Between two looks: a checkpoint covers an entry within a second.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Entries of one transaction: some milliseconds, for which others wait on SQLite.
const TOGETHER: u32 = 4_096;

/// Gives entries their places. Made only here.
pub(crate) struct SequencingLog(());

impl Evidence for SequencingLog {}
impl MayRead for SequencingLog {}
impl Background for SequencingLog {}

impl Log {
    /// Looks for entries without places until the last user of this Chancery is gone. Where there are none nothing is
    /// written.
    pub(crate) fn sequence_log_in_turn(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "extending the log", |log| Box::pin(log.sequence_log()));
    }

    /// Gives all entries that are committed their places.
    pub(crate) async fn sequence_log(&self) -> Result<()> {
        while let Some(extension) = self.log_extension().await? {
            let (checkpoint, is_last) = (self.state.sign(&extension.checkpoint).await?, !extension.is_full);
            let done = extension.done;
            let stored = self.context.storage.background(&SequencingLog(()), move |tx| {
                Box::pin(async move { extension.store(tx, &checkpoint).await })
            });
            if !stored.await? {
                continue;
            }
            // Whoever places an entry counts it: all signatures and certificates come by here, once, and committed.
            self.context.activity.add(done);
            if is_last {
                break;
            }
        }
        Ok(())
    }

    /// What the log is to be extended by, if by anything.
    pub(super) async fn log_extension(&self) -> Result<Option<Extension>> {
        let key = self.state.0.key.clone();
        self.context
            .storage
            .read(&SequencingLog(()), move |tx| Box::pin(async move { Extension::read(tx, &key).await }))
            .await
    }
}

/// Entries that are to get places, and what the log is with them.
pub(super) struct Extension {
    /// The newest checkpoint when that was read, and its size.
    base: (String, i64),
    /// The entries, by their numbers: each of these is one, in this order.
    entries: Vec<RangeInclusive<i64>>,
    tiles: Vec<(TileId, Vec<u8>)>,
    pub(super) checkpoint: Checkpoint,
    /// How many signatures and certificates they tell of.
    done: Done,
    /// Whether more entries may wait.
    is_full: bool,
}

impl Extension {
    async fn read(tx: &mut Tx, key: &LogKey) -> Result<Option<Self>> {
        let pending = tables::log_entries::pending(tx, TOGETHER).await?;
        if pending.is_empty() {
            return Ok(None);
        }
        let row = tables::logs::read(tx).await?.ok_or_else(|| Error::internal("there is no log"))?;
        let head = Checkpoint::open(&row.checkpoint, key).map_err(Error::internal)?;
        let mut tiles = load(tx, Tree::Log, tree::tiles_of(0..head.size).collect()).await?;
        // What was altered in the store, or restored in part, is never signed over.
        if i64::try_from(head.size) != Ok(row.size) || tree::range_hash(0..head.size, &tiles) != Some(head.root) {
            return Err(Error::internal("the log's tiles are not those of its newest checkpoint"));
        }
        let leaves: Vec<_> = pending.iter().map(|entry| tree::leaf_hash(&entry.leaf)).collect();
        let is_certificate = |entry: &&Pending| matches!(Leaf::from_bytes(&entry.leaf), Some(Leaf::Certificate(_)));
        let issued = pending.iter().filter(is_certificate).count() as u64;
        let signed = pending.len() as u64 - issued;
        let changed = tree::append(&mut tiles, head.size, &leaves);
        let changed = changed.ok_or_else(|| Error::internal("the log's tiles are not those of its size"))?;
        let stored = |id: TileId| (id, tiles.get(&id).map(|tile| tile.concat()).unwrap_or_default());
        let changed = changed.into_iter().map(stored).collect();
        let size = head.size + leaves.len() as u64;
        let root = tree::range_hash(0..size, &tiles).ok_or_else(|| Error::internal("the log's edge is not whole"))?;
        Ok(Some(Self {
            base: (row.checkpoint, row.size),
            entries: ranges(pending.iter().map(|entry| entry.seq)),
            tiles: changed,
            checkpoint: Checkpoint { origin: head.origin, size, root },
            // What the log does not tell is always a signature.
            done: Done { signed, issued, ..Done::default() },
            is_full: leaves.len() == TOGETHER as usize,
        }))
    }

    /// Stores it with its signed checkpoint; false, and nothing is stored, where the log was extended by somebody else.
    pub(super) async fn store(self, tx: &mut Tx, signed: &str) -> Result<bool> {
        tables::turns::take(tx, "log").await?;
        let (checkpoint, size) = self.base;
        let row = tables::logs::read(tx).await?.ok_or_else(|| Error::internal("there is no log"))?;
        if row.checkpoint != checkpoint {
            return Ok(false);
        }
        let mut index = size;
        for entries in self.entries {
            index += tables::log_entries::place(tx, entries, index).await?;
        }
        if index != number(self.checkpoint.size)? {
            return Err(Error::internal("entries of the log have places that no checkpoint covers"));
        }
        for (id, hashes) in self.tiles {
            tables::tiles::put(tx, Tree::Log, id.level.into(), number(id.index)?, &hashes).await?;
        }
        if !tables::logs::advance(tx, size, index, signed).await? {
            return Err(Error::internal("the log was extended by somebody else in its turn"));
        }
        Ok(true)
    }
}

/// Rising numbers, as ranges without gaps.
pub(crate) fn ranges(numbers: impl Iterator<Item = i64>) -> Vec<RangeInclusive<i64>> {
    let mut ranges: Vec<RangeInclusive<i64>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if *last.end() + 1 == number => *last = *last.start()..=number,
            Some(_) | None => ranges.push(number..=number),
        }
    }
    ranges
}

/// Reads tiles, as far as they are there.
pub(crate) async fn load(tx: &mut Tx, tree: Tree, ids: Vec<TileId>) -> Result<Tiles> {
    let mut tiles = Tiles::new();
    for id in ids {
        if tiles.contains_key(&id) {
            continue;
        }
        if let Some(stored) = tables::tiles::hashes(tx, tree, id.level.into(), number(id.index)?).await? {
            tiles.insert(id, tree::hashes(&stored).ok_or_else(|| Error::internal("a stored tile is cut off"))?);
        }
    }
    Ok(tiles)
}

/// As the store has numbers.
pub(crate) fn number(index: u64) -> Result<i64> {
    i64::try_from(index).map_err(Error::internal)
}
