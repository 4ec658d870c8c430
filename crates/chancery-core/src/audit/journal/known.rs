//! How far the journals went by all that is known of it: the store's rows, and the newest checkpoint of the ledger, which
//! nobody can put back without the ledger's key.

use chancery_journal::Head;
use chancery_store::{
    Page, Start, Tx,
    tables::{
        audit::{self, Filter},
        audit_ledger,
        journals::{self, Row},
    },
};
use chancery_types::Action;
use chancery_verify::{
    ledger::{JournalAnchor, LedgerCheckpoint},
    log::LogKey,
};
use uuid::Uuid;

use crate::{Error, Result};

/// Records that are looked at for the newest one that says that a part of a journal is missing.
const LOOKED_AT_MAX: u32 = 10_000;

/// The journals as the store has them, each as far as the newest checkpoint says where that is farther: somebody put its row
/// back as it once was.
pub(super) async fn all(tx: &mut Tx, key: &LogKey) -> Result<Vec<Row>> {
    let (mut rows, newest) = (journals::all(tx).await?, audit_ledger::newest(tx).await?);
    // A checkpoint that is none of this ledger says nothing here; the sequencer tells of it.
    let checkpoint = newest.and_then(|newest| LedgerCheckpoint::open(&newest.note, key).ok());
    for said in checkpoint.into_iter().flat_map(|checkpoint| checkpoint.journals) {
        let row = rows.iter_mut().find(|row| row.id.to_string() == said.journal);
        if let Some((row, said)) = row.and_then(|row| farther(row, &said).map(|said| (row, said))) {
            (row.segment, row.record, row.hash) = said;
        }
    }
    Ok(rows)
}

fn farther(row: &Row, said: &JournalAnchor) -> Option<(i64, i64, Vec<u8>)> {
    let Head { segment, record, hash } = said.head.parse().ok()?;
    let said = (i64::try_from(segment).ok()?, i64::try_from(record).ok()?, hash.to_vec());
    let row = (row.segment, row.record, &row.hash);
    ((said.0, said.1) > (row.0, row.1) || (said.0, said.1) == (row.0, row.1) && said.2 != *row.2).then_some(said)
}

/// When it was told last that a part of a journal is missing, if that was not before this time.
pub(in crate::audit) async fn told_missing(tx: &mut Tx, journal: Uuid, from_ms: Option<i64>) -> Result<Option<i64>> {
    let action = Some(Action::JournalMiss.as_str().to_owned());
    let filter = Filter { object: Some(journal), action, from_ms, ..Filter::default() };
    let page = Page { limit: 1, start: Start::Offset(0), count_max: 0, scan_max: LOOKED_AT_MAX };
    let told = audit::list(tx, filter, &page).await.map_err(Error::from)?;
    Ok(told.rows.first().map(|row| row.record.at_ms))
}
