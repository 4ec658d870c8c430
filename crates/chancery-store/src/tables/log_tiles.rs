//! The hashes of the transparency log's tree, in tiles.

use crate::{StoreError, Tx, sql};

const PUT: &str = "INSERT INTO log_tiles (level, tile, hashes) VALUES ($1, $2, $3) \
    ON CONFLICT (level, tile) DO UPDATE SET hashes = excluded.hashes";
const HASHES: &str = "SELECT hashes FROM log_tiles WHERE level = $1 AND tile = $2";

/// Stores a tile, or what it has grown to.
pub async fn put(tx: &mut Tx, level: u32, tile: i64, hashes: &[u8]) -> Result<(), StoreError> {
    sql(PUT).bind(level).bind(tile).bind(hashes).execute(tx).await?;
    Ok(())
}

/// A tile's hashes.
pub async fn hashes(tx: &mut Tx, level: u32, tile: i64) -> Result<Option<Vec<u8>>, StoreError> {
    sql(HASHES).bind(level).bind(tile).optional(tx).await
}
