//! What a certificate that is about to be stored hangs on, in one statement: it is asked for each.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, statement::parameters, value::Bind};

/// How an issuer stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// How many of the chain are revoked or on hold.
    pub revoked: i64,
    /// Whether it is trusted as an issuer.
    pub trusted: bool,
    /// Whether its key may be used at all.
    pub key_state: String,
    /// What its key may be used for, as JSON.
    pub key_usages: String,
    /// What it demands of everything that it issues, as JSON.
    pub approval: Option<String>,
    /// The first second of the certificate of a name of which so many are newer, if there is one.
    pub oldest_start_s: Option<i64>,
}

/// How the first of a chain of issuers stands, together with [`super::start_of_newest`] of a name; `None` where it is
/// not there or its key was not kept.
pub async fn standing(tx: &mut Tx, chain: &[Uuid], name_key: &str, newer: u32) -> Result<Option<Standing>, StoreError> {
    let Some(issuer) = chain.first() else { return Ok(None) };
    let text = format!(
        "SELECT (SELECT COUNT(*) FROM certificates WHERE id IN ({}) AND revoked_at_s IS NOT NULL) AS revoked, \
         issuer.trusted, issuer.approval, keys.state, keys.usages, ({}) AS oldest_start_s \
         FROM certificates AS issuer JOIN keys ON keys.id = issuer.key_id WHERE issuer.id = $3",
        parameters(4, chain.len()),
        super::NEWEST_OF_NAME
    );
    let chain: Vec<_> = chain.iter().map(|id| (*id).into_value()).collect();
    generated_sql(text).bind(name_key).bind(newer).bind(*issuer).bind_all(&chain).optional(tx).await
}

impl FromColumns for Standing {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            revoked: columns.get("revoked")?,
            trusted: columns.get("trusted")?,
            key_state: columns.get("state")?,
            key_usages: columns.get("usages")?,
            approval: columns.optional("approval")?,
            oldest_start_s: columns.optional("oldest_start_s")?,
        })
    }
}
