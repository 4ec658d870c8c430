//! What people decided on signing requests, each decision in the name of all identities of one session.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The request.
    pub request_uuid: Uuid,
    /// The version of the request that this decision made.
    pub version: i64,
    /// What was decided.
    pub decision: String,
    /// What was said about it.
    pub note: String,
    /// When.
    pub decided_at: i64,
}

/// One identity in whose name a decision was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The version of the request that the decision made.
    pub version: i64,
    /// The identity.
    pub uuid: Uuid,
    /// Its name at that time.
    pub name: String,
}

const INSERT: &str =
    "INSERT INTO approvals (request_uuid, version, decision, note, decided_at) VALUES ($1, $2, $3, $4, $5)";
const INSERT_IDENTITY: &str = "INSERT INTO approval_identities \
    (request_uuid, version, decision, identity_uuid, identity_name) VALUES ($1, $2, $3, $4, $5)";
const OF_REQUEST: &str = "SELECT request_uuid, version, decision, note, decided_at FROM approvals \
    WHERE request_uuid = $1 ORDER BY version";
const IDENTITIES: &str = "SELECT version, identity_uuid, identity_name FROM approval_identities \
    WHERE request_uuid = $1 ORDER BY version, identity_name, identity_uuid";

/// Adds a decision.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT)
        .bind(row.request_uuid)
        .bind(row.version)
        .bind(&row.decision)
        .bind(&row.note)
        .bind(row.decided_at)
        .execute(tx)
        .await?;
    Ok(())
}

/// Adds an identity to a decision.
pub async fn insert_identity(tx: &mut Tx, decision: &Row, uuid: Uuid, name: &str) -> Result<(), StoreError> {
    sql(INSERT_IDENTITY)
        .bind(decision.request_uuid)
        .bind(decision.version)
        .bind(&decision.decision)
        .bind(uuid)
        .bind(name)
        .execute(tx)
        .await?;
    Ok(())
}

/// The decisions on a request, oldest first.
pub async fn of_request(tx: &mut Tx, request_uuid: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_REQUEST).bind(request_uuid).all(tx).await
}

/// The identities of all decisions on a request, by decision.
pub async fn identities(tx: &mut Tx, request_uuid: Uuid) -> Result<Vec<Identity>, StoreError> {
    sql(IDENTITIES).bind(request_uuid).all(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            request_uuid: columns.get("request_uuid")?,
            version: columns.get("version")?,
            decision: columns.get("decision")?,
            note: columns.get("note")?,
            decided_at: columns.get("decided_at")?,
        })
    }
}

impl FromColumns for Identity {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            version: columns.get("version")?,
            uuid: columns.get("identity_uuid")?,
            name: columns.get("identity_name")?,
        })
    }
}
