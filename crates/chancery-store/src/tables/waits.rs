//! Moments until which something waits, by a clock that was wrong: what nobody waits for so long is due at once.

use crate::{StoreError, Tx, sql};

/// Tables, what of them waits, and what nobody waits for: beyond any pause between two tries, and any lease.
const BEYOND: [&str; 7] = [
    "UPDATE deliveries SET due_at_ms = $1 WHERE due_at_ms > $2",
    "UPDATE delivery_states SET due_at_ms = $1 WHERE due_at_ms > $2",
    "UPDATE audit_target_states SET due_at_ms = $1 WHERE due_at_ms > $2",
    "UPDATE witness_states SET due_at_ms = $1 WHERE due_at_ms > $2",
    "UPDATE delivery_states SET leased_until_ms = $1 WHERE leased_until_ms > $2",
    "UPDATE audit_target_states SET leased_until_ms = $1 WHERE leased_until_ms > $2",
    "UPDATE witness_states SET leased_until_ms = $1 WHERE leased_until_ms > $2",
];

/// Lets nothing that is sent elsewhere wait beyond this moment.
pub async fn none_beyond(tx: &mut Tx, now_ms: i64, last_ms: i64) -> Result<(), StoreError> {
    for statement in BEYOND {
        sql(statement).bind(now_ms).bind(last_ms).execute(tx).await?;
    }
    Ok(())
}
