//! Where people have what concerns them sent.

use uuid::Uuid;

use crate::authority::{self, authority};
use crate::{StoreError, Tx, sql};

/// The turn of works that make, change or remove mailboxes, or add what they get: nothing is added for one that is gone.
pub const TURN: &str = "mailboxes";

/// The mailbox of an identity as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Whose it is.
    pub identity_id: Uuid,
    /// Where it is, once that was confirmed.
    pub address: Option<String>,
    /// When it was.
    pub confirmed_at_ms: Option<i64>,
    /// Whether it gets notices at all.
    pub is_enabled: bool,
    /// What it wants, and what waits to be confirmed, as JSON.
    pub content: String,
    /// When codes were sent lately, as JSON.
    pub sent: String,
}

macro_rules! columns {
    () => {
        "identity_id, address, confirmed_at_ms, is_enabled, content, sent, mac"
    };
}

const BY_IDENTITY: &str = concat!("SELECT ", columns!(), " FROM mailboxes WHERE identity_id = $1");
const COUNT: &str = "SELECT COUNT(*) FROM mailboxes WHERE address IS NOT NULL";
const TOLD: &str = "SELECT identity_id FROM mailboxes \
    WHERE identity_id > $1 AND address IS NOT NULL AND is_enabled = 1 ORDER BY identity_id LIMIT $2";
const BETWEEN: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM mailboxes WHERE identity_id > $1 AND identity_id <= $2 AND address IS NOT NULL AND is_enabled = 1 \
     ORDER BY identity_id"
);

/// Some mailboxes that get notices.
pub struct Told {
    /// Those of them that are what they say.
    pub rows: Vec<Row>,
    /// The identity up to which these are all; none where there are no more.
    pub reached: Option<Uuid>,
}

/// Writes a mailbox, whether there is one or not.
pub async fn put(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::put(tx, row).await
}

/// The mailbox of an identity.
pub async fn by_identity(tx: &mut Tx, identity: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_IDENTITY).bind(identity).optional(tx).await
}

/// How many were confirmed.
pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(COUNT).one(tx).await
}

/// The first of those that get notices, after this identity's.
pub async fn told_after(tx: &mut Tx, after: Uuid, limit: u32) -> Result<Told, StoreError> {
    let ids: Vec<Uuid> = sql(TOLD).bind(after).bind(limit).all(tx).await?;
    let Some(last) = ids.last().copied() else { return Ok(Told { rows: Vec::new(), reached: None }) };
    let rows = sql(BETWEEN).bind(after).bind(last).authentic(tx).await?;
    Ok(Told { rows, reached: (ids.len() == limit as usize).then_some(last) })
}

authority!(Row, "mailboxes", keys 1, { identity_id, address, confirmed_at_ms, is_enabled, content, sent });
