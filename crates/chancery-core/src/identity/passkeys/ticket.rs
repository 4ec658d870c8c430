//! What a caller carries from the beginning of a ceremony with a passkey to its end.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Identities, Result};

/// Characters of a ticket: those of approvals have some 1,600, with a session of two.
const TICKET_MAX: usize = 8_192;

/// The kinds of tickets; part of what is sealed.
const ENROLMENT: &str = "passkey enrolment";
const APPROVAL: &str = "passkey approval";
const LOGIN: &str = "passkey login";

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

/// What a passkey is to sign for a login, of whoever it is.
#[derive(Serialize, Deserialize)]
pub(super) struct Challenge {
    pub(super) challenge: [u8; 32],
    pub(super) until_ms: i64,
}

impl Identities {
    pub(super) fn seal_challenge(&self, challenge: &Challenge) -> Result<String> {
        self.sealed_ticket(LOGIN, challenge)
    }

    pub(super) fn open_challenge(&self, ticket: &str) -> Option<Challenge> {
        self.opened_ticket(LOGIN, ticket, TICKET_MAX)
    }

    pub(super) fn seal_enrolment(&self, enrolment: &Enrolment) -> Result<String> {
        self.sealed_ticket(ENROLMENT, enrolment)
    }

    pub(super) fn open_enrolment(&self, ticket: &str) -> Option<Enrolment> {
        self.opened_ticket(ENROLMENT, ticket, TICKET_MAX)
    }

    pub(crate) fn seal_approving(&self, approving: &Approving) -> Result<String> {
        self.sealed_ticket(APPROVAL, approving)
    }

    pub(crate) fn open_approving(&self, ticket: &str) -> Option<Approving> {
        self.opened_ticket(APPROVAL, ticket, TICKET_MAX)
    }
}
