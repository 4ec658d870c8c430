//! Gives entries their places: everything in one transaction, the places, the tiles and the signed checkpoint. So what
//! anybody is shown is stored, what is stored is whole, and a server that dies at any point leaves either all of it or
//! nothing.
//!
//! Any node may do it, one at a time: each takes the log's turn first, and the new checkpoint is stored only if the log
//! still has the size that it rests on.

use std::{sync::Arc, time::Duration};

use chancery_store::{Tx, tables};

use super::{
    checkpoint::Checkpoint,
    setup::Log,
    tree::{self, TileId, Tiles},
};
use crate::{Chancery, Error, Result};

/// Between two looks: a checkpoint covers an entry within a second.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Entries of one transaction: some milliseconds, for which others wait on SQLite.
const TOGETHER: u32 = 4_096;

impl Chancery {
    /// Looks for entries without places until the last user of this Chancery is gone. Where there are none nothing is
    /// written.
    pub(crate) fn sequence_log_in_turn(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "extending the log", |chancery| Box::pin(chancery.sequence_log()));
    }

    /// Gives all entries that are committed their places.
    pub(crate) async fn sequence_log(&self) -> Result<()> {
        let pending =
            self.store.read(|tx| Box::pin(async move { Ok::<_, Error>(tables::log_entries::any_pending(tx).await?) }));
        let mut more = pending.await?;
        while more {
            let log = Arc::clone(&self.log);
            more = self.store.write(move |tx| Box::pin(async move { sequence(tx, &log).await })).await?;
        }
        Ok(())
    }
}

/// Gives some entries their places; whether there may be more.
async fn sequence(tx: &mut Tx, log: &Log) -> Result<bool> {
    tables::turns::take(tx, "log").await?;
    let row = tables::logs::read(tx).await?.ok_or_else(|| Error::internal("there is no log"))?;
    let head = Checkpoint::open(&row.checkpoint, &log.key).map_err(Error::internal)?;
    let size = head.size;
    let mut tiles = load(tx, tree::tiles_of(0..size).collect()).await?;
    // What was altered in the store, or restored in part, is never signed over.
    if i64::try_from(size) != Ok(row.size) || tree::range_hash(0..size, &tiles) != Some(head.root) {
        return Err(Error::internal("the log's tiles are not those of its newest checkpoint"));
    }
    let placed = tables::log_entries::place(tx, row.size, TOGETHER).await?;
    if placed.is_empty() {
        return Ok(false);
    }
    if !placed.iter().zip(row.size..).all(|(entry, place)| entry.index == place) {
        return Err(Error::internal("the new places in the log have gaps"));
    }
    let leaves: Vec<_> = placed.iter().map(|entry| tree::leaf_hash(&entry.leaf)).collect();
    let changed = tree::append(&mut tiles, size, &leaves);
    let changed = changed.ok_or_else(|| Error::internal("the log's tiles are not those of its size"))?;
    for id in changed {
        let hashes = tiles.get(&id).map(|tile| tile.concat()).unwrap_or_default();
        tables::log_tiles::put(tx, id.level.into(), number(id.index)?, &hashes).await?;
    }
    let size = size + leaves.len() as u64;
    let root = tree::range_hash(0..size, &tiles).ok_or_else(|| Error::internal("the log's edge is not whole"))?;
    let checkpoint = log.sign(&Checkpoint { origin: head.origin, size, root })?;
    if !tables::logs::advance(tx, row.size, number(size)?, &checkpoint).await? {
        return Err(Error::internal("the log was extended by somebody else in its turn"));
    }
    Ok(leaves.len() == TOGETHER as usize)
}

/// Reads tiles, as far as they are there.
pub(super) async fn load(tx: &mut Tx, ids: Vec<TileId>) -> Result<Tiles> {
    let mut tiles = Tiles::new();
    for id in ids {
        if tiles.contains_key(&id) {
            continue;
        }
        if let Some(stored) = tables::log_tiles::hashes(tx, id.level.into(), number(id.index)?).await? {
            tiles.insert(id, tree::hashes(&stored).ok_or_else(|| Error::internal("a stored tile is cut off"))?);
        }
    }
    Ok(tiles)
}

fn number(index: u64) -> Result<i64> {
    i64::try_from(index).map_err(Error::internal)
}
