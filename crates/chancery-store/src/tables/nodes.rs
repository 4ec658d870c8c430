//! The servers that run on this database. Each writes its own row alone, so that none waits for another.

use uuid::Uuid;

use crate::{StoreError, Tx, sql};

const SEEN: &str = "INSERT INTO nodes (id, counts_written, seen_at_ms) VALUES ($1, 0, $2) \
    ON CONFLICT (id) DO UPDATE SET seen_at_ms = excluded.seen_at_ms";
const COUNTS: &str = "INSERT INTO nodes (id, counts_written, seen_at_ms) VALUES ($1, $2, $3) \
    ON CONFLICT (id) DO UPDATE SET counts_written = excluded.counts_written, seen_at_ms = excluded.seen_at_ms \
    WHERE nodes.counts_written < excluded.counts_written";
const REMOVE: &str = "DELETE FROM nodes WHERE id = $1";
/// What one node at a time does: notices, records for receivers, witnesses.
const GIVE_BACK: [&str; 3] = [
    "UPDATE delivery_states SET leased_by = NULL, leased_until_ms = 0 WHERE leased_by = $1",
    "UPDATE audit_target_states SET leased_by = NULL, leased_until_ms = 0 WHERE leased_by = $1",
    "UPDATE witness_states SET leased_by = NULL, leased_until_ms = 0 WHERE leased_by = $1",
];
const FORGET: &str = "DELETE FROM nodes WHERE seen_at_ms < $1";

/// Notes that a node lives.
pub async fn seen(tx: &mut Tx, id: Uuid, at_ms: i64) -> Result<(), StoreError> {
    sql(SEEN).bind(id).bind(at_ms).execute(tx).await?;
    Ok(())
}

/// Notes that a parcel of counts is written, in the transaction that writes it; whether it was not written before. A node
/// that does not know what became of a transaction tries the parcel again, with the same number.
pub async fn counts(tx: &mut Tx, id: Uuid, parcel: i64, at_ms: i64) -> Result<bool, StoreError> {
    Ok(sql(COUNTS).bind(id).bind(parcel).bind(at_ms).execute(tx).await? > 0)
}

/// Removes a node that ends, and gives back what it was about: nobody waits for the end of its leases. What it does not write
/// down any more is done again.
pub async fn remove(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    for text in GIVE_BACK {
        sql(text).bind(id).execute(tx).await?;
    }
    sql(REMOVE).bind(id).execute(tx).await?;
    Ok(())
}

/// Removes nodes of which nothing was seen since: they ended without a word.
pub async fn forget(tx: &mut Tx, before_ms: i64) -> Result<(), StoreError> {
    sql(FORGET).bind(before_ms).execute(tx).await?;
    Ok(())
}
