//! Providers and bindings as they are stored.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::{Claims, Context, Secret};
use chancery_store::tables::{identity_bindings, identity_providers};
use chancery_types::{
    JwtAlgorithm,
    wire::{
        ObjInfo,
        identity_providers::{IdentityBinding, IdentityProvider},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{certificates::AuthorityContent, claims::GoodToken, clients::check_apart, ldap::LdapContent};
use crate::{Error, Identities, Result, time::rfc3339_ms};

/// What the tokens of a provider have to be, as JSON in its row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProviderContent {
    pub(super) audiences: Vec<String>,
    pub(super) algorithms: Vec<JwtAlgorithm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) jwks: Option<String>,
    pub(super) single_use: bool,
    /// With it, people log in by the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<ClientContent>,
    /// With it, it is an authority of client certificates, and has no tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) authority: Option<AuthorityContent>,
    /// With it, it is a directory, and has no tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ldap: Option<LdapContent>,
    /// When it was last told to vouch by something else; where that never happened, it vouches since it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since_ms: Option<i64>,
}

/// What a provider is that has no tokens.
pub(super) enum WithoutTokens {
    Authority(AuthorityContent),
    Ldap(LdapContent),
}

/// As whom this installation asks a provider to log people in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ClientContent {
    pub(super) id: String,
    /// Sealed, in base64url; a public client has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
    /// The values of `acr` that tell of a second factor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) second_factor_acr: Vec<String>,
}

impl ProviderContent {
    pub(super) fn of(row: &identity_providers::Row) -> Result<Self> {
        serde_json::from_str(&row.content).map_err(Error::internal)
    }

    pub(super) fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    /// Of a provider that is something else: nothing is said of tokens, and none is taken.
    pub(super) fn of_other(other: WithoutTokens) -> Self {
        let (authority, ldap) = match other {
            WithoutTokens::Authority(authority) => (Some(authority), None),
            WithoutTokens::Ldap(ldap) => (None, Some(ldap)),
        };
        Self {
            audiences: Vec::new(),
            algorithms: Vec::new(),
            jwks: None,
            single_use: false,
            client: None,
            authority,
            ldap,
            since_ms: None,
        }
    }

    /// What it is, where it is something else.
    pub(super) fn other(&self) -> Option<WithoutTokens> {
        let authority = self.authority.clone().map(WithoutTokens::Authority);
        authority.or_else(|| self.ldap.clone().map(WithoutTokens::Ldap))
    }

    /// Refuses tokens that are for nobody, or for workloads and people alike.
    pub(super) fn check_apart(&self) -> Result<()> {
        match self.other() {
            Some(_) => Ok(()),
            None => check_apart(self.client.as_ref(), &self.audiences),
        }
    }

    /// What says whose tokens stand for whom: another secret of the client, or of a service account, gives nothing to anybody.
    pub(super) fn without_secret(&self) -> Self {
        let client = self.client.clone().map(|client| ClientContent { secret: None, ..client });
        let ldap = self.ldap.as_ref().map(LdapContent::without_secret);
        Self { client, ldap, since_ms: None, ..self.clone() }
    }

    /// The same, without what only takes away: newer revocation lists, which may come each day.
    pub(super) fn vouches_by(&self) -> Self {
        let authority = self.authority.as_ref().map(AuthorityContent::without_lists);
        Self { authority, ..self.without_secret() }
    }
}

/// By what this installation is known to a provider.
#[derive(Clone, Copy)]
pub(super) enum OurSecret {
    Client,
    ServiceAccount,
}

impl OurSecret {
    /// The kind of value that is sealed; part of the stored format.
    const fn sealed_as(self) -> &'static str {
        match self {
            Self::Client => "client secret",
            Self::ServiceAccount => "directory password",
        }
    }
}

impl Identities {
    pub(super) fn seal_our_secret(&self, kind: OurSecret, provider: Uuid, secret: &str) -> Result<String> {
        let context = Context { kind: kind.sealed_as(), row: provider.as_bytes() };
        let sealed = self.context.custodian.seal_value(context, secret.as_bytes()).map_err(Error::internal)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    pub(super) fn open_our_secret(&self, kind: OurSecret, provider: Uuid, sealed: &str) -> Result<Secret> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(Error::internal)?;
        let context = Context { kind: kind.sealed_as(), row: provider.as_bytes() };
        self.context.custodian.open_value(context, &sealed).map_err(Error::internal)
    }
}

/// As the interface shows it.
pub(super) fn provider(row: &identity_providers::Row) -> Result<IdentityProvider> {
    let content = ProviderContent::of(row)?;
    let ProviderContent { audiences, algorithms, jwks, single_use, client, authority, ldap, since_ms: _ } = content;
    let has_client_secret = client.as_ref().map(|client| client.secret.is_some());
    let (client_id, second_factor_acr) = client.map(|client| (client.id, client.second_factor_acr)).unzip();
    Ok(IdentityProvider {
        obj_info: ObjInfo { name: row.name.clone(), uuid: row.id.into() },
        issuer: row.issuer.clone(),
        audiences,
        algorithms,
        jwks,
        single_use,
        enabled: row.is_enabled,
        client_id,
        has_client_secret,
        second_factor_acr: second_factor_acr.unwrap_or_default(),
        authority_uuid: authority.as_ref().and_then(AuthorityContent::own),
        authority_certificates: authority.as_ref().map(AuthorityContent::shown_certificates).transpose()?,
        revocation_lists: authority.as_ref().map(AuthorityContent::shown_lists).unwrap_or_default(),
        ldap: ldap.as_ref().map(LdapContent::shown),
        created_at: rfc3339_ms(row.created_at_ms),
    })
}

/// What a binding asks of a token, as JSON in its row. The same has one text: no two bindings of a provider ask for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BindingContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) subject: Option<String>,
    pub(super) claims: BTreeMap<String, String>,
}

impl BindingContent {
    pub(super) fn of(row: &identity_bindings::Row) -> Result<Self> {
        serde_json::from_str(&row.content).map_err(Error::internal)
    }

    pub(super) fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    /// Whether it is about this token: letter by letter, all that it asks for.
    pub(super) fn takes(&self, token: &GoodToken) -> bool {
        let is_said = |(name, value): (&String, &String)| claim(&token.claims, name).as_deref() == Some(value.as_str());
        self.subject.as_ref().is_none_or(|subject| *subject == token.subject) && self.claims.iter().all(is_said)
    }
}

/// The value of a claim, or of what a JSON pointer leads to; nothing for what is no single value.
fn claim(claims: &Claims, name: &str) -> Option<String> {
    let value = match name.strip_prefix('/') {
        None => claims.get(name)?,
        Some(pointer) => {
            let mut parts = pointer.split('/').map(|part| part.replace("~1", "/").replace("~0", "~"));
            let first = claims.get(&parts.next()?)?;
            parts.try_fold(first, |within, part| within.get(&part))?
        }
    };
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// As the interface shows it.
pub(super) fn binding(row: &identity_bindings::Row) -> Result<IdentityBinding> {
    let BindingContent { subject, claims } = BindingContent::of(row)?;
    Ok(IdentityBinding {
        obj_info: ObjInfo { name: row.name.clone(), uuid: row.id.into() },
        identity_uuid: row.identity_id.into(),
        provider_uuid: row.provider_id.into(),
        subject,
        claims,
        created_at: rfc3339_ms(row.created_at_ms),
    })
}
