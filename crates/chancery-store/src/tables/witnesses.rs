//! What witnesses elsewhere have cosigned.

use uuid::Uuid;

use super::tiles::Tree;
use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// How far a witness has a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The witness's key.
    pub witness: String,
    /// Until when a node asks it.
    pub leased_until_ms: i64,
    /// Leaves of the largest tree that it is known to have cosigned.
    pub size: i64,
    /// The checkpoint that it cosigned last, as it was signed here.
    pub checkpoint: Option<String>,
    /// The line that it put under it.
    pub cosignature: Option<String>,
    /// When that was.
    pub cosigned_at_ms: Option<i64>,
    /// Failures since then.
    pub failures: i64,
    /// When it is asked next at the earliest.
    pub due_at_ms: i64,
    /// Whether it was told that it fails.
    pub is_failing: bool,
    /// Why it last failed.
    pub error: Option<String>,
}

const BEGIN: &str = "INSERT INTO witness_states (tree, witness, leased_until_ms, size, failures, due_at_ms, is_failing) \
    VALUES ($1, $2, 0, 0, 0, 0, 0) ON CONFLICT (tree, witness) DO NOTHING";
const STATES: &str = "SELECT witness, leased_until_ms, size, checkpoint, cosignature, cosigned_at_ms, failures, due_at_ms, \
    is_failing, error FROM witness_states WHERE tree = $1 ORDER BY witness";
const STATE: &str = "SELECT witness, leased_until_ms, size, checkpoint, cosignature, cosigned_at_ms, failures, due_at_ms, \
    is_failing, error FROM witness_states WHERE tree = $1 AND witness = $2";
const LEASE: &str = "UPDATE witness_states SET leased_by = $3, leased_until_ms = $5 \
    WHERE tree = $1 AND witness = $2 AND leased_until_ms <= $4 AND due_at_ms <= $4";
const SETTLE: &str = "UPDATE witness_states SET leased_by = NULL, leased_until_ms = 0, size = $4, checkpoint = $5, \
    cosignature = $6, cosigned_at_ms = $7, failures = $8, due_at_ms = $9, is_failing = $10, error = $11 \
    WHERE tree = $1 AND witness = $2 AND leased_by = $3 AND leased_until_ms = $12";

const fn name(tree: Tree) -> &'static str {
    match tree {
        Tree::Log => "Log",
        Tree::Ledger => "Ledger",
    }
}

/// Begins to keep account of a witness, unless that was begun.
pub async fn begin(tx: &mut Tx, tree: Tree, witness: &str) -> Result<(), StoreError> {
    sql(BEGIN).bind(name(tree)).bind(witness).execute(tx).await?;
    Ok(())
}

/// How far every witness has a tree, also those that are asked no more.
pub async fn states(tx: &mut Tx, tree: Tree) -> Result<Vec<State>, StoreError> {
    sql(STATES).bind(name(tree)).all(tx).await
}

/// Takes the lease of a witness until this moment; nothing where another node has it, or it is not due.
pub async fn take(
    tx: &mut Tx,
    (tree, witness): (Tree, &str),
    node: Uuid,
    (now_ms, until_ms): (i64, i64),
) -> Result<Option<State>, StoreError> {
    let lease = sql(LEASE).bind(name(tree)).bind(witness).bind(node).bind(now_ms).bind(until_ms);
    if lease.execute(tx).await? != 1 {
        return Ok(None);
    }
    sql(STATE).bind(name(tree)).bind(witness).optional(tx).await
}

/// Writes down what became of what was taken, and gives the lease back; false, and nothing is written, where the lease was
/// lost meanwhile. What is written is the state as it was taken, with what has changed.
pub async fn settle(tx: &mut Tx, tree: Tree, node: Uuid, state: State) -> Result<bool, StoreError> {
    let State { witness, leased_until_ms, size, checkpoint, cosignature, cosigned_at_ms, .. } = state;
    let settle = sql(SETTLE).bind(name(tree)).bind(witness).bind(node).bind(size).bind(checkpoint).bind(cosignature);
    let settle = settle.bind(cosigned_at_ms).bind(state.failures).bind(state.due_at_ms).bind(state.is_failing);
    Ok(settle.bind(state.error).bind(leased_until_ms).execute(tx).await? == 1)
}

impl FromColumns for State {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            witness: columns.get("witness")?,
            leased_until_ms: columns.get("leased_until_ms")?,
            size: columns.get("size")?,
            checkpoint: columns.optional("checkpoint")?,
            cosignature: columns.optional("cosignature")?,
            cosigned_at_ms: columns.optional("cosigned_at_ms")?,
            failures: columns.get("failures")?,
            due_at_ms: columns.get("due_at_ms")?,
            is_failing: columns.get("is_failing")?,
            error: columns.optional("error")?,
        })
    }
}
