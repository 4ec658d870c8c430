//! What tokens of a provider stand for: the provider, what is bound to it, and whose a good token is.

use chancery_keys::ProviderKeys;
use chancery_store::tables::{self, identities, identity_bindings, identity_providers};
use uuid::Uuid;

use super::{
    claims::{GoodToken, TokenRefusal},
    keys::Wanted,
    stored::{BindingContent, ProviderContent},
};
use crate::{Error, Identities, Result, identity::SigningIn};

/// A provider, and what is bound to it.
pub(super) struct Trusted {
    pub(super) row: identity_providers::Row,
    pub(super) bindings: Vec<identity_bindings::Row>,
}

/// Who was refused, and why.
pub(super) struct Refused {
    pub(super) provider: Option<Uuid>,
    pub(super) identity: Option<(Uuid, String)>,
    /// Of a person's token that stands for nobody.
    pub(super) subject: Option<String>,
    pub(super) why: TokenRefusal,
}

/// Whether an issuer is one of tokens: those of certificates are distinguished names.
fn is_address(issuer: &str) -> bool {
    issuer.starts_with("https://")
}

impl From<TokenRefusal> for Refused {
    fn from(why: TokenRefusal) -> Self {
        Self { provider: None, identity: None, subject: None, why }
    }
}

impl Refused {
    /// Somebody who is known.
    pub(super) fn known(identity: &identities::Row, why: TokenRefusal) -> Self {
        Self { identity: Some((identity.id, identity.name.clone())), ..Self::from(why) }
    }
}

impl Identities {
    /// The provider of tokens with this `iss`.
    pub(super) async fn trusted(&self, issuer: String) -> Result<Option<Trusted>> {
        if issuer.contains('\0') || !is_address(&issuer) {
            return Ok(None);
        }
        self.trusted_by_issuer(issuer).await
    }

    /// Looked up in the store, since another node may just have changed it.
    pub(super) async fn trusted_by_issuer(&self, issuer: String) -> Result<Option<Trusted>> {
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move {
                let Some(row) = tables::identity_providers::by_issuer(tx, &issuer).await? else { return Ok(None) };
                let bindings = tables::identity_bindings::of_provider(tx, row.id).await?;
                Ok::<_, Error>(Some(Trusted { row, bindings }))
            })
        });
        read.await
    }

    /// The same, by its id.
    pub(super) async fn trusted_by_id(&self, id: Uuid) -> Result<Option<Trusted>> {
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move {
                let Some(row) = tables::identity_providers::by_id(tx, id).await? else { return Ok(None) };
                let bindings = tables::identity_bindings::of_provider(tx, row.id).await?;
                Ok::<_, Error>(Some(Trusted { row, bindings }))
            })
        });
        read.await
    }

    /// A token that the provider signed, for one of these audiences, and that is good now.
    pub(super) async fn verified(
        &self,
        token: &str,
        row: &identity_providers::Row,
        (content, audiences): (&ProviderContent, &[String]),
    ) -> Result<GoodToken, TokenRefusal> {
        let of = (row.id, row.issuer.as_str());
        let verify = |keys: &ProviderKeys| keys.verify(token, &content.algorithms).map_err(TokenRefusal::from);
        let keys = self.provider_keys(of, content, Wanted::Fresh).await?;
        let claims = match verify(&keys) {
            Err(TokenRefusal::UnknownKey) if content.jwks.is_none() => {
                verify(&*self.provider_keys(of, content, Wanted::Newer).await?)?
            }
            claims => claims?,
        };
        GoodToken::of(claims, &row.issuer, audiences, self.context.clock.now_ms())
    }

    /// For whom something good stands by one of the bindings of its provider: that which takes it.
    pub(super) async fn whose(
        &self,
        bindings: Vec<identity_bindings::Row>,
        takes: impl Fn(&BindingContent) -> bool,
    ) -> Result<Result<(identities::Row, identity_bindings::Row), Refused>> {
        let mut found: Vec<identity_bindings::Row> = Vec::new();
        for binding in bindings {
            if takes(&BindingContent::of(&binding)?) {
                found.push(binding);
            }
        }
        let is_one = found.windows(2).all(|two| two[0].identity_id == two[1].identity_id);
        let binding = found.into_iter().next();
        // Asked also where there is none, so that the answer takes the same time.
        let whose = binding.as_ref().map_or(Uuid::nil(), |binding| binding.identity_id);
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move { tables::identities::by_id(tx, whose).await })
        });
        let (Some(binding), Some(identity)) = (binding, read.await.map_err(Error::from)?) else {
            return Ok(Err(TokenRefusal::Unbound.into()));
        };
        if !is_one {
            return Ok(Err(TokenRefusal::Ambiguous.into()));
        }
        if identity.locked {
            return Ok(Err(Refused::known(&identity, TokenRefusal::Locked)));
        }
        Ok(Ok((identity, binding)))
    }

    /// Whether it is known that what has this hash was taken.
    pub(super) async fn is_used(&self, hash: [u8; 32]) -> Result<bool> {
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move { tables::used_tokens::is_used(tx, &hash).await })
        });
        read.await.map_err(Error::from)
    }
}
