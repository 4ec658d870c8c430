//! Passkeys of people: made by the person, confirmed by a second one, and used to log in with besides the password, and to sign
//! approvals (`approval/signed.rs`).

mod confirm;
mod enrol;
mod login;
mod manage;
mod stored;
mod ticket;

use chancery_keys::RelyingParty;

use crate::{Error, Identities, Result};

pub(in crate::identity) use self::{
    login::{ShownPasskey, SignedLogin},
    manage::{check_has_shown_passkey, check_may_give_way_in},
};
pub(crate) use self::{
    stored::{browser_bytes, descriptor, note_signature},
    ticket::Approving,
};

impl Identities {
    /// The site that passkeys are for. It is what this server was told, and never what a `Host` header says.
    pub(crate) fn relying_party(&self) -> Result<RelyingParty> {
        let origin = self.context.outbound.console().ok_or_else(|| {
            Error::state(
                "There are no passkeys here: this server was not told where browsers reach it (--public-origin).",
            )
        })?;
        RelyingParty::of_origin(origin).map_err(|why| {
            Error::state(format!(
                "There are no passkeys here: browsers reach this server at {origin}, and {why} (--public-origin)."
            ))
        })
    }
}
