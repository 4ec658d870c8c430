//! Receivers elsewhere to which the audit records are shipped, and how far each has them.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, sql};

/// A target as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// Whether it gets records at all.
    pub is_enabled: bool,
    /// Where it is and what it takes, as JSON.
    pub content: String,
    /// Sealed.
    pub secret: Option<Vec<u8>>,
    /// When it was made.
    pub created_at_ms: i64,
}

/// How far a target has the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The target.
    pub target: Uuid,
    /// Until when a node ships to it.
    pub leased_until_ms: i64,
    /// The leaf that it got first.
    pub first_leaf: i64,
    /// The leaf that is shipped next.
    pub next_leaf: i64,
    /// Records that it has taken.
    pub shipped: i64,
    /// Failures since it last took what it had refused; of one that is failing, since it began to.
    pub failures: i64,
    /// When it is tried next at the earliest.
    pub due_at_ms: i64,
    /// Whether it was told that it fails.
    pub is_failing: bool,
    /// When it last took something.
    pub shipped_at_ms: Option<i64>,
    /// Why it last failed.
    pub error: Option<String>,
    /// When it last failed.
    pub failed_at_ms: Option<i64>,
    /// How many go together; none for as many as may.
    pub together: Option<i64>,
    /// What it has refused, until it has taken all of it and is not failing.
    pub refused: Option<Refused>,
}

/// What a target has refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The leaf behind the last of it.
    pub until: i64,
    /// From which leaf on records before it are sent again.
    pub again_from: i64,
    /// How often the cursor went back there.
    pub times: i64,
}

macro_rules! columns {
    () => {
        "id, name, name_key, is_enabled, content, secret, created_at_ms, mac"
    };
}

const COLUMNS: &str = columns!();
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM audit_targets WHERE id = $1");
const ALL: &str = concat!("SELECT ", columns!(), " FROM audit_targets ORDER BY id");
const DELETE: &str = "DELETE FROM audit_targets WHERE id = $1";
const COUNT: &str = "SELECT COUNT(*) FROM audit_targets";
const BEGIN: &str = "INSERT INTO audit_target_states \
    (target, leased_until_ms, first_leaf, next_leaf, shipped, failures, due_at_ms, is_failing) \
    VALUES ($1, 0, $2, $2, 0, 0, 0, 0)";
const END: &str = "DELETE FROM audit_target_states WHERE target = $1";
const STATES: &str = "SELECT target, leased_until_ms, first_leaf, next_leaf, shipped, failures, due_at_ms, is_failing, \
    shipped_at_ms, error, failed_at_ms, together, refused_until, again_from, times_again FROM audit_target_states ORDER BY target";
const STATE: &str = "SELECT target, leased_until_ms, first_leaf, next_leaf, shipped, failures, due_at_ms, is_failing, \
    shipped_at_ms, error, failed_at_ms, together, refused_until, again_from, times_again FROM audit_target_states WHERE target = $1";
const LEASE: &str = "UPDATE audit_target_states SET leased_by = $2, leased_until_ms = $4 \
    WHERE target = $1 AND leased_until_ms <= $3 AND due_at_ms <= $3";
const SETTLE: &str = "UPDATE audit_target_states SET leased_by = NULL, leased_until_ms = 0, next_leaf = $3, shipped = $4, \
    failures = $5, due_at_ms = $6, is_failing = $7, shipped_at_ms = $8, error = $9, failed_at_ms = $10, together = $11, \
    refused_until = $12, again_from = $13, times_again = $14 \
    WHERE target = $1 AND leased_by = $2 AND leased_until_ms = $15";
const AT_ONCE: &str = "UPDATE audit_target_states SET failures = 0, due_at_ms = 0, together = NULL, refused_until = NULL, \
    again_from = NULL, times_again = NULL WHERE target = $1";

/// Adds a target; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Writes everything that can change; [`StoreError::Conflict`] when the name is taken.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    let new = row.clone();
    let changed = amend(tx, vec![row.id.into_value()], |old: &mut Row| {
        *old = new;
        true
    });
    changed.await.map(drop)
}

/// Removes it.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(id).execute(tx).await?;
    Ok(())
}

/// The target with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Every target that is what it says: some few.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// How many there are.
pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(COUNT).one(tx).await
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    List::new(COLUMNS, "audit_targets", Order::Name("name_key", "id")).search("name_key", term).page(tx, page).await
}

/// Begins to keep account of a target, which gets the leaves from this one on.
pub async fn begin(tx: &mut Tx, target: Uuid, first_leaf: i64) -> Result<(), StoreError> {
    sql(BEGIN).bind(target).bind(first_leaf).execute(tx).await?;
    Ok(())
}

/// Removes its account.
pub async fn end(tx: &mut Tx, target: Uuid) -> Result<(), StoreError> {
    sql(END).bind(target).execute(tx).await?;
    Ok(())
}

/// How far every target has the records.
pub async fn states(tx: &mut Tx) -> Result<Vec<State>, StoreError> {
    sql(STATES).all(tx).await
}

/// How far a target has the records.
pub async fn state(tx: &mut Tx, target: Uuid) -> Result<Option<State>, StoreError> {
    sql(STATE).bind(target).optional(tx).await
}

/// Takes the lease of a target until this moment; nothing where another node has it, or it is not due.
pub async fn take(
    tx: &mut Tx,
    target: Uuid,
    node: Uuid,
    (now_ms, until_ms): (i64, i64),
) -> Result<Option<State>, StoreError> {
    if sql(LEASE).bind(target).bind(node).bind(now_ms).bind(until_ms).execute(tx).await? != 1 {
        return Ok(None);
    }
    state(tx, target).await
}

/// Writes down what became of what was taken, and gives the lease back; false, and nothing is written, where the lease was
/// lost meanwhile. What is written is the state as it was taken, with what has changed.
pub async fn settle(tx: &mut Tx, node: Uuid, state: State) -> Result<bool, StoreError> {
    let State { target, leased_until_ms, next_leaf, shipped, failures, due_at_ms, is_failing, .. } = state;
    let settle = sql(SETTLE).bind(target).bind(node).bind(next_leaf).bind(shipped).bind(failures).bind(due_at_ms);
    let settle = settle.bind(is_failing).bind(state.shipped_at_ms).bind(state.error).bind(state.failed_at_ms);
    let refused = |part: fn(Refused) -> i64| state.refused.map(part);
    let settle = settle.bind(state.together).bind(refused(|it| it.until)).bind(refused(|it| it.again_from));
    Ok(settle.bind(refused(|it| it.times)).bind(leased_until_ms).execute(tx).await? == 1)
}

/// Tries a target at once, however often it failed: it is another one since.
pub async fn try_at_once(tx: &mut Tx, target: Uuid) -> Result<(), StoreError> {
    sql(AT_ONCE).bind(target).execute(tx).await?;
    Ok(())
}

impl FromColumns for State {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            target: columns.get("target")?,
            leased_until_ms: columns.get("leased_until_ms")?,
            first_leaf: columns.get("first_leaf")?,
            next_leaf: columns.get("next_leaf")?,
            shipped: columns.get("shipped")?,
            failures: columns.get("failures")?,
            due_at_ms: columns.get("due_at_ms")?,
            is_failing: columns.get("is_failing")?,
            shipped_at_ms: columns.optional("shipped_at_ms")?,
            error: columns.optional("error")?,
            failed_at_ms: columns.optional("failed_at_ms")?,
            together: columns.optional("together")?,
            refused: match columns.optional("refused_until")? {
                Some(until) => {
                    let (again_from, times) = (columns.get("again_from")?, columns.get("times_again")?);
                    Some(Refused { until, again_from, times })
                }
                None => None,
            },
        })
    }
}

authority!(Row, "audit_targets", keys 1, { id, name, name_key, is_enabled, content, secret, created_at_ms });
