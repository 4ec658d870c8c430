//! From tokens to messages.

use std::{collections::HashMap, ops::Range, sync::Arc};

use chancery_store::tables::vault_tokens::{self, Hash, Row};
use chancery_types::wire::Texts;

use super::{
    super::{batch, engine::Outcome, refusal::BadValue},
    Vault,
    entry::Entry,
    lives, unreadable,
};
use crate::{
    Error, Result, Tokens,
    tokenization::rules::{DetokenizeGrant, View},
};

/// Values of one job: some milliseconds of sealing, opening and hashing.
const JOB: usize = 1_000;

/// Fewer are done at once.
const INLINE: usize = 16;

impl Tokens {
    /// Turns tokens back, as the grant allows. `version`: what all rows must have been sealed under, if the call says so.
    pub(crate) async fn vault_detokenize(
        &self,
        vault: &Arc<Vault>,
        grant: DetokenizeGrant,
        tokens: Arc<Texts>,
        version: Option<u32>,
    ) -> Result<Outcome> {
        let (count, vault) = (tokens.len(), Arc::clone(vault));
        let hashes: Arc<[_]> = self.hashes_of(&vault, &tokens).await?.into();
        let rows = Arc::new(self.live_rows(&grant, hashes.iter().filter_map(|hash| hash.ok()).collect()).await?);
        let parts = self.in_jobs(count, move |range| {
            let mut outcome = Outcome::default();
            let mut values = batch::values(&tokens, range.clone()).zip(&hashes[range]);
            values.try_for_each(|(token, hash)| vault.show(&grant, token, *hash, &rows, version, &mut outcome))?;
            Ok(outcome)
        });
        let mut all = Outcome::default();
        parts.await?.iter().for_each(|part| all.append(part));
        Ok(all)
    }

    /// What each token is found by.
    pub(super) async fn hashes_of(
        &self,
        vault: &Arc<Vault>,
        tokens: &Arc<Texts>,
    ) -> Result<Vec<Result<Hash, BadValue>>> {
        let (count, vault, tokens) = (tokens.len(), Arc::clone(vault), Arc::clone(tokens));
        let hashes = self.in_jobs(count, move |range| {
            Ok(batch::values(&tokens, range).map(|token| vault.find_by(token)).collect::<Vec<_>>())
        });
        Ok(hashes.await?.concat())
    }

    /// The rows of these tokens that have not expired.
    pub(super) async fn live_rows(&self, grant: &DetokenizeGrant, hashes: Vec<Hash>) -> Result<HashMap<Hash, Row>> {
        let now_ms = self.context.clock.now_ms();
        let rows = self.context.storage.read(grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(vault_tokens::by_tokens(tx, &hashes).await?) })
        });
        let rows = rows.await?.into_iter().filter(|row| lives(row, now_ms));
        Ok(rows.map(|row| (row.token_hash, row)).collect())
    }

    /// Runs `job` on parts of `count` values on the pool, or here where there are few, and answers what each gave, in
    /// order.
    pub(super) async fn in_jobs<T, F>(&self, count: usize, job: F) -> Result<Vec<T>>
    where
        T: Send + 'static,
        F: Fn(Range<usize>) -> Result<T> + Send + Sync + 'static,
    {
        if count <= INLINE {
            return Ok(vec![job(0..count)?]);
        }
        let ranges = (0..count).step_by(JOB).map(|start| start..count.min(start + JOB)).collect();
        batch::run_jobs(&self.context.pool, ranges, job).await
    }
}

impl Vault {
    /// What a token is found by.
    pub(super) fn find_by(&self, token: &str) -> Result<Hash, BadValue> {
        self.values.check_token(token)?;
        Ok(self.index.token(&self.values.plain(token)))
    }

    /// Adds the message of a token to the outcome, as far as the caller may see it.
    fn show(
        &self,
        grant: &DetokenizeGrant,
        token: &str,
        hash: Result<Hash, BadValue>,
        rows: &HashMap<Hash, Row>,
        version: Option<u32>,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let row = hash.and_then(|hash| rows.get(&hash).ok_or(BadValue::NotInVault));
        let content = match row.and_then(|row| self.open(row, version).map(|content| (row, content))) {
            Ok(content) => content,
            Err(bad) => {
                outcome.refuse(bad);
                return Ok(());
            }
        };
        let (row, content) = content;
        let Some(entry) = Entry::decode(&content) else {
            outcome.refuse(unreadable(row, &"it has no entry"));
            return Ok(());
        };
        let put = |out: &mut String| self.values.put_plain(token, entry.message, out);
        match grant.view() {
            View::Full => outcome.texts.push_with(put),
            View::Partial(mask) => {
                let mut message = String::new();
                put(&mut message);
                let mut masked = String::new();
                match self.values.put_masked(*mask, &message, &mut masked) {
                    Ok(()) => outcome.texts.push(&masked),
                    // Of a profile that shares the vault and takes other messages.
                    Err(bad) => outcome.refuse(bad),
                }
            }
        }
        Ok(())
    }
}
