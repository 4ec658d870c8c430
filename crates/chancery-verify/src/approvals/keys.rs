//! The keys of approvers that somebody has pinned.

use std::{collections::BTreeMap, str::FromStr};

use chancery_keys::{Assertion, NoPasskeyKey, Passkey, RelyingParty, check_passkey_key, verify_assertion};
use chancery_types::{Base64, IdentityId, wire::passkeys::ApprovalSignature};

use super::{NotApproved, approval_challenge};

/// The public keys of approvers, as somebody has pinned them, and the site on which they approve.
#[derive(Clone, Debug)]
pub struct ApproverKeys {
    party: RelyingParty,
    keys: Vec<(IdentityId, Vec<u8>)>,
}

/// Why a text holds no keys of approvers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoApproverKeys {
    /// A line of no known form.
    #[error("line {0} is neither `origin https://…` nor `approver UUID KEY`")]
    Line(usize),
    /// It has to be known on whose pages they sign.
    #[error("it has not one line `origin https://…`, the address at which the console is reached")]
    Origin,
    /// Nobody signs with such a key, or anybody can.
    #[error("line {0}: the key {1}")]
    Key(usize, NoPasskeyKey),
    /// Whoever has it would count twice.
    #[error("line {line}: the key of another person, on line {first}; one key stands for one person")]
    Shared {
        /// Where it stands again.
        line: usize,
        /// Where it stands first.
        first: usize,
    },
    /// There is nothing to verify by.
    #[error("it has no line `approver UUID KEY`")]
    Empty,
}

impl FromStr for ApproverKeys {
    type Err = NoApproverKeys;

    /// A line `origin https://…`, and lines `approver UUID KEY` with what follows for people. Empty lines and those that begin
    /// with `#` say nothing.
    fn from_str(text: &str) -> Result<Self, NoApproverKeys> {
        let (mut parties, mut keys) = (Vec::new(), Vec::new());
        // Keys have one encoding, so they are the same where their bytes are.
        let mut owners = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let mut words = line.split_whitespace();
            let refused = || NoApproverKeys::Line(number);
            match (words.next(), words.next(), words.next()) {
                (None, ..) => {}
                (Some(word), ..) if word.starts_with('#') => {}
                (Some("origin"), Some(origin), None) => {
                    parties.push(RelyingParty::of_origin(origin).map_err(|_| refused())?);
                }
                (Some("approver"), Some(id), Some(key)) => {
                    let id: IdentityId = id.parse().map_err(|_| refused())?;
                    let key = Base64::decode(key).ok_or_else(refused)?.0;
                    check_passkey_key(&key).map_err(|why| NoApproverKeys::Key(number, why))?;
                    let (owner, first) = *owners.entry(key.clone()).or_insert((id, number));
                    if owner != id {
                        return Err(NoApproverKeys::Shared { line: number, first });
                    }
                    keys.push((id, key));
                }
                _ => return Err(refused()),
            }
        }
        let [party] = parties.as_slice() else { return Err(NoApproverKeys::Origin) };
        if keys.is_empty() {
            return Err(NoApproverKeys::Empty);
        }
        Ok(Self { party: party.clone(), keys })
    }
}

impl ApproverKeys {
    /// Whether one of the keys that are pinned for somebody has signed the statement.
    pub(super) fn check(&self, signed: &ApprovalSignature) -> Result<(), NotApproved> {
        let id = signed.identity_uuid;
        let mut refused = NotApproved::Unknown(id);
        for (_, public_key) in self.keys.iter().filter(|(known, _)| *known == id) {
            let passkey = Passkey { public_key, is_backup_eligible: None };
            let assertion = Assertion {
                client_data: &signed.client_data.0,
                authenticator_data: &signed.authenticator_data.0,
                signature: &signed.signature.0,
            };
            match verify_assertion(&self.party, &approval_challenge(&signed.statement), passkey, assertion) {
                Ok(_) => return Ok(()),
                Err(why) => refused = NotApproved::NotGenuine(id, why),
            }
        }
        Err(refused)
    }
}
