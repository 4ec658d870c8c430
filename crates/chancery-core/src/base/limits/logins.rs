//! What bounds logins, and what vouches for those who log in.

use std::time::Duration;

/// What bounds logins, and what takes the same proof.
#[derive(Clone, Debug)]
pub struct LoginLimits {
    /// Logins tried from one source in a minute, before any Argon2 work; and wrong API keys shown with calls.
    pub per_minute: u32,
    /// How long a new secret of one-time codes waits for the code that confirms it.
    pub totp_pending_max: Duration,
    /// Identity providers of an installation: each is a place that its keys are fetched from.
    pub identity_providers_max: u32,
    /// Bindings to one identity provider: each exchange of a token reads all of them.
    pub identity_bindings_max: u32,
    /// Passkeys of one identity: a browser is told of all of them.
    pub passkeys_max: u32,
    /// How long a person may take to make a passkey, or to sign with one.
    pub passkey_ceremony_max: Duration,
    /// How long a new passkey waits for the second person who confirms it.
    pub passkey_pending_max: Duration,
    /// Networks of one identity, and hours as many: each call looks at all of them.
    pub identity_bounds_max: usize,
    /// How long a password that others gave somebody for one use is good for setting another one.
    pub one_time_password_max: Duration,
    /// How long the keys of an identity provider are used before they are fetched again.
    pub provider_keys_fresh: Duration,
    /// How long they go on where the provider cannot be reached: a key that it took back is taken for so long.
    pub provider_keys_max: Duration,
    /// How long it takes at least from one fetch of a provider's keys to the next, also where a token names a key that is not
    /// known: anybody can send such a token.
    pub provider_keys_pause: Duration,
    /// How long a provider may take to answer.
    pub provider_wait_max: Duration,
}

impl Default for LoginLimits {
    fn default() -> Self {
        Self {
            per_minute: 600,
            totp_pending_max: Duration::from_mins(15),
            identity_providers_max: 20,
            identity_bindings_max: 1_000,
            passkeys_max: 16,
            passkey_ceremony_max: Duration::from_mins(5),
            passkey_pending_max: Duration::from_hours(7 * 24),
            identity_bounds_max: 32,
            one_time_password_max: Duration::from_hours(24),
            provider_keys_fresh: Duration::from_mins(10),
            provider_keys_max: Duration::from_hours(1),
            provider_keys_pause: Duration::from_secs(30),
            provider_wait_max: Duration::from_secs(5),
        }
    }
}
