//! POST /home/v1/login/exchange: a provider's token for ours.

use chancery_keys::claimed_issuer;
use chancery_store::{
    Tx,
    tables::{self, identity_bindings, identity_providers},
};
use chancery_types::{
    Action, IdentityBindingId, IdentityKind,
    wire::{
        audit::{AuditToken, LoginWay},
        login::{ExchangeToken, HomeStatus, TokenExchanged},
    },
};
use tracing::info;
use uuid::Uuid;

use super::{
    certificates::expect_unrevoked,
    claims::{GoodToken, TokenRefusal},
    stored::ProviderContent,
    trusted::{Refused, Trusted},
};
use crate::{
    Error, Identities, Meaning, Result, Visitor,
    base::clock::ms,
    context::record::Nobody,
    identity::{identities::kind_of, prove::Proved},
};

/// Bytes of a token that is looked at: GitHub's have some 2 KiB.
pub(super) const TOKEN_MAX: usize = 12 * 1_024;

/// What a login by a provider's token, or a client certificate, rests on: it has to stand when the session begins.
pub(in crate::identity) struct Exchanged {
    pub(super) provider: identity_providers::Row,
    pub(super) binding: identity_bindings::Row,
    /// The keyed hash of what is taken once, and until when it is remembered.
    pub(super) used: Option<([u8; 32], i64)>,
    /// The certificates of this installation that must not be revoked.
    pub(super) issued: Vec<Uuid>,
    /// What is said where it does not stand any more.
    pub(super) refusal: fn() -> Error,
}

impl Exchanged {
    /// Since when whoever comes so is taken for the identity: since it was bound, and the provider vouches by what it does now.
    pub(in crate::identity) fn trusted_since(&self) -> Result<i64> {
        let vouches_since = ProviderContent::of(&self.provider)?.since_ms.unwrap_or(self.provider.created_at_ms);
        Ok(self.binding.created_at_ms.max(vouches_since))
    }
}

impl Identities {
    /// A bearer token of ours for a token of a provider that is trusted here.
    pub async fn exchange_token(&self, visitor: &Visitor, body: ExchangeToken) -> Result<TokenExchanged> {
        self.count_try(visitor, Action::Login)?;
        let now = self.context.logs_in_now().await?;
        let token = body.subject_token;
        if token.is_empty() || token.len() > TOKEN_MAX {
            return Err(Error::value("/subjectToken", format!("A token has 1 to {TOKEN_MAX} characters.")));
        }
        let proved = match self.prove_by_token(&token).await? {
            Ok(proved) => proved,
            Err(who) => return Err(self.refused_token(visitor, who)),
        };
        // That the token was good is not told where what it stands for may not log in.
        let in_our_words = |error: Error| if error.meaning() == Meaning::Unauthenticated { refused() } else { error };
        let logged_in = self.admit(&now, &visitor.request, None, proved).await.map_err(in_our_words)?;
        let (now_ms, lifetime) = (self.context.clock.now_ms(), self.context.limits.token_lifetime);
        let token = self.state.tokens.mint(&now, logged_in.session, now_ms, now_ms.saturating_add(ms(lifetime)))?;
        Ok(TokenExchanged {
            message: "Success".to_owned(),
            status: HomeStatus::Success,
            token,
            expires_in: u32::try_from(lifetime.as_secs()).unwrap_or(u32::MAX),
            response: logged_in.answer.response,
        })
    }

    fn refused_token(&self, visitor: &Visitor, who: Refused) -> Error {
        let Refused { provider, identity, why, .. } = who;
        info!(request = %visitor.request.id, provider = ?provider, why = why.as_str(), "a provider's token was refused");
        let identity = identity.map(|(id, name)| (id.into(), name));
        let who = Nobody::Token(identity, provider.map(Into::into), why.as_str());
        self.context.counters.refused_nobody(visitor.request.source, who, self.context.clock.now_ms());
        refused()
    }

    async fn prove_by_token(&self, token: &str) -> Result<Result<Proved, Refused>> {
        let Some(issuer) = claimed_issuer(token) else { return Ok(Err(TokenRefusal::Malformed.into())) };
        let Some(trusted) = self.trusted(issuer).await? else { return Ok(Err(TokenRefusal::Issuer.into())) };
        let id = trusted.row.id;
        let proved = self.prove_by_token_of(token, trusted).await?;
        Ok(proved.map_err(|refused| Refused { provider: Some(id), ..refused }))
    }

    async fn prove_by_token_of(&self, token: &str, trusted: Trusted) -> Result<Result<Proved, Refused>> {
        let Trusted { row, bindings } = trusted;
        let content = ProviderContent::of(&row)?;
        if !row.is_enabled {
            return Ok(Err(TokenRefusal::Disabled.into()));
        }
        let good = match self.verified(token, &row, (&content, &content.audiences)).await {
            Ok(good) => good,
            Err(why) => return Ok(Err(why.into())),
        };
        let (identity, binding) = match self.whose(bindings, |content| content.takes(&good)).await? {
            Ok(bound) => bound,
            Err(refused) => return Ok(Err(refused)),
        };
        // Where people log in by the provider, they do nothing else by it.
        if content.client.is_some() && kind_of(&identity)? == IdentityKind::Person {
            return Ok(Err(Refused::known(&identity, TokenRefusal::Kind)));
        }
        let used = content.single_use.then(|| (self.hash_of_token(&row, &good, token), good.ends_at_ms));
        if let Some((hash, _)) = used
            && self.is_used(hash).await?
        {
            return Ok(Err(Refused::known(&identity, TokenRefusal::Replayed)));
        }
        let binding_uuid = IdentityBindingId::from(binding.id);
        let login =
            LoginWay::token_exchange(AuditToken { binding_uuid, issuer: row.issuer.clone(), subject: good.subject });
        let exchanged = Exchanged { provider: row, binding, used, issued: Vec::new(), refusal: refused };
        Ok(Ok(Proved { exchanged: Some(Box::new(exchanged)), ..Proved::by(identity, login) }))
    }

    /// What a token is remembered by: its `jti`, or else all of it that is signed. An ECDSA signature itself can be
    /// written in another way by anybody.
    fn hash_of_token(&self, provider: &identity_providers::Row, good: &GoodToken, token: &str) -> [u8; 32] {
        let signed = token.rsplit_once('.').map_or(token, |(signed, _)| signed);
        let (kind, id) = good.id.as_deref().map_or((b'.', signed), |id| (b'j', id));
        let message = [provider.id.as_bytes(), &[kind][..], id.as_bytes()].concat();
        self.context.custodian.keyed_hash("exchanged token", &message)
    }
}

/// Refuses a login that rests on what was changed meanwhile, or on what somebody else has just taken: of two that come with it
/// at the same time, on whatever nodes, one is refused.
pub(in crate::identity) async fn expect_unchanged(tx: &mut Tx, exchanged: &Exchanged) -> Result<()> {
    let Exchanged { provider, binding, used, issued, refusal } = exchanged;
    let provider_now = tables::identity_providers::by_id(tx, provider.id).await?;
    let binding_now = tables::identity_bindings::by_id(tx, binding.id).await?;
    if provider_now.as_ref() != Some(provider) || binding_now.as_ref() != Some(binding) {
        return Err(refusal());
    }
    if let Some((hash, until_ms)) = used
        && !tables::used_tokens::take(tx, hash, *until_ms).await?
    {
        return Err(refusal());
    }
    if issued.is_empty() { Ok(()) } else { expect_unrevoked(tx, issued, *refusal).await }
}

/// One wording for whatever is wrong with a token or with what it stands for.
fn refused() -> Error {
    let message =
        "The token is refused: of no provider that is trusted here, not good now, taken before, or of nobody here.";
    Error::new(Meaning::Unauthenticated, message)
}
