//! Who holds which role, and since when.

use uuid::Uuid;

use crate::authority::{self, authority};
use crate::{StoreError, Tx, sql};

/// One assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Who.
    pub identity_id: Uuid,
    /// Which role.
    pub role_id: Uuid,
    /// Since when.
    pub assigned_at_ms: i64,
}

const DELETE_OF: &str = "DELETE FROM identity_roles WHERE identity_id = $1";
const OF_IDENTITY: &str = "SELECT identity_id, role_id, assigned_at_ms, mac FROM identity_roles WHERE identity_id = $1 \
    ORDER BY assigned_at_ms, role_id";
const ALL: &str =
    "SELECT identity_id, role_id, assigned_at_ms, mac FROM identity_roles ORDER BY assigned_at_ms, role_id";
const HOLDERS: &str = "SELECT COUNT(*) FROM identity_roles WHERE role_id = $1";
const UNLOCKED_HOLDERS: &str = "SELECT COUNT(*) FROM identity_roles \
    JOIN identities ON identities.id = identity_roles.identity_id WHERE role_id = $1 AND locked = 0 AND kind = 'Person'";

/// Assigns a role; [`StoreError::Reference`] when there is no such identity or role.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Withdraws all roles of an identity, also where a row is not what it says.
pub async fn delete_of(tx: &mut Tx, identity_id: Uuid) -> Result<(), StoreError> {
    sql(DELETE_OF).bind(identity_id).execute(tx).await?;
    Ok(())
}

/// The roles of one identity, the oldest first.
pub async fn of_identity(tx: &mut Tx, identity_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_IDENTITY).bind(identity_id).authentic(tx).await
}

/// The same for whoever asks how much it holds: none is left out, so where one is not what it says, neither is the answer.
pub async fn held_by(tx: &mut Tx, identity_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_IDENTITY).bind(identity_id).all(tx).await
}

/// Every assignment, the oldest first.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).authentic(tx).await
}

/// How many hold the role.
pub async fn holders(tx: &mut Tx, role_id: Uuid) -> Result<i64, StoreError> {
    sql(HOLDERS).bind(role_id).one(tx).await
}

/// How many persons hold the role and are not locked.
pub async fn unlocked_holders(tx: &mut Tx, role_id: Uuid) -> Result<i64, StoreError> {
    sql(UNLOCKED_HOLDERS).bind(role_id).one(tx).await
}

authority!(Row, "identity_roles", keys 2, { identity_id, role_id, assigned_at_ms });
