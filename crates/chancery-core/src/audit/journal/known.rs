//! How far the journals went by all that is known of it: the store's rows, and the newest checkpoint of the ledger, which
//! nobody can put back without the ledger's key.

use chancery_journal::{Head, Walked};
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

use crate::{Result, time::rfc3339_ms};

/// Records that are looked at for the newest one that says that a part of a journal is missing.
const LOOKED_AT_MAX: u32 = 10_000;

/// Records of trouble that are looked at for the newest one of writing.
const TOLD_MAX: u32 = 100;

/// What the detail of a `JournalFail` has where a segment is not as it was written.
const OF_SEGMENT: &str = "\"segment\":";

/// By how much the clocks of nodes may differ where it is asked whether a journal may have calls of a time.
const CLOCKS_MS: i64 = 60_000;

/// What is said of the host of a journal of which only a checkpoint tells.
const UNKNOWN: &str = "unknown";

/// The journals as the store has them, each as far as the newest checkpoint says where that is farther: somebody put its row
/// back as it once was. One that only the checkpoint knows is among them: no row of a journal is ever removed but by a hand.
pub(crate) async fn all(tx: &mut Tx, key: &LogKey) -> Result<Vec<Row>> {
    let (mut rows, newest) = (journals::all(tx).await?, audit_ledger::newest(tx).await?);
    // A checkpoint that is none of this ledger says nothing here; the sequencer tells of it.
    let checkpoint = newest.and_then(|newest| LedgerCheckpoint::open(&newest.note, key).ok());
    for said in checkpoint.into_iter().flat_map(|checkpoint| checkpoint.journals) {
        let (Ok(id), Some(said)) = (said.journal.parse(), parsed(&said)) else { continue };
        match rows.iter_mut().find(|row| row.id == id) {
            Some(row) if is_farther(&said, row) => {
                (row.segment, row.record, row.hash) = said;
                // The row is of before that, and so is what it says of the journal being missed.
                row.missed_at_ms = None;
            }
            Some(_) => {}
            None => rows.push(without_row(id, said)),
        }
    }
    Ok(rows)
}

fn parsed(said: &JournalAnchor) -> Option<(i64, i64, Vec<u8>)> {
    let Head { segment, record, hash } = said.head.parse().ok()?;
    Some((i64::try_from(segment).ok()?, i64::try_from(record).ok()?, hash.to_vec()))
}

fn is_farther(said: &(i64, i64, Vec<u8>), row: &Row) -> bool {
    let known = (row.segment, row.record);
    (said.0, said.1) > known || (said.0, said.1) == known && said.2 != row.hash
}

/// It may have calls of any time, and where it is nobody knows.
fn without_row(id: Uuid, (segment, record, hash): (i64, i64, Vec<u8>)) -> Row {
    Row {
        id,
        host: UNKNOWN.to_owned(),
        folder: String::new(),
        began_at_ms: 0,
        first_segment: segment,
        segment,
        record,
        hash,
        written_at_ms: 0,
        missed_at_ms: None,
    }
}

/// Whether the store has no row of it.
pub(crate) fn has_no_row(row: &Row) -> bool {
    row.folder.is_empty()
}

/// All of them, and when it was told last that a part of `own` is missing, if that was not before this time.
pub(crate) async fn all_and_missing(
    tx: &mut Tx,
    key: &LogKey,
    own: Option<Uuid>,
    from_ms: Option<i64>,
) -> Result<(Vec<Row>, Option<i64>)> {
    let missing = match own {
        Some(own) => told_missing(tx, own, from_ms).await?,
        None => None,
    };
    Ok((all(tx, key).await?, missing))
}

/// When it was told last that a part of a journal is missing, if that was not before this time.
pub(crate) async fn told_missing(tx: &mut Tx, journal: Uuid, from_ms: Option<i64>) -> Result<Option<i64>> {
    let told = newest(tx, journal, Action::JournalMiss, (from_ms, 1)).await?;
    Ok(told.first().map(|row| row.record.at_ms))
}

/// Whether the last that was told of writing a journal is that it cannot be written. That a segment is not as it was written is
/// another matter, which nothing ends.
pub(crate) async fn told_failing(tx: &mut Tx, journal: Uuid) -> Result<bool> {
    let failed = newest(tx, journal, Action::JournalFail, (None, TOLD_MAX)).await?;
    let resumed = newest(tx, journal, Action::JournalResume, (None, 1)).await?;
    let is_of_writing = |row: &&audit::Row| !row.record.detail.contains(OF_SEGMENT);
    let failed = failed.iter().find(is_of_writing).map(|row| row.seq);
    Ok(failed > resumed.first().map(|row| row.seq))
}

/// The newest records of an action on a journal.
async fn newest(
    tx: &mut Tx,
    journal: Uuid,
    action: Action,
    (from_ms, limit): (Option<i64>, u32),
) -> Result<Vec<audit::Row>> {
    let filter =
        Filter { object: Some(journal), action: Some(action.as_str().to_owned()), from_ms, ..Filter::default() };
    let page = Page { limit, start: Start::Offset(0), count_max: 0, scan_max: LOOKED_AT_MAX };
    Ok(audit::list(tx, filter, &page).await?.rows)
}

/// What is said of that.
pub(crate) fn missing_before(told_ms: i64) -> String {
    format!("calls from before {} are missing: JournalMiss in the audit says which", rfc3339_ms(told_ms))
}

/// Whether what was missing then would be there now, if nothing had been lost.
pub(crate) fn is_of_now(told_ms: i64, walked: &Walked) -> bool {
    removed_before(walked).is_none_or(|removed_ms| told_ms >= removed_ms)
}

/// The time before which calls were removed, because their time was over.
pub(crate) fn removed_before(walked: &Walked) -> Option<i64> {
    walked.first.filter(|(segment, _)| *segment > 1).map(|(_, made_at_ms)| made_at_ms)
}

/// Whether a journal may have calls of the time: it had begun by its end, and was still there at its beginning. When the
/// store last heard of one says nothing: a node that is cut off goes on for a while.
pub(crate) fn may_have(row: &Row, from_ms: Option<i64>, to_ms: Option<i64>) -> bool {
    let had_begun = to_ms.is_none_or(|to| row.began_at_ms.saturating_sub(CLOCKS_MS) < to);
    let was_there =
        row.missed_at_ms.is_none_or(|missed| from_ms.is_none_or(|from| missed.saturating_add(CLOCKS_MS) >= from));
    had_begun && was_there
}

/// How far the store knows that a journal goes.
pub(crate) fn head(row: &Row) -> Option<Head> {
    Some(Head {
        segment: u64::try_from(row.segment).ok()?,
        record: u64::try_from(row.record).ok()?,
        hash: row.hash.as_slice().try_into().ok()?,
    })
}
