//! What people decided on signing requests, each decision in the name of all identities of one session.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The request.
    pub request_id: Uuid,
    /// The version of the request that this decision made.
    pub version: i64,
    /// What was decided.
    pub decision: String,
    /// What was said about it.
    pub note: String,
    /// The roles that were held with it, as a JSON array.
    pub roles: String,
    /// When.
    pub decided_at_ms: i64,
}

/// One identity in whose name a decision was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The version of the request that the decision made.
    pub version: i64,
    /// The identity.
    pub id: Uuid,
    /// Its name at that time.
    pub name: String,
}

const INSERT: &str =
    "INSERT INTO approvals (request_id, version, decision, note, roles, decided_at_ms) VALUES ($1, $2, $3, $4, $5, $6)";
const INSERT_IDENTITY: &str = "INSERT INTO approval_identities \
    (request_id, version, decision, identity_id, identity_name) VALUES ($1, $2, $3, $4, $5)";
const OF_REQUEST: &str = "SELECT request_id, version, decision, note, roles, decided_at_ms FROM approvals \
    WHERE request_id = $1 ORDER BY version";
const IDENTITIES: &str = "SELECT version, identity_id, identity_name FROM approval_identities \
    WHERE request_id = $1 ORDER BY version, identity_name, identity_id";

/// Adds a decision.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT)
        .bind(row.request_id)
        .bind(row.version)
        .bind(&row.decision)
        .bind(&row.note)
        .bind(&row.roles)
        .bind(row.decided_at_ms)
        .execute(tx)
        .await?;
    Ok(())
}

/// Adds an identity to a decision.
pub async fn insert_identity(tx: &mut Tx, decision: &Row, id: Uuid, name: &str) -> Result<(), StoreError> {
    sql(INSERT_IDENTITY)
        .bind(decision.request_id)
        .bind(decision.version)
        .bind(&decision.decision)
        .bind(id)
        .bind(name)
        .execute(tx)
        .await?;
    Ok(())
}

/// The decisions on a request, oldest first.
pub async fn of_request(tx: &mut Tx, request_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_REQUEST).bind(request_id).all(tx).await
}

/// The identities of all decisions on a request, by decision.
pub async fn identities(tx: &mut Tx, request_id: Uuid) -> Result<Vec<Identity>, StoreError> {
    sql(IDENTITIES).bind(request_id).all(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            request_id: columns.get("request_id")?,
            version: columns.get("version")?,
            decision: columns.get("decision")?,
            note: columns.get("note")?,
            roles: columns.get("roles")?,
            decided_at_ms: columns.get("decided_at_ms")?,
        })
    }
}

impl FromColumns for Identity {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            version: columns.get("version")?,
            id: columns.get("identity_id")?,
            name: columns.get("identity_name")?,
        })
    }
}
