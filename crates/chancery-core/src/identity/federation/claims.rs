//! What a token says whose signature was good, and whether it is good here and now.

use chancery_keys::{Claims, IdTokenError, is_same_hash};
use serde_json::Value;

use super::{certificates::CertificateRefusal, ldap::LdapRefusal};

/// By how much the clocks of a provider and of this server may differ.
const SKEW_MS: i64 = 60_000;

/// How far ahead a token may end: for so long it is remembered that it was taken.
const LIFETIME_MAX_MS: i64 = 24 * 3_600_000;

/// Characters of a subject, or of the id of a token.
const TEXT_MAX: usize = 1_024;

/// Why a token was refused. Whoever shows it is told only that it was; audit records and the log say this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TokenRefusal {
    /// No JSON Web Token with a signature.
    Malformed,
    /// No provider issues such tokens.
    Issuer,
    /// The provider is switched off.
    Disabled,
    /// The provider's keys could not be had.
    NoKeys,
    /// Signed with an algorithm that the provider is not allowed.
    Algorithm,
    /// Signed with a key that the provider does not have.
    UnknownKey,
    /// Not signed by the provider.
    Signature,
    /// For somebody else.
    Audience,
    /// No `sub` or no `exp`, or members that are not what they have to be.
    Claims,
    /// It has ended.
    Expired,
    /// It has not begun, or comes from the future.
    NotYet,
    /// It ends too far ahead.
    Lifetime,
    /// It stands for no identity.
    Unbound,
    /// It stands for several identities.
    Ambiguous,
    /// Its identity is locked.
    Locked,
    /// It was exchanged before.
    Replayed,
    /// Its identity is a person, and shows a workload's token; or an application, and was logged in as a person.
    Kind,
    /// A login that was not begun in this browser, or too long ago, or ended before.
    Ticket,
    /// The provider did not log the person in.
    Denied,
    /// The provider does not know the code (any more).
    Code,
    /// The provider was not reached, or answered what it should not.
    Provider,
    /// It answers another request.
    Nonce,
    /// A client certificate, in the place of a token.
    Certificate(CertificateRefusal),
    /// Somebody whom a directory was asked about, in the place of a token.
    Ldap(LdapRefusal),
}

impl TokenRefusal {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "Malformed",
            Self::Issuer => "Issuer",
            Self::Disabled => "Disabled",
            Self::NoKeys => "NoKeys",
            Self::Algorithm => "Algorithm",
            Self::UnknownKey => "UnknownKey",
            Self::Signature => "Signature",
            Self::Audience => "Audience",
            Self::Claims => "Claims",
            Self::Expired => "Expired",
            Self::NotYet => "NotYet",
            Self::Lifetime => "Lifetime",
            Self::Unbound => "Unbound",
            Self::Ambiguous => "Ambiguous",
            Self::Locked => "Locked",
            Self::Replayed => "Replayed",
            Self::Kind => "Kind",
            Self::Ticket => "Ticket",
            Self::Denied => "Denied",
            Self::Code => "Code",
            Self::Provider => "Provider",
            Self::Nonce => "Nonce",
            Self::Certificate(why) => why.as_str(),
            Self::Ldap(why) => why.as_str(),
        }
    }
}

impl From<IdTokenError> for TokenRefusal {
    fn from(error: IdTokenError) -> Self {
        match error {
            IdTokenError::Malformed => Self::Malformed,
            IdTokenError::Algorithm => Self::Algorithm,
            IdTokenError::UnknownKey => Self::UnknownKey,
            IdTokenError::Signature => Self::Signature,
        }
    }
}

/// A token that is good here and now. Whose it is is looked up with its claims.
#[derive(Debug)]
pub(super) struct GoodToken {
    pub(super) subject: String,
    /// What tells it from all others of its provider, where it says so.
    pub(super) id: Option<String>,
    /// From when on it is refused anyway.
    pub(super) ends_at_ms: i64,
    pub(super) claims: Claims,
}

impl GoodToken {
    /// For one of these audiences.
    pub(super) fn of(claims: Claims, issuer: &str, audiences: &[String], now_ms: i64) -> Result<Self, TokenRefusal> {
        if claims.get("iss").and_then(Value::as_str) != Some(issuer) {
            return Err(TokenRefusal::Issuer);
        }
        let is_for_us = |audience: &Value| audiences.iter().any(|ours| audience.as_str() == Some(ours.as_str()));
        let is_for_us = match claims.get("aud") {
            Some(Value::Array(audiences)) => audiences.iter().any(is_for_us),
            Some(audience) => is_for_us(audience),
            None => false,
        };
        if !is_for_us {
            return Err(TokenRefusal::Audience);
        }
        let subject = text(&claims, "sub")?.filter(|subject| !subject.is_empty()).ok_or(TokenRefusal::Claims)?;
        let id = text(&claims, "jti")?;
        let ends_at_ms = moment(&claims, "exp")?.ok_or(TokenRefusal::Claims)?.saturating_add(SKEW_MS);
        if now_ms >= ends_at_ms {
            return Err(TokenRefusal::Expired);
        }
        if ends_at_ms > now_ms.saturating_add(LIFETIME_MAX_MS + 2 * SKEW_MS) {
            return Err(TokenRefusal::Lifetime);
        }
        for begins in ["nbf", "iat"] {
            if moment(&claims, begins)?.is_some_and(|at_ms| at_ms > now_ms.saturating_add(SKEW_MS)) {
                return Err(TokenRefusal::NotYet);
            }
        }
        Ok(Self { subject, id, ends_at_ms, claims })
    }

    /// Whether it is an ID token for this client and answers the request with this nonce, beyond what any token has to be
    /// (OpenID Connect Core 1.0, section 3.1.3.7).
    pub(super) fn expect_answer(&self, client: &str, nonce: &str) -> Result<(), TokenRefusal> {
        let is_for_several = self.claims.get("aud").and_then(Value::as_array).is_some_and(|all| all.len() > 1);
        let is_ours = match self.claims.get("azp") {
            Some(party) => party.as_str() == Some(client),
            None => !is_for_several,
        };
        if !is_ours {
            return Err(TokenRefusal::Audience);
        }
        moment(&self.claims, "iat")?.ok_or(TokenRefusal::Claims)?;
        let said = self.claims.get("nonce").and_then(Value::as_str).unwrap_or_default();
        if is_same_hash(said.as_bytes(), nonce.as_bytes()) { Ok(()) } else { Err(TokenRefusal::Nonce) }
    }

    /// Whether its `acr` is one of these: nothing is one of none.
    pub(super) fn has_acr_of(&self, values: &[String]) -> bool {
        let said = self.claims.get("acr").and_then(Value::as_str);
        said.is_some_and(|said| values.iter().any(|value| value == said))
    }
}

fn text(claims: &Claims, name: &str) -> Result<Option<String>, TokenRefusal> {
    match claims.get(name) {
        None => Ok(None),
        Some(Value::String(text)) if text.len() <= TEXT_MAX => Ok(Some(text.clone())),
        Some(_) => Err(TokenRefusal::Claims),
    }
}

/// A NumericDate (RFC 7519, section 2), in milliseconds.
fn moment(claims: &Claims, name: &str) -> Result<Option<i64>, TokenRefusal> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let whole = value.as_i64().or_else(|| {
        let seconds = value.as_f64().filter(|seconds| seconds.is_finite())?;
        #[expect(clippy::cast_possible_truncation, reason = "what is too large becomes the largest")]
        Some(seconds.floor() as i64)
    });
    whole.map(|seconds| Some(seconds.saturating_mul(1_000))).ok_or(TokenRefusal::Claims)
}
