//! Removes archives that need not be kept any more, the oldest first. The ledger's next checkpoint says up to which leaf: whoever
//! can write the database and has not its key cannot say so.

use std::collections::BTreeMap;

use chancery_store::{
    Tx,
    tables::{
        audit_archives::{self, Head, Row},
        audit_ledger, certificates, services, time_stamping_services,
    },
};
use chancery_types::Action;
use chancery_verify::{ledger::leaf_hash, log::tree::Hash};

use super::{
    DAY, KeepingArchives, lines,
    make::{TOGETHER, stays, told},
    stored_hashes,
};
use crate::{
    Chancery, Error, Result,
    audit::ledger::{Extension, leaf_of},
    clock::ms,
    log::LogKey,
    time::parse_rfc3339,
};

/// By when something must have ended.
#[derive(Clone, Copy)]
struct Ends {
    /// The records.
    before_ms: i64,
    /// Authorities and time-stamping services, where they count.
    authorities_before_ms: Option<i64>,
    now_ms: i64,
}

/// The oldest archive, if it is due, and the ledger without it.
struct Due {
    head: Head,
    extension: Extension,
}

impl Chancery {
    /// Removes the oldest archive, if all of it is from before a moment and, where that counts, no authority or time-stamping
    /// service is too young yet; whether there may be more.
    pub(in crate::audit) async fn remove_archive(
        &self,
        before_ms: i64,
        beyond_authorities: Option<u32>,
    ) -> Result<bool> {
        let (by, now_ms, key) = (KeepingArchives(()), self.clock.now_ms(), self.ledger.0.key.clone());
        let authorities_before_ms =
            beyond_authorities.map(|days| now_ms.saturating_sub(ms(DAY).saturating_mul(days.into())));
        let ends = Ends { before_ms, authorities_before_ms, now_ms };
        let read = self.storage.read(&by, move |tx| Box::pin(async move { Due::read(tx, &key, ends).await }));
        let Some(Due { head, extension }) = read.await? else { return Ok(false) };
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

impl Due {
    async fn read(tx: &mut Tx, key: &LogKey, ends: Ends) -> Result<Option<Self>> {
        let Some(row) = audit_archives::behind(tx, i64::MIN).await? else { return Ok(None) };
        if row.head.last_at_ms >= ends.before_ms {
            return Ok(None);
        }
        if let Some(before_ms) = ends.authorities_before_ms
            && last_end_ms(tx).await?.is_some_and(|end_ms| end_ms >= before_ms)
        {
            return Ok(None);
        }
        if !is_whole(tx, &row, ends).await? {
            let first_leaf = row.head.first_leaf;
            let what = format!("archive {first_leaf} of the audit records is not what was put into it: it stays");
            return Err(Error::internal(what));
        }
        let Head { first_leaf, leaves, .. } = row.head;
        let extension = Extension::of_removal(tx, key, ends.now_ms, first_leaf, leaves).await?;
        Ok(Some(Self { head: row.head, extension }))
    }
}

/// Whether the records in it are those that became its leaves, and all from before a moment, and none of its leaves is missing but
/// for those that stayed at hand. What its row says of itself, whoever can write the database may have written.
async fn is_whole(tx: &mut Tx, row: &Row, ends: Ends) -> Result<bool> {
    let Head { first_leaf, leaves, .. } = row.head;
    let Some(archived) = lines::lines_of(row).as_deref().and_then(lines::records) else { return Ok(false) };
    // Of more leaves than one is ever made of, somebody wrote it.
    let Some(count) = u32::try_from(leaves).ok().filter(|leaves| *leaves <= TOGETHER) else { return Ok(false) };
    let mut found = BTreeMap::new();
    let at_hand = audit_ledger::leaves_from(tx, first_leaf, count).await?;
    for placed in at_hand.into_iter().filter(|placed| stays(&placed.row)) {
        if let Some(leaf) = placed.leaf.filter(|leaf| *leaf < first_leaf.saturating_add(leaves)) {
            found.insert(leaf, leaf_hash(&leaf_of(placed.row)?));
        }
    }
    for record in archived {
        let at_ms = record.read().ok().and_then(|record| parse_rfc3339(&record.time));
        let is_over = at_ms.is_some_and(|at_ms| at_ms < ends.before_ms || at_ms > ends.now_ms);
        if !is_over || found.insert(record.leaf, record.hash()).is_some() {
            return Ok(false);
        }
    }
    let hashes = stored_hashes(tx, first_leaf, count as usize).await?;
    let expected: BTreeMap<i64, Hash> = (first_leaf..).zip(hashes).collect();
    Ok(found == expected)
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
