//! Inclusion proofs, as the details of requests and certificates and the items of manifests carry them.

use std::{collections::BTreeMap, ops::Range};

use chancery_store::{
    Tx,
    tables::{self, tiles::Tree},
};
use chancery_types::{Base64, wire::log::InclusionProof};
use uuid::Uuid;

use super::{
    sequencer::load,
    tree,
    witnesses::{Shown, cosigned, with_cosignatures},
};
use crate::{Error, Result};

/// The proof that the one entry of an object is in the log; `None` where there is no such entry, or no checkpoint covers
/// it yet.
pub(crate) async fn inclusion_proof(tx: &mut Tx, object: Uuid) -> Result<Option<InclusionProof>> {
    Ok(inclusion_proofs(tx, object, 0..1).await?.remove(&0))
}

/// The proofs, all under one checkpoint, of those of an object's entries that it covers, by their numbers.
pub(crate) async fn inclusion_proofs(
    tx: &mut Tx,
    object: Uuid,
    items: Range<u32>,
) -> Result<BTreeMap<u32, InclusionProof>> {
    let mut entries = tables::log_entries::of_object(tx, object, items).await?;
    entries.retain(|entry| entry.index.is_some());
    if entries.is_empty() {
        return Ok(BTreeMap::new());
    }
    let log = tables::logs::read(tx).await?.ok_or_else(|| Error::internal("there is no log"))?;
    let last = entries.iter().filter_map(|entry| entry.index).max().unwrap_or_default();
    let Shown { note, size } = believed(tx, log, last).await?;
    let tree_size = size.unsigned_abs();
    let mut paths = Vec::with_capacity(entries.len());
    for index in entries.iter().filter_map(|entry| entry.index) {
        if index.unsigned_abs() >= tree_size {
            return Err(Error::internal("an entry's place is behind the end of the log"));
        }
        paths.push((index.unsigned_abs(), tree::inclusion(index.unsigned_abs(), tree_size)));
    }
    // Neighbours share nearly all of their tiles.
    let tiles = paths.iter().flat_map(|(_, path)| path.iter().cloned()).flat_map(tree::tiles_of).collect();
    let tiles = load(tx, Tree::Log, tiles).await?;
    let proof = |(entry, (index, path)): (tables::log_entries::Row, (u64, Vec<Range<u64>>))| {
        let hashes = path.into_iter().map(|range| tree::range_hash(range, &tiles));
        let hashes: Option<Vec<_>> = hashes.map(|hash| hash.map(|hash| Base64(hash.to_vec()))).collect();
        let proof = InclusionProof {
            index,
            tree_size,
            hashes: hashes.ok_or_else(|| Error::internal("a tile of the log is missing"))?,
            checkpoint: note.clone(),
            leaf: Base64(entry.leaf),
            salt: entry.salt.map(Base64),
        };
        Ok((entry.item, proof))
    };
    entries.into_iter().zip(paths).map(proof).collect()
}

/// The newest checkpoint; where nobody has cosigned that, the one before that witnesses have cosigned, if it covers this entry.
async fn believed(tx: &mut Tx, log: tables::logs::Row, entry: i64) -> Result<Shown> {
    let states = tables::witnesses::states(tx, Tree::Log).await?;
    Ok(match cosigned(&states) {
        Some((cosigned, _)) if cosigned.size > entry && cosigned.size < log.size => cosigned,
        Some(_) | None => Shown { note: with_cosignatures(&log.checkpoint, &states), size: log.size },
    })
}
