//! The outbox: what waits to be delivered to whom, and where that stands.
//!
//! A delivery is added in the transaction of what it tells. One node at a time delivers to a target: it has a lease for
//! that, which ends by itself where the node dies. What it delivers twice then, the receiver knows by the item's id.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::statement::{IDS_MAX, parameters};
use crate::value::Bind;
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, generated_sql, sql};

/// Something that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub seq: i64,
    /// What kind of thing it is.
    pub queue: String,
    /// To whom it goes.
    pub target: Uuid,
    /// The item's number in its own table.
    pub item: i64,
    /// When it was added.
    pub made_at_ms: i64,
    /// When it is tried next at the earliest.
    pub due_at_ms: i64,
    /// How often it was tried.
    pub attempts: i64,
    /// Why it failed the last time.
    pub error: Option<String>,
}

/// Where the deliveries to a target stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The target.
    pub target: Uuid,
    /// What it has taken.
    pub delivered: i64,
    /// What was given up.
    pub given_up: i64,
    /// Failures since it last took something.
    pub failures: i64,
    /// When it is tried next at the earliest.
    pub due_at_ms: i64,
    /// When it last took something.
    pub delivered_at_ms: Option<i64>,
    /// Why it last failed.
    pub error: Option<String>,
    /// When it last failed.
    pub failed_at_ms: Option<i64>,
}

/// A failed delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Which one.
    pub seq: i64,
    /// When it is tried again.
    pub due_at_ms: i64,
    /// Why it failed.
    pub error: String,
}

/// How much waits for a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The target.
    pub target: Uuid,
    /// So much.
    pub waiting: i64,
}

/// A delivery that waits for too long.
struct Old {
    seq: i64,
    target: Uuid,
}

/// What became of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// What was delivered.
    pub delivered: Vec<i64>,
    /// What is not for the target any more.
    pub dropped: Vec<i64>,
    /// What was not.
    pub failed: Vec<Failed>,
    /// Failures since the target last took something.
    pub failures: i64,
    /// When the target is tried next at the earliest.
    pub due_at_ms: i64,
}

const BEGIN: &str = "INSERT INTO delivery_states \
    (target, queue, leased_until_ms, delivered, given_up, failures, due_at_ms) VALUES ($1, $2, 0, 0, 0, 0, 0)";
const END: [&str; 2] = ["DELETE FROM deliveries WHERE target = $1", "DELETE FROM delivery_states WHERE target = $1"];
const ADD: &str = "INSERT INTO deliveries (queue, target, item, made_at_ms, due_at_ms, attempts) \
    VALUES ($1, $2, $3, $4, $4, 0)";
const COLUMNS: &str = "seq, queue, target, item, made_at_ms, due_at_ms, attempts, error";
/// From one target that has something to the next, so that it costs nothing where thousands have nothing.
const READY: &str = "WITH RECURSIVE waiting (target) AS (SELECT MIN(target) FROM deliveries UNION ALL \
    SELECT (SELECT MIN(d.target) FROM deliveries d WHERE d.target > w.target) FROM waiting w WHERE w.target IS NOT NULL) \
    SELECT s.target FROM waiting w JOIN delivery_states s ON s.target = w.target \
    WHERE s.queue = $1 AND s.due_at_ms <= $2 AND s.leased_until_ms <= $2 \
    AND EXISTS (SELECT 1 FROM deliveries d WHERE d.target = s.target AND d.due_at_ms <= $2) ORDER BY s.target LIMIT $3";
const LEASE: &str = "UPDATE delivery_states SET leased_by = $2, leased_until_ms = $4 \
    WHERE target = $1 AND leased_until_ms <= $3 AND due_at_ms <= $3";
const DUE: &str = "SELECT seq, queue, target, item, made_at_ms, due_at_ms, attempts, error FROM deliveries \
    WHERE target = $1 AND due_at_ms <= $2 ORDER BY due_at_ms, seq LIMIT $3";
const FAILED: &str = "UPDATE deliveries SET due_at_ms = $2, error = $3, attempts = attempts + 1 WHERE seq = $1";
const SETTLE: &str = "UPDATE delivery_states SET leased_by = NULL, leased_until_ms = 0, failures = $3, due_at_ms = $4 \
    WHERE target = $1 AND leased_by = $2";
const TOOK: &str = "UPDATE delivery_states SET delivered = delivered + $2, delivered_at_ms = $3 WHERE target = $1";
const REFUSED: &str = "UPDATE delivery_states SET error = $2, failed_at_ms = $3 WHERE target = $1";
const OLD: &str = "DELETE FROM deliveries WHERE seq IN \
    (SELECT seq FROM deliveries WHERE target = $1 AND made_at_ms < $2 ORDER BY made_at_ms, seq LIMIT $3)";
const TOO_MANY: &str = "DELETE FROM deliveries WHERE seq IN \
    (SELECT seq FROM deliveries WHERE target = $1 ORDER BY made_at_ms, seq LIMIT $2)";
const GAVE_UP: &str = "UPDATE delivery_states SET given_up = given_up + $2 WHERE target = $1";
const WAITING: &str = "SELECT COUNT(*) FROM deliveries WHERE target = $1";
const WAITING_IN: &str = "SELECT COUNT(*) FROM deliveries WHERE queue = $1";
const OLD_OF_QUEUE: &str = "SELECT seq, target FROM deliveries WHERE queue = $1 AND made_at_ms < $2 \
    ORDER BY made_at_ms, seq LIMIT $3";
const STATE: &str = "SELECT target, delivered, given_up, failures, due_at_ms, delivered_at_ms, error, failed_at_ms \
    FROM delivery_states WHERE target = $1";
const AT_ONCE: &str = "UPDATE delivery_states SET failures = 0, due_at_ms = 0 WHERE target = $1";

/// Begins to keep account of a target.
pub async fn begin(tx: &mut Tx, queue: &'static str, target: Uuid) -> Result<(), StoreError> {
    sql(BEGIN).bind(target).bind(queue).execute(tx).await?;
    Ok(())
}

/// Removes what waits for a target, and its account.
pub async fn end(tx: &mut Tx, target: Uuid) -> Result<(), StoreError> {
    for text in END {
        sql(text).bind(target).execute(tx).await?;
    }
    Ok(())
}

/// Adds an item for a target.
pub async fn add(tx: &mut Tx, queue: &'static str, target: Uuid, item: i64, now_ms: i64) -> Result<(), StoreError> {
    sql(ADD).bind(queue).bind(target).bind(item).bind(now_ms).later(tx).await
}

/// Adds an item for each of these targets.
pub async fn add_all(
    tx: &mut Tx,
    queue: &'static str,
    targets: &[Uuid],
    item: i64,
    now_ms: i64,
) -> Result<(), StoreError> {
    for some in targets.chunks(IDS_MAX) {
        let places: Vec<_> = (0..some.len()).map(|at| format!("($1, ${}, $2, $3, $3, 0)", at + 4)).collect();
        let values: Vec<_> = some.iter().map(|target| (*target).into_value()).collect();
        let text = format!(
            "INSERT INTO deliveries (queue, target, item, made_at_ms, due_at_ms, attempts) VALUES {}",
            places.join(", ")
        );
        generated_sql(text).bind(queue).bind(item).bind(now_ms).bind_all(&values).execute(tx).await?;
    }
    Ok(())
}

/// Targets to which something can be delivered now, and to which nobody delivers; so many at most.
pub async fn ready(tx: &mut Tx, queue: &'static str, now_ms: i64, limit: u32) -> Result<Vec<Uuid>, StoreError> {
    sql(READY).bind(queue).bind(now_ms).bind(limit).all(tx).await
}

/// Takes the lease of a target until this moment, and what is due; nothing where somebody else has the lease.
pub async fn take(
    tx: &mut Tx,
    target: Uuid,
    node: Uuid,
    (now_ms, until_ms): (i64, i64),
    limit: impl FnOnce(&State) -> u32 + Send,
) -> Result<Option<(State, Vec<Row>)>, StoreError> {
    if sql(LEASE).bind(target).bind(node).bind(now_ms).bind(until_ms).execute(tx).await? != 1 {
        return Ok(None);
    }
    let Some(state) = state(tx, target).await? else { return Ok(None) };
    let limit = limit(&state);
    let due = sql(DUE).bind(target).bind(now_ms).bind(limit).all(tx).await?;
    Ok(Some((state, due)))
}

/// Writes down what became of what was taken, and gives the lease back. Whoever has lost the lease meanwhile changes only
/// the deliveries.
pub async fn settle(tx: &mut Tx, target: Uuid, node: Uuid, settled: Settled, now_ms: i64) -> Result<(), StoreError> {
    let Settled { delivered, dropped, failed, failures, due_at_ms } = settled;
    remove(tx, &dropped).await?;
    let taken = remove(tx, &delivered).await?;
    if taken > 0 {
        sql(TOOK).bind(target).bind(taken).bind(now_ms).execute(tx).await?;
    }
    let error = failed.last().map(|failed| failed.error.clone());
    for Failed { seq, due_at_ms, error } in failed {
        sql(FAILED).bind(seq).bind(due_at_ms).bind(error).execute(tx).await?;
    }
    if let Some(error) = error {
        sql(REFUSED).bind(target).bind(error).bind(now_ms).execute(tx).await?;
    }
    sql(SETTLE).bind(target).bind(node).bind(failures).bind(due_at_ms).execute(tx).await?;
    Ok(())
}

/// Removes deliveries by their numbers; how many there were.
async fn remove(tx: &mut Tx, numbers: &[i64]) -> Result<i64, StoreError> {
    let mut gone = 0;
    for some in numbers.chunks(IDS_MAX) {
        let places = parameters(1, some.len());
        let values: Vec<_> = some.iter().map(|seq| (*seq).into_value()).collect();
        let text = format!("DELETE FROM deliveries WHERE seq IN ({places})");
        gone += generated_sql(text).bind_all(&values).execute(tx).await?;
    }
    Ok(i64::try_from(gone).unwrap_or(i64::MAX))
}

/// Gives up what was added before this moment, the oldest first and some at a time; how many.
pub async fn give_up_old(tx: &mut Tx, target: Uuid, before_ms: i64, limit: u32) -> Result<u64, StoreError> {
    let gone = sql(OLD).bind(target).bind(before_ms).bind(limit).execute(tx).await?;
    gave_up(tx, target, gone).await
}

/// Gives up the oldest, so many; how many there were.
pub async fn give_up_oldest(tx: &mut Tx, target: Uuid, limit: u32) -> Result<u64, StoreError> {
    let gone = sql(TOO_MANY).bind(target).bind(limit).execute(tx).await?;
    gave_up(tx, target, gone).await
}

/// Gives up what was added to a queue before this moment, the oldest first and some at a time; how many of which target.
pub async fn give_up_old_of_queue(
    tx: &mut Tx,
    queue: &'static str,
    before_ms: i64,
    limit: u32,
) -> Result<BTreeMap<Uuid, u64>, StoreError> {
    let old: Vec<Old> = sql(OLD_OF_QUEUE).bind(queue).bind(before_ms).bind(limit).all(tx).await?;
    let mut targets: BTreeMap<Uuid, u64> = BTreeMap::new();
    for one in &old {
        *targets.entry(one.target).or_default() += 1;
    }
    remove(tx, &old.iter().map(|one| one.seq).collect::<Vec<_>>()).await?;
    for (target, gone) in &targets {
        gave_up(tx, *target, *gone).await?;
    }
    Ok(targets)
}

async fn gave_up(tx: &mut Tx, target: Uuid, gone: u64) -> Result<u64, StoreError> {
    if gone > 0 {
        let count = i64::try_from(gone).unwrap_or(i64::MAX);
        sql(GAVE_UP).bind(target).bind(count).execute(tx).await?;
    }
    Ok(gone)
}

/// How much waits for a target.
pub async fn waiting(tx: &mut Tx, target: Uuid) -> Result<i64, StoreError> {
    sql(WAITING).bind(target).one(tx).await
}

/// How much waits for each of these targets; those for which nothing does are left out.
pub async fn waiting_for(tx: &mut Tx, targets: &[Uuid]) -> Result<Vec<Waiting>, StoreError> {
    let mut all = Vec::new();
    for some in targets.chunks(IDS_MAX) {
        let places = parameters(1, some.len());
        let values: Vec<_> = some.iter().map(|target| (*target).into_value()).collect();
        let text =
            format!("SELECT target, COUNT(*) AS waiting FROM deliveries WHERE target IN ({places}) GROUP BY target");
        all.extend(generated_sql(text).bind_all(&values).all::<Waiting>(tx).await?);
    }
    Ok(all)
}

/// How much waits in a queue.
pub async fn waiting_in(tx: &mut Tx, queue: &'static str) -> Result<i64, StoreError> {
    sql(WAITING_IN).bind(queue).one(tx).await
}

/// Where the deliveries to a target stand.
pub async fn state(tx: &mut Tx, target: Uuid) -> Result<Option<State>, StoreError> {
    sql(STATE).bind(target).optional(tx).await
}

/// Tries a target at once, however often it failed: it is another one since.
pub async fn try_at_once(tx: &mut Tx, target: Uuid) -> Result<(), StoreError> {
    sql(AT_ONCE).bind(target).execute(tx).await?;
    Ok(())
}

/// What waits, the newest first; of one target or of all.
pub async fn list(tx: &mut Tx, target: Option<Uuid>, page: &Page) -> Result<Listed<Row>, StoreError> {
    list_of(target).page(tx, page).await
}

pub(crate) fn list_of(target: Option<Uuid>) -> List {
    let list = List::new(COLUMNS, "deliveries", Order::Newest("made_at_ms", "seq"));
    match target {
        Some(target) => list.arm("target = ?", [target.into_value()]),
        None => list,
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            seq: columns.get("seq")?,
            queue: columns.get("queue")?,
            target: columns.get("target")?,
            item: columns.get("item")?,
            made_at_ms: columns.get("made_at_ms")?,
            due_at_ms: columns.get("due_at_ms")?,
            attempts: columns.get("attempts")?,
            error: columns.optional("error")?,
        })
    }
}

impl FromColumns for Waiting {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { target: columns.get("target")?, waiting: columns.get("waiting")? })
    }
}

impl FromColumns for Old {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { seq: columns.get("seq")?, target: columns.get("target")? })
    }
}

impl FromColumns for State {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            target: columns.get("target")?,
            delivered: columns.get("delivered")?,
            given_up: columns.get("given_up")?,
            failures: columns.get("failures")?,
            due_at_ms: columns.get("due_at_ms")?,
            delivered_at_ms: columns.optional("delivered_at_ms")?,
            error: columns.optional("error")?,
            failed_at_ms: columns.optional("failed_at_ms")?,
        })
    }
}
