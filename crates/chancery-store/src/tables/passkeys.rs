//! Passkeys of people, with which they log in and sign approvals.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{StoreError, Tx, sql};

/// A passkey as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Whose it is.
    pub identity_id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique for the identity.
    pub name_key: String,
    /// The host that it is for.
    pub rp_id: String,
    /// By which the authenticator knows it; unique.
    pub credential_id: Vec<u8>,
    /// SubjectPublicKeyInfo in DER.
    pub public_key: Vec<u8>,
    /// Whether it can be copied to other devices.
    pub is_backup_eligible: bool,
    /// All identities of the session that enrolled it, as JSON.
    pub enrolled_by: String,
    /// When that was.
    pub created_at_ms: i64,
    /// When a second person confirmed it.
    pub confirmed_at_ms: Option<i64>,
    /// All identities of the session that did, as JSON.
    pub confirmed_by: Option<String>,
    /// The authenticator's counter when it was used last.
    pub sign_count: i64,
    /// When that was.
    pub used_at_ms: Option<i64>,
}

macro_rules! columns {
    () => {
        "id, identity_id, name, name_key, rp_id, credential_id, public_key, is_backup_eligible, enrolled_by, \
         created_at_ms, confirmed_at_ms, confirmed_by, sign_count, used_at_ms, mac"
    };
}

const OF_IDENTITY: &str = concat!("SELECT ", columns!(), " FROM passkeys WHERE identity_id = $1 ORDER BY name_key, id");
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM passkeys WHERE identity_id = $1 AND id = $2");
const ALL: &str = concat!("SELECT ", columns!(), " FROM passkeys ORDER BY id");
const BY_CREDENTIAL: &str = concat!("SELECT ", columns!(), " FROM passkeys WHERE credential_id = $1");
const IS_KNOWN: &str = "SELECT COUNT(*) FROM passkeys WHERE credential_id = $1 OR public_key = $2";
const COUNT: &str = "SELECT COUNT(*) FROM passkeys WHERE identity_id = $1";
const COUNT_CONFIRMED: &str = "SELECT COUNT(*) FROM passkeys WHERE identity_id = $1 AND confirmed_at_ms IS NOT NULL";
const DELETE_OF_IDENTITY: &str = "DELETE FROM passkeys WHERE identity_id = $1";
const DELETE: &str = "DELETE FROM passkeys WHERE identity_id = $1 AND id = $2";

/// Adds a passkey; [`StoreError::Conflict`] when the identity has one of this name, or anybody one of this credential.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Changes it; false where there is none. Of two works that change one, the second sees what the first made of it.
pub async fn change(tx: &mut Tx, id: Uuid, change: impl FnOnce(&mut Row) -> bool + Send) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], change).await
}

/// Removes it.
pub async fn delete(tx: &mut Tx, identity: Uuid, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(identity).bind(id).execute(tx).await?;
    Ok(())
}

/// Removes all of an identity, whatever their rows say.
pub async fn delete_of_identity(tx: &mut Tx, identity: Uuid) -> Result<u64, StoreError> {
    sql(DELETE_OF_IDENTITY).bind(identity).execute(tx).await
}

/// The passkey of an identity with this id.
pub async fn by_id(tx: &mut Tx, identity: Uuid, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(identity).bind(id).optional(tx).await
}

/// The passkeys of an identity that are what they say, by name.
pub async fn of_identity(tx: &mut Tx, identity: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_IDENTITY).bind(identity).authentic(tx).await
}

/// Every passkey that is what it says.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// The passkey of this credential, if it is what it says.
pub async fn by_credential(tx: &mut Tx, credential_id: &[u8]) -> Result<Option<Row>, StoreError> {
    Ok(sql(BY_CREDENTIAL).bind(credential_id).authentic(tx).await?.pop())
}

/// Whether somebody has a passkey of this credential or this key, whatever its row says.
pub async fn is_known(tx: &mut Tx, credential_id: &[u8], public_key: &[u8]) -> Result<bool, StoreError> {
    let found: i64 = sql(IS_KNOWN).bind(credential_id).bind(public_key).one(tx).await?;
    Ok(found > 0)
}

/// How many an identity has, whatever their rows say.
pub async fn count(tx: &mut Tx, identity: Uuid) -> Result<i64, StoreError> {
    sql(COUNT).bind(identity).one(tx).await
}

/// How many of them a second person has confirmed, whatever their rows say: a row that somebody else has written demands no less.
pub async fn count_confirmed(tx: &mut Tx, identity: Uuid) -> Result<i64, StoreError> {
    sql(COUNT_CONFIRMED).bind(identity).one(tx).await
}

authority!(Row, "passkeys", keys 1, {
    id, identity_id, name, name_key, rp_id, credential_id, public_key, is_backup_eligible, enrolled_by, created_at_ms,
    confirmed_at_ms, confirmed_by, sign_count, used_at_ms,
});
