//! Who calls: identities, roles, passwords, dual login, sessions, bearer tokens.
//!
//! `login`, `password`, `api_key`, `throttle`, `one_time_code`, `rules` and `directory` decide and are pure; `sessions`, `tokens` and `recent`
//! are what is kept in memory; `federation` has what identity providers vouch for; the door methods are in `sign_in` (with `prove`), `totp`, `own_password`, `recovery`, `passkeys`, `authenticate`, `roles`, `identities` and `provision`.

mod administration;
mod api_key;
mod authenticate;
mod built_in;
mod credentials;
mod directory;
pub(crate) mod effect;
mod federation;
mod identities;
mod login;
mod one_time_code;
mod own_password;
mod passkeys;
mod password;
mod prove;
mod provision;
mod recent;
mod recovery;
pub(crate) mod rights;
mod roles;
mod rules;
mod sessions;
mod sign_in;
mod state;
mod throttle;
mod ticket;
mod tokens;
mod totp;
mod whoami;

use std::sync::Arc;

use chancery_types::{
    TokenProfileId,
    wire::{ObjInfo, token_profiles::ControlRule},
};

use crate::{
    Context, Result,
    base::above::Above,
    context::storage::{Evidence, Opening, Vouches},
};

pub(crate) use administration::name_taken;
pub use credentials::Credentials;
pub(crate) use directory::{Directory, Identity, Role};
pub(crate) use federation::{AskedBy, CertificateNames, TokenRefusal, check_stands_for};
pub use federation::{Fetched, Form, LdapPlace, NoAnswer, OidcStarted, ProviderTransport, ShownCertificates};
pub(crate) use passkeys::{Approving, browser_bytes, descriptor as passkey_descriptor, note_signature};
pub use password::PasswordWork;
pub(crate) use password::Passwords;
pub use provision::{FirstIdentity, Provision};
pub use recovery::{Answering, Recover, Recovered};
pub(crate) use rules::RoleRules;
pub use sign_in::LoggedIn;
pub(crate) use sign_in::{SigningIn, Vouched};
pub(crate) use state::IdentityState;
pub(crate) use throttle::Rate;

/// Who may call: roles and identities, logins and sessions.
pub struct Identities {
    context: Arc<Context>,
    /// For passwords alone.
    passwords: Passwords,
    pub(crate) state: IdentityState,
    /// The Control Rules that name roles.
    pub(crate) rules: Above<dyn ControlRules>,
}

/// Somebody has proved who they are: only here.
struct Authenticated(());

impl Evidence for Authenticated {}
impl Vouches for Authenticated {}

/// The Control Rules of all token profiles, which say what roles let their holders do.
pub(crate) trait ControlRules: Send + Sync {
    /// Each profile with its rules, by name.
    fn all(&self) -> Vec<(ObjInfo<TokenProfileId>, Vec<ControlRule>)>;
}

impl Identities {
    /// Loads what is kept in memory; makes what a new installation needs.
    pub(crate) async fn open(
        context: &Arc<Context>,
        opening: &Opening,
        work: PasswordWork,
        providers: Option<Arc<dyn ProviderTransport>>,
    ) -> Result<Self> {
        Ok(Self {
            passwords: Passwords::new(&context.limits, work),
            state: IdentityState::load(context, opening, providers).await?,
            rules: Above::default(),
            context: Arc::clone(context),
        })
    }

    /// The Control Rules of all token profiles.
    fn all_rules(&self) -> Result<Vec<(ObjInfo<TokenProfileId>, Vec<ControlRule>)>> {
        Ok(self.rules.get()?.all())
    }
}

impl AsRef<Context> for Identities {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

#[cfg(test)]
mod tests;
