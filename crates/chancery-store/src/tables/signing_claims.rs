//! What submitters say about their signing requests.

use uuid::Uuid;

use crate::authority::{Authority, authority};
use crate::statement::{IDS_MAX, parameters};
use crate::value::Bind;
use crate::{StoreError, Tx, generated_sql, sql};

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

/// A claim with what finds it, as stored.
#[derive(Clone)]
pub(crate) struct Claim {
    request_id: Uuid,
    note: Option<String>,
    metadata: Option<String>,
    search_key: String,
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

const INSERT_PAIR: &str = "INSERT INTO signing_metadata (pair, request_name_key, request_id) VALUES ($1, $2, $3)";

/// Adds a request's claim.
pub async fn insert(tx: &mut Tx, row: &Row, found: &Found) -> Result<(), StoreError> {
    let Row { request_id, note, metadata } = row.clone();
    let claim = Claim { request_id, note, metadata, search_key: found.search_key.clone() };
    sql(Claim::texts().insert()).bind_row(tx, &claim, 1)?.later(tx).await?;
    for pair in &found.pairs {
        sql(INSERT_PAIR).bind(pair).bind(&found.name_key).bind(request_id).later(tx).await?;
    }
    Ok(())
}

/// The claims of those of these requests that have one. One that is not what it says is left out: nobody shall approve
/// because of it.
pub async fn of(tx: &mut Tx, requests: &[Uuid]) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for ids in requests.chunks(IDS_MAX) {
        let places = parameters(1, ids.len());
        let text = format!(
            "SELECT request_id, note, metadata, search_key, mac FROM signing_claims WHERE request_id IN ({places})"
        );
        let values: Vec<_> = ids.iter().map(|id| (*id).into_value()).collect();
        rows.extend(generated_sql(text).bind_all(&values).authentic::<Claim>(tx).await?);
    }
    let row = |Claim { request_id, note, metadata, .. }| Row { request_id, note, metadata };
    Ok(rows.into_iter().map(row).collect())
}

authority!(Claim, "signing_claims", keys 1, { request_id, note, metadata } apart { search_key });
