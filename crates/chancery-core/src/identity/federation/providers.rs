//! `/api/v2/identity-providers` behind the door.

use chancery_keys::ProviderKeys;
use chancery_store::{StoreError, Tx, name_key, tables};
use chancery_types::{
    Action, IdentityProviderId, JwtAlgorithm,
    wire::{
        Empty, ListQuery, Results,
        identity_providers::{CreateIdentityProvider, IdentityProvider, PatchIdentityProvider},
    },
};
use uuid::Uuid;

use super::{
    certificates::check_no_tokens,
    stored::{ProviderContent, WithoutTokens, provider},
};
use crate::{
    Caller, Error, Event, Identities, Result,
    base::{
        list::Page,
        text::{check_name, check_renamed},
    },
    identity::{
        administration::{end_sessions, name_taken},
        identities::check_holds_as_much,
    },
};

/// Audiences of a provider, and characters of one.
const AUDIENCES_MAX: usize = 10;
const AUDIENCE_MAX: usize = 255;

/// Characters of an issuer.
const ISSUER_MAX: usize = 255;

/// Bytes of keys that are given.
const JWKS_MAX: usize = 64 * 1_024;

/// What tokens are signed with where nobody says otherwise: what GitHub, GitLab and Kubernetes do.
const ALGORITHMS: [JwtAlgorithm; 2] = [JwtAlgorithm::RS256, JwtAlgorithm::ES256];

impl Identities {
    /// POST /api/v2/identity-providers. The permission takes two logins, so it takes two persons.
    pub async fn create_identity_provider(
        &self,
        caller: &Caller,
        body: CreateIdentityProvider,
    ) -> Result<IdentityProvider> {
        let grant = self.grant_administration(caller, Action::IdentityProviderCreate, None).await?;
        let is_enabled = body.enabled.unwrap_or(true);
        let id = Uuid::from(IdentityProviderId::from_random(chancery_keys::random()));
        let other = match self.described_authority(&grant, &body).await? {
            Some((name, authority)) => Some((name, WithoutTokens::Authority(authority))),
            None => self.described_ldap(id, &body)?.map(|(name, ldap)| (name, WithoutTokens::Ldap(ldap))),
        };
        let (name, issuer, content) = self.described(id, body, other)?;
        let row = tables::identity_providers::Row {
            id,
            name_key: name_key(&name),
            name,
            issuer,
            is_enabled,
            content: content.to_json()?,
            created_at_ms: self.context.clock.now_ms(),
        };
        let made = provider(&row)?;
        let (event, told) = Event::new(Action::IdentityProviderCreate).on(row.id).told();
        let limits = self.context.limits.clone();
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let max = limits.logins.identity_providers_max;
                if tables::identity_providers::count(tx).await? >= i64::from(max) {
                    let message = format!("There are {max} identity providers already, and no more are taken.");
                    return Err(Error::too_large("", message));
                }
                if tables::identity_providers::is_issuer(tx, &row.issuer).await? {
                    return Err(Error::exists(
                        "/issuer",
                        "There is a provider of this issuer already; change that one.",
                    ));
                }
                told.changed(&Empty {}, &made, &limits)?;
                tables::identity_providers::insert(tx, &row).await.map_err(name_taken)?;
                Ok(made)
            })
        })
        .await
    }

    fn described(
        &self,
        id: Uuid,
        body: CreateIdentityProvider,
        other: Option<(String, WithoutTokens)>,
    ) -> Result<(String, String, ProviderContent)> {
        let CreateIdentityProvider { name, issuer, .. } = body;
        check_name("/name", &name, &self.context.limits)?;
        let mut said = PatchIdentityProvider {
            audiences: Some(body.audiences),
            algorithms: Some(body.algorithms),
            jwks: Some(body.jwks),
            single_use: body.single_use,
            client_id: Some(body.client_id),
            client_secret: Some(body.client_secret),
            second_factor_acr: Some(body.second_factor_acr),
            ..PatchIdentityProvider::default()
        };
        if let Some((issuer, other)) = other {
            check_no_tokens(&said)?;
            return Ok((name, issuer, ProviderContent::of_other(other)));
        }
        let issuer = issuer.unwrap_or_default();
        check_issuer(&issuer)?;
        let content = ProviderContent {
            client: self.client_change(id, &mut said)?.of(None)?,
            audiences: checked_audiences(said.audiences.unwrap_or_default())?,
            algorithms: checked_algorithms(said.algorithms.unwrap_or_default()),
            jwks: checked_keys(said.jwks.flatten())?,
            single_use: said.single_use.unwrap_or(true),
            authority: None,
            ldap: None,
            since_ms: None,
        };
        content.check_apart()?;
        Ok((name, issuer, content))
    }

    /// GET /api/v2/identity-providers.
    pub async fn identity_providers(&self, caller: &Caller, query: &ListQuery) -> Result<Results<IdentityProvider>> {
        let grant = self.grant_administration(caller, Action::IdentityProviderRead, None).await?;
        let page = Page::of(query, &self.context.limits)?;
        let (term, rows) = (page.term(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::identity_providers::list(tx, term.as_deref(), &rows).await?) })
        });
        page.answer(listed.await?, |row| provider(&row))
    }

    /// GET /api/v2/identity-providers/{uuid}.
    pub async fn identity_provider(&self, caller: &Caller, id: IdentityProviderId) -> Result<IdentityProvider> {
        let grant = self.grant_administration(caller, Action::IdentityProviderRead, Some(id.into())).await?;
        let read =
            self.context.storage.read(&grant, move |tx| Box::pin(async move { provider(&load(tx, id.into()).await?) }));
        read.await
    }

    /// PATCH /api/v2/identity-providers/{uuid}. Whoever says which keys and audiences count could log in as whoever is bound
    /// to them, so they hold as much. Ends the sessions of all of these.
    pub async fn change_identity_provider(
        &self,
        caller: &Caller,
        id: IdentityProviderId,
        mut body: PatchIdentityProvider,
    ) -> Result<IdentityProvider> {
        let grant = self.grant_administration(caller, Action::IdentityProviderChange, Some(id.into())).await?;
        let no_tokens = check_no_tokens(&body);
        let (client, authority) = (self.client_change(id.into(), &mut body)?, self.authority_change(&mut body)?);
        let ldap = self.ldap_change(id.into(), body.ldap.take())?;
        let PatchIdentityProvider { name, audiences, algorithms, jwks, single_use, enabled, .. } = body;
        let audiences = audiences.map(checked_audiences).transpose()?;
        let jwks = jwks.map(checked_keys).transpose()?;
        let (event, told) = Event::new(Action::IdentityProviderChange).on(Uuid::from(id)).told();
        let (id, granter, limits) = (Uuid::from(id), caller.clone(), self.context.limits.clone());
        let now_ms = self.context.clock.now_ms();
        let done = self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let mut row = load(tx, id).await?;
                name.as_ref().map_or(Ok(()), |name| check_renamed("/name", name, &row.name, &limits))?;
                let (before, old) = (provider(&row)?, ProviderContent::of(&row)?);
                let (was, vouched_by, since_ms) = (old.without_secret(), old.vouches_by(), old.since_ms);
                let authority = authority.of(old.authority.clone(), &row.issuer)?.map(WithoutTokens::Authority);
                let other = authority.or(ldap.of(old.ldap.clone())?.map(WithoutTokens::Ldap));
                let mut content = match other {
                    Some(other) => no_tokens.map(|()| ProviderContent::of_other(other))?,
                    None => ProviderContent {
                        audiences: audiences.unwrap_or(old.audiences),
                        algorithms: algorithms.map_or(old.algorithms, checked_algorithms),
                        jwks: jwks.unwrap_or(old.jwks),
                        single_use: single_use.unwrap_or(old.single_use),
                        client: client.of(old.client)?,
                        authority: None,
                        ldap: None,
                        since_ms: None,
                    },
                };
                let is_enabled = enabled.unwrap_or(row.is_enabled);
                let vouches_anew = content.vouches_by() != vouched_by || is_enabled && !row.is_enabled;
                content.since_ms = if vouches_anew { Some(now_ms) } else { since_ms };
                content.check_apart()?;
                (row.content, row.is_enabled) = (content.to_json()?, is_enabled);
                name.into_iter().for_each(|name| (row.name_key, row.name) = (name_key(&name), name));
                let after = provider(&row)?;
                let is_other = content.without_secret() != was;
                if is_other || after.enabled != before.enabled {
                    // To switch it off gives nobody anything; what else changes counts as soon as it is on again.
                    let gives = is_other || after.enabled;
                    end_sessions_of(tx, id, gives.then_some(&granter)).await?;
                }
                told.changed(&before, &after, &limits)?;
                tables::identity_providers::update(tx, &row).await.map_err(name_taken)?;
                Ok(after)
            })
        });
        let done = done.await?;
        self.context.catch_up_with_own_change().await;
        Ok(done)
    }

    /// DELETE /api/v2/identity-providers/{uuid}, which nothing is bound to any more.
    pub async fn delete_identity_provider(&self, caller: &Caller, id: IdentityProviderId) -> Result<Empty> {
        let (event, told) = Event::new(Action::IdentityProviderDelete).on(Uuid::from(id)).told();
        let (id, limits) = (Uuid::from(id), self.context.limits.clone());
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let before = provider(&load(tx, id).await?)?;
                told.changed(&before, &Empty {}, &limits)?;
                tables::identity_providers::delete(tx, id).await.map_err(still_bound)?;
                Ok(Empty {})
            })
        })
        .await
    }
}

/// Ends the sessions of all that are bound to a provider. A granter, where there is one, has to hold what they hold.
async fn end_sessions_of(tx: &mut Tx, provider: Uuid, granter: Option<&Caller>) -> Result<()> {
    for identity in tables::identity_bindings::identities(tx, provider).await? {
        if let Some(granter) = granter {
            check_holds_as_much(tx, granter, identity).await?;
        }
        end_sessions(tx, identity).await?;
    }
    Ok(())
}

pub(super) async fn load(tx: &mut Tx, id: Uuid) -> Result<tables::identity_providers::Row> {
    let row = tables::identity_providers::by_id(tx, id).await?;
    row.ok_or_else(|| Error::not_found("identity provider"))
}

fn still_bound(error: StoreError) -> Error {
    match error {
        StoreError::Reference(_) => Error::state("Identities are bound to this provider; delete the bindings first."),
        StoreError::Conflict(_)
        | StoreError::Unavailable(_)
        | StoreError::Busy
        | StoreError::Unauthentic(_)
        | StoreError::Text
        | StoreError::Internal(_) => error.into(),
    }
}

/// An issuer as OpenID Connect Core 1.0, section 2, has it: https, with neither query nor fragment.
fn check_issuer(issuer: &str) -> Result<()> {
    let host = issuer.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    let is_visible = issuer.bytes().all(|byte| byte.is_ascii_graphic());
    let is_plain = is_visible && !issuer.contains(['?', '#', '@', '\\']) && issuer.len() <= ISSUER_MAX;
    if is_plain && host.is_some_and(|host| !host.is_empty() && !host.starts_with(':')) {
        return Ok(());
    }
    let message = "An issuer is an https address without user, query and fragment, such as https://gitlab.example.org.";
    Err(Error::value("/issuer", message))
}

fn checked_audiences(audiences: Vec<String>) -> Result<Vec<String>> {
    if audiences.len() > AUDIENCES_MAX {
        return Err(Error::value("/audiences", format!("A provider has at most {AUDIENCES_MAX} audiences.")));
    }
    let is_wrong = |text: &String| text.is_empty() || text.len() > AUDIENCE_MAX || text.chars().any(char::is_control);
    match audiences.iter().position(is_wrong) {
        None => Ok(audiences),
        Some(place) => {
            let message = format!("An audience has 1 to {AUDIENCE_MAX} characters.");
            Err(Error::value(format!("/audiences/{place}"), message))
        }
    }
}

fn checked_algorithms(mut algorithms: Vec<JwtAlgorithm>) -> Vec<JwtAlgorithm> {
    if algorithms.is_empty() {
        return ALGORITHMS.to_vec();
    }
    algorithms.sort_unstable();
    algorithms.dedup();
    algorithms
}

fn checked_keys(jwks: Option<String>) -> Result<Option<String>> {
    let Some(text) = jwks else { return Ok(None) };
    if text.len() > JWKS_MAX {
        return Err(Error::too_large("/jwks", format!("A set of keys has at most {JWKS_MAX} bytes.")));
    }
    match ProviderKeys::parse(text.as_bytes()) {
        Ok(_) => Ok(Some(text)),
        Err(why) => Err(Error::value("/jwks", format!("These are no keys of a provider: {why}."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_https_and_nothing_else() {
        for taken in ["https://gitlab.example.org", "https://a/", "https://a:8443/x/y", "https://192.0.2.1"] {
            check_issuer(taken).unwrap();
        }
        let long = format!("https://a/{}", "x".repeat(ISSUER_MAX));
        for refused in [
            "",
            "http://a",
            "https://",
            "https:///x",
            "https://u@a",
            "https://a?x",
            "https://a#x",
            "https://a b",
            &long,
        ] {
            assert_eq!(check_issuer(refused).unwrap_err().field(), Some("/issuer"), "{refused}");
        }
    }
}
