//! What submitters say about their signing requests.

use uuid::Uuid;

use crate::statement::{IDS_MAX, parameters};
use crate::value::Bind;
use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, sql};

/// A claim as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The request.
    pub request_id: Uuid,
    /// A text for people.
    pub note: Option<String>,
    /// A JSON object of texts.
    pub metadata: Option<String>,
}

/// What else is stored of a claim, so that it is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The request's name in one letter case.
    pub name_key: String,
    /// All texts of the claim in one letter case.
    pub search_key: String,
    /// A hash of each pair of a name and a value.
    pub pairs: Vec<Vec<u8>>,
}

const INSERT: &str = "INSERT INTO signing_claims (request_id, note, metadata, search_key) VALUES ($1, $2, $3, $4)";
const INSERT_PAIR: &str = "INSERT INTO signing_metadata (pair, request_name_key, request_id) VALUES ($1, $2, $3)";

/// Adds a request's claim.
pub async fn insert(tx: &mut Tx, row: &Row, found: &Found) -> Result<(), StoreError> {
    let Row { request_id, note, metadata } = row;
    sql(INSERT).bind(*request_id).bind(note.as_ref()).bind(metadata.as_ref()).bind(&found.search_key).later(tx).await?;
    for pair in &found.pairs {
        sql(INSERT_PAIR).bind(pair).bind(&found.name_key).bind(*request_id).later(tx).await?;
    }
    Ok(())
}

/// The claims of those of these requests that have one.
pub async fn of(tx: &mut Tx, requests: &[Uuid]) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for ids in requests.chunks(IDS_MAX) {
        let places = parameters(1, ids.len());
        let text = format!("SELECT request_id, note, metadata FROM signing_claims WHERE request_id IN ({places})");
        let values: Vec<_> = ids.iter().map(|id| (*id).into_value()).collect();
        rows.extend(generated_sql(text).bind_all(&values).all::<Row>(tx).await?);
    }
    Ok(rows)
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            request_id: columns.get("request_id")?,
            note: columns.optional("note")?,
            metadata: columns.optional("metadata")?,
        })
    }
}
