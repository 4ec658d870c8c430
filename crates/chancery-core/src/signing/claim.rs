//! What a submitter says about a request: shown to whoever approves, and checked by nobody.

use std::collections::{BTreeMap, HashMap};

use chancery_store::{Tx, name_key, tables::signing_claims};
use uuid::Uuid;

use crate::{
    Error, Limits, Result,
    base::text::{check_note, check_shown},
    log::leaf::sha256,
};

/// A claim, checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) note: Option<String>,
    pub(super) metadata: Option<BTreeMap<String, String>>,
}

impl Claim {
    pub(super) fn new(
        note: Option<String>,
        metadata: Option<BTreeMap<String, String>>,
        limits: &Limits,
    ) -> Result<Self> {
        if let Some(note) = &note {
            check_note("/note", note, limits)?;
            check_shown("/note", note)?;
        }
        if let Some(metadata) = &metadata {
            check_metadata(metadata, limits)?;
        }
        Ok(Self { note, metadata: metadata.filter(|metadata| !metadata.is_empty()) })
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.note.is_none() && self.metadata.is_none()
    }

    /// Stores it with its request.
    pub(super) async fn insert(self, tx: &mut Tx, request_id: Uuid, name_key: &str) -> Result<()> {
        let metadata = self.metadata.unwrap_or_default();
        let texts = self.note.iter().chain(metadata.values());
        let found = signing_claims::Found {
            name_key: name_key.to_owned(),
            // Nobody can search for the character between two texts.
            search_key: texts.map(|text| self::name_key(text)).collect::<Vec<_>>().join("\u{1}"),
            pairs: pairs(&metadata),
        };
        let text = (!metadata.is_empty()).then(|| serde_json::to_string(&metadata)).transpose();
        let row = signing_claims::Row { request_id, note: self.note, metadata: text.map_err(Error::internal)? };
        Ok(signing_claims::insert(tx, &row, &found).await?)
    }

    /// The claims of those of these requests that have one.
    pub(super) async fn of(tx: &mut Tx, requests: &[Uuid]) -> Result<HashMap<Uuid, Self>> {
        let rows = signing_claims::of(tx, requests).await?;
        let claim = |row: signing_claims::Row| {
            let metadata = row.metadata.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
            Ok((row.request_id, Self { note: row.note, metadata }))
        };
        rows.into_iter().map(claim).collect()
    }
}

/// What each pair of a name and a value is found by. The length tells where the name ends.
pub(super) fn pairs(metadata: &BTreeMap<String, String>) -> Vec<Vec<u8>> {
    let pair = |(name, value): (&String, &String)| sha256(format!("{}:{name}{value}", name.len()).as_bytes()).to_vec();
    metadata.iter().map(pair).collect()
}

fn check_metadata(metadata: &BTreeMap<String, String>, limits: &Limits) -> Result<()> {
    const FIELD: &str = "/metadata";
    if metadata.len() > limits.lists.metadata_members_max {
        let why = format!("The metadata of a request has at most {} members.", limits.lists.metadata_members_max);
        return Err(Error::too_large(FIELD, why));
    }
    for (name, value) in metadata {
        if name.is_empty() {
            return Err(Error::value(FIELD, "A name in the metadata has at least one character."));
        }
        check_shown(FIELD, name)?;
        check_shown(FIELD, value)?;
    }
    let bytes = serde_json::to_string(metadata).map_err(Error::internal)?.len();
    if bytes > limits.metadata_max {
        let why = format!("The metadata of a request has at most {} bytes as JSON.", limits.metadata_max);
        return Err(Error::too_large(FIELD, why));
    }
    Ok(())
}
