//! What a certificate that is about to be stored hangs on, in one statement: it is asked for each.

use uuid::Uuid;

use crate::authority::Authority;
use crate::tables::keys;
use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, statement::parameters, value::Bind};

/// How an issuer stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The MACs of the issuer's chain, in its order: where they are as they were, so are the certificates that were read
    /// with them.
    pub macs: Vec<Option<Vec<u8>>>,
    /// Whether its key may be used at all.
    pub key_state: String,
    /// What its key may be used for, as JSON.
    pub key_usages: String,
    /// The first second of the certificate of a name of which so many are newer, if there is one.
    pub oldest_start_s: Option<i64>,
}

/// A certificate's MAC.
struct Link {
    id: Uuid,
    mac: Option<Vec<u8>>,
}

/// The rest of a standing.
struct Rest {
    key: keys::Row,
    oldest_start_s: Option<i64>,
    macs: Vec<Option<Vec<u8>>>,
}

/// The MACs of these certificates, in this order; none of one that is not there.
pub async fn macs(tx: &mut Tx, chain: &[Uuid]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    let text = format!("SELECT id, mac FROM certificates WHERE id IN ({})", parameters(1, chain.len()));
    let values: Vec<_> = chain.iter().map(|id| (*id).into_value()).collect();
    let links: Vec<Link> = generated_sql(text).bind_all(&values).all(tx).await?;
    let mac = |id: &Uuid| links.iter().find(|link| link.id == *id).and_then(|link| link.mac.clone());
    Ok(chain.iter().map(mac).collect())
}

/// How the first of a chain of issuers stands, together with [`super::start_of_newest`] of a name; `None` where it is
/// not there or its key was not kept.
pub async fn standing(tx: &mut Tx, chain: &[Uuid], name_key: &str, newer: u32) -> Result<Option<Standing>, StoreError> {
    let Some(issuer) = chain.first() else { return Ok(None) };
    let key = |column: &&str| format!("keys.{column} AS key_{column}, ");
    let key_columns: String = keys::Row::TABLE.columns.iter().chain([&"mac"]).map(key).collect();
    let link = |number: usize| format!(", (SELECT mac FROM certificates WHERE id = ${})", number + 4);
    let links: String = (0..chain.len()).map(link).collect();
    let text = format!(
        "SELECT {key_columns}({}) AS oldest_start_s{links} \
         FROM certificates AS issuer JOIN keys ON keys.id = issuer.key_id WHERE issuer.id = $3",
        super::NEWEST_OF_NAME
    );
    let chain: Vec<_> = chain.iter().map(|id| (*id).into_value()).collect();
    let found: Option<Rest> =
        generated_sql(text).bind(name_key).bind(newer).bind(*issuer).bind_all(&chain).optional(tx).await?;
    let standing = |Rest { key, oldest_start_s, macs }| {
        let keys::Row { state: key_state, usages: key_usages, .. } = key;
        Standing { macs, key_state, key_usages, oldest_start_s }
    };
    Ok(found.map(standing))
}

impl FromColumns for Rest {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let key = keys::Row::from_columns(&columns.under("key_"))?;
        // After the key's columns, its MAC and the second.
        let macs = columns.macs(keys::Row::TABLE.columns.len() + 2)?;
        Ok(Self { key, oldest_start_s: columns.optional("oldest_start_s")?, macs })
    }
}

impl FromColumns for Link {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { id: columns.get("id")?, mac: columns.optional("mac")? })
    }
}
