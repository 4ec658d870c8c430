//! New tokens that nobody has: drawn at random, and where that fails looked for one after the other.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use chancery_store::tables::vault_tokens::{self, Hash};

use super::{
    super::refusal::BadValue,
    Vault,
    draw::{Dice, Draw, Space},
    place::Wanted,
};
use crate::{Error, Result, Tokens, tokenization::rules::TokenizeGrant};

/// Where there are fewer tokens than this, collisions are looked for before anything is written.
const ROOMY: Space = 1 << 32;

/// Rounds of drawing for messages whose tokens were all taken; each draws twice as many as the one before. Where nine
/// tokens in ten are taken, one message in 800 is left.
const ROUNDS: u32 = 6;

/// Tokens drawn in one round: looking them all up takes a second or so.
const DRAWN_MAX: usize = 500_000;

/// Tokens that one call looks at, one after the other, when drawing has failed.
const SCAN_MAX: Space = 1 << 18;

/// A message's token, or why there is none.
pub(super) type Token = Result<String, BadValue>;

impl Tokens {
    /// Chooses a token for each of the `missing` messages; none twice, and where there are few or `careful` none that
    /// is taken.
    pub(super) async fn choose(
        &self,
        (vault, grant): (&Arc<Vault>, &TokenizeGrant),
        wanted: &Arc<Vec<Wanted>>,
        mut missing: Vec<usize>,
        careful: bool,
    ) -> Result<Chosen> {
        let mut chosen = Chosen { crowded: careful, ..Chosen::default() };
        for round in 0..ROUNDS {
            if missing.len() << round > DRAWN_MAX {
                break;
            }
            let candidates = {
                let (vault, wanted, missing) = (Arc::clone(vault), Arc::clone(wanted), missing.clone());
                self.in_jobs(missing.len(), move |range| vault.candidates(&wanted, &missing[range], 1 << round))
            };
            let candidates: Vec<Candidates> = candidates.await?.into_iter().flatten().collect();
            chosen.crowded |= round > 0 || candidates.iter().any(|candidates| candidates.space < ROOMY);
            let crowded = chosen.crowded;
            let asked = candidates.iter().filter(|_| crowded).flat_map(|it| it.tokens.iter().map(|(hash, _)| *hash));
            let taken = self.taken(grant, asked.collect()).await?;
            missing = candidates.into_iter().filter_map(|candidates| chosen.take_free(candidates, &taken)).collect();
            if missing.is_empty() {
                return Ok(chosen);
            }
        }
        self.scan((vault, grant), wanted, &missing, &mut chosen).await?;
        Ok(chosen)
    }

    /// Looks for tokens that are left, one after the other, where drawing has found none.
    async fn scan(
        &self,
        (vault, grant): (&Arc<Vault>, &TokenizeGrant),
        wanted: &Arc<Vec<Wanted>>,
        missing: &[usize],
        chosen: &mut Chosen,
    ) -> Result<()> {
        let mut left = SCAN_MAX;
        // By the first token of each space: messages that differ in kept symbols have different tokens.
        let mut spaces: HashMap<String, Vec<(Hash, String)>> = HashMap::new();
        for &index in missing {
            let (space, first) = vault.space_of(&wanted[index].message)?;
            if !spaces.contains_key(&first) && space <= left {
                left -= space;
                let (vault, wanted) = (Arc::clone(vault), Arc::clone(wanted));
                let all = self.context.pool.run(move || vault.all_tokens(&wanted[index].message)).await??;
                let taken = self.taken(grant, all.iter().map(|(hash, _)| *hash).collect()).await?;
                spaces.insert(
                    first.clone(),
                    shuffled(
                        all.into_iter().filter(|(hash, _)| !taken.contains(hash) && !chosen.hashes.contains(hash)),
                    ),
                );
            }
            let free = spaces.get_mut(&first).and_then(|free| {
                let place = free.iter().rposition(|(_, token)| *token != wanted[index].message);
                place.map(|place| free.swap_remove(place))
            });
            match free {
                Some((hash, token)) => chosen.add(index, hash, token),
                None => chosen.tokens.push((index, Err(BadValue::Full { tokens: space }))),
            }
        }
        Ok(())
    }

    /// Which of these tokens somebody has.
    async fn taken(&self, grant: &TokenizeGrant, hashes: Vec<Hash>) -> Result<HashSet<Hash>> {
        if hashes.is_empty() {
            return Ok(HashSet::new());
        }
        let taken = self
            .context
            .storage
            .read(grant, move |tx| Box::pin(async move { Ok::<_, Error>(vault_tokens::taken(tx, &hashes).await?) }));
        Ok(taken.await?.into_iter().collect())
    }
}

/// What was drawn for one message.
struct Candidates {
    index: usize,
    space: Space,
    tokens: Vec<(Hash, String)>,
}

/// The new tokens of one call.
#[derive(Default)]
pub(super) struct Chosen {
    /// By message.
    pub(super) tokens: Vec<(usize, Token)>,
    /// Whether others may have chosen the same.
    pub(super) crowded: bool,
    hashes: HashSet<Hash>,
}

impl Chosen {
    /// Takes the first candidate that nobody has; answers the message if there is none.
    fn take_free(&mut self, candidates: Candidates, taken: &HashSet<Hash>) -> Option<usize> {
        let free = |(hash, _): &(Hash, String)| !taken.contains(hash) && !self.hashes.contains(hash);
        match candidates.tokens.into_iter().find(free) {
            Some((hash, token)) => {
                self.add(candidates.index, hash, token);
                None
            }
            None => Some(candidates.index),
        }
    }

    fn add(&mut self, index: usize, hash: Hash, token: String) {
        self.hashes.insert(hash);
        self.tokens.push((index, Ok(token)));
    }
}

impl Vault {
    /// Draws so many tokens for each message. One that equals its message is none.
    fn candidates(&self, wanted: &[Wanted], missing: &[usize], number: usize) -> Result<Vec<Candidates>> {
        let mut dice = Dice::default();
        let draw = |&index: &usize| {
            let message = &wanted[index].message;
            let mut draw = Draw::of(&self.values, message).map_err(was_taken)?;
            let tokens = (0..number).map(|_| draw.token(&mut dice)).filter(|token| token != message);
            let tokens = tokens.map(|token| (self.index.token(&token), token)).collect();
            Ok(Candidates { index, space: draw.space(), tokens })
        };
        missing.iter().map(draw).collect()
    }

    /// A token for each message; none twice. Nobody is asked whether it is taken.
    pub(super) fn choose_unseen(&self, wanted: &[Wanted], all: &[usize]) -> Result<Vec<Token>> {
        /// Where nine tokens in ten are taken, one message in 800 is left.
        const DRAWN: usize = 64;
        let (mut chosen, nothing) = (Chosen::default(), HashSet::new());
        for candidates in self.candidates(wanted, all, DRAWN)? {
            let space = candidates.space;
            if let Some(index) = chosen.take_free(candidates, &nothing) {
                chosen.tokens.push((index, Err(BadValue::Full { tokens: space })));
            }
        }
        Ok(chosen.tokens.into_iter().map(|(_, token)| token).collect())
    }

    /// How many tokens a message can have, and the first of them.
    fn space_of(&self, message: &str) -> Result<(Space, String)> {
        let draw = Draw::of(&self.values, message).map_err(was_taken)?;
        Ok((draw.space(), draw.all().next().unwrap_or_default()))
    }

    /// All tokens that a message can have.
    fn all_tokens(&self, message: &str) -> Result<Vec<(Hash, String)>> {
        let draw = Draw::of(&self.values, message).map_err(was_taken)?;
        Ok(draw.all().map(|token| (self.index.token(&token), token)).collect())
    }
}

/// Messages are checked when they come in.
fn was_taken(bad: BadValue) -> Error {
    Error::internal(format!("a message that was accepted is refused now: {bad}"))
}

/// In random order.
fn shuffled<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<([u8; 8], T)> = items.map(|item| (chancery_keys::random(), item)).collect();
    items.sort_unstable_by_key(|(order, _)| *order);
    items.into_iter().map(|(_, item)| item).collect()
}
