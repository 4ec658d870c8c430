//! What somebody who showed an API key may do: from where, until when, and what for.

use std::net::IpAddr;

use chancery_types::{ApiKeyId, PolicyId, ServiceId, TokenProfileId, wire::api_keys::ApiKeyScope};

use crate::Network;

/// Under which terms somebody acts who showed a key: as a login, or with the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) id: ApiKeyId,
    pub(crate) version: u32,
    /// Whoever comes by it is nobody who was there before.
    pub(crate) trusted_since: i64,
    pub(crate) ends_at: i64,
    pub(crate) networks: Vec<Network>,
    pub(crate) scope: Option<ApiKeyScope>,
}

/// Why a key that is known lets nobody in now. Only the audit records say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RefusedKey {
    /// It has ended, or the secret of before a rotation has.
    Expired,
    /// It came from none of its networks.
    Network,
    /// Its identity is locked or may not act from there now, or none of its roles can be used by one login.
    Identity,
}

impl RefusedKey {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Expired => "Expired",
            Self::Network => "Network",
            Self::Identity => "Identity",
        }
    }
}

impl Terms {
    /// Whether it may be used from this address now.
    pub(crate) fn check(&self, source: IpAddr, now: i64) -> Result<(), RefusedKey> {
        if now >= self.ends_at {
            return Err(RefusedKey::Expired);
        }
        if !self.networks.is_empty() && !self.networks.iter().any(|network| network.holds(source)) {
            return Err(RefusedKey::Network);
        }
        Ok(())
    }

    /// Whether it gives less than its identity has.
    pub(crate) const fn is_restricted(&self) -> bool {
        self.scope.is_some()
    }

    /// Whether it may have something signed.
    pub(crate) fn signs(&self) -> bool {
        self.scope.as_ref().is_none_or(|scope| !scope.policy_uuids.is_empty() || !scope.service_uuids.is_empty())
    }

    pub(crate) fn takes_profile(&self, profile: TokenProfileId) -> bool {
        self.scope.as_ref().is_none_or(|scope| scope.token_profile_uuids.contains(&profile))
    }

    pub(crate) fn takes_policy(&self, service: ServiceId, policy: PolicyId) -> bool {
        let takes =
            |scope: &ApiKeyScope| scope.service_uuids.contains(&service) || scope.policy_uuids.contains(&policy);
        self.scope.as_ref().is_none_or(takes)
    }

    pub(crate) fn takes_service(&self, service: ServiceId) -> bool {
        self.scope.as_ref().is_none_or(|scope| scope.service_uuids.contains(&service))
    }
}
