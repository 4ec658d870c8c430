//! Works that must not run side by side.
//!
//! PostgreSQL runs works at the same time, and none sees what another has not committed yet. So "count the holders,
//! then remove one" lets two works remove the last two. A work whose decision rests on rows that it does not itself
//! change takes its turn first: from then on it sees what all before it did, and nobody after it decides until it has
//! committed. On SQLite works take turns anyway.
//!
//! A node may stand still while it has its turn (a paused machine, a network that swallows everything). PostgreSQL then
//! ends its transaction after a second, and the next one has its turn. Works of one node wait for each other within the
//! node, so that it has one turn at most when it stands still, however much it has to do.

use crate::{StoreError, Tx, sql};

const TAKE: &str = "INSERT INTO counters (name, value) VALUES ($1, 1) \
    ON CONFLICT (name) DO UPDATE SET value = counters.value + 1";

/// Waits until no other work with this topic is under way, and keeps them waiting until the end of this one. To be
/// called before anything is read, and with few, fixed topics: each has a row of its own.
pub async fn take(tx: &mut Tx, topic: &'static str) -> Result<(), StoreError> {
    tx.hurry(topic).await?;
    // A topic of its own name, so that it cannot meet the counters of other tables.
    sql(TAKE).bind(format!("turn of {topic}")).execute(tx).await?;
    Ok(())
}
