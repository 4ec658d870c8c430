//! Rows of older key versions are sealed under the newest one; their tokens stay what they are.

use std::{collections::HashMap, sync::Arc};

use chancery_store::tables::vault_tokens::{self, Hash, Resealed, Row};
use chancery_types::wire::Texts;

use super::{
    super::{batch, engine::Outcome, refusal::BadValue},
    Vault,
};
use crate::{
    Chancery, Error, Result,
    access::{DetokenizeGrant, TokenizeGrant},
};

impl Chancery {
    /// Seals the rows of tokens under the newest version, in one transaction, and answers the tokens. Those that are
    /// sealed so already, or were by somebody else in between, stay as they are.
    pub(crate) async fn vault_rewrap(
        &self,
        vault: &Arc<Vault>,
        _grants: (DetokenizeGrant, TokenizeGrant),
        tokens: Texts,
        version: Option<u32>,
        partial: bool,
    ) -> Result<Outcome> {
        let hashes = self.hashes_of(vault, &Arc::new(tokens.clone())).await?;
        let rows = self.live_rows(hashes.iter().filter_map(|hash| hash.ok()).collect()).await?;
        let mut outcome = Outcome::default();
        for (token, hash) in batch::values(&tokens, 0..tokens.len()).zip(&hashes) {
            match hash.and_then(|hash| vault.row_to_open(&rows, hash, version)) {
                Ok(_) => outcome.texts.push(token),
                Err(bad) => outcome.refuse(bad),
            }
        }
        if partial || outcome.bad.is_empty() {
            self.seal_anew(vault, rows, version).await?;
        }
        Ok(outcome)
    }

    async fn seal_anew(&self, vault: &Arc<Vault>, rows: HashMap<Hash, Row>, version: Option<u32>) -> Result<()> {
        let newest = vault.seals.newest();
        let may_open = |row: &Row| vault.seals.told(row.key_version, version).is_ok();
        let mut old: Vec<Row> = rows.into_values().filter(|row| row.key_version != newest && may_open(row)).collect();
        // Two who rewrap the same tokens wait for each other in one direction only.
        old.sort_unstable_by_key(|row| row.token_hash);
        let (vault, count) = (Arc::clone(vault), old.len());
        let resealed = self
            .in_jobs(count, move |range| old[range].iter().map(|row| vault.reseal(row)).collect::<Result<Vec<_>>>());
        let resealed: Vec<Resealed> = resealed.await?.into_iter().flatten().collect();
        if resealed.is_empty() {
            return Ok(());
        }
        let written = self.store.write(move |tx| {
            Box::pin(async move { Ok::<_, Error>(vault_tokens::reseal(tx, newest, &resealed).await?) })
        });
        written.await.map(drop)
    }
}

impl Vault {
    /// The row of a token, if it is one that may be opened.
    pub(super) fn row_to_open<'r>(
        &self,
        rows: &'r HashMap<Hash, Row>,
        hash: Hash,
        version: Option<u32>,
    ) -> Result<&'r Row, BadValue> {
        let row = rows.get(&hash).ok_or(BadValue::NotInVault)?;
        self.seals.told(row.key_version, version)?;
        Ok(row)
    }

    fn reseal(&self, row: &Row) -> Result<Resealed> {
        let content = self.open(row, None)?.map_err(|bad| Error::internal(bad.to_string()))?;
        let sealed = self.seals.of_newest().seal(&row.token_hash, &content).map_err(Error::internal)?;
        Ok(Resealed { token_hash: row.token_hash, old_version: row.key_version, sealed })
    }
}
