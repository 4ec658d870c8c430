//! Pre-approvals: how often each was used, and for which requests.

use uuid::Uuid;

use crate::authority::{self, Authority, amend, authority};
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

/// A digest, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest {
    pre_approval_id: Uuid,
    digest: Vec<u8>,
    /// The request that used it.
    request_id: Option<Uuid>,
}

/// Digests added by one statement: far below the parameters that either database takes.
const ROWS_MAX: usize = 1_000;

const BY_ID: &str = "SELECT id, policy_id, submitter_id, state, uses, uses_max, ends_at_ms, mac \
    FROM pre_approvals WHERE id = $1";
const USED: &str = "SELECT pre_approval_id, digest, request_id, mac FROM pre_approval_digests \
    WHERE pre_approval_id = $1 AND request_id IS NOT NULL ORDER BY digest";
const OF_DIGEST: &str = "SELECT id FROM pre_approvals WHERE policy_id = $1 AND state = 'Active' \
    AND uses < uses_max AND (ends_at_ms IS NULL OR ends_at_ms > $2) AND id IN \
    (SELECT pre_approval_id FROM pre_approval_digests WHERE digest = $3 AND request_id IS NULL) \
    ORDER BY id LIMIT $4";
const OF_SUBMITTER: &str = "SELECT id FROM pre_approvals WHERE submitter_id = $3 AND policy_id = $1 \
    AND state = 'Active' AND uses < uses_max AND ends_at_ms > $2 ORDER BY ends_at_ms, id LIMIT $4";

/// The state in which it can be used.
const ACTIVE: &str = "Active";

/// Adds a pre-approval.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Adds its digests, which differ.
pub async fn insert_digests(tx: &mut Tx, id: Uuid, digests: &[Vec<u8>]) -> Result<(), StoreError> {
    for digests in digests.chunks(ROWS_MAX) {
        let row = |number: usize| format!("($1, ${}, ${})", 2 * number + 2, 2 * number + 3);
        let rows: Vec<_> = (0..digests.len()).map(row).collect();
        let text =
            format!("INSERT INTO pre_approval_digests (pre_approval_id, digest, mac) VALUES {}", rows.join(", "));
        let mut values: Vec<Value> = Vec::with_capacity(2 * digests.len());
        for digest in digests {
            let row = Digest { pre_approval_id: id, digest: digest.clone(), request_id: None };
            values.push(digest.into_value());
            values.push(tx.seal(&Digest::TABLE, &row.values(), 1)?.into_value());
        }
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
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        state.clone_into(&mut row.state);
        row.ends_at_ms = row.ends_at_ms.or(ends_at_ms);
        true
    });
    changed.await.map(drop)
}

/// Uses it once; false where it is not active at this moment, or used up. Until the end of the transaction nobody else
/// uses or revokes it.
pub async fn use_once(tx: &mut Tx, id: Uuid, now_ms: i64) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], |row: &mut Row| {
        let lives = row.ends_at_ms.is_none_or(|end| end > now_ms);
        let may = row.state == ACTIVE && row.uses < row.uses_max && lives;
        row.uses = row.uses.saturating_add(1);
        may
    })
    .await
}

/// Uses one of its digests; false where it has no such digest, or one that was used.
pub async fn use_digest(tx: &mut Tx, id: Uuid, digest: &[u8], request_id: Uuid) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value(), digest.into_value()], |row: &mut Digest| {
        row.request_id.replace(request_id).is_none()
    })
    .await
}

/// Its digests that were used.
pub async fn used(tx: &mut Tx, id: Uuid) -> Result<Vec<Used>, StoreError> {
    let digests: Vec<Digest> = sql(USED).bind(id).all(tx).await?;
    let used = |row: Digest| Some(Used { digest: row.digest, request_id: row.request_id? });
    Ok(digests.into_iter().filter_map(used).collect())
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

authority!(Digest, "pre_approval_digests", keys 2, { pre_approval_id, digest, request_id });

authority!(Row, "pre_approvals", keys 1, { id, policy_id, submitter_id, state, uses, uses_max, ends_at_ms });
