//! The log's files, for everybody.

use chancery_store::tables::{self, tiles::Tree};

use super::{
    LogTile,
    tile::Kind,
    tree::{Hash, TILE_WIDTH},
    witnesses::shown,
};
use crate::{
    Error, Log, Result, Visitor,
    context::storage::{Evidence, MayRead},
};

/// Answers anybody who asks for the log. Made only here.
pub(crate) struct PublishingLog(());

impl Evidence for PublishingLog {}
impl MayRead for PublishingLog {}

impl Log {
    /// The newest checkpoint, with the cosignatures of witnesses; for a moment still the one before, where nobody has cosigned the
    /// newest one yet.
    pub async fn log_checkpoint(&self, _visitor: &Visitor) -> Result<String> {
        let read = self.context.storage.read(&PublishingLog(()), |tx| {
            Box::pin(async move {
                let row = tables::logs::read(tx).await?;
                Ok::<_, Error>((row, tables::witnesses::states(tx, Tree::Log).await?))
            })
        });
        let (row, states) = read.await?;
        let row = row.ok_or_else(|| Error::internal("there is no log"))?;
        Ok(shown(&row.checkpoint, row.size, &states, self.context.clock.now_ms()).note)
    }

    /// The key that checkpoints are verified with, as text.
    #[must_use]
    pub fn log_key(&self, _visitor: &Visitor) -> String {
        self.state.0.key.to_string()
    }

    /// A tile of hashes or a bundle of entries. Partial ones are the beginning of what there is by now.
    pub async fn log_tile(&self, _visitor: &Visitor, tile: LogTile) -> Result<Vec<u8>> {
        let read = self.context.storage.read(&PublishingLog(()), move |tx| {
            Box::pin(async move {
                Ok::<_, Error>(match tile.kind {
                    Kind::Hashes(level) => {
                        let Ok(index) = i64::try_from(tile.index) else { return Ok(None) };
                        let stored = tables::tiles::hashes(tx, Tree::Log, level.into(), index).await?;
                        stored.and_then(|hashes| Some(hashes.get(..tile.width() * size_of::<Hash>())?.to_vec()))
                    }
                    Kind::Entries => {
                        let from = tile.index.checked_mul(TILE_WIDTH as u64).and_then(|from| i64::try_from(from).ok());
                        let until = from.and_then(|from| from.checked_add(tile.width() as i64));
                        let (Some(from), Some(until)) = (from, until) else { return Ok(None) };
                        let entries = tables::log_entries::between(tx, from, until).await?;
                        (entries.len() == tile.width()).then(|| bundle(&entries)).transpose()?
                    }
                })
            })
        });
        read.await?.ok_or_else(|| Error::not_found("part of the log"))
    }
}

/// Each entry after its length in two bytes.
fn bundle(entries: &[tables::log_entries::Placed]) -> Result<Vec<u8>> {
    let mut bundle = Vec::new();
    for entry in entries {
        bundle.extend(u16::try_from(entry.leaf.len()).map_err(Error::internal)?.to_be_bytes());
        bundle.extend(&entry.leaf);
    }
    Ok(bundle)
}
