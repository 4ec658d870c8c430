//! Tokens of older key versions become tokens of the newest one.

use std::{ops::Range, sync::Arc};

use chancery_types::{
    Action, TokenProfileId,
    wire::{
        Texts,
        token_profiles::{RewrapRequest, RewrapResponse},
    },
};

use super::{
    batch::{self, Load},
    engine::{Cipher, Iv, Outcome, TokenSource, Values},
};
use crate::{
    Caller, Error, Result, Tokens,
    tokenization::{
        Noted,
        rules::{Call, DetokenizeGrant, TokenizeGrant},
    },
};

impl Tokens {
    /// Makes of tokens the ones that their messages would have now, in their order. The caller never sees a message, but
    /// whoever may do this may do both parts in full.
    pub async fn rewrap(&self, caller: &Caller, id: TokenProfileId, request: RewrapRequest) -> Result<RewrapResponse> {
        let RewrapRequest { tokens, ivs, key_version, partial } = request;
        let mut noted = Noted::of(Action::Rewrap, tokens.len());
        let (opens, makes) = (self.context.detokenizes_now()?, self.context.tokenizes_now()?);
        let answer = async {
            let (profile, detokenize) = self.asks_to_detokenize(&opens, caller, id, Call::Rewrap)?;
            let load = Load::of("/tokens", &tokens, profile.engine(), &self.context.limits)?.twice();
            let (tags, tokens) = self.tags(&profile, Arc::new(tokens)).await?;
            noted.tagged(tags);
            let detokenize = detokenize?;
            let tokenize = profile.may_tokenize(&makes, caller.roles(), Call::Rewrap)?;
            noted.makes(&profile);
            let version = profile.engine().version_to_read(key_version)?;
            let ivs: Arc<[Option<Iv>]> = batch::read_ivs(profile.iv, ivs.as_deref(), tokens.len())?.into();
            let partial = partial.unwrap_or_default();
            let detokenize = self.charge(caller, &profile, detokenize, tokens.len(), "/tokens").await?;
            let tokenize = Arc::new(self.charge(caller, &profile, tokenize, tokens.len(), "/tokens").await?);
            let mut outcome = match &profile.tokens {
                TokenSource::Vault(vault) => {
                    self.vault_rewrap(vault, (&detokenize, &tokenize), &tokens, version, partial).await?
                }
                TokenSource::Cipher(cipher) => {
                    let (cipher, ivs) = (Arc::clone(cipher), Arc::clone(&ivs));
                    let tokenize = Arc::clone(&tokenize);
                    let job = move |range: Range<usize>| {
                        let ivs = ivs.get(range.clone()).unwrap_or_default();
                        rewrap(cipher.as_ref(), (&detokenize, &tokenize), (&tokens, range), ivs, version)
                    };
                    batch::run(&self.context.pool, load, job).await?
                }
            };
            let errors = outcome.settle("/tokens", partial, &self.context.limits)?;
            if outcome.has_texts() {
                self.note_use(&tokenize, &profile).await?;
            }
            noted.tagged(self.tags_of(&profile, &mut outcome.texts).await?);
            let kept = |(token, iv): (Option<&str>, &Option<Iv>)| token.and(*iv).map(Iv::to_wire);
            let ivs = profile.iv.map(|_| outcome.texts.iter().zip(&*ivs).map(kept).collect());
            let key_version = profile.engine().versions().newest();
            Ok(RewrapResponse { tokens: outcome.texts, ivs, key_version, errors })
        };
        let answer = answer.await;
        self.record_call(caller, id, noted, answer).await
    }
}

/// An initialization vector goes with its message into the new token: so a token that is of the newest version already
/// stays what it is, and whoever is interrupted between storing a token and its iv has lost neither. Under another key
/// it is as good as a fresh one.
fn rewrap(
    cipher: &dyn Cipher,
    (may_detokenize, may_tokenize): (&DetokenizeGrant, &TokenizeGrant),
    (tokens, range): (&Texts, Range<usize>),
    ivs: &[Option<Iv>],
    version: Option<u32>,
) -> Result<Outcome> {
    let opened = cipher.open(may_detokenize, Values::Some(tokens, range), ivs, version)?;
    let of_opened = opened.texts.iter().zip(ivs).filter(|(message, _)| message.is_some());
    let ivs: Vec<Iv> = of_opened.filter_map(|(_, iv)| *iv).collect();
    let made = cipher.make(may_tokenize, Values::all(&opened.texts), &ivs)?;
    // Both list what they refused in order, so each null belongs to the next refusal of the side that made it.
    let (mut unread, mut unmade) = (opened.bad.iter(), made.bad.iter());
    let mut tokens = made.texts.iter();
    let mut outcome = Outcome::default();
    for message in opened.texts.iter() {
        let refusal = match message.map(|_| tokens.next().flatten()) {
            Some(Some(token)) => {
                outcome.texts.push(token);
                continue;
            }
            Some(None) => unmade.next(),
            None => unread.next(),
        };
        let (_, bad) = refusal.ok_or_else(|| Error::internal("an outcome has neither a text nor a refusal"))?;
        outcome.refuse(*bad);
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests;
