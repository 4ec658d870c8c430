//! Checks of `audit verify`: whether the archives in the database are what its ledger says, with a line for each fault.

use chancery_store::tables::{
    audit_archives::{self, Head},
    audit_ledger,
};
use chancery_verify::ledger::{LedgerFault, STAYS};

use super::{
    DAY,
    lines::{Archived, lines_of, records},
};
use crate::{Audit, Error, Host, Result, base::clock::ms, context::retention::AT_HAND_MIN, time::parse_rfc3339};

impl Audit {
    /// Archives whose rows are not what is in them, or that do not follow one another from what was removed on; and such with records
    /// that are too young for any, or stay at hand: what somebody moves there is in no list, and the ledger is whole.
    pub(in crate::audit) async fn archive_faults(&self, host: &Host) -> Result<Vec<LedgerFault>> {
        let now_ms = self.context.clock.now_ms();
        let before_ms = now_ms.saturating_sub(ms(DAY).saturating_mul(AT_HAND_MIN.into()));
        let begun = self.context.storage.read(host, |tx| {
            Box::pin(async move { Ok::<_, Error>((audit_ledger::removed(tx).await?, audit_ledger::leaves(tx).await?)) })
        });
        let (mut end, leaves) = begun.await?;
        let (mut faults, mut behind) = (Vec::new(), i64::MIN);
        loop {
            let read = self.context.storage.read(host, move |tx| {
                Box::pin(async move { Ok::<_, Error>(audit_archives::behind(tx, behind).await?) })
            });
            let Some(row) = read.await? else { return Ok(faults) };
            behind = row.head.first_leaf;
            let next = behind.saturating_add(row.head.leaves);
            // One that cannot be read is named already.
            if let Some(records) = lines_of(&row).as_deref().and_then(records) {
                let read: Vec<_> = records.iter().filter_map(|record| record.read().ok()).collect();
                let times: Vec<_> = read.iter().filter_map(|record| parse_rfc3339(&record.time)).collect();
                let stays = read.iter().any(|record| STAYS.contains(&record.action));
                if behind != end || next > leaves || stays || !says_what_is_in_it(&row.head, &records, &times) {
                    faults.push(LedgerFault::ArchiveRow { first_leaf: behind });
                }
                if times.iter().any(|at_ms| (before_ms..=now_ms).contains(at_ms)) {
                    faults.push(LedgerFault::ArchivedEarly { first_leaf: behind });
                }
            }
            end = next;
        }
    }
}

/// Whether the numbers of an archive's row are those of its records.
fn says_what_is_in_it(head: &Head, records: &[Archived], times: &[i64]) -> bool {
    let Head { first_leaf, leaves, first_at_ms, last_at_ms, made_at_ms, .. } = *head;
    let leaves = first_leaf..first_leaf.saturating_add(leaves);
    let past = times.iter().filter(|at_ms| **at_ms <= made_at_ms);
    times.len() == records.len()
        && i64::try_from(records.len()) == Ok(head.records)
        && records.iter().all(|record| leaves.contains(&record.leaf))
        && times.iter().min().is_none_or(|first| *first == first_at_ms)
        && past.max().is_none_or(|last| *last == last_at_ms)
}
