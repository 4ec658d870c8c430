//! The ledger as lines: the archived records, then those at hand by their numbers, each with its leaf, then the hashes of the leaves as they were stored,
//! then the checkpoints, then the key. Who verifies this needs nothing else.

use chancery_store::{
    Tx,
    tables::{
        audit_ledger::{self, Placed},
        tiles::{self, Tree},
        witnesses,
    },
};
use chancery_types::Base64;
use chancery_verify::{
    ledger::{Demand, LedgerCopy, LedgerFault, LedgerState, verify_ledger},
    log::tree::{Hash, TILE_WIDTH},
};
use serde_json::json;

use super::{leaf_of, line_of_leaf};
use crate::{
    Audit, Error, Host, Result,
    audit::archives::lines_behind,
    log::{LogKey, with_cosignatures},
};

/// Records that are read at a time. One has some 20 KiB at most, and usually less than one.
const RECORDS: u32 = 200;

/// Checkpoints that are read at a time.
const CHECKPOINTS: u32 = 500;

/// Places that are told of each kind.
const FAULTS: u32 = 100;

/// How far the ledger went when an export of it was begun.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    leaves: i64,
    /// The number of the newest checkpoint.
    newest: i64,
    key: String,
    /// Whether only records are in it that were leaves then.
    is_settled: bool,
}

/// What of an export comes next.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Records of archives behind that with this first leaf.
    Archives(i64, Extent),
    /// Records at hand from this number on, and the first leaf of the last archive that was read.
    Records(i64, i64, Extent),
    /// Records of archives that were made since, so they may not have been at hand any more. Those that were stand there again.
    MadeSince(i64, Extent),
    /// A tile of leaf hashes.
    Hashes(i64, Extent),
    /// Checkpoints from this number on.
    Checkpoints(i64, Extent),
    Key(Extent),
}

impl Part {
    /// The first part of what there is now: of records that are leaves alone, or also of those that are none.
    pub(crate) async fn first(tx: &mut Tx, key: &LogKey, is_settled: bool) -> Result<Self> {
        let newest = audit_ledger::newest(tx).await?.map_or(-1, |newest| newest.number);
        let leaves = audit_ledger::leaves(tx).await?;
        // Whoever judges sees what is behind the newest checkpoint, too.
        let leaves = if is_settled { leaves } else { hashed(tx, leaves).await? };
        let extent = Extent { leaves, newest, key: key.to_string(), is_settled };
        Ok(Self::Archives(i64::MIN, extent))
    }

    /// The lines of this part, and what comes after it.
    pub(crate) async fn read(self, tx: &mut Tx) -> Result<(Vec<u8>, Option<Self>)> {
        match self {
            Self::Archives(behind, extent) => Ok(match lines_behind(tx, behind).await? {
                Some((lines, first_leaf)) => (lines, Some(Self::Archives(first_leaf, extent))),
                None => (Vec::new(), Some(Self::Records(i64::MIN, behind, extent))),
            }),
            Self::Records(from, behind, extent) => records(tx, from, behind, extent).await,
            Self::MadeSince(behind, extent) => Ok(match lines_behind(tx, behind).await? {
                Some((lines, first_leaf)) => (lines, Some(Self::MadeSince(first_leaf, extent))),
                None => (Vec::new(), Some(Self::Hashes(0, extent))),
            }),
            Self::Hashes(tile, extent) => hashes(tx, tile, extent).await,
            Self::Checkpoints(from, extent) => checkpoints(tx, from, extent).await,
            Self::Key(extent) => Ok((format!("{}\n", json!({"ledgerKey": extent.key})).into_bytes(), None)),
        }
    }
}

/// How many leaves have hashes, where so many should. Tiles are full up to the last one.
async fn hashed(tx: &mut Tx, leaves: i64) -> Result<i64> {
    let width = TILE_WIDTH as i64;
    let mut tile = leaves / width;
    loop {
        let stored = tiles::hashes(tx, Tree::Ledger, 0, tile).await?.unwrap_or_default();
        let hashes = (stored.len() / size_of::<Hash>()) as i64;
        if hashes < width {
            return Ok(tile.saturating_mul(width).saturating_add(hashes));
        }
        tile += 1;
    }
}

async fn records(tx: &mut Tx, from: i64, behind: i64, extent: Extent) -> Result<(Vec<u8>, Option<Part>)> {
    let placed = audit_ledger::from(tx, from, RECORDS).await?;
    let Extent { is_settled, leaves, .. } = extent;
    let next = match placed.last() {
        Some(last) if placed.len() == RECORDS as usize => Part::Records(last.row.seq.saturating_add(1), behind, extent),
        Some(_) | None => Part::MadeSince(behind, extent),
    };
    let mut lines = Vec::new();
    // What came since is in the next export, with its leaf.
    let is_in = |record: &Placed| !is_settled || record.leaf.is_some_and(|leaf| leaf < leaves);
    for record in placed.into_iter().filter(is_in) {
        let mut line = leaf_of(record.row)?;
        if let Some(leaf) = record.leaf {
            line = line_of_leaf(line, leaf);
        }
        lines.append(&mut line);
        lines.push(b'\n');
    }
    Ok((lines, Some(next)))
}

async fn hashes(tx: &mut Tx, tile: i64, extent: Extent) -> Result<(Vec<u8>, Option<Part>)> {
    let width = TILE_WIDTH as i64;
    let left = extent.leaves - tile * width;
    if left <= 0 {
        return Ok((Vec::new(), Some(Part::Checkpoints(0, extent))));
    }
    let mut stored = tiles::hashes(tx, Tree::Ledger, 0, tile).await?.unwrap_or_default();
    // Leaves that came meanwhile are behind the newest checkpoint of this export.
    stored.truncate(left.min(width) as usize * size_of::<Hash>());
    let line = json!({"leafHashes": Base64::encode(&stored)});
    Ok((format!("{line}\n").into_bytes(), Some(Part::Hashes(tile + 1, extent))))
}

async fn checkpoints(tx: &mut Tx, from: i64, extent: Extent) -> Result<(Vec<u8>, Option<Part>)> {
    let some = audit_ledger::checkpoints(tx, from..=extent.newest, CHECKPOINTS).await?;
    let states = witnesses::states(tx, Tree::Ledger).await?;
    let next = match some.last() {
        Some(last) if some.len() == CHECKPOINTS as usize => Part::Checkpoints(last.number + 1, extent),
        Some(_) | None => Part::Key(extent),
    };
    let note = |one: audit_ledger::Checkpoint| with_cosignatures(&one.note, &states);
    let lines = some.into_iter().map(|one| format!("{}\n", json!({"checkpoint": note(one)}))).collect::<String>();
    Ok((lines.into_bytes(), Some(next)))
}

impl Audit {
    /// Goes through the ledger in the store, and compares it with checkpoints that witnesses kept. With a key, only what
    /// that one signed is believed, and not what the store's own did.
    pub async fn verify_ledger(
        &self,
        host: &Host,
        key: Option<&LogKey>,
        (kept, demand): (&[String], &Demand),
        tolerance_ms: i64,
    ) -> Result<LedgerState> {
        let misplaced = self.misplaced(host).await?;
        let copy = match self.copy_of_ledger(host).await {
            Err(failure) if misplaced.is_empty() => return Err(failure),
            // What SQLite keeps and nobody reads, such as a text in the place of a number.
            Err(_) => return Ok(LedgerState::unread(misplaced)),
            Ok(copy) => copy,
        };
        let mut state = verify_ledger(copy, key.unwrap_or(&self.ledger.0.key), (kept, demand), tolerance_ms);
        state.faults.extend(misplaced);
        state.faults.extend(self.archive_faults(host).await?);
        state.faults.extend(self.unfindable(host).await?);
        state.faults.extend(self.misattributed(host).await?);
        Ok(state)
    }

    async fn copy_of_ledger(&self, host: &Host) -> Result<LedgerCopy> {
        let own = self.ledger.0.key.clone();
        let begun =
            self.context.storage.read(host, move |tx| Box::pin(async move { Part::first(tx, &own, false).await }));
        let (mut part, mut copy) = (Some(begun.await?), LedgerCopy::live());
        while let Some(this) = part {
            let (lines, next) = self.context.storage.read(host, move |tx| Box::pin(this.read(tx))).await?;
            for line in String::from_utf8(lines).map_err(Error::internal)?.lines() {
                copy.push(line);
            }
            part = next;
        }
        Ok(copy)
    }

    /// Places among the leaves, and checkpoints, that whoever extends the ledger did not write.
    async fn misplaced(&self, host: &Host) -> Result<Vec<LedgerFault>> {
        let read = self.context.storage.read(host, |tx| {
            Box::pin(async move {
                let no_notes = audit_ledger::no_notes(tx, FAULTS).await?;
                if !no_notes.is_empty() {
                    // How far it goes is not known then.
                    let faults = no_notes.into_iter().map(|number| LedgerFault::NoNote { number });
                    return Ok::<_, Error>(faults.collect());
                }
                let leaves = audit_ledger::leaves(tx).await?;
                let numbers = audit_ledger::misplaced(tx, leaves, FAULTS).await?;
                Ok(numbers.into_iter().map(|number| LedgerFault::Misplaced { number }).collect())
            })
        });
        read.await
    }
}
