//! Moves the oldest records at hand into an archive. They are compared with the ledger before: what is not as it became a leaf
//! stays where it is, for whoever looks into it.

use std::ops::RangeInclusive;

use chancery_store::{
    Tx,
    tables::{
        audit::Row as Record,
        audit_archives::{self, Head, Row},
        audit_ledger, turns,
    },
};
use chancery_types::Action;
use chancery_verify::{hexadecimal, ledger::STAYS};
use serde_json::{Value, json};

use super::{DAY, KeepingArchives, first_at_hand, lines, stored_hashes};
use crate::{
    Audit, Error, Result,
    audit::ledger::{leaf_of, line_of_leaf},
    base::clock::ms,
    context::record::Actor,
    log::ranges,
    time::rfc3339_ms,
};

/// Leaves of one archive: whoever writes meanwhile waits until their records are deleted.
pub(super) const TOGETHER: u32 = 2_000;

/// Bytes of its lines, but for the last one.
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// An archive that is to be made.
struct Piece {
    row: Row,
    /// The numbers of its records.
    numbers: Vec<RangeInclusive<i64>>,
}

impl Audit {
    /// Makes one archive of records from before a moment; whether there may be more.
    pub(in crate::audit) async fn archive_some(&self, actor: &Actor, before_ms: i64) -> Result<bool> {
        let (by, now_ms) = (KeepingArchives(()), self.context.clock.now_ms());
        let read = self.context.storage.read(&by, move |tx| Box::pin(Piece::read(tx, before_ms, now_ms)));
        let Some(piece) = read.await? else { return Ok(false) };
        let entry = self.archive_entry(actor, Action::AuditArchive, told(&piece.row.head))?;
        let made = self.context.storage.background(&by, move |tx| {
            Box::pin(async move {
                let is_made = piece.store(tx).await?;
                if is_made {
                    entry.append(tx).await?;
                }
                Ok::<_, Error>(is_made)
            })
        });
        made.await
    }
}

/// What the records of its making and its end say of an archive.
pub(super) fn told(head: &Head) -> Value {
    let Head { first_leaf, leaves, records, first_at_ms, last_at_ms, bytes, sha256, .. } = head;
    let (from, to, sha256) = (rfc3339_ms(*first_at_ms), rfc3339_ms(*last_at_ms), hexadecimal(sha256));
    json!({
        "firstLeaf": first_leaf, "leaves": leaves, "records": records, "from": from, "to": to, "bytes": bytes,
        "sha256": sha256,
    })
}

/// How many of the first records are from before a moment. One that claims to be of the future was written by a clock that was
/// wrong: it is as old as what is around it.
fn over(times: impl Iterator<Item = i64>, before_ms: i64, now_ms: i64) -> usize {
    let mut over = 0;
    for (index, at_ms) in times.enumerate() {
        if at_ms < before_ms {
            over = index + 1;
        } else if at_ms <= now_ms {
            break;
        }
    }
    over
}

pub(super) fn stays(record: &Record) -> bool {
    STAYS.iter().any(|action| action.as_str() == record.record.action)
}

impl Piece {
    /// Reads the next one; none where too little is old enough.
    async fn read(tx: &mut Tx, before_ms: i64, now_ms: i64) -> Result<Option<Self>> {
        let first_leaf = first_at_hand(tx).await?;
        let leaves = audit_ledger::leaves(tx).await?;
        let mut placed = audit_ledger::leaves_from(tx, first_leaf, TOGETHER).await?;
        placed.retain(|placed| placed.leaf.is_some_and(|leaf| leaf < leaves));
        let is_full = placed.len() == TOGETHER as usize;
        placed.truncate(over(placed.iter().map(|placed| placed.row.record.at_ms), before_ms, now_ms));
        // No archive of a few records every few minutes.
        let oldest_ms = placed.iter().map(|placed| placed.row.record.at_ms).min().unwrap_or(i64::MAX);
        if !is_full && oldest_ms > before_ms.saturating_sub(ms(DAY)) {
            return Ok(None);
        }
        let hashes = stored_hashes(tx, first_leaf, placed.len()).await?;
        let (mut text, mut times, mut numbers, mut next) = (Vec::new(), Vec::new(), Vec::new(), first_leaf);
        for (placed, hash) in placed.into_iter().zip(hashes) {
            let (number, at_ms, stays) = (placed.row.seq, placed.row.record.at_ms, stays(&placed.row));
            let record = leaf_of(placed.row)?;
            if placed.leaf != Some(next) || chancery_verify::ledger::leaf_hash(&record) != hash {
                return Err(Error::internal(format!(
                    "leaf {next} of the audit ledger is not what became that leaf: nothing is archived from there on"
                )));
            }
            next += 1;
            if !stays {
                text.extend(line_of_leaf(record, next - 1));
                text.push(b'\n');
                times.push(at_ms);
                numbers.push(number);
            }
            if text.len() > BYTES_MAX {
                break;
            }
        }
        if next == first_leaf {
            return Ok(None);
        }
        let head = Head {
            first_leaf,
            leaves: next - first_leaf,
            records: times.len() as i64,
            first_at_ms: times.iter().copied().min().unwrap_or(before_ms),
            last_at_ms: times.iter().copied().filter(|at_ms| *at_ms <= now_ms).max().unwrap_or(before_ms),
            made_at_ms: now_ms,
            bytes: text.len() as i64,
            sha256: lines::sha256(&text),
        };
        numbers.sort_unstable();
        let row = Row { head, lines: lines::compressed(&text)? };
        Ok(Some(Self { row, numbers: ranges(numbers.into_iter()) }))
    }

    /// Stores it, and takes its records out of those at hand; false, and nothing is done, where somebody else was first.
    async fn store(self, tx: &mut Tx) -> Result<bool> {
        turns::take(tx, "audit ledger").await?;
        let Self { row, numbers } = self;
        if first_at_hand(tx).await? != row.head.first_leaf {
            return Ok(false);
        }
        let mut moved = 0;
        for numbers in numbers {
            moved += audit_archives::forget_records(tx, numbers).await?;
        }
        if i64::try_from(moved) != Ok(row.head.records) {
            return Err(Error::internal("records that were to be archived are gone"));
        }
        audit_archives::add(tx, &row).await?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::over;

    #[test]
    fn what_is_old_enough_is_told_by_its_neighbours_where_a_clock_was_wrong() {
        let over = |times: &[i64]| over(times.iter().copied(), 100, 200);
        assert_eq!(over(&[10, 20, 150, 30]), 2, "not what comes behind one that is not");
        assert_eq!(over(&[10, 900, 20]), 3, "of the future, and between two that are old");
        assert_eq!(over(&[10, 900, 150]), 1);
        assert_eq!(over(&[900, 900]), 0);
        assert_eq!(over(&[]), 0);
    }
}
