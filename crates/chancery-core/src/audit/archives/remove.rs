//! Removes archives that need not be kept any more, the oldest first. The ledger's next checkpoint says up to which leaf: whoever
//! can write the database and has not its key cannot say so.

use chancery_store::{
    Tx,
    tables::{audit_archives, audit_archives::Row, certificates, services, time_stamping_services},
};
use chancery_types::Action;
use chancery_verify::log::tree::Hash;

use super::{DAY, KeepingArchives, lines, make::told, stored_hashes};
use crate::{Chancery, Error, Result, audit::ledger::Extension, clock::ms, time::parse_rfc3339};

impl Chancery {
    /// Removes the oldest archive, if all of it is from before a moment and, where that counts, no authority or time-stamping
    /// service is too young yet; whether there may be more.
    pub(super) async fn remove_archive(&self, before_ms: i64, beyond_authorities: Option<u32>) -> Result<bool> {
        let (by, now_ms) = (KeepingArchives(()), self.clock.now_ms());
        let key = self.ledger.0.key.clone();
        let read = self.storage.read(&by, move |tx| {
            Box::pin(async move {
                let Some(row) = audit_archives::behind(tx, i64::MIN).await? else { return Ok(None) };
                if row.head.last_at_ms >= before_ms {
                    return Ok(None);
                }
                if let Some(days) = beyond_authorities {
                    let kept_ms = ms(DAY).saturating_mul(days.into());
                    if last_end_ms(tx).await?.is_some_and(|end_ms| end_ms.saturating_add(kept_ms) >= now_ms) {
                        return Ok(None);
                    }
                }
                let leaves = usize::try_from(row.head.leaves).map_err(Error::internal)?;
                let hashes = stored_hashes(tx, row.head.first_leaf, leaves).await?;
                if !is_over(&row, &hashes, before_ms, now_ms) {
                    let first_leaf = row.head.first_leaf;
                    let what =
                        format!("archive {first_leaf} of the audit records is not what was put into it: it stays");
                    return Err(Error::internal(what));
                }
                let removed = row.head.first_leaf.saturating_add(row.head.leaves);
                Ok::<_, Error>(Some((row.head, Extension::of_removal(tx, &key, now_ms, removed).await?)))
            })
        });
        let Some((head, extension)) = read.await? else { return Ok(false) };
        let note = self.ledger.sign(&extension.checkpoint).await?;
        let entry = self.archive_entry(Action::AuditArchiveRemove, told(&head))?;
        let removed = self.storage.background(&by, move |tx| {
            Box::pin(async move {
                if !extension.store(tx, note).await? {
                    return Ok(false);
                }
                if !audit_archives::remove(tx, head.first_leaf).await? {
                    return Err(Error::internal("an archive that was to be removed is gone"));
                }
                entry.append(tx).await?;
                Ok::<_, Error>(true)
            })
        });
        removed.await
    }
}

/// Whether the records in it are those that became its leaves, and all from before a moment: what its row says of itself, whoever
/// can write the database may have written.
fn is_over(row: &Row, hashes: &[Hash], before_ms: i64, now_ms: i64) -> bool {
    let Some(records) = lines::lines_of(row).as_deref().and_then(lines::records) else { return false };
    let is_over = |record: &lines::Archived| {
        let place = usize::try_from(record.leaf.saturating_sub(row.head.first_leaf)).ok();
        let is_leaf = place.and_then(|place| hashes.get(place)) == Some(&record.hash());
        let at_ms = record.read().ok().and_then(|record| parse_rfc3339(&record.time));
        is_leaf && at_ms.is_some_and(|at_ms| at_ms < before_ms || at_ms > now_ms)
    };
    records.iter().all(is_over)
}

/// When the last certificate of an authority or a time-stamping service ends, in milliseconds; none where there is none.
async fn last_end_ms(tx: &mut Tx) -> Result<Option<i64>> {
    let mut ids = certificates::trusted_ids(tx).await?;
    for stamping in time_stamping_services::all(tx).await? {
        ids.extend(services::by_id(tx, stamping.service_id).await?.and_then(|service| service.certificate_id));
    }
    let ends = certificates::by_ids(tx, &ids).await?.into_iter().map(|row| row.not_after_s);
    Ok(ends.max().map(|end_s| end_s.saturating_mul(1_000)))
}
