//! What a browser carries from the beginning of a login by a provider to its end, sealed, in a cookie.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::is_same_hash;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Identities, Result, log::leaf::sha256};

/// How long somebody may take at the provider; the cookie says the same.
const LOGIN_MAX_MS: i64 = 600_000;

/// The kind of ticket.
const SEALED: &str = "login by a provider";

/// Characters of a ticket: those that we make have some 600.
const TICKET_MAX: usize = 2_048;

/// One login that was begun. Whoever has it, and the answer of the provider that goes with it, may end it.
#[derive(Serialize, Deserialize)]
pub(super) struct Ticket {
    pub(super) provider: Uuid,
    /// What the answer has to name.
    pub(super) state: String,
    /// What the ID token has to name.
    pub(super) nonce: String,
    /// What proves to the provider that the code is shown by whoever asked for it.
    pub(super) verifier: String,
    /// From when on it is refused.
    pub(super) until_ms: i64,
    /// The session that goes on with it: the first of two has logged in there.
    pub(super) session: Option<Uuid>,
}

impl Ticket {
    pub(super) fn new(provider: Uuid, session: Option<Uuid>, now_ms: i64) -> Self {
        let random = || URL_SAFE_NO_PAD.encode(chancery_keys::random::<32>());
        let (state, nonce, verifier) = (random(), random(), random());
        Self { provider, state, nonce, verifier, until_ms: now_ms.saturating_add(LOGIN_MAX_MS), session }
    }

    /// The code challenge (RFC 7636, section 4.2).
    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(sha256(self.verifier.as_bytes()))
    }
}

impl Identities {
    /// The ticket as it stands in the cookie.
    pub(super) fn seal_login(&self, ticket: &Ticket) -> Result<String> {
        self.sealed_ticket(SEALED, ticket)
    }

    /// The ticket of this browser that the answer with this state belongs to, if it is good now.
    pub(super) fn open_login(&self, cookie: Option<&str>, state: Option<&str>) -> Option<Ticket> {
        let ticket: Ticket = self.opened_ticket(SEALED, cookie?, TICKET_MAX)?;
        let is_of_it = is_same_hash(ticket.state.as_bytes(), state?.as_bytes());
        (is_of_it && self.context.clock.now_ms() < ticket.until_ms).then_some(ticket)
    }

    /// What it is remembered by that a login was ended.
    pub(super) fn hash_of_login(&self, ticket: &Ticket) -> [u8; 32] {
        self.context.custodian.keyed_hash("login by a provider", ticket.state.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let mut ticket = Ticket::new(Uuid::nil(), None, 0);
        assert_eq!((ticket.state.len(), ticket.verifier.len(), ticket.until_ms), (43, 43, LOGIN_MAX_MS));
        assert!(ticket.state != ticket.nonce && ticket.nonce != ticket.verifier);
        // RFC 7636, appendix B.
        ticket.verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned();
        assert_eq!(ticket.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
