//! GET /home/v1/login/oidc/callback: the provider's answer, and the session that begins or goes on with it.

use chancery_store::tables::identity_bindings;
use chancery_types::{
    Action, IdentityBindingId, IdentityKind,
    wire::{
        audit::{AuditToken, LoginWay},
        login::OidcCallback,
    },
};
use tracing::info;

use super::{
    super::{
        claims::TokenRefusal,
        exchange::Exchanged,
        stored::{BindingContent, ClientContent, ProviderContent},
        trusted::{Refused, Trusted},
    },
    code::Exchange,
    ticket::Ticket,
};
use crate::{
    Error, Identities, LoggedIn, Meaning, Result, Visitor,
    context::record::Nobody,
    identity::{identities::kind_of, prove::Proved, sessions::Key},
};

/// Characters of a code: those of known providers have at most some 1,500.
const CODE_MAX: usize = 4_096;

/// What refusals say in `Retry-After` where the provider is at fault.
const RETRY_AFTER_S: u32 = 30;

impl Identities {
    /// Logs the person in whom a provider has sent back, on the session that was named when it began or on a new one.
    pub async fn finish_oidc(&self, visitor: &Visitor, cookie: Option<&str>, answer: OidcCallback) -> Result<LoggedIn> {
        self.count_try(visitor, Action::Login)?;
        let now = self.context.logs_in_now().await?;
        let Some(ticket) = self.open_login(cookie, answer.state.as_deref()) else {
            return Err(self.refused_person(visitor, TokenRefusal::Ticket.into()));
        };
        match self.prove_by_answer(visitor, &ticket, answer).await? {
            Ok(proved) => self.admit(&now, &visitor.request, ticket.session.map(Key::Id), proved).await,
            Err(refused) => {
                let refused = Refused { provider: Some(ticket.provider), ..refused };
                Err(self.refused_person(visitor, refused))
            }
        }
    }

    fn refused_person(&self, visitor: &Visitor, who: Refused) -> Error {
        let Refused { provider, identity, subject, why } = who;
        info!(request = %visitor.request.id, provider = ?provider, why = why.as_str(), "a login by a provider was refused");
        let subject = subject.map(|subject| {
            let message = [provider.unwrap_or_default().as_bytes(), subject.as_bytes()].concat();
            self.context.custodian.keyed_hash("subject of a provider", &message)
        });
        let identity = identity.map(|(id, name)| (id.into(), name));
        let who = Nobody::Person(identity, provider.map(Into::into), subject, why.as_str());
        self.context.counters.refused_nobody(visitor.request.source, who, self.context.clock.now_ms());
        told(why)
    }

    async fn prove_by_answer(
        &self,
        visitor: &Visitor,
        ticket: &Ticket,
        answer: OidcCallback,
    ) -> Result<Result<Proved, Refused>> {
        let Some(trusted) = self.trusted_by_id(ticket.provider).await?.filter(|trusted| trusted.row.is_enabled) else {
            return Ok(Err(TokenRefusal::Disabled.into()));
        };
        let mut content = ProviderContent::of(&trusted.row)?;
        let Some(client) = content.client.take() else { return Ok(Err(TokenRefusal::Disabled.into())) };
        let OidcCallback { code, iss, error, .. } = answer;
        if iss.as_ref().is_some_and(|iss| *iss != trusted.row.issuer) {
            return Ok(Err(TokenRefusal::Issuer.into()));
        }
        if error.is_some() {
            return Ok(Err(TokenRefusal::Denied.into()));
        }
        let Some(code) = code.filter(|code| !code.is_empty() && code.len() <= CODE_MAX) else {
            return Ok(Err(TokenRefusal::Code.into()));
        };
        if self.is_used(self.hash_of_login(ticket)).await? {
            return Ok(Err(TokenRefusal::Ticket.into()));
        }
        let endpoints = match self.provider_endpoints(trusted.row.id, &trusted.row.issuer).await {
            Ok(endpoints) if endpoints.says_issuer && iss.is_none() => return Ok(Err(TokenRefusal::Issuer.into())),
            Ok(endpoints) => endpoints,
            Err(why) => return Ok(Err(why.into())),
        };
        let (source, provider) = (visitor.request.counted_as(), trusted.row.id);
        let exchange = Exchange { source, provider, endpoints: &endpoints, client: &client };
        match self.id_token(&exchange, &code, ticket).await? {
            Ok(token) => self.prove_by_id_token(&token, trusted, (&content, &client), ticket).await,
            Err(why) => Ok(Err(why.into())),
        }
    }

    async fn prove_by_id_token(
        &self,
        token: &str,
        Trusted { row, bindings }: Trusted,
        (content, client): (&ProviderContent, &ClientContent),
        ticket: &Ticket,
    ) -> Result<Result<Proved, Refused>> {
        let verified = self.verified(token, &row, (content, std::slice::from_ref(&client.id))).await;
        let good = verified.and_then(|good| good.expect_answer(&client.id, &ticket.nonce).map(|()| good));
        let good = match good {
            Ok(good) => good,
            Err(why) => return Ok(Err(why.into())),
        };
        // Claims alone are for workloads.
        let by_subject = |binding: &identity_bindings::Row| {
            BindingContent::of(binding).is_ok_and(|content| content.subject.is_some())
        };
        let bindings = bindings.into_iter().filter(by_subject).collect();
        let (identity, binding) = match self.whose(bindings, |content| content.takes(&good)).await? {
            Ok(bound) => bound,
            Err(refused) => {
                let subject = refused.identity.is_none().then_some(good.subject);
                return Ok(Err(Refused { subject, ..refused }));
            }
        };
        if kind_of(&identity)? != IdentityKind::Person {
            return Ok(Err(Refused::known(&identity, TokenRefusal::Kind)));
        }
        let has_second_factor = good.has_acr_of(&client.second_factor_acr);
        let binding_uuid = IdentityBindingId::from(binding.id);
        let token = AuditToken { binding_uuid, issuer: row.issuer.clone(), subject: good.subject };
        // The ID token names the login, and the login is ended once: so both are taken once.
        let used = Some((self.hash_of_login(ticket), ticket.until_ms));
        let exchanged =
            Exchanged { provider: row, binding, used, issued: Vec::new(), refusal: || told(TokenRefusal::Ticket) };
        let login = LoginWay::oidc(token, has_second_factor);
        Ok(Ok(Proved { exchanged: Some(Box::new(exchanged)), ..Proved::by(identity, login) }))
    }
}

/// What whoever logs in is told: what they can mend, and no more. The log and the audit have the rest.
pub(super) fn told(why: TokenRefusal) -> Error {
    let refused = |message: &'static str| Error::new(Meaning::Unauthenticated, message);
    match why {
        TokenRefusal::Ticket | TokenRefusal::Code => refused(
            "This login has ended: it took too long, was begun in another window or browser, or is done. Begin again.",
        ),
        TokenRefusal::Denied => refused("The provider did not log you in. Begin again, or log in in another way."),
        TokenRefusal::Provider | TokenRefusal::NoKeys => {
            let message =
                "The provider cannot be reached, or does not answer as it should. Log in in another way, or later.";
            Error::out_of_reach(message, RETRY_AFTER_S)
        }
        TokenRefusal::Unbound | TokenRefusal::Ambiguous | TokenRefusal::Locked | TokenRefusal::Kind => refused(
            "The provider has logged you in, but your account there stands for nobody who may log in here. \
             Administrators can bind it.",
        ),
        TokenRefusal::Malformed
        | TokenRefusal::Issuer
        | TokenRefusal::Disabled
        | TokenRefusal::Algorithm
        | TokenRefusal::UnknownKey
        | TokenRefusal::Signature
        | TokenRefusal::Audience
        | TokenRefusal::Claims
        | TokenRefusal::Expired
        | TokenRefusal::NotYet
        | TokenRefusal::Lifetime
        | TokenRefusal::Replayed
        | TokenRefusal::Nonce
        | TokenRefusal::Certificate(_)
        | TokenRefusal::Ldap(_) => refused("What the provider answered is not taken here. Begin again."),
    }
}
