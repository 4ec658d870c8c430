//! What a witness is sent: how many leaves it has seen, the proof that the newest checkpoint adds to them, and that.

use chancery_store::{
    Tx,
    tables::{audit_ledger, logs, tiles::Tree},
};
use chancery_types::Base64;

use crate::{
    Error, Result,
    log::{checkpoint::Checkpoint, load, number, tree},
};

/// The newest checkpoint of a tree, as it was signed here.
pub(super) struct Newest {
    pub(super) note: String,
    pub(super) size: u64,
}

/// The body of a request for a cosignature.
pub(super) struct Request {
    pub(super) newest: Newest,
    /// Leaves of the tree from which the proof is.
    pub(super) old: u64,
    pub(super) body: String,
}

impl Newest {
    pub(super) async fn read(tx: &mut Tx, of: Tree) -> Result<Option<Self>> {
        let note = match of {
            Tree::Log => logs::read(tx).await?.map(|row| row.checkpoint),
            Tree::Ledger => audit_ledger::newest(tx).await?.map(|newest| newest.note),
        };
        let Some(note) = note else { return Ok(None) };
        // Ours, out of our own store: the witness verifies it.
        let head = Checkpoint::of_note(&note).ok_or_else(|| Error::internal("a stored checkpoint is none"))?;
        Ok(Some(Self { note, size: head.size }))
    }
}

impl Request {
    /// Goes on from a tree of so many leaves, which is no larger than the newest one.
    pub(super) async fn read(tx: &mut Tx, of: Tree, newest: Newest, old: u64) -> Result<Self> {
        let ranges = if old == 0 { Vec::new() } else { tree::consistency(old, newest.size) };
        let tiles = ranges.iter().cloned().flat_map(tree::tiles_of).collect();
        let tiles = load(tx, of, tiles).await?;
        let mut body = format!("old {old}\n");
        for range in ranges {
            let hash = tree::range_hash(range, &tiles).ok_or_else(|| Error::internal("a tile of a tree is missing"))?;
            body += &format!("{}\n", Base64::encode(&hash));
        }
        body += &format!("\n{}", newest.note);
        // A size that the store cannot have is refused here, and not when it is written down.
        number(old)?;
        Ok(Self { newest, old, body })
    }
}
