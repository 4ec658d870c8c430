//! The payload that is kept with a request, and the items of a manifest. Their rows have no MACs, but the request's has one
//! and says the digest that stands for them: every read compares, so that what people are shown is what is signed.

use std::sync::Arc;

use chancery_keys::hash;
use chancery_store::{
    Tx,
    tables::{self, signing_items::Item},
};
use chancery_verify::manifest_digest;

use super::{embedded::Container, stored_request::StoredRequest};
use crate::{Chancery, Grant, Result};

impl Chancery {
    /// The payload of a request, where it was uploaded.
    pub(super) async fn stored_payload(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<Arc<Vec<u8>>>> {
        // A manifest's digest stands for its items.
        if stored.row.items > 0 {
            return Ok(None);
        }
        let id = stored.row.id;
        let read = self.storage.read(grant, move |tx| Box::pin(tables::signing_requests::payload(tx, id)));
        let Some(payload) = read.await?.map(Arc::new) else { return Ok(None) };
        let (container, with, hashed) =
            (Container::of_stored(stored, &payload)?, stored.policy.choice.hash, Arc::clone(&payload));
        let found = self.pool.run(move || match container {
            Some(container) => container.digest(),
            None => Some(hash(with, &hashed).as_bytes().to_vec()),
        });
        if found.await?.is_some_and(|found| found == stored.row.digest) {
            return Ok(Some(payload));
        }
        let refused =
            self.storage.read(grant, move |tx| Box::pin(async move { Err(tx.refuse("signing_payloads", id)) }));
        Ok(refused.await?)
    }
}

/// The items of a manifest; none of other requests.
pub(super) async fn approved_items(tx: &mut Tx, request: &tables::signing_requests::Row) -> Result<Vec<Item>> {
    let items = tables::signing_items::of_request(tx, request.id).await?;
    let found = || manifest_digest(items.iter().map(|item| (item.name.as_str(), item.digest.as_slice())));
    let agree = if request.items > 0 { found() == request.digest } else { items.is_empty() };
    if agree { Ok(items) } else { Err(tx.refuse("signing_items", request.id).into()) }
}
