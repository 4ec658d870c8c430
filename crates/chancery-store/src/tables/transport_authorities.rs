//! The authority of the certificates of the nodes' own TLS sockets.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// The authority as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its certificate in DER.
    pub certificate: Vec<u8>,
    /// The id of its key.
    pub key_id: Uuid,
    /// Its sealed key.
    pub sealed: Vec<u8>,
}

/// There is one.
const ID: i64 = 1;

const INSERT_IF_ABSENT: &str = "INSERT INTO transport_authorities (id, certificate, key_id, sealed) \
    VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING";
const READ: &str = "SELECT certificate, key_id, sealed FROM transport_authorities WHERE id = $1";

/// Stores the authority, unless there is one: of two nodes that make one at once, one is first.
pub async fn insert_if_absent(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT_IF_ABSENT).bind(ID).bind(&row.certificate).bind(row.key_id).bind(&row.sealed).execute(tx).await?;
    Ok(())
}

/// The authority, once it was made.
pub async fn read(tx: &mut Tx) -> Result<Option<Row>, StoreError> {
    sql(READ).bind(ID).optional(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            certificate: columns.get("certificate")?,
            key_id: columns.get("key_id")?,
            sealed: columns.get("sealed")?,
        })
    }
}
