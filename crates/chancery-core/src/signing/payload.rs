//! The payload that is kept with a request, and the items of a manifest. Their rows have no MACs, but the request's has one
//! and says the digest that stands for them: every read compares, so that what people are shown is what is signed.

use std::sync::Arc;

use chancery_keys::hash;
use chancery_store::{
    Tx,
    tables::{self, signing_items::Item},
};
use chancery_verify::manifest_digest;
use uuid::Uuid;

use super::{embedded::Container, stored_request::StoredRequest};
use crate::{Error, Grant, Result, Signing};

/// A payload as it is stored.
pub(super) enum Stored {
    /// The request's digest stands for it.
    Approved(Arc<Vec<u8>>),
    /// A file from which no digest can be made. It may be the one that was submitted, to a release that read it still: that
    /// it cannot carry a signature is told, and nobody is suspected.
    Unreadable(Arc<Vec<u8>>),
}

impl Signing {
    /// The payload of a request, where it was uploaded; one that cannot be read is shown to nobody.
    pub(super) async fn stored_payload(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<Arc<Vec<u8>>>> {
        match self.payload_as_stored(grant, stored).await? {
            None => Ok(None),
            Some(Stored::Approved(payload)) => Ok(Some(payload)),
            Some(Stored::Unreadable(_)) => Err(self.refuse_payload(grant, stored.row.id).await),
        }
    }

    /// The payload of a request, where it was uploaded; one with another digest is refused.
    pub(super) async fn payload_as_stored(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<Stored>> {
        // A manifest's digest stands for its items.
        if stored.row.items > 0 {
            return Ok(None);
        }
        let id = stored.row.id;
        let read = self.context.storage.read(grant, move |tx| Box::pin(tables::signing_requests::payload(tx, id)));
        let Some(payload) = read.await?.map(Arc::new) else { return Ok(None) };
        let (container, with, hashed) =
            (Container::of_stored(stored, &payload)?, stored.policy.choice.hash, Arc::clone(&payload));
        let found = self.context.pool.run(move || match container {
            Some(container) => container.digest(),
            None => Some(hash(with, &hashed).as_bytes().to_vec()),
        });
        match found.await? {
            None => Ok(Some(Stored::Unreadable(payload))),
            Some(found) if found == stored.row.digest => Ok(Some(Stored::Approved(payload))),
            Some(_) => Err(self.refuse_payload(grant, id).await),
        }
    }

    /// Tells that the row is not to be used; the error says so, too.
    async fn refuse_payload(&self, grant: &Grant, id: Uuid) -> Error {
        let refused: Result<Error> = self
            .context
            .storage
            .read(grant, move |tx| Box::pin(async move { Ok(tx.refuse("signing_payloads", id).into()) }))
            .await;
        refused.unwrap_or_else(|error| error)
    }
}

/// The items of a manifest; none of other requests.
pub(super) async fn approved_items(tx: &mut Tx, request: &tables::signing_requests::Row) -> Result<Vec<Item>> {
    let items = tables::signing_items::of_request(tx, request.id).await?;
    let found = || manifest_digest(items.iter().map(|item| (item.name.as_str(), item.digest.as_slice())));
    let agree = if request.items > 0 { found() == request.digest } else { items.is_empty() };
    if agree { Ok(items) } else { Err(tx.refuse("signing_items", request.id).into()) }
}
