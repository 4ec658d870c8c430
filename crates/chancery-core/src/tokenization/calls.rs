//! Door methods of the hot path: tokenize and detokenize one value, many, or track data ([`tracks`]). They look at the compiled
//! profiles only, never at the store, but for the first token that a profile ever makes.

mod tracks;

use std::{iter, ops::Range, sync::Arc};

use chancery_store::tables;
use chancery_types::{
    Action, Base64, ProposalId, TokenProfileId,
    wire::token_profiles::{
        BatchDetokenizationResponse, BatchDetokenizeRequest, BatchTokenizationResponse, BatchTokenizeRequest,
        DetokenizationResponse, DetokenizeRequest, TokenizationResponse, TokenizeRequest,
    },
};

use super::{
    batch::{self, Load},
    engine::{Iv, IvKind, TokenSource, Values},
    grants::UnderGrant,
    profile::Profile,
    vault::Attributes,
};
use crate::{
    Caller, Error, Result, Tokens,
    context::up_to_date::{DetokenizesNow, TokenizesNow},
    tokenization::{
        Noted,
        rules::{Call, DetokenizeGrant, TokenizeGrant, Unpaid, View},
    },
};

impl Tokens {
    /// Tokenizes a message.
    pub async fn tokenize(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: TokenizeRequest,
    ) -> Result<TokenizationResponse> {
        let now = self.context.tokenizes_now()?;
        let mut noted = Noted::of(Action::Tokenize, 1);
        let answer = async {
            let profiles = self.token_profiles.now();
            let profile = profiles.find(id)?;
            caller.check_profile(id)?;
            let grant = profile.may_tokenize(&now, caller.roles(), Call::Single)?;
            noted.makes(profile);
            let grant = self.charge(caller, profile, grant, 1, "/message").await?;
            profile.engine().versions().check_made(request.key_version)?;
            let attributes = self.attributes(profile, request.metadata.as_ref(), request.expires_at.as_deref())?;
            let (token, iv) = self.make_token(profile, grant, &request.message, attributes, "/message").await?;
            noted.tagged(self.tag(profile, &token)?);
            Ok(TokenizationResponse { token, iv, key_version: profile.engine().version_to_tell() })
        }
        .await;
        self.record_call(caller, id, noted, answer).await
    }

    /// Turns a token back into its message, as far as the caller may see it.
    pub async fn detokenize(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: DetokenizeRequest,
    ) -> Result<DetokenizationResponse> {
        let now = self.context.detokenizes_now()?;
        let mut noted = Noted::of(Action::Detokenize, 1);
        let answer = async {
            let profiles = self.token_profiles.now();
            let profile = profiles.find(id)?;
            caller.check_profile(id)?;
            let grant = match request.grant_uuid {
                None => profile.may_detokenize(&now, caller.roles(), Call::Single),
                Some(grant) => {
                    let sent = One { profile, call: Call::Single, token: &request.token, field: "/token" };
                    Box::pin(self.one_by_grant(&now, caller, grant, sent)).await
                }
            };
            let grant = of_rule(grant, profile, caller, Call::Single)?;
            noted.tagged(self.tag(profile, &request.token)?);
            let grant = grant?;
            if let View::Partial(_) = grant.view() {
                noted.action = Action::PartialDetokenize;
            }
            let DetokenizeRequest { token, iv, key_version, grant_uuid: _ } = &request;
            noted.opens(profile, &grant, *key_version);
            let grant = self.charge(caller, profile, grant, 1, "/token").await?;
            let message = self.open_token(profile, grant, token, iv.as_ref(), *key_version, "/token").await?;
            Ok(DetokenizationResponse { message })
        }
        .await;
        self.record_call(caller, id, noted, answer).await
    }

    /// Tokenizes many messages, in their order.
    pub async fn batch_tokenize(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: BatchTokenizeRequest,
    ) -> Result<BatchTokenizationResponse> {
        let BatchTokenizeRequest { messages, partial, key_version, metadata, expires_at } = request;
        let partial = partial.unwrap_or_default();
        let mut noted = Noted::of(Action::BatchTokenize, messages.len());
        let now = self.context.tokenizes_now()?;
        let answer = async {
            let (profile, grant) = self.may_tokenize(&now, caller, id, Call::Batch)?;
            noted.makes(&profile);
            profile.engine().versions().check_made(key_version)?;
            let attributes = self.attributes(&profile, metadata.as_ref(), expires_at.as_deref())?;
            let load = Load::of("/messages", &messages, profile.engine(), &self.context.limits)?;
            let grant = Arc::new(self.charge(caller, &profile, grant, messages.len(), "/messages").await?);
            let ivs: Arc<[Iv]> = draw_ivs(&profile, messages.len()).into();
            let mut outcome = match &profile.tokens {
                TokenSource::Vault(vault) => {
                    self.vault_tokenize((&profile, vault), &grant, messages, attributes, partial).await?
                }
                TokenSource::Cipher(cipher) => {
                    let (cipher, ivs, messages) = (Arc::clone(cipher), Arc::clone(&ivs), Arc::new(messages));
                    let grant = Arc::clone(&grant);
                    let job = move |range: Range<usize>| {
                        let ivs = ivs.get(range.clone()).unwrap_or_default();
                        cipher.make(&grant, Values::Some(&messages, range), ivs)
                    };
                    batch::run(&self.context.pool, load, job).await?
                }
            };
            let errors = outcome.settle("/messages", partial, &self.context.limits)?;
            noted.without(outcome.bad.len());
            if outcome.has_texts() {
                self.note_use(&grant, &profile).await?;
            }
            noted.tagged(self.tags_of(&profile, &mut outcome.texts).await?);
            let ivs = profile.iv.map(|_| batch::ivs_of(&outcome, &ivs));
            let key_version = profile.engine().version_to_tell();
            Ok(BatchTokenizationResponse { tokens: outcome.texts, ivs, key_version, errors })
        };
        let answer = answer.await;
        self.record_call(caller, id, noted, answer).await
    }

    /// Turns many tokens back, in their order.
    pub async fn batch_detokenize(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: BatchDetokenizeRequest,
    ) -> Result<BatchDetokenizationResponse> {
        let BatchDetokenizeRequest { tokens, ivs, partial, key_version, grant_uuid } = request;
        let mut noted = Noted::of(Action::BatchDetokenize, tokens.len());
        let now = self.context.detokenizes_now()?;
        let answer = async {
            let (profile, tokens) = (self.token_profiles.find(id)?, Arc::new(tokens));
            caller.check_profile(id)?;
            let grant = match grant_uuid {
                None => profile.may_detokenize(&now, caller.roles(), Call::Batch),
                Some(grant) => {
                    // No more than a call may have is looked for in a list.
                    Load::of("/tokens", &tokens, profile.engine(), &self.context.limits)?;
                    let under = UnderGrant { id: grant, call: Call::Batch, tokens: &tokens, field: "/tokens" };
                    Box::pin(self.by_grant(&now, caller, &profile, under)).await
                }
            };
            let grant = of_rule(grant, &profile, caller, Call::Batch)?;
            let load = Load::of("/tokens", &tokens, profile.engine(), &self.context.limits)?;
            let (tags, tokens) = self.tags(&profile, tokens).await?;
            noted.tagged(tags);
            let grant = grant?;
            noted.opens(&profile, &grant, key_version);
            let version = profile.engine().version_to_read(key_version)?;
            let ivs = batch::read_ivs(profile.iv, ivs.as_deref(), tokens.len())?;
            let grant = self.charge(caller, &profile, grant, tokens.len(), "/tokens").await?;
            let outcome = match &profile.tokens {
                TokenSource::Vault(vault) => self.vault_detokenize(vault, grant, tokens, version).await?,
                TokenSource::Cipher(cipher) => {
                    let cipher = Arc::clone(cipher);
                    let job = move |range: Range<usize>| {
                        let ivs = ivs.get(range.clone()).unwrap_or_default();
                        cipher.open(&grant, Values::Some(&tokens, range), ivs, version)
                    };
                    batch::run(&self.context.pool, load, job).await?
                }
            };
            let errors = outcome.settle("/tokens", partial.unwrap_or_default(), &self.context.limits)?;
            noted.without(outcome.bad.len());
            Ok(BatchDetokenizationResponse { messages: outcome.texts, errors })
        };
        let answer = answer.await;
        self.record_call(caller, id, noted, answer).await
    }

    pub(crate) fn may_tokenize(
        &self,
        now: &TokenizesNow,
        caller: &Caller,
        id: TokenProfileId,
        call: Call,
    ) -> Result<(Arc<Profile>, Unpaid<TokenizeGrant>)> {
        let profile = self.token_profiles.find(id)?;
        caller.check_profile(id)?;
        let grant = profile.may_tokenize(now, caller.roles(), call)?;
        Ok((profile, grant))
    }

    pub(crate) fn may_detokenize(
        &self,
        now: &DetokenizesNow,
        caller: &Caller,
        id: TokenProfileId,
        call: Call,
    ) -> Result<(Arc<Profile>, Unpaid<DetokenizeGrant>)> {
        let (profile, grant) = self.asks_to_detokenize(now, caller, id, call)?;
        Ok((profile, grant?))
    }

    /// The same of somebody whose tokens are recorded though the call be refused: see [`of_rule`].
    pub(in crate::tokenization) fn asks_to_detokenize(
        &self,
        now: &DetokenizesNow,
        caller: &Caller,
        id: TokenProfileId,
        call: Call,
    ) -> Result<(Arc<Profile>, Result<Unpaid<DetokenizeGrant>>)> {
        let profile = self.token_profiles.find(id)?;
        caller.check_profile(id)?;
        let grant = of_rule(profile.may_detokenize(now, caller.roles(), call), &profile, caller, call)?;
        Ok((profile, grant))
    }

    async fn one_by_grant(
        &self,
        now: &DetokenizesNow,
        caller: &Caller,
        grant: ProposalId,
        One { profile, call, token, field }: One<'_>,
    ) -> Result<Unpaid<DetokenizeGrant>> {
        let tokens = Arc::new(iter::once(token).collect());
        self.by_grant(now, caller, profile, UnderGrant { id: grant, call, tokens: &tokens, field }).await
    }

    /// Whether the caller has a rule for such a call, though it be refused: then its body is read.
    pub(crate) fn has_detokenize_rule(&self, caller: &Caller, id: TokenProfileId, call: Call) -> bool {
        let has = |profile: Arc<Profile>| profile.has_detokenize_rule(caller.roles(), call);
        caller.check_profile(id).is_ok() && self.token_profiles.find(id).is_ok_and(has)
    }

    /// The ways to the store are in boxes, here and in what is called from here: every connection has room for a call
    /// without them.
    async fn make_token(
        &self,
        profile: &Profile,
        grant: TokenizeGrant,
        message: &str,
        attributes: Attributes,
        field: &str,
    ) -> Result<(String, Option<Base64>)> {
        match &profile.tokens {
            TokenSource::Vault(vault) => {
                let messages = iter::once(message).collect();
                let tokens = self.vault_tokenize((profile, vault), &grant, messages, attributes, false);
                Ok((Box::pin(tokens).await?.single(field)?, None))
            }
            TokenSource::Cipher(cipher) => {
                let ivs = draw_ivs(profile, 1);
                let token = cipher.make(&grant, Values::One(message), &ivs)?.single(field)?;
                self.note_use(&grant, profile).await?;
                Ok((token, ivs.first().map(|iv| iv.to_wire())))
            }
        }
    }

    async fn open_token(
        &self,
        profile: &Profile,
        grant: DetokenizeGrant,
        token: &str,
        iv: Option<&Base64>,
        version: Option<u32>,
        field: &str,
    ) -> Result<String> {
        let (ivs, version) = read_call(profile, iv, version)?;
        let outcome = match &profile.tokens {
            TokenSource::Vault(vault) => {
                let tokens = Arc::new(iter::once(token).collect());
                Box::pin(self.vault_detokenize(vault, grant, tokens, version)).await?
            }
            TokenSource::Cipher(cipher) => cipher.open(&grant, Values::One(token), &ivs, version)?,
        };
        outcome.single(field)
    }

    /// Makes sure that the store knows that the profile makes tokens with this key version before the first one is given
    /// out: from then on nothing may change that would make them unreadable.
    pub(super) async fn note_use(&self, grant: &TokenizeGrant, profile: &Profile) -> Result<()> {
        if profile.is_used() { Ok(()) } else { Box::pin(self.note_first_use(grant, profile)).await }
    }

    async fn note_first_use(&self, grant: &TokenizeGrant, profile: &Profile) -> Result<()> {
        let (id, version) = (profile.id, profile.version);
        let noted = self.context.storage.keep_tokens(grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::token_profiles::mark_used(tx, id.into(), version).await?) })
        });
        if noted.await? {
            profile.set_used();
            return Ok(());
        }
        self.context.catch_up().await?;
        Err(Error::state("The token profile was changed while its first token was made; try again."))
    }
}

/// One token that is sent under a grant.
struct One<'c> {
    profile: &'c Arc<Profile>,
    call: Call,
    token: &'c str,
    field: &'static str,
}

/// What is to be recorded with the tags of its tokens, whether it is let through or refused. Whoever has no rule for it leaves
/// none, and is refused here.
fn of_rule<G>(grant: Result<G>, profile: &Profile, caller: &Caller, call: Call) -> Result<Result<G>> {
    match grant {
        Err(error) if !profile.has_detokenize_rule(caller.roles(), call) => Err(error),
        grant => Ok(grant),
    }
}

/// What came with a token, checked.
fn read_call(profile: &Profile, iv: Option<&Base64>, version: Option<u32>) -> Result<(Vec<Option<Iv>>, Option<u32>)> {
    let version = profile.engine().version_to_read(version)?;
    let ivs: Vec<Option<Iv>> = match (profile.iv, iv) {
        (Some(kind), Some(iv)) => vec![Some(read_iv(kind, iv)?)],
        (Some(_), None) => {
            return Err(Error::malformed("/iv", "The profile uses an initialization vector: iv is needed."));
        }
        (None, Some(_)) => return Err(Error::value("/iv", "The profile uses no initialization vector.")),
        (None, None) => Vec::new(),
    };
    Ok((ivs, version))
}

fn read_iv(kind: IvKind, iv: &Base64) -> Result<Iv> {
    let wrong = || Error::value("/iv", format!("An initialization vector has {} bytes here.", kind.length()));
    kind.read(iv).ok_or_else(wrong)
}

/// One for each value, or none at all.
fn draw_ivs(profile: &Profile, values: usize) -> Vec<Iv> {
    profile.iv.map_or_else(Vec::new, |kind| iter::repeat_with(|| kind.draw()).take(values).collect())
}

#[cfg(test)]
mod tests;
