//! What a caller carries from the beginning of something to its end, sealed: nothing is kept here for what nobody ends, and
//! every node takes the end.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};
use zeroize::Zeroizing;

use crate::{Error, Identities, Result};

impl Identities {
    /// A ticket of a kind, which is part of what is sealed.
    pub(super) fn sealed_ticket<T: Serialize>(&self, kind: &'static str, content: &T) -> Result<String> {
        let content = Zeroizing::new(serde_json::to_vec(content).map_err(Error::internal)?);
        let sealed = self.context.custodian.seal_ticket(kind, &content).map_err(Error::internal)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// What is in a ticket of this kind, which has so many characters at most.
    pub(super) fn opened_ticket<T: DeserializeOwned>(&self, kind: &'static str, ticket: &str, max: usize) -> Option<T> {
        let sealed = URL_SAFE_NO_PAD.decode(Some(ticket).filter(|ticket| ticket.len() <= max)?).ok()?;
        let content = self.context.custodian.open_ticket(kind, &sealed).ok()?;
        serde_json::from_slice(content.expose()).ok()
    }
}
