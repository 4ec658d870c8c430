//! What a caller carries from the beginning of a ceremony with a passkey to its end, sealed: nothing is kept for ceremonies
//! that nobody ends, and every node takes the end.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{Chancery, Error, Result};

/// Characters of a ticket: those of approvals have some 1,600, with a session of two.
const TICKET_MAX: usize = 8_192;

/// The kinds of tickets; part of what is sealed.
const ENROLMENT: &str = "passkey enrolment";
const APPROVAL: &str = "passkey approval";

/// A passkey that somebody is about to make.
#[derive(Serialize, Deserialize)]
pub(super) struct Enrolment {
    pub(super) identity: Uuid,
    /// Only there it is ended.
    pub(super) session: Uuid,
    pub(super) challenge: [u8; 32],
    pub(super) until_ms: i64,
}

/// An approval that somebody is about to sign.
#[derive(Serialize, Deserialize)]
pub(crate) struct Approving {
    pub(crate) identity: Uuid,
    /// Only there it is given.
    pub(crate) session: Uuid,
    /// The text that is signed.
    pub(crate) statement: String,
}

impl Chancery {
    pub(super) fn seal_enrolment(&self, enrolment: &Enrolment) -> Result<String> {
        self.sealed_ticket(ENROLMENT, enrolment)
    }

    pub(super) fn open_enrolment(&self, ticket: &str) -> Option<Enrolment> {
        self.opened_ticket(ENROLMENT, ticket)
    }

    pub(crate) fn seal_approving(&self, approving: &Approving) -> Result<String> {
        self.sealed_ticket(APPROVAL, approving)
    }

    pub(crate) fn open_approving(&self, ticket: &str) -> Option<Approving> {
        self.opened_ticket(APPROVAL, ticket)
    }

    fn sealed_ticket<T: Serialize>(&self, kind: &'static str, content: &T) -> Result<String> {
        let content = Zeroizing::new(serde_json::to_vec(content).map_err(Error::internal)?);
        let sealed = self.custodian.seal_ticket(kind, &content).map_err(Error::internal)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    fn opened_ticket<T: DeserializeOwned>(&self, kind: &'static str, ticket: &str) -> Option<T> {
        let sealed = URL_SAFE_NO_PAD.decode(Some(ticket).filter(|ticket| ticket.len() <= TICKET_MAX)?).ok()?;
        let content = self.custodian.open_ticket(kind, &sealed).ok()?;
        serde_json::from_slice(content.expose()).ok()
    }
}
