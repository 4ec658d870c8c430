//! What a call of tokenize says about its new tokens.

use serde_json::{Map, Value};

use super::{
    super::{engine::TokenSource, profile::Profile},
    Vault, end_ms,
};
use crate::{Error, Limits, Result, Tokens, time::parse_rfc3339};

/// What new tokens of one call have besides.
#[derive(Default)]
pub(crate) struct Attributes {
    /// A JSON object; empty: none.
    pub(crate) metadata: String,
    /// From when on the tokens are as if they were not there.
    pub(crate) expires_at_ms: Option<i64>,
}

impl Tokens {
    /// What a call says about its new tokens. Only Random profiles keep such things.
    pub(crate) fn attributes(
        &self,
        profile: &Profile,
        metadata: Option<&Map<String, Value>>,
        expires_at: Option<&str>,
    ) -> Result<Attributes> {
        if let TokenSource::Vault(vault) = &profile.tokens {
            return vault.attributes(metadata, expires_at, self.context.clock.now_ms(), &self.context.limits);
        }
        let given = [("/metadata", metadata.is_some()), ("/expiresAt", expires_at.is_some())];
        match given.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => Err(Error::value(field, "Only tokens of Random profiles have this; leave it out.")),
            None => Ok(Attributes::default()),
        }
    }
}

impl Vault {
    fn attributes(
        &self,
        metadata: Option<&Map<String, Value>>,
        expires_at: Option<&str>,
        now_ms: i64,
        limits: &Limits,
    ) -> Result<Attributes> {
        let metadata = metadata.map(serde_json::to_string).transpose().map_err(Error::internal)?.unwrap_or_default();
        if metadata.len() > limits.metadata_max {
            let message = format!("metadata has at most {} bytes of JSON.", limits.metadata_max);
            return Err(Error::too_large("/metadata", message));
        }
        let own_ms = self.life.map(|life| end_ms(now_ms, life)).transpose()?;
        let asked_ms = expires_at.map(parse_end).transpose()?;
        match (asked_ms, own_ms) {
            (Some(asked_ms), _) if asked_ms <= now_ms => Err(Error::value("/expiresAt", "expiresAt is in the future.")),
            (Some(asked_ms), Some(own_ms)) if asked_ms > own_ms => {
                let message = "expiresAt is not later than the profile's timeToLive from now.";
                Err(Error::value("/expiresAt", message))
            }
            (asked_ms, own_ms) => Ok(Attributes { metadata, expires_at_ms: asked_ms.or(own_ms) }),
        }
    }
}

fn parse_end(text: &str) -> Result<i64> {
    let message = "expiresAt is a moment of RFC 3339, such as 2030-01-31T12:00:00Z.";
    parse_rfc3339(text).ok_or_else(|| Error::malformed("/expiresAt", message))
}
