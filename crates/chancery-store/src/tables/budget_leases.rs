//! What servers have taken of the windows of budgets.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// One window of one budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The token profile, or the signing policy: the column is older than these.
    pub object: Uuid,
    /// The role of the Control Rule; nil for a policy.
    pub role: Uuid,
    /// Its operation; `Sign` for a policy.
    pub operation: String,
    /// How long windows are.
    pub per: String,
    /// Whose it is; none where all share it.
    pub identity: Option<Uuid>,
    /// When it begins, in milliseconds since the epoch.
    pub starts_at_ms: i64,
    /// When it ends.
    pub ends_at_ms: i64,
}

/// What was taken of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Of which.
    pub window: Window,
    /// How much, by all servers.
    pub leased: i64,
    /// Who took all of it; none where several did.
    pub lessee: Option<Uuid>,
}

const OF_WINDOW: &str = "SELECT profile_id, role_id, operation, per, identity, starts_at_ms, ends_at_ms, leased, lessee \
    FROM budget_leases WHERE profile_id = $1 AND role_id = $2 AND operation = $3 AND per = $4 AND identity = $5 \
    AND starts_at_ms = $6";
const OF_OBJECT: &str = "SELECT profile_id, role_id, operation, per, identity, starts_at_ms, ends_at_ms, leased, lessee \
    FROM budget_leases WHERE profile_id = $1 AND starts_at_ms <= $2 AND ends_at_ms > $2 \
    ORDER BY leased DESC, identity LIMIT $3";
const LEASE: &str = "INSERT INTO budget_leases \
    (profile_id, role_id, operation, per, identity, starts_at_ms, ends_at_ms, leased, lessee) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
    ON CONFLICT (profile_id, role_id, operation, per, identity, starts_at_ms) DO UPDATE SET \
    leased = budget_leases.leased + excluded.leased, \
    lessee = CASE WHEN budget_leases.lessee = excluded.lessee THEN excluded.lessee END \
    WHERE budget_leases.leased + excluded.leased <= $10";
const GIVE_BACK: &str = "UPDATE budget_leases SET leased = leased - $7 WHERE profile_id = $1 AND role_id = $2 \
    AND operation = $3 AND per = $4 AND identity = $5 AND starts_at_ms = $6 AND leased >= $7";
const FORGET: &str = "DELETE FROM budget_leases WHERE ends_at_ms < $1";

/// Takes so much of a window, where it has as much left of `count`: whether it had. `amount` is no more than `count`.
pub async fn lease(tx: &mut Tx, window: &Window, amount: i64, count: i64, lessee: Uuid) -> Result<bool, StoreError> {
    let statement = sql(LEASE).bind(window.object).bind(window.role).bind(&window.operation).bind(&window.per);
    let statement = statement.bind(whose(window)).bind(window.starts_at_ms).bind(window.ends_at_ms);
    Ok(statement.bind(amount).bind(lessee).bind(count).execute(tx).await? > 0)
}

/// Gives back what was taken and not given out.
pub async fn give_back(tx: &mut Tx, window: &Window, amount: i64) -> Result<(), StoreError> {
    let statement = sql(GIVE_BACK).bind(window.object).bind(window.role).bind(&window.operation).bind(&window.per);
    statement.bind(whose(window)).bind(window.starts_at_ms).bind(amount).execute(tx).await?;
    Ok(())
}

/// What was taken of a window, if anything was.
pub async fn of_window(tx: &mut Tx, window: &Window) -> Result<Option<Row>, StoreError> {
    let statement = sql(OF_WINDOW).bind(window.object).bind(window.role).bind(&window.operation).bind(&window.per);
    statement.bind(whose(window)).bind(window.starts_at_ms).optional(tx).await
}

/// The windows of a profile or a policy that are open at this time, and of which something was taken: the most first.
pub async fn of_object(tx: &mut Tx, object: Uuid, at_ms: i64, max: u32) -> Result<Vec<Row>, StoreError> {
    sql(OF_OBJECT).bind(object).bind(at_ms).bind(i64::from(max)).all(tx).await
}

/// Forgets windows that ended before.
pub async fn forget(tx: &mut Tx, before_ms: i64) -> Result<(), StoreError> {
    sql(FORGET).bind(before_ms).execute(tx).await?;
    Ok(())
}

fn whose(window: &Window) -> String {
    window.identity.map(|identity| identity.to_string()).unwrap_or_default()
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let identity: String = columns.get("identity")?;
        let window = Window {
            object: columns.get("profile_id")?,
            role: columns.get("role_id")?,
            operation: columns.get("operation")?,
            per: columns.get("per")?,
            identity: if identity.is_empty() { None } else { Some(columns.get("identity")?) },
            starts_at_ms: columns.get("starts_at_ms")?,
            ends_at_ms: columns.get("ends_at_ms")?,
        };
        Ok(Self { window, leased: columns.get("leased")?, lessee: columns.optional("lessee")? })
    }
}
