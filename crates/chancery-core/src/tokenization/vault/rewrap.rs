//! Rows of older key versions are sealed under the one that makes tokens; their tokens stay what they are.

use std::{collections::HashMap, sync::Arc};

use chancery_store::tables::vault_tokens::{self, Hash, Resealed, Row};
use chancery_types::wire::Texts;

use super::{
    super::{batch, engine::Outcome, refusal::BadValue},
    Vault,
};
use crate::{
    Error, Result, Tokens,
    tokenization::rules::{DetokenizeGrant, TokenizeGrant},
};

impl Tokens {
    /// Seals the rows of tokens under the newest version, in one transaction, and answers the tokens. Those that are
    /// sealed so already, or were by somebody else in between, or under a newer one by a profile that shares the vault, stay
    /// as they are.
    pub(crate) async fn vault_rewrap(
        &self,
        vault: &Arc<Vault>,
        (detokenize, tokenize): (&DetokenizeGrant, &TokenizeGrant),
        tokens: &Arc<Texts>,
        version: Option<u32>,
        partial: bool,
    ) -> Result<Outcome> {
        let hashes = self.hashes_of(vault, tokens).await?;
        let rows = self.live_rows(detokenize, hashes.iter().filter_map(|hash| hash.ok()).collect()).await?;
        let rows = Arc::new(rows);
        let anew = self.seal_anew(vault, &rows, version).await?;
        let mut outcome = Outcome::default();
        for (token, hash) in batch::values(tokens, 0..tokens.len()).zip(&hashes) {
            let row = hash.and_then(|hash| vault.row_to_open(&rows, hash, version).map(|_| hash));
            match row
                .and_then(|hash| anew.get(&hash).map_or(Ok(()), |sealed| sealed.as_ref().map(drop).map_err(|bad| *bad)))
            {
                Ok(()) => outcome.texts.push(token),
                Err(bad) => outcome.refuse(bad),
            }
        }
        if partial || outcome.bad.is_empty() {
            let resealed = anew.into_values().flatten().collect();
            self.write_resealed(tokenize, vault.seals.newest(), resealed).await?;
        }
        Ok(outcome)
    }

    /// Those of these rows that are sealed under an older version and may be opened, sealed under the newest.
    async fn seal_anew(
        &self,
        vault: &Arc<Vault>,
        rows: &Arc<HashMap<Hash, Row>>,
        version: Option<u32>,
    ) -> Result<HashMap<Hash, Result<Resealed, BadValue>>> {
        let newest = vault.seals.newest();
        let may_open = |row: &Row| vault.seals.told(row.key_version, version).is_ok();
        let old = rows.iter().filter(|(_, row)| row.key_version < newest && may_open(row)).map(|(hash, _)| *hash);
        let (old, vault, rows): (Vec<Hash>, _, _) = (old.collect(), Arc::clone(vault), Arc::clone(rows));
        let resealed = self.in_jobs(old.len(), move |range| {
            let rows = old[range].iter().filter_map(|hash| rows.get(hash));
            rows.map(|row| Ok((row.token_hash, vault.reseal(row)?))).collect::<Result<Vec<_>>>()
        });
        Ok(resealed.await?.into_iter().flatten().collect())
    }

    async fn write_resealed(&self, grant: &TokenizeGrant, newest: u32, mut resealed: Vec<Resealed>) -> Result<()> {
        if resealed.is_empty() {
            return Ok(());
        }
        // Two who rewrap the same tokens wait for each other in one direction only.
        resealed.sort_unstable_by_key(|row| row.token_hash);
        let written = self.context.storage.keep_tokens(grant, move |tx| {
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

    fn reseal(&self, row: &Row) -> Result<Result<Resealed, BadValue>> {
        let content = match self.open(row, None) {
            Ok(content) => content,
            Err(bad) => return Ok(Err(bad)),
        };
        let sealed = self.seals.of_newest().seal(&row.token_hash, &content).map_err(Error::internal)?;
        Ok(Ok(Resealed { token_hash: row.token_hash, old_version: row.key_version, sealed }))
    }
}
