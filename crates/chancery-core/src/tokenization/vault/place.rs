//! From messages to tokens: those that are there already, and new ones.

use std::{collections::HashMap, sync::Arc};

use chancery_store::{
    StoreError,
    tables::{
        turns,
        vault_tokens::{self, Common, Hash, New, Row},
    },
};
use chancery_types::wire::Texts;

use super::{
    super::{batch, engine::Outcome, profile::Profile, refusal::BadValue},
    Attributes, Vault,
    choose::{Chosen, Token},
    entry::Entry,
    lives, unreadable,
};
use crate::{Error, Result, Tokens, tokenization::rules::TokenizeGrant};

/// How often a batch is written again because others wrote the same tokens or messages in between. Each time somebody
/// got ahead.
const ATTEMPTS: usize = 16;

/// A message that needs a token; all without passThrough characters.
pub(super) struct Wanted {
    pub(super) message: String,
    /// Where equal messages have one token.
    pub(super) hash: Option<Hash>,
}

/// Why nothing was written.
enum Failure {
    /// Others wrote some of the same tokens or messages.
    Overtaken,
    Other(Error),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

impl Tokens {
    /// Tokenizes: all new tokens of the call are written in one transaction.
    pub(crate) async fn vault_tokenize(
        &self,
        (profile, vault): (&Profile, &Arc<Vault>),
        grant: &TokenizeGrant,
        messages: Texts,
        attributes: Attributes,
        partial: bool,
    ) -> Result<Outcome> {
        let (count, messages) = (messages.len(), Arc::new(messages));
        let read = {
            let (vault, messages) = (Arc::clone(vault), Arc::clone(&messages));
            self.in_jobs(count, move |range| {
                Ok(batch::values(&messages, range).map(|message| vault.want(message)).collect::<Vec<_>>())
            })
        };
        let (wanted, places) = distinct(read.await?.into_iter().flatten());
        let refused = places.iter().any(Result::is_err);
        let tokens = if wanted.is_empty() || refused && !partial {
            // Nothing will be given out, so nothing is written.
            wanted.iter().map(|_| Ok(String::new())).collect()
        } else {
            self.note_use(grant, profile).await?;
            self.tokens_of((vault, grant), Arc::new(wanted), &Arc::new(attributes), partial).await?
        };
        Ok(vault.outcome(&messages, places, &tokens))
    }

    /// A token for each message.
    async fn tokens_of(
        &self,
        (vault, grant): (&Arc<Vault>, &TokenizeGrant),
        wanted: Arc<Vec<Wanted>>,
        attributes: &Arc<Attributes>,
        partial: bool,
    ) -> Result<Vec<Token>> {
        for attempt in 0..ATTEMPTS {
            let (mut tokens, expired) = self.known((vault, grant), &wanted).await?;
            let missing: Vec<usize> = (0..wanted.len()).filter(|index| !tokens.contains_key(index)).collect();
            let Chosen { tokens: drawn, crowded, .. } =
                self.choose((vault, grant), &wanted, missing, attempt > 0).await?;
            tokens.extend(drawn.iter().cloned());
            let refused = tokens.values().any(Result::is_err);
            let drawn = if refused && !partial { Vec::new() } else { drawn };
            let rows = self.seal(vault, &wanted, &drawn, attributes).await?;
            let common = vault.common(self.context.clock.now_ms(), attributes.expires_at_ms);
            match self.write_new(grant, common, rows, expired, crowded).await {
                Ok(()) => {
                    let all: Option<Vec<Token>> = (0..wanted.len()).map(|index| tokens.remove(&index)).collect();
                    return all.ok_or_else(|| Error::internal("a message was left without token and refusal"));
                }
                Err(Failure::Overtaken) => {}
                Err(Failure::Other(error)) => return Err(error),
            }
        }
        Err(Error::busy("Too many others tokenize with this profile at the same time; try again.", 1))
    }

    /// The tokens that messages have already, and whose rows have expired and must go first.
    async fn known(
        &self,
        (vault, grant): (&Arc<Vault>, &TokenizeGrant),
        wanted: &Arc<Vec<Wanted>>,
    ) -> Result<(HashMap<usize, Token>, Vec<Hash>)> {
        let hashes: HashMap<Hash, usize> =
            wanted.iter().enumerate().filter_map(|(index, wanted)| Some((wanted.hash?, index))).collect();
        if hashes.is_empty() {
            return Ok((HashMap::new(), Vec::new()));
        }
        let asked: Vec<Hash> = hashes.keys().copied().collect();
        let rows = self.context.storage.read(grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(vault_tokens::by_messages(tx, &asked).await?) })
        });
        let now_ms = self.context.clock.now_ms();
        let (live, expired): (Vec<Row>, Vec<Row>) = rows.await?.into_iter().partition(|row| lives(row, now_ms));
        let (vault, wanted, count) = (Arc::clone(vault), Arc::clone(wanted), live.len());
        let opened = self.in_jobs(count, move |range| {
            let open = |row: &Row| {
                let found = row.message_hash.as_ref().and_then(|hash| hashes.get(hash)).copied();
                let index = found.ok_or_else(|| Error::internal("the store answered a row that was not asked for"))?;
                Ok((index, vault.token_in(row, &wanted[index].message)))
            };
            live[range].iter().map(open).collect::<Result<Vec<_>>>()
        });
        let tokens = opened.await?.into_iter().flatten().collect();
        Ok((tokens, expired.into_iter().filter_map(|row| row.message_hash).collect()))
    }

    /// The rows of new tokens.
    async fn seal(
        &self,
        vault: &Arc<Vault>,
        wanted: &Arc<Vec<Wanted>>,
        drawn: &[(usize, Token)],
        attributes: &Arc<Attributes>,
    ) -> Result<Vec<New>> {
        let new: Vec<(usize, String)> =
            drawn.iter().filter_map(|(index, token)| Some((*index, token.clone().ok()?))).collect();
        let (vault, wanted, attributes) = (Arc::clone(vault), Arc::clone(wanted), Arc::clone(attributes));
        let rows = self.in_jobs(new.len(), move |range| {
            let row = |(index, token): &(usize, String)| vault.new_row(&wanted[*index], token, &attributes.metadata);
            new[range].iter().map(row).collect::<Result<Vec<_>>>()
        });
        Ok(rows.await?.into_iter().flatten().collect())
    }

    async fn write_new(
        &self,
        grant: &TokenizeGrant,
        common: Common,
        mut rows: Vec<New>,
        expired: Vec<Hash>,
        crowded: bool,
    ) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        // Two writers of the same messages wait for each other in one direction only. Where they may also have chosen
        // the same tokens no order would do, so they take turns.
        rows.sort_unstable_by_key(|row| row.message_hash.unwrap_or(row.token_hash));
        self.context
            .storage
            .keep_tokens(grant, move |tx| {
                Box::pin(async move {
                    if crowded {
                        turns::take(tx, "vault").await?;
                    }
                    vault_tokens::release_expired_messages(tx, &expired, common.created_at_ms).await?;
                    let added = vault_tokens::insert(tx, &common, &rows).await?;
                    if added == rows.len() as u64 { Ok(()) } else { Err(Failure::Overtaken) }
                })
            })
            .await
    }
}

impl Vault {
    /// Tokens as they would be drawn for these messages; none is kept.
    pub(crate) fn samples(&self, _grant: &TokenizeGrant, messages: &Texts) -> Result<Outcome> {
        let (wanted, places) = distinct(batch::values(messages, 0..messages.len()).map(|message| self.want(message)));
        let all: Vec<usize> = (0..wanted.len()).collect();
        let tokens = self.choose_unseen(&wanted, &all)?;
        Ok(self.outcome(messages, places, &tokens))
    }

    /// Answers each value with the token of its message.
    fn outcome(&self, messages: &Texts, places: Vec<Result<usize, BadValue>>, tokens: &[Token]) -> Outcome {
        let mut outcome = Outcome::default();
        for (message, place) in batch::values(messages, 0..messages.len()).zip(places) {
            match place.and_then(|place| tokens[place].as_ref().map_err(|bad| *bad)) {
                Ok(token) => outcome.texts.push_with(|out| self.values.put_plain(message, token, out)),
                Err(bad) => outcome.refuse(bad),
            }
        }
        outcome
    }

    fn want(&self, message: &str) -> Result<Wanted, BadValue> {
        self.values.check_message(message)?;
        let message = self.values.plain(message).into_owned();
        let hash = self.deterministic.then(|| self.index.message(&message));
        Ok(Wanted { message, hash })
    }

    /// The token that a row keeps for this message.
    fn token_in(&self, row: &Row, message: &str) -> Token {
        let content = self.open(row, None)?;
        match Entry::decode(&content) {
            Some(entry) if entry.message == message => Ok(entry.token.to_owned()),
            Some(_) | None => Err(unreadable(row, &"it has another message than its hash says")),
        }
    }

    /// What the rows of new tokens have in common.
    fn common(&self, created_at_ms: i64, expires_at_ms: Option<i64>) -> Common {
        let (domain, key_version) = (self.domain.into(), self.seals.newest());
        Common { domain, key_version, created_at_ms, expires_at_ms }
    }

    fn new_row(&self, wanted: &Wanted, token: &str, metadata: &str) -> Result<New> {
        let token_hash = self.index.token(token);
        let content = Entry { token, message: &wanted.message, metadata }.encode();
        let sealed = self.seals.of_newest().seal(&token_hash, &content).map_err(Error::internal)?;
        Ok(New { token_hash, message_hash: wanted.hash, sealed })
    }
}

/// Messages that want a token, those of one hash together, and for each value which it is.
fn distinct(values: impl Iterator<Item = Result<Wanted, BadValue>>) -> (Vec<Wanted>, Vec<Result<usize, BadValue>>) {
    let (mut wanted, mut known): (Vec<Wanted>, HashMap<Hash, usize>) = Default::default();
    let places = values.map(|value| {
        let value = value?;
        let next = wanted.len();
        let place = value.hash.map_or(next, |hash| *known.entry(hash).or_insert(next));
        if place == next {
            wanted.push(value);
        }
        Ok(place)
    });
    let places = places.collect();
    (wanted, places)
}
