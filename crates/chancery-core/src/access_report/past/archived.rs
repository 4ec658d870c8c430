//! Records of changes that are in archives, from the newest archive back.

use chancery_types::{ErrorCode, wire::audit::AuditRecord};

use super::{
    actions,
    facts::{Facts, Told},
};
use crate::{Caller, Grant, Reports, Result};

/// So many records of an archive are looked at for each that may be undone: most are of no change.
const LOOKED_AT: usize = 20;

/// What is in them of changes since a moment.
pub(super) struct Archives {
    since_ms: i64,
    /// Before which leaf the next one begins; none where all that is older was reached.
    before: Option<i64>,
    /// Of the last one that was read, the newest last.
    told: Vec<Told>,
    looked_at: usize,
}

impl Archives {
    pub(super) const fn new(since_ms: i64) -> Self {
        Self { since_ms, before: Some(i64::MAX), told: Vec::new(), looked_at: 0 }
    }

    /// The newest one that is left.
    pub(super) fn last(&self) -> Option<&Told> {
        self.told.last()
    }

    pub(super) fn pop(&mut self) -> Option<Told> {
        self.told.pop()
    }
}

impl Reports {
    /// Reads on where nothing is left of the archive before; false where that are too many records.
    pub(super) async fn read_archives(
        &self,
        caller: &Caller,
        grant: &Grant,
        archives: &mut Archives,
        facts: &mut Facts,
    ) -> Result<bool> {
        let max = (self.context.limits.lists.access_records_max as usize).saturating_mul(LOOKED_AT);
        while archives.told.is_empty()
            && let Some(before) = archives.before.take()
        {
            let Some((first_leaf, records)) = self.audit.archived_before(caller, grant, before).await? else { break };
            archives.before = Some(first_leaf);
            let Some(records) = records else {
                facts.doubt_archive();
                continue;
            };
            archives.looked_at = archives.looked_at.saturating_add(records.len());
            let mut is_since = false;
            for record in records {
                let read = record.read().ok();
                let Some((is_change, told)) = read.and_then(|read| Some((is_change(&read), Told::archived(read)?)))
                else {
                    facts.doubt_archive();
                    continue;
                };
                let is_newer = told.at.0 > archives.since_ms;
                is_since |= is_newer;
                if is_newer && is_change {
                    archives.told.push(told);
                }
            }
            archives.told.sort_by_key(|told| told.at);
            if !is_since {
                // What is before it is older still.
                archives.before = None;
            } else if archives.looked_at > max {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn is_change(record: &AuditRecord) -> bool {
    record.outcome == ErrorCode::Success && actions().any(|action| action == record.action)
}
