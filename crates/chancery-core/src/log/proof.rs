//! Inclusion proofs, as the details of requests and certificates carry them.

use chancery_store::{Tx, tables};
use chancery_types::{Base64, wire::log::InclusionProof};
use uuid::Uuid;

use super::{sequencer::load, tree};
use crate::{Error, Result};

/// The proof that the entry of an object is in the log; `None` where there is no such entry, or no checkpoint covers it
/// yet.
pub(crate) async fn inclusion_proof(tx: &mut Tx, object: Uuid, item: u32) -> Result<Option<InclusionProof>> {
    let Some(entry) = tables::log_entries::of_object(tx, object, item).await? else { return Ok(None) };
    let Some(index) = entry.index else { return Ok(None) };
    let log = tables::logs::read(tx).await?.ok_or_else(|| Error::internal("there is no log"))?;
    let (index, tree_size) = (index.unsigned_abs(), log.size.unsigned_abs());
    if index >= tree_size {
        return Err(Error::internal("an entry's place is behind the end of the log"));
    }
    let path = tree::inclusion(index, tree_size);
    let tiles = load(tx, path.iter().cloned().flat_map(tree::tiles_of).collect()).await?;
    let hashes = path.into_iter().map(|range| tree::range_hash(range, &tiles));
    let hashes: Option<Vec<_>> = hashes.map(|hash| hash.map(|hash| Base64(hash.to_vec()))).collect();
    Ok(Some(InclusionProof {
        index,
        tree_size,
        hashes: hashes.ok_or_else(|| Error::internal("a tile of the log is missing"))?,
        checkpoint: log.checkpoint,
        leaf: Base64(entry.leaf),
        salt: entry.salt.map(Base64),
    }))
}
