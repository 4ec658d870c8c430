//! Pre-approvals: how often each was used, and for which requests.

use uuid::Uuid;

use crate::value::{Bind, Value};
use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, sql};

/// A pre-approval as stored. Its approvals are a proposal's of the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// The policy whose approvals it stands in for.
    pub policy_id: Uuid,
    /// Whose requests; none where it lists digests.
    pub submitter_id: Option<Uuid>,
    /// Waiting, Active or Revoked.
    pub state: String,
    /// How often it was used.
    pub uses: u32,
    /// How often it can be.
    pub uses_max: u32,
    /// When it ends, once it is active.
    pub ends_at_ms: Option<i64>,
}

/// A digest that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// The digest.
    pub digest: Vec<u8>,
    /// The request that used it.
    pub request_id: Uuid,
}

/// Digests added by one statement: far below the parameters that either database takes.
const ROWS_MAX: usize = 1_000;

const INSERT: &str = "INSERT INTO pre_approvals (id, policy_id, submitter_id, state, uses, uses_max, ends_at_ms) \
    VALUES ($1, $2, $3, $4, $5, $6, $7)";
const BY_ID: &str = "SELECT id, policy_id, submitter_id, state, uses, uses_max, ends_at_ms \
    FROM pre_approvals WHERE id = $1";
const SET_STATE: &str = "UPDATE pre_approvals SET state = $2, ends_at_ms = COALESCE(ends_at_ms, $3) WHERE id = $1";
const USE: &str = "UPDATE pre_approvals SET uses = uses + 1 \
    WHERE id = $1 AND state = 'Active' AND uses < uses_max AND (ends_at_ms IS NULL OR ends_at_ms > $2)";
const USE_DIGEST: &str = "UPDATE pre_approval_digests SET request_id = $3 \
    WHERE pre_approval_id = $1 AND digest = $2 AND request_id IS NULL";
const USED: &str = "SELECT digest, request_id FROM pre_approval_digests \
    WHERE pre_approval_id = $1 AND request_id IS NOT NULL ORDER BY digest";
const OF_DIGEST: &str = "SELECT id FROM pre_approvals WHERE policy_id = $1 AND state = 'Active' \
    AND uses < uses_max AND (ends_at_ms IS NULL OR ends_at_ms > $2) AND id IN \
    (SELECT pre_approval_id FROM pre_approval_digests WHERE digest = $3 AND request_id IS NULL) \
    ORDER BY id LIMIT $4";
const OF_SUBMITTER: &str = "SELECT id FROM pre_approvals WHERE submitter_id = $3 AND policy_id = $1 \
    AND state = 'Active' AND uses < uses_max AND ends_at_ms > $2 ORDER BY ends_at_ms, id LIMIT $4";

/// Adds a pre-approval.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT)
        .bind(row.id)
        .bind(row.policy_id)
        .bind(row.submitter_id)
        .bind(&row.state)
        .bind(row.uses)
        .bind(row.uses_max)
        .bind(row.ends_at_ms)
        .execute(tx)
        .await?;
    Ok(())
}

/// Adds its digests, which differ.
pub async fn insert_digests(tx: &mut Tx, id: Uuid, digests: &[Vec<u8>]) -> Result<(), StoreError> {
    for digests in digests.chunks(ROWS_MAX) {
        let rows: Vec<_> = (2..digests.len() + 2).map(|number| format!("($1, ${number})")).collect();
        let text = format!("INSERT INTO pre_approval_digests (pre_approval_id, digest) VALUES {}", rows.join(", "));
        let values: Vec<Value> = digests.iter().map(Bind::into_value).collect();
        generated_sql(text).bind(id).bind_all(&values).execute(tx).await?;
    }
    Ok(())
}

/// The pre-approval with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Puts it into a state; an end that it has stays.
pub async fn set_state(tx: &mut Tx, id: Uuid, state: &str, ends_at_ms: Option<i64>) -> Result<(), StoreError> {
    sql(SET_STATE).bind(id).bind(state).bind(ends_at_ms).execute(tx).await?;
    Ok(())
}

/// Uses it once; false where it is not active at this moment, or used up. Until the end of the transaction nobody else
/// uses or revokes it.
pub async fn use_once(tx: &mut Tx, id: Uuid, now_ms: i64) -> Result<bool, StoreError> {
    Ok(sql(USE).bind(id).bind(now_ms).execute(tx).await? == 1)
}

/// Uses one of its digests; false where it has no such digest, or one that was used.
pub async fn use_digest(tx: &mut Tx, id: Uuid, digest: &[u8], request_id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(USE_DIGEST).bind(id).bind(digest).bind(request_id).execute(tx).await? == 1)
}

/// Its digests that were used.
pub async fn used(tx: &mut Tx, id: Uuid) -> Result<Vec<Used>, StoreError> {
    sql(USED).bind(id).all(tx).await
}

/// Those of a policy that list this digest and can be used at this moment.
pub async fn of_digest(
    tx: &mut Tx,
    policy_id: Uuid,
    digest: &[u8],
    now_ms: i64,
    limit: u32,
) -> Result<Vec<Uuid>, StoreError> {
    let ids: Vec<Id> = sql(OF_DIGEST).bind(policy_id).bind(now_ms).bind(digest).bind(limit).all(tx).await?;
    Ok(ids.into_iter().map(|id| id.0).collect())
}

/// Those of a policy that are for this submitter and can be used at this moment; what ends first comes first.
pub async fn of_submitter(
    tx: &mut Tx,
    policy_id: Uuid,
    submitter_id: Uuid,
    now_ms: i64,
    limit: u32,
) -> Result<Vec<Uuid>, StoreError> {
    let ids: Vec<Id> = sql(OF_SUBMITTER).bind(policy_id).bind(now_ms).bind(submitter_id).bind(limit).all(tx).await?;
    Ok(ids.into_iter().map(|id| id.0).collect())
}

struct Id(Uuid);

impl FromColumns for Id {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(columns.get("id")?))
    }
}

impl FromColumns for Used {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { digest: columns.get("digest")?, request_id: columns.get("request_id")? })
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            policy_id: columns.get("policy_id")?,
            submitter_id: columns.optional("submitter_id")?,
            state: columns.get("state")?,
            uses: columns.get("uses")?,
            uses_max: columns.get("uses_max")?,
            ends_at_ms: columns.optional("ends_at_ms")?,
        })
    }
}
