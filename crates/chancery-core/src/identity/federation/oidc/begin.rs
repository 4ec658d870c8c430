//! GET and POST /home/v1/login/oidc: by whom people may log in, and the way there.

use chancery_store::tables;
use chancery_types::{
    Action,
    wire::{
        ObjInfo,
        login::{BeginOidc, HomeStatus, OidcBegun, OidcProviders},
    },
};
use uuid::Uuid;

use super::{
    super::stored::{ClientContent, ProviderContent},
    encoded, finish,
    ticket::Ticket,
};
use crate::{Error, Identities, Result, Visitor, identity::SigningIn};

/// A login that was begun: what to answer, and the cookie to set.
pub struct OidcStarted {
    /// The body of the answer.
    pub answer: OidcBegun,
    /// What the browser brings back with the provider's answer.
    pub cookie: String,
}

impl Identities {
    /// The providers by which people may log in, for whoever is about to.
    pub async fn oidc_providers(&self, _visitor: &Visitor) -> Result<OidcProviders> {
        let mut providers = Vec::new();
        if self.redirect_uri().is_ok() {
            let read = self.context.storage.read(&SigningIn::to_prove(), |tx| {
                Box::pin(async move { tables::identity_providers::all_of_tokens(tx).await })
            });
            for row in read.await.map_err(Error::from)? {
                if row.is_enabled && ProviderContent::of(&row)?.client.is_some() {
                    providers.push(ObjInfo { name: row.name, uuid: row.id.into() });
                }
            }
        }
        let directories = self.directories().await?;
        Ok(OidcProviders {
            message: "Success".to_owned(),
            status: HomeStatus::Success,
            providers,
            certificates: false,
            directories,
            passkeys: self.relying_party().is_ok(),
        })
    }

    /// Where the browser goes to log in by a provider, on the session that its cookie names or on a new one.
    pub async fn begin_oidc(
        &self,
        visitor: &Visitor,
        session_cookie: Option<&str>,
        body: BeginOidc,
    ) -> Result<OidcStarted> {
        self.count_try(visitor, Action::Login)?;
        let redirect_uri = self.redirect_uri()?;
        let id = Uuid::from(body.provider_uuid);
        let trusted = self.trusted_by_id(id).await?.filter(|trusted| trusted.row.is_enabled);
        let none =
            || Error::selection("/providerUuid", "People log in by no such provider; GET says by which they do.");
        let row = trusted.ok_or_else(none)?.row;
        let client = ProviderContent::of(&row)?.client.ok_or_else(none)?;
        let endpoints = self.provider_endpoints(id, &row.issuer).await.map_err(finish::told)?;
        let session = match session_cookie {
            Some(cookie) => self.live_session(self.cookie_key(cookie)).await?.map(|session| session.id),
            None => None,
        };
        let ticket = Ticket::new(id, session, self.context.clock.now_ms());
        let authorization_url = address(&endpoints.authorization, &client, &redirect_uri, &ticket);
        let answer = OidcBegun { message: "Success".to_owned(), status: HomeStatus::Success, authorization_url };
        Ok(OidcStarted { answer, cookie: self.seal_login(&ticket)? })
    }
}

/// The request of OpenID Connect Core 1.0, section 3.1.2.1.
fn address(endpoint: &str, client: &ClientContent, redirect_uri: &str, ticket: &Ticket) -> String {
    let (challenge, acr) = (ticket.challenge(), client.second_factor_acr.join(" "));
    let mut pairs = vec![
        ("response_type", "code"),
        ("client_id", &client.id),
        ("redirect_uri", redirect_uri),
        ("scope", "openid"),
        ("state", &ticket.state),
        ("nonce", &ticket.nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    if !acr.is_empty() {
        pairs.push(("acr_values", &acr));
    }
    // The browser of two may still be logged in at the provider as the first of them.
    if ticket.session.is_some() {
        pairs.push(("prompt", "login"));
    }
    let separator = if endpoint.contains('?') { '&' } else { '?' };
    format!("{endpoint}{separator}{}", encoded(&pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_what_it_needs_behind_the_query_of_the_endpoint() {
        let acr = vec!["gold".to_owned(), "urn:mfa".to_owned()];
        let mut client = ClientContent { id: "kms".to_owned(), secret: None, second_factor_acr: acr };
        let mut ticket = Ticket::new(Uuid::nil(), None, 0);
        let back = "https://kms.example.org/home/v1/login/oidc/callback";
        let url = address("https://login.example.org/a?tenant=7", &client, back, &ticket);
        assert!(url.starts_with("https://login.example.org/a?tenant=7&response_type=code&client_id=kms&"), "{url}");
        assert!(url.ends_with("&code_challenge_method=S256&acr_values=gold%20urn%3Amfa"), "{url}");
        assert!(!url.contains(&ticket.verifier), "{url}");
        (client.second_factor_acr, ticket.session) = (Vec::new(), Some(Uuid::nil()));
        let url = address("https://login.example.org/a", &client, back, &ticket);
        assert!(url.starts_with("https://login.example.org/a?response_type=code&"), "{url}");
        assert!(url.ends_with("&prompt=login") && !url.contains("acr_values"), "{url}");
    }
}
