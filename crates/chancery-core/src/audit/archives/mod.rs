//! Audit records that need not be at hand any more: moved into archives, from which they are exported, shipped and verified as
//! before, and removed once they need not be kept. Only the first leaves of the ledger are ever moved or removed, so what is
//! missing is one number, which its checkpoints say.
//!
//! `make` fills an archive and `remove` ends one; `lines` is what is in it, `reading` who gets that.

mod faults;
mod lines;
mod make;
mod reading;
mod remove;
mod retention;

use std::{sync::Arc, time::Duration};

use chancery_store::{
    Tx,
    tables::{
        audit_archives, audit_ledger,
        tiles::{self, Tree},
    },
};
use chancery_types::{Action, wire::system::AuditRetention};
use chancery_verify::log::tree::{Hash, TILE_WIDTH};
use tracing::warn;

use self::remove::Removal;
use crate::{
    Audit, Error, Event, Host, Result,
    base::clock::ms,
    context::{
        background::Recurring as _,
        clock_watch::STEADY,
        record::{Actor, Entry},
        storage::{Background, Evidence, MayRead, Recording},
    },
};

pub(super) use self::{lines::Archived, reading::lines_behind};

/// How often it is looked whether something is to be moved or removed.
const LOOK_EVERY: Duration = Duration::from_mins(10);

pub(super) const DAY: Duration = Duration::from_hours(24);

/// How often in a row an archive is tried again whose removal the ledger has overtaken. It goes on twice a second at most.
const TRIES: u32 = 20;

/// What was done with archives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptArchives {
    /// How many were made.
    pub made: u64,
    /// How many were removed.
    pub removed: u64,
    /// The targets that have not got the records of the next one that is due: it stays until they have.
    pub waits_for: Vec<String>,
}

/// Moves audit records into archives, and removes archives. Made only here.
pub(crate) struct KeepingArchives(());

impl Evidence for KeepingArchives {}
impl MayRead for KeepingArchives {}
impl Background for KeepingArchives {}
impl Recording for KeepingArchives {
    const NAME: &'static str = "archives";
    const ACTIONS: &'static [Action] = &[Action::AuditArchive, Action::AuditArchiveRemove];
}

impl Audit {
    /// Looks until the last user of this Chancery is gone.
    pub(crate) fn keep_archives_in_turn(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "keeping the archives of the audit records", |audit| Box::pin(audit.keep_archives()));
    }

    /// Moves what need not be at hand any more, and removes what need not be kept, by a clock that may be believed.
    pub(crate) async fn keep_archives(&self) -> Result<()> {
        if !self.context.is_steady(STEADY) {
            return Ok(());
        }
        let kept = self.keep_archives_by_clock(&Actor::of_task(self.context.node, &KeepingArchives(()))).await?;
        if !kept.waits_for.is_empty() {
            let targets = kept.waits_for.join(", ");
            warn!(targets, "old audit records stay until these targets have got them, or are deleted");
        }
        Ok(())
    }

    /// The same at once, for somebody on the host who answers for its clock.
    pub async fn keep_archives_now(&self, host: &Host) -> Result<KeptArchives> {
        self.sequence_ledger().await?;
        self.keep_archives_by_clock(&Actor::of_host(self.context.node, host)).await
    }

    async fn keep_archives_by_clock(&self, actor: &Actor) -> Result<KeptArchives> {
        let retention = self.context.settings.load().audit_retention;
        if retention == AuditRetention::default() {
            return Ok(KeptArchives::default());
        }
        let read = self.context.storage.read(&KeepingArchives(()), |tx| Box::pin(retention::told_last(tx)));
        if read.await? != retention {
            return Err(Error::internal(
                "for how long audit records are kept is not what the newest record of that setting says: nothing is moved or removed",
            ));
        }
        let ago = |days: u32| self.context.clock.now_ms().saturating_sub(ms(DAY).saturating_mul(days.into()));
        let mut kept = KeptArchives::default();
        if let Some(days) = retention.at_hand_days {
            while self.archive_some(actor, ago(days)).await? {
                kept.made += 1;
            }
        }
        let Some(days) = retention.keep_days else { return Ok(kept) };
        let mut tries = 0;
        loop {
            match self.remove_archive(actor, ago(days), retention.beyond_authorities_days).await? {
                Removal::Removed => (kept.removed, tries) = (kept.removed + 1, 0),
                Removal::Overtaken if tries < TRIES => tries += 1,
                Removal::Overtaken | Removal::Stays => return Ok(kept),
                Removal::WaitsFor(targets) => return Ok(KeptArchives { waits_for: targets, ..kept }),
            }
        }
    }

    /// The record of something that was done, to be appended in the transaction that does it.
    fn archive_entry(&self, actor: &Actor, action: Action, detail: serde_json::Value) -> Result<Entry> {
        Entry::new(
            self.context.clock.now_ms(),
            actor,
            Event::new(action).detail(detail),
            chancery_types::ErrorCode::Success,
        )
    }
}

/// The first leaf that is in no archive and was not removed.
async fn first_at_hand(tx: &mut Tx) -> Result<i64> {
    let newest = audit_archives::newest(tx).await?.map_or(0, |head| head.first_leaf.saturating_add(head.leaves));
    Ok(newest.max(audit_ledger::removed(tx).await?))
}

/// Since when all records are here, at hand or in archives, where some were archived or removed. Behind what was removed that is
/// since the end of the first archive: clocks of several servers do not agree to the millisecond.
pub(super) async fn here_from(tx: &mut Tx) -> Result<Option<i64>> {
    let (oldest, removed) = (audit_archives::oldest(tx).await?, audit_ledger::removed(tx).await?);
    if let Some(oldest) = oldest {
        return Ok(Some(if removed == 0 { oldest.first_at_ms } else { oldest.last_at_ms }));
    }
    if removed == 0 {
        return Ok(None);
    }
    Ok(audit_ledger::leaves_from(tx, removed, 1).await?.pop().map(|placed| placed.row.record.at_ms))
}

/// The hashes of leaves, as they were stored when these became leaves: from this one on, so many.
async fn stored_hashes(tx: &mut Tx, first_leaf: i64, leaves: usize) -> Result<Vec<Hash>> {
    let width = TILE_WIDTH as i64;
    let (mut hashes, mut tile) = (Vec::new(), first_leaf / width);
    let skipped = usize::try_from(first_leaf % width).map_err(Error::internal)?;
    while hashes.len() < skipped + leaves {
        let stored = tiles::hashes(tx, Tree::Ledger, 0, tile).await?.unwrap_or_default();
        let (some, rest) = stored.as_chunks::<{ size_of::<Hash>() }>();
        if some.is_empty() || !rest.is_empty() {
            return Err(Error::internal("the audit ledger has fewer hashes than leaves"));
        }
        hashes.extend_from_slice(some);
        tile += 1;
    }
    Ok(hashes.split_off(skipped).into_iter().take(leaves).collect())
}
