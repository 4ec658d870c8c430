//! The hashes of the trees that the database keeps, in tiles.

use crate::{StoreError, Tx, sql};

/// Which tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tree {
    /// The transparency log's.
    Log,
    /// The audit ledger's.
    Ledger,
}

macro_rules! texts {
    ($table:literal) => {
        (
            concat!(
                "INSERT INTO ",
                $table,
                " (level, tile, hashes) VALUES ($1, $2, $3) \
                 ON CONFLICT (level, tile) DO UPDATE SET hashes = excluded.hashes"
            ),
            concat!("SELECT hashes FROM ", $table, " WHERE level = $1 AND tile = $2"),
        )
    };
}

impl Tree {
    /// What puts a tile, and what reads one.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Log => texts!("log_tiles"),
            Self::Ledger => texts!("audit_tiles"),
        }
    }
}

/// Stores a tile, or what it has grown to.
pub async fn put(tx: &mut Tx, tree: Tree, level: u32, tile: i64, hashes: &[u8]) -> Result<(), StoreError> {
    sql(tree.texts().0).bind(level).bind(tile).bind(hashes).execute(tx).await?;
    Ok(())
}

/// A tile's hashes.
pub async fn hashes(tx: &mut Tx, tree: Tree, level: u32, tile: i64) -> Result<Option<Vec<u8>>, StoreError> {
    sql(tree.texts().1).bind(level).bind(tile).optional(tx).await
}
