//! New entries: added in the transaction that stores what they tell of.

use chancery_keys::random;
use chancery_store::{Tx, tables};
use chancery_types::LogVisibility;
use uuid::Uuid;

use super::leaf::{Leaf, SALT_LEN};
use crate::{Error, Result};

/// An entry that has no place in the log yet.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    object: Uuid,
    item: u32,
    leaf: Vec<u8>,
    salt: Option<[u8; SALT_LEN]>,
}

impl NewEntry {
    /// What is told of a certificate, or of one of a signing request's signatures.
    pub(crate) fn new(object: impl Into<Uuid>, item: u32, leaf: &Leaf, visibility: LogVisibility) -> Result<Self> {
        let (leaf, salt) = match visibility {
            LogVisibility::Public => (leaf.to_bytes().map_err(Error::internal)?, None),
            LogVisibility::Internal => {
                let salt = random();
                (leaf.hidden(&salt).and_then(|hidden| hidden.to_bytes()).map_err(Error::internal)?, Some(salt))
            }
        };
        Ok(Self { object: object.into(), item, leaf, salt })
    }
}

/// Adds entries. They get their places in the log within a second after the transaction, and never without it.
pub(crate) async fn append(tx: &mut Tx, entries: Vec<NewEntry>) -> Result<()> {
    let row = |entry: NewEntry| tables::log_entries::NewRow {
        object_id: entry.object,
        item: entry.item,
        leaf: entry.leaf,
        salt: entry.salt.map(Vec::from),
    };
    let rows: Vec<_> = entries.into_iter().map(row).collect();
    Ok(tables::log_entries::insert(tx, &rows).await?)
}
