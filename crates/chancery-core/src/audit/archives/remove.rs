//! Removes archives that need not be kept any more, the oldest first. The ledger's next checkpoint says up to which leaf: whoever
//! can write the database and has not its key cannot say so.

use std::collections::{BTreeMap, BTreeSet};

use chancery_store::{
    Tx,
    tables::{
        audit_archives::{self, Head, Row},
        audit_ledger, audit_targets, certificates, services, time_stamping_services, turns,
    },
};
use chancery_types::Action;
use chancery_verify::{ledger::leaf_hash, log::tree::Hash};
use uuid::Uuid;

use super::{
    DAY, KeepingArchives, lines,
    make::{TOGETHER, stays, told},
    stored_hashes,
};
use crate::{
    Audit, Error, Result,
    audit::ledger::{Extension, leaf_of},
    base::clock::ms,
    context::record::Actor,
    log::LogKey,
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

/// The oldest archive.
enum Oldest {
    /// It is due, and this is the ledger without it.
    Due(Head, Box<Extension>),
    /// It would be, but for these targets, which have not got its records yet.
    WaitsFor(Vec<String>),
    /// There is none, or it is too young.
    Stays,
}

/// What became of the oldest archive.
#[derive(Debug)]
pub(in crate::audit) enum Removal {
    Removed,
    /// The ledger went on meanwhile.
    Overtaken,
    WaitsFor(Vec<String>),
    Stays,
}

impl Audit {
    /// Removes the oldest archive, if all of it is from before a moment and, where that counts, no authority or time-stamping
    /// service is too young yet.
    pub(in crate::audit) async fn remove_archive(
        &self,
        actor: &Actor,
        before_ms: i64,
        beyond_authorities: Option<u32>,
    ) -> Result<Removal> {
        let (by, now_ms, key) = (KeepingArchives(()), self.context.clock.now_ms(), self.ledger.0.key.clone());
        let authorities_before_ms =
            beyond_authorities.map(|days| now_ms.saturating_sub(ms(DAY).saturating_mul(days.into())));
        let ends = Ends { before_ms, authorities_before_ms, now_ms };
        let read =
            self.context.storage.read(&by, move |tx| Box::pin(async move { Oldest::read(tx, &key, ends).await }));
        let (head, extension) = match read.await? {
            Oldest::Due(head, extension) => (head, extension),
            Oldest::WaitsFor(targets) => return Ok(Removal::WaitsFor(targets)),
            Oldest::Stays => return Ok(Removal::Stays),
        };
        let note = self.ledger.sign(&extension.checkpoint).await?;
        let entry = self.archive_entry(actor, Action::AuditArchiveRemove, told(&head))?;
        let removed = self.context.storage.background(&by, move |tx| {
            Box::pin(async move {
                // One may have been made since, or gone back.
                turns::take(tx, "audit targets").await?;
                let behind = targets_behind(tx, &head).await?;
                if !behind.is_empty() {
                    return Ok(Removal::WaitsFor(behind));
                }
                if !extension.store(tx, note).await? {
                    return Ok(Removal::Overtaken);
                }
                if !audit_archives::remove(tx, head.first_leaf).await? {
                    return Err(Error::internal("an archive that was to be removed is gone"));
                }
                entry.append(tx).await?;
                Ok::<_, Error>(Removal::Removed)
            })
        });
        removed.await
    }
}

impl Oldest {
    async fn read(tx: &mut Tx, key: &LogKey, ends: Ends) -> Result<Self> {
        let Some(row) = audit_archives::behind(tx, i64::MIN).await? else { return Ok(Self::Stays) };
        if row.head.last_at_ms >= ends.before_ms {
            return Ok(Self::Stays);
        }
        let Head { first_leaf, leaves, .. } = row.head;
        if let Some(before_ms) = ends.authorities_before_ms
            && last_end_ms(tx).await?.is_some_and(|end_ms| end_ms >= before_ms)
        {
            return Ok(Self::Stays);
        }
        let behind = targets_behind(tx, &row.head).await?;
        if !behind.is_empty() {
            return Ok(Self::WaitsFor(behind));
        }
        let kept = kept_of_whole(tx, &row, ends).await?.ok_or_else(|| {
            Error::internal(format!("archive {first_leaf} of the audit records is not what was put into it: it stays"))
        })?;
        let removed = first_leaf..first_leaf.saturating_add(leaves);
        let extension = Extension::of_removal(tx, key, ends.now_ms, removed, kept).await?;
        Ok(Self::Due(row.head, Box::new(extension)))
    }
}

/// The targets that have not got what is in an archive, by their names. They are to get it, also one that is switched off:
/// whoever wants none of it deletes it.
async fn targets_behind(tx: &mut Tx, archive: &Head) -> Result<Vec<String>> {
    let end = archive.first_leaf.saturating_add(archive.leaves);
    let behind = audit_targets::states(tx).await?;
    let behind: BTreeSet<_> = behind.iter().filter(|target| target.next_leaf < end).map(|state| state.target).collect();
    if behind.is_empty() {
        return Ok(Vec::new());
    }
    let targets = audit_targets::all(tx).await?;
    Ok(targets.into_iter().filter(|target| behind.contains(&target.id)).map(|target| target.name).collect())
}

/// How many of its leaves stayed at hand, if the records in it are those that became the others, and all from before a moment: none is
/// missing then. What its row says of itself, whoever can write the database may have written.
async fn kept_of_whole(tx: &mut Tx, row: &Row, ends: Ends) -> Result<Option<u64>> {
    let Head { first_leaf, leaves, .. } = row.head;
    let Some(archived) = lines::lines_of(row).as_deref().and_then(lines::records) else { return Ok(None) };
    // Of more leaves than one is ever made of, somebody wrote it.
    let Some(count) = u32::try_from(leaves).ok().filter(|leaves| *leaves <= TOGETHER) else { return Ok(None) };
    let mut found = BTreeMap::new();
    let at_hand = audit_ledger::leaves_from(tx, first_leaf, count).await?;
    for placed in at_hand.into_iter().filter(|placed| stays(&placed.row)) {
        if let Some(leaf) = placed.leaf.filter(|leaf| *leaf < first_leaf.saturating_add(leaves)) {
            found.insert(leaf, leaf_hash(&leaf_of(placed.row)?));
        }
    }
    let kept = found.len() as u64;
    for record in archived {
        let is_over = record.at_ms().is_some_and(|at_ms| at_ms < ends.before_ms || at_ms > ends.now_ms);
        if !is_over || found.insert(record.leaf, record.hash()).is_some() {
            return Ok(None);
        }
    }
    let hashes = stored_hashes(tx, first_leaf, count as usize).await?;
    let expected: BTreeMap<i64, Hash> = (first_leaf..).zip(hashes).collect();
    Ok((found == expected).then_some(kept))
}

/// When the last certificate of an authority or a time-stamping service ends, in milliseconds; none where there is none. Whatever
/// issued something is an authority, trusted or not. A certificate whose row is not what Chancery wrote may be one, and when it ends
/// nobody knows.
async fn last_end_ms(tx: &mut Tx) -> Result<Option<i64>> {
    let (mut authorities, mut behind) = (BTreeSet::new(), Uuid::nil());
    loop {
        let ids = certificates::ids_behind(tx, behind, TOGETHER).await?;
        let Some(last) = ids.last().copied() else { break };
        let rows = certificates::by_ids(tx, &ids).await?;
        if rows.len() != ids.len() {
            return Err(Error::internal("rows of certificates are not what Chancery wrote: no archive is removed"));
        }
        authorities.extend(rows.iter().map(|row| row.issuer_id));
        authorities.extend(rows.iter().filter(|row| row.trusted).map(|row| row.id));
        behind = last;
    }
    for stamping in time_stamping_services::all(tx).await? {
        authorities.extend(services::by_id(tx, stamping.service_id).await?.and_then(|service| service.certificate_id));
    }
    let ids: Vec<_> = authorities.into_iter().collect();
    let ends = certificates::by_ids(tx, &ids).await?.into_iter().map(|row| row.not_after_s);
    Ok(ends.max().map(|end_s| end_s.saturating_mul(1_000)))
}
