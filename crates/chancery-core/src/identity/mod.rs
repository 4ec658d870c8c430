//! Who calls: identities, roles, passwords, dual login, sessions, bearer tokens.
//!
//! `login`, `password`, `api_key`, `throttle`, `one_time_code`, `rules` and `directory` decide and are pure; `sessions`, `tokens` and `recent`
//! are what is kept in memory; `federation` has what identity providers vouch for; the door methods are in `sign_in` (with `prove`), `totp`, `own_password`, `recovery`, `passkeys`, `authenticate`, `roles`, `identities` and `provision`.

mod administration;
mod api_key;
mod authenticate;
mod bounds;
mod built_in;
mod caller;
mod credentials;
mod directory;
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

pub use caller::{Caller, Member, RequestId, RequestInfo, Visitor};
pub use credentials::Credentials;
pub use federation::{Fetched, Form, LdapPlace, NoAnswer, OidcStarted, ProviderTransport, ShownCertificates};
pub use password::PasswordWork;
pub use provision::{FirstIdentity, Provision};
pub use recovery::{Answering, Recover, Recovered};
pub use sign_in::LoggedIn;

pub(crate) use administration::name_taken;
pub(crate) use api_key::Refused as RefusedKey;
pub(crate) use directory::{Directory, Identity, Role};
pub(crate) use federation::{AskedBy, CertificateNames, TokenRefusal, check_stands_for};
pub(crate) use passkeys::{Approving, browser_bytes, descriptor as passkey_descriptor, note_signature};
pub(crate) use password::Passwords;
pub(crate) use recovery::AnsweredFor;
pub(crate) use rules::RoleRules;
pub(crate) use sign_in::{SigningIn, Vouched};
pub(crate) use state::{IdentityState, KeepingSessions};
pub(crate) use throttle::Rate;

#[cfg(test)]
mod tests;
