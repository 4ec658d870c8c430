//! Keys by which identities log in.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{StoreError, Tx, sql};

/// A key as stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Whose it is.
    pub identity_id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique among those of the identity.
    pub name_key: String,
    /// The keyed hash of its secret.
    pub key_hash: Vec<u8>,
    /// Which secret this is: 1, and one more with each rotation.
    pub version: u32,
    /// When it was made.
    pub created_at_ms: i64,
    /// When its secret was last replaced.
    pub rotated_at_ms: Option<i64>,
    /// When it ends.
    pub expires_at_ms: Option<i64>,
    /// The keyed hash of the secret of before.
    pub previous_hash: Option<Vec<u8>>,
    /// Until when that one goes on.
    pub previous_until_ms: Option<i64>,
    /// From where it may be used and what it is restricted to, as JSON.
    pub content: String,
}

macro_rules! columns {
    () => {
        "id, identity_id, name, name_key, key_hash, version, created_at_ms, rotated_at_ms, expires_at_ms, \
         previous_hash, previous_until_ms, content, mac"
    };
}

const BY_ID: &str = concat!("SELECT ", columns!(), " FROM api_keys WHERE id = $1 AND identity_id = $2");
const BY_HASH: &str = concat!("SELECT ", columns!(), " FROM api_keys WHERE key_hash = $1 OR previous_hash = $1");
const OF_IDENTITY: &str = concat!("SELECT ", columns!(), " FROM api_keys WHERE identity_id = $1 ORDER BY name_key, id");
const ALL: &str = concat!("SELECT ", columns!(), " FROM api_keys ORDER BY name_key, id");
const ENDING_AFTER: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM api_keys WHERE expires_at_ms IS NOT NULL AND (expires_at_ms, id) > ($1, $2) AND expires_at_ms <= $3 \
     ORDER BY expires_at_ms, id LIMIT $4"
);
const COUNT: &str = "SELECT COUNT(*) FROM api_keys WHERE identity_id = $1";
const DELETE: &str = "DELETE FROM api_keys WHERE id = $1 AND identity_id = $2";
const DELETE_ALL: &str = "DELETE FROM api_keys WHERE identity_id = $1";

/// Adds a key; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Adds a key, unless there is one of its name or secret.
pub async fn insert_if_new(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    authority::insert_if_new(tx, row).await
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

/// Removes a key of an identity, whatever its row says; false when there was none.
pub async fn delete(tx: &mut Tx, identity_id: Uuid, id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(DELETE).bind(id).bind(identity_id).execute(tx).await? > 0)
}

/// Removes all keys of an identity.
pub async fn delete_of_identity(tx: &mut Tx, identity_id: Uuid) -> Result<u64, StoreError> {
    sql(DELETE_ALL).bind(identity_id).execute(tx).await
}

/// The key of an identity with this id.
pub async fn by_id(tx: &mut Tx, identity_id: Uuid, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).bind(identity_id).optional(tx).await
}

/// The key whose secret, or whose secret of before, has this keyed hash, if its row is what it says.
pub async fn by_hash(tx: &mut Tx, hash: &[u8]) -> Result<Option<Row>, StoreError> {
    Ok(sql(BY_HASH).bind(hash).authentic(tx).await?.pop())
}

/// The keys of an identity that are what they say, by name.
pub async fn of_identity(tx: &mut Tx, identity_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_IDENTITY).bind(identity_id).authentic(tx).await
}

/// Every key that is what it says.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// How many keys an identity has.
pub async fn count(tx: &mut Tx, identity_id: Uuid) -> Result<i64, StoreError> {
    sql(COUNT).bind(identity_id).one(tx).await
}

/// Some of the keys that are what they say and end after this moment (or at it, with a later id) and until another one,
/// in the order of their ends.
pub async fn ending_after(
    tx: &mut Tx,
    (after_ms, after): (i64, Uuid),
    until_ms: i64,
    limit: u32,
) -> Result<Vec<Row>, StoreError> {
    sql(ENDING_AFTER).bind(after_ms).bind(after).bind(until_ms).bind(limit).authentic(tx).await
}

authority!(Row, "api_keys", keys 1, {
    id, identity_id, name, name_key, key_hash, version, created_at_ms, rotated_at_ms, expires_at_ms, previous_hash,
    previous_until_ms, content,
});
