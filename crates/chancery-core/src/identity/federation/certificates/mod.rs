//! Client certificates: POST /home/v1/login with `authType` `certificate`.
//!
//! The handshake has shown that whoever connects has the key; nothing else is believed of it. Which authority counts, whether
//! the certificate leads to it, is good now and not revoked, and whom it stands for is looked at here, with each login.

mod described;
mod issuing;
mod names;
mod refusal;
mod stored;
mod trust;

use std::sync::Arc;

use chancery_types::{Action, wire::audit::LoginWay};
use chancery_verify::path::Link;
use tracing::info;
use uuid::Uuid;

use super::{
    exchange::Exchanged,
    stored::ProviderContent,
    trusted::{Refused, Trusted},
};
use crate::{
    Error, Identities, LoggedIn, Meaning, Result, Visitor,
    context::record::Nobody,
    identity::{TokenRefusal, prove::Proved},
};

pub(super) use described::check_no_tokens;
pub(crate) use issuing::{AskedBy, check_stands_for};
pub(crate) use names::CertificateNames;
pub(super) use names::check_asked;
pub(crate) use refusal::CertificateRefusal;
pub(super) use stored::AuthorityContent;
pub(super) use trust::expect_unrevoked;

/// The certificates that a connection has shown in its handshake, the client's own first, in DER. They are a claim but for one
/// thing: whoever made the connection has the key of the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownCertificates(Vec<Vec<u8>>);

impl ShownCertificates {
    /// Certificates, and all their bytes. Chains have three or four of some 1.5 KiB.
    pub const COUNT_MAX: usize = 6;
    /// See [`COUNT_MAX`](Self::COUNT_MAX).
    pub const BYTES_MAX: usize = 16 * 1_024;

    /// In the order in which they were shown; `None` for none, too many, or too much.
    #[must_use]
    pub fn new(ders: Vec<Vec<u8>>) -> Option<Self> {
        let bytes: usize = ders.iter().map(Vec::len).sum();
        ((1..=Self::COUNT_MAX).contains(&ders.len()) && bytes <= Self::BYTES_MAX).then_some(Self(ders))
    }

    fn links(&self) -> Option<Vec<Link>> {
        self.0.iter().map(|der| Link::read(der)).collect()
    }
}

impl Identities {
    /// Logs in whom the certificate of the connection stands for, on the session that the cookie names, or on a new one.
    pub async fn log_in_by_certificate(
        &self,
        visitor: &Visitor,
        cookie: Option<&str>,
        shown: Option<&ShownCertificates>,
    ) -> Result<LoggedIn> {
        self.count_try(visitor, Action::Login)?;
        let now = self.context.logs_in_now().await?;
        let Some(shown) = shown else {
            return Err(self.refused_certificate(visitor, None, CertificateRefusal::NotShown.into()));
        };
        let Some(links) = shown.links() else {
            return Err(self.refused_certificate(visitor, None, CertificateRefusal::Malformed.into()));
        };
        let names = CertificateNames::of(&links[0]);
        match self.prove_by_certificate(links.into(), &names).await? {
            Ok(proved) => {
                self.admit(&now, &visitor.request, cookie.map(|cookie| self.cookie_key(cookie)), proved).await
            }
            Err(who) => Err(self.refused_certificate(visitor, Some(names), who)),
        }
    }

    fn refused_certificate(&self, visitor: &Visitor, names: Option<CertificateNames>, who: Refused) -> Error {
        let Refused { provider, identity, why, .. } = who;
        info!(request = %visitor.request.id, ?provider, why = why.as_str(), "a client certificate was refused");
        let identity = identity.map(|(id, name)| (id.into(), name));
        let certificate = names.map(|names| Box::new(names.recorded(None)));
        let who = Nobody::Certificate(identity, provider.map(Into::into), certificate, why.as_str());
        self.context.counters.refused_nobody(visitor.request.source, who, self.context.clock.now_ms());
        if why == TokenRefusal::Certificate(CertificateRefusal::NotShown) { not_shown() } else { refused() }
    }

    /// The nearest authority that is trusted here decides.
    async fn prove_by_certificate(
        &self,
        links: Arc<[Link]>,
        names: &CertificateNames,
    ) -> Result<Result<Proved, Refused>> {
        if links[0].is_authority() {
            return Ok(Err(CertificateRefusal::IsAuthority.into()));
        }
        let mut asked = Vec::new();
        for issuer in links.iter().map(Link::issuer_text) {
            if asked.contains(&issuer) {
                continue;
            }
            if let Some((trusted, authority)) = self.trusted_authority(&issuer).await? {
                let id = trusted.row.id;
                let proved = self.prove_by_authority(trusted, authority, Arc::clone(&links), names).await?;
                return Ok(proved.map_err(|refused| Refused { provider: Some(id), ..refused }));
            }
            asked.push(issuer);
        }
        Ok(Err(CertificateRefusal::Issuer.into()))
    }

    async fn prove_by_authority(
        &self,
        Trusted { row, bindings }: Trusted,
        authority: AuthorityContent,
        links: Arc<[Link]>,
        names: &CertificateNames,
    ) -> Result<Result<Proved, Refused>> {
        if !row.is_enabled {
            return Ok(Err(TokenRefusal::Disabled.into()));
        }
        let issued = match self.led_to(authority, links).await? {
            Ok(issued) => issued,
            Err(why) => return Ok(Err(why.into())),
        };
        let whose = self.whose(bindings, |content| content.takes_certificate(names)).await?;
        let (identity, binding) = match whose {
            Ok(bound) => bound,
            Err(refused) => return Ok(Err(refused)),
        };
        if issued.last().is_some_and(|id| issued_at_ms(id).is_none_or(|at_ms| at_ms < binding.created_at_ms)) {
            return Ok(Err(Refused::known(&identity, CertificateRefusal::BoundLater.into())));
        }
        let login = LoginWay::certificate(names.recorded(Some(binding.id.into())));
        let exchanged = Exchanged { provider: row, binding, used: None, issued, refusal: refused };
        Ok(Ok(Proved { exchanged: Some(Box::new(exchanged)), ..Proved::by(identity, login) }))
    }

    /// The authority of this name, if it is trusted here.
    async fn trusted_authority(&self, name: &str) -> Result<Option<(Trusted, AuthorityContent)>> {
        let Some(trusted) = self.trusted_by_issuer(name.to_owned()).await? else { return Ok(None) };
        let authority = ProviderContent::of(&trusted.row)?.authority;
        Ok(authority.map(|authority| (trusted, authority)))
    }
}

/// When this installation issued the certificate with this id.
fn issued_at_ms(id: &Uuid) -> Option<i64> {
    let (seconds, nanoseconds) = id.get_timestamp()?.to_unix();
    i64::try_from(seconds * 1_000 + u64::from(nanoseconds) / 1_000_000).ok()
}

/// One wording for whatever is wrong with a certificate or with what it stands for.
fn refused() -> Error {
    let message = "The client certificate is refused: of no authority that is trusted here, not good now, revoked or not \
                   known to be unrevoked, or of nobody here.";
    Error::new(Meaning::Unauthenticated, message)
}

/// Whoever connects knows what it has shown.
fn not_shown() -> Error {
    let message = "This connection has shown no client certificate: show one when connecting to the address of \
                   --client-cert-listen.";
    Error::new(Meaning::Unauthenticated, message)
}
