//! Whether the records are found by who took part, and by nobody else: a table beside them says in whose records an identity is,
//! and no leaf covers it. Whoever takes rows out of it hides records from a search, whoever adds some lays them at another's
//! door; neither is hidden from here.

use std::collections::{BTreeMap, BTreeSet};

use chancery_store::{
    Tx,
    tables::{
        audit::{self, Named},
        audit_ledger::{self, Placed},
    },
};
use chancery_verify::ledger::LedgerFault;
use serde_json::Value;
use uuid::Uuid;

use crate::{Audit, Error, Host, Result};

/// Records that are looked at together.
const TOGETHER: u32 = 1_000;

impl Audit {
    /// The records that a search for one of their identities does not find.
    pub(super) async fn unfindable(&self, host: &Host) -> Result<Vec<LedgerFault>> {
        let (mut faults, mut from) = (Vec::new(), i64::MIN);
        loop {
            let read = self.context.storage.read(host, move |tx| Box::pin(look(tx, from)));
            let (numbers, last) = read.await?;
            faults.extend(numbers.into_iter().map(|number| LedgerFault::Unfindable { number }));
            match last {
                Some(last) => from = last.saturating_add(1),
                None => return Ok(faults),
            }
        }
    }

    /// What a search for an identity finds that does not name it.
    pub(super) async fn misattributed(&self, host: &Host) -> Result<Vec<LedgerFault>> {
        let (mut faults, mut place) = (Vec::new(), (String::new(), i64::MIN, i64::MIN));
        loop {
            let behind = place.clone();
            let read = self.context.storage.read(host, move |tx| {
                Box::pin(async move { Ok::<_, Error>(audit::named(tx, behind, TOGETHER).await?) })
            });
            let named = read.await?;
            let is_last = named.len() < TOGETHER as usize;
            for one in named {
                // Its place is not known, and so not where the next begins either.
                let Some(Named { place: (identity, at_ms, number), of_record }) = one else {
                    faults.push(LedgerFault::Illegible);
                    return Ok(faults);
                };
                if !of_record.is_some_and(|identities| names(&identities, &identity)) {
                    faults.push(LedgerFault::Misattributed { number });
                }
                place = (identity, at_ms, number);
            }
            if is_last {
                return Ok(faults);
            }
        }
    }
}

/// Whether a record with these identities, as JSON, names this one. One that cannot be read is told as changed.
fn names(identities: &str, identity: &str) -> bool {
    let Ok(Value::Array(identities)) = serde_json::from_str(identities) else { return true };
    identities.iter().any(|one| one["uuid"].as_str() == Some(identity))
}

/// Looks at some records from this number on: which are not found, and the last of them where there are more.
async fn look(tx: &mut Tx, from: i64) -> Result<(BTreeSet<i64>, Option<i64>)> {
    let placed = audit_ledger::from(tx, from, TOGETHER).await?;
    let last = placed.last().filter(|_| placed.len() == TOGETHER as usize).map(|last| last.row.seq);
    let mut missing = BTreeSet::new();
    for (identity, records) in by_identity(&placed) {
        let times = records.iter().map(|(_, at_ms)| *at_ms);
        let Some((first_ms, last_ms)) = times.clone().min().zip(times.max()) else { continue };
        let found = audit::of_identity(tx, identity, first_ms..=last_ms).await?;
        let found: BTreeSet<_> = found.into_iter().collect();
        missing.extend(records.into_iter().filter(|record| !found.contains(record)).map(|(number, _)| number));
    }
    Ok::<_, Error>((missing, last))
}

/// The numbers and times of the records in which each identity took part. What cannot be read is told as changed.
fn by_identity(placed: &[Placed]) -> BTreeMap<Uuid, Vec<(i64, i64)>> {
    let mut by_identity: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for Placed { row, .. } in placed {
        let Ok(Value::Array(identities)) = serde_json::from_str(&row.record.identities) else { continue };
        for uuid in identities.iter().filter_map(|one| one["uuid"].as_str()?.parse::<Uuid>().ok()) {
            by_identity.entry(uuid).or_default().push((row.seq, row.record.at_ms));
        }
    }
    by_identity
}
