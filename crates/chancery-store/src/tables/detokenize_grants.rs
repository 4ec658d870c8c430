//! Grants to detokenize in full: how many values were sent under each. Their approvals are a proposal's of the same id.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// A grant as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// The token profile.
    pub profile_id: Uuid,
    /// The role whose Control Rule demands the approvals.
    pub role_id: Uuid,
    /// Waiting, Active or Revoked.
    pub state: String,
    /// How many values were sent.
    pub uses: u32,
    /// How many may be.
    pub uses_max: u32,
    /// When it took effect.
    pub granted_at_ms: Option<i64>,
    /// When it ends, once it took effect.
    pub ends_at_ms: Option<i64>,
}

/// The tokens that a grant lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The grant.
    pub grant_id: Uuid,
    /// Their keyed hashes, one after the other.
    pub tags: Vec<u8>,
}

const BY_ID: &str = "SELECT id, profile_id, role_id, state, uses, uses_max, granted_at_ms, ends_at_ms, mac \
    FROM detokenize_grants WHERE id = $1";
const TOKENS: &str = "SELECT grant_id, tags, mac FROM detokenize_grant_tokens WHERE grant_id = $1";
const SINCE: &str = "SELECT id FROM detokenize_grants WHERE profile_id = $1 AND granted_at_ms >= $2 \
    ORDER BY granted_at_ms DESC, id LIMIT $3";
const OF_IDENTITY: &str = "SELECT id FROM detokenize_grants WHERE state <> 'Revoked' \
    AND (ends_at_ms IS NULL OR ends_at_ms > $2) AND id IN \
    (SELECT proposal_id FROM proposal_identities WHERE identity_id = $1 AND decision = 'Submit') ORDER BY id";

const WAITING_OF: &str = "SELECT COUNT(*) FROM detokenize_grants WHERE state = 'Waiting' AND id IN \
    (SELECT id FROM proposals WHERE state = 'Approval' AND (expires_at_ms IS NULL OR expires_at_ms > $2) AND id IN \
    (SELECT proposal_id FROM proposal_identities WHERE identity_id = $1 AND decision = 'Submit'))";
const FORGET_TOKENS: &str = "DELETE FROM detokenize_grant_tokens WHERE grant_id = $1";
const FORGET_ENDED: &str = "DELETE FROM detokenize_grant_tokens WHERE grant_id IN \
    (SELECT l.grant_id FROM detokenize_grant_tokens l JOIN detokenize_grants g ON g.id = l.grant_id \
    JOIN proposals p ON p.id = g.id WHERE g.state = 'Revoked' OR g.ends_at_ms <= $1 OR g.uses >= g.uses_max \
    OR (g.state = 'Waiting' AND (p.state <> 'Approval' OR p.expires_at_ms <= $1)) LIMIT $2)";

/// The state in which it can be used.
const ACTIVE: &str = "Active";

/// Adds a grant, which nobody can use yet.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Adds the tokens that it lists.
pub async fn insert_tokens(tx: &mut Tx, tokens: &Tokens) -> Result<(), StoreError> {
    authority::insert(tx, tokens).await
}

/// The grant with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The tokens that it lists; none where it lists none.
pub async fn tokens(tx: &mut Tx, id: Uuid) -> Result<Option<Tokens>, StoreError> {
    sql(TOKENS).bind(id).optional(tx).await
}

/// Removes the tokens that it lists: nobody will use it any more.
pub async fn forget_tokens(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(FORGET_TOKENS).bind(id).execute(tx).await?;
    Ok(())
}

/// Removes the tokens of so many grants at most that had ended, or had waited too long, by `before_ms`: of how many.
pub async fn forget_ended(tx: &mut Tx, before_ms: i64, limit: u32) -> Result<u64, StoreError> {
    sql(FORGET_ENDED).bind(before_ms).bind(limit).execute(tx).await
}

/// How many of those that an identity asked for, alone or with others, wait for approvals and never took effect.
pub async fn waiting_of(tx: &mut Tx, identity: Uuid, now_ms: i64) -> Result<i64, StoreError> {
    sql(WAITING_OF).bind(identity).bind(now_ms).one(tx).await
}

/// Puts it into a state. Where it takes effect, from `now_ms` until `ends_at_ms`; both stay once they are known. Where it
/// ends, the tokens that it lists go.
pub async fn set_state(
    tx: &mut Tx,
    id: Uuid,
    state: &str,
    now_ms: i64,
    ends_at_ms: Option<i64>,
) -> Result<(), StoreError> {
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        state.clone_into(&mut row.state);
        row.granted_at_ms = row.granted_at_ms.or(ends_at_ms.map(|_| now_ms));
        row.ends_at_ms = row.ends_at_ms.or(ends_at_ms);
        true
    });
    changed.await?;
    if state != ACTIVE {
        forget_tokens(tx, id).await?;
    }
    Ok(())
}

/// Counts so many values, all or none; false where it is not active at this moment, or has less left. Until the end of the
/// transaction nobody else uses or revokes it.
pub async fn use_values(tx: &mut Tx, id: Uuid, values: u32, now_ms: i64) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], |row: &mut Row| {
        let lives = row.ends_at_ms.is_some_and(|end| end > now_ms);
        let fits = row.uses.checked_add(values).is_some_and(|uses| uses <= row.uses_max);
        row.uses = row.uses.saturating_add(values);
        row.state == ACTIVE && lives && fits
    })
    .await
}

/// Those of a profile that took effect at this moment or later, the newest first.
pub async fn since(tx: &mut Tx, profile: Uuid, since_ms: i64, limit: u32) -> Result<Vec<Uuid>, StoreError> {
    let ids: Vec<Id> = sql(SINCE).bind(profile).bind(since_ms).bind(limit).all(tx).await?;
    Ok(ids.into_iter().map(|id| id.0).collect())
}

/// Ends what an identity asked for, alone or with others, as far as it has not ended: how many there were.
pub async fn revoke_of(tx: &mut Tx, identity: Uuid, now_ms: i64) -> Result<usize, StoreError> {
    let ids: Vec<Id> = sql(OF_IDENTITY).bind(identity).bind(now_ms).all(tx).await?;
    for Id(id) in &ids {
        set_state(tx, *id, "Revoked", now_ms, None).await?;
    }
    Ok(ids.len())
}

struct Id(Uuid);

impl FromColumns for Id {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(columns.get("id")?))
    }
}

authority!(Tokens, "detokenize_grant_tokens", keys 1, { grant_id, tags });

authority!(Row, "detokenize_grants", keys 1, {
    id, profile_id, role_id, state, uses, uses_max, granted_at_ms, ends_at_ms,
});
