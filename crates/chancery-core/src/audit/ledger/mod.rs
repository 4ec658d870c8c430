//! The ledger: every audit record is a leaf of one Merkle tree that only grows, and signed checkpoints over it, each linked
//! to the one before, say how far the journals of the data plane went as well. So what is removed, changed or put in
//! another place shows, also to those who can write the database, as far as somebody else keeps a checkpoint.
//!
//! A trigger queues each record with its transaction, and nobody waits for more. Within a second the sequencer makes
//! leaves of what is committed. `export` is the copy that is verified, offline or on the host (`chancery-verify`).

mod alarm;
mod export;
mod findable;
mod key;
mod sequencer;

#[cfg(test)]
mod tests;

use chancery_store::tables::{
    audit::Row,
    audit_ledger,
    tiles::Tree,
    witnesses::{self, State},
};
use chancery_types::{
    Action, Perm,
    wire::audit::{AuditCheckpoint, AuditRecord, WitnessedCheckpoint},
};
use chancery_verify::ledger::LedgerCheckpoint;

pub(super) use self::export::Part;
pub(super) use self::sequencer::Extension;
pub(crate) use self::{key::Ledger, sequencer::SequencingLedger};
use super::reading::body_of;
use crate::{
    Audit, Caller, Error, Result,
    log::{Shown, cosigned, with_cosignatures},
};

/// A leaf: the record as an export has it, without the end of its line.
pub(super) fn leaf_of(row: Row) -> Result<Vec<u8>> {
    line_of(&body_of(row))
}

/// The same of a record that was read.
pub(super) fn line_of(record: &AuditRecord) -> Result<Vec<u8>> {
    serde_json::to_vec(record).map_err(Error::internal)
}

/// A record as a line of an export of the ledger, without the line's end: its leaf is the last member, so that the record can be
/// had back byte by byte.
pub(super) fn line_of_leaf(mut record: Vec<u8>, leaf: i64) -> Vec<u8> {
    record.pop();
    record.extend(format!(",\"leaf\":{leaf}}}").into_bytes());
    record
}

impl Audit {
    /// The newest checkpoint of the ledger.
    pub async fn audit_checkpoint(&self, caller: &Caller) -> Result<AuditCheckpoint> {
        let grant = self.context.grant(caller, Perm::AuditRead, Action::AuditRead, None).await?;
        let read = self.context.storage.read(&grant, |tx| {
            Box::pin(async move {
                let newest = audit_ledger::newest(tx).await?;
                Ok::<_, Error>((newest, witnesses::states(tx, Tree::Ledger).await?))
            })
        });
        let (newest, states) = read.await?;
        let newest = newest.ok_or_else(|| Error::internal("the ledger has no checkpoint"))?;
        let key = &self.ledger.0.key;
        let opened = LedgerCheckpoint::open(&newest.note, key).map_err(Error::internal)?;
        Ok(AuditCheckpoint {
            checkpoint: with_cosignatures(&newest.note, &states),
            key: key.to_string(),
            number: opened.number,
            records: opened.head.size,
            time: opened.time,
            witnessed: cosigned(&states).map(|(shown, _)| self.witnessed(&shown, &states)).transpose()?,
        })
    }

    /// A checkpoint with the cosignatures of witnesses.
    fn witnessed(&self, shown: &Shown, states: &[State]) -> Result<WitnessedCheckpoint> {
        let opened = LedgerCheckpoint::open(&shown.note, &self.ledger.0.key).map_err(Error::internal)?;
        let name = |state: &State| state.witness.split('+').next().unwrap_or_default().to_owned();
        let own = |state: &&State| {
            state.cosignature.as_deref().is_some_and(|line| shown.note.contains(line)) && state.cosigned_at_ms.is_some()
        };
        Ok(WitnessedCheckpoint {
            checkpoint: shown.note.clone(),
            number: opened.number,
            records: opened.head.size,
            time: opened.time,
            witnesses: states.iter().filter(own).map(name).collect(),
        })
    }
}
