//! What is to be signed, complete: from a submission, or as it was stored to wait for approvals.

use std::sync::Arc;

use chancery_keys::{Digest, hash};
use chancery_store::{
    Tx,
    tables::{self, signing_items::Item},
};
use chancery_types::{ExistingSignature, SigningRequestId};
use chancery_verify::manifest_digest;
use uuid::Uuid;

use crate::{
    Chancery, Result,
    signing::{
        embedded::Container,
        formats::{self, Content},
        program::Program,
        stored_request::StoredRequest,
        submission::Contents,
        target::Found,
    },
};

/// What one request wants to have signed, and what signs it.
pub(in crate::signing) struct Prepared {
    pub(super) target: Found,
    pub(super) request: SigningRequestId,
    pub(super) work: Work,
    pub(super) at_ms: i64,
}

pub(super) enum Work {
    /// One signature, and the file that it goes into.
    One { content: Content, container: Option<Container> },
    /// One for each item of a manifest.
    Each { items: Vec<Item>, program: Option<Program> },
}

impl Prepared {
    /// What is being submitted.
    pub(in crate::signing) fn submitted(
        target: &Found,
        request: SigningRequestId,
        contents: &Contents,
        (existing, program): (Option<ExistingSignature>, Option<&Program>),
        at_ms: i64,
    ) -> Result<Self> {
        let (choice, program) = (target.policy.choice, program.cloned());
        let work = match contents {
            Contents::One { digest, payload, page_hashes } => {
                let container = payload.as_ref().and_then(|payload| Container::of(choice, existing, payload));
                let needed = formats::needs_payload(choice.format, target.signer.credential.scheme(choice)?);
                let (payload, page_hashes) = (payload.clone().filter(|_| needed), page_hashes.clone());
                Work::One { content: Content { digest: *digest, payload, page_hashes, program, at_ms }, container }
            }
            Contents::Each(items) => Work::Each { items: items.clone(), program },
        };
        Ok(Self { target: target.clone(), request, work, at_ms })
    }
}

impl Chancery {
    /// What was submitted before, and approved as it is stored.
    pub(in crate::signing) async fn prepare_stored(
        &self,
        stored: &StoredRequest,
        target: Found,
        at_ms: i64,
    ) -> Result<Prepared> {
        let (id, choice) = (stored.row.id, target.policy.choice);
        let program = self.stored_program(stored).await?;
        let work = if stored.row.items > 0 {
            let digest = stored.row.digest.clone();
            let items = self.store.read(move |tx| Box::pin(approved_items(tx, id, digest))).await?;
            Work::Each { items, program }
        } else {
            let digest = stored.digest()?;
            let needed = formats::needs_payload(choice.format, target.signer.credential.scheme(choice)?);
            let payload = if needed { self.approved_payload(id, digest).await? } else { None };
            let page_hashes = self.stored_page_hashes(stored).await?;
            let container = self.stored_container(stored).await?;
            Work::One { content: Content { digest, payload, page_hashes, program, at_ms }, container }
        };
        Ok(Prepared { target, request: id.into(), work, at_ms })
    }

    /// A payload, which is what people approved: it has no MAC, but the request's digest has.
    async fn approved_payload(&self, id: Uuid, digest: Digest) -> Result<Option<Arc<Vec<u8>>>> {
        let payload =
            self.store.read(move |tx| Box::pin(async move { tables::signing_requests::payload(tx, id).await }));
        let Some(payload) = payload.await?.map(Arc::new) else { return Ok(None) };
        let hashed = Arc::clone(&payload);
        let found = self.pool.run(move || hash(digest.hash(), &hashed)).await?;
        if found.as_bytes() == digest.as_bytes() {
            return Ok(Some(payload));
        }
        let refused = self.store.read(move |tx| Box::pin(async move { Err(tx.refuse("signing_payloads", id)) }));
        Ok(refused.await?)
    }
}

/// A manifest's items, which are what people approved: they have no MACs, but the request's digest has, and it stands for
/// them.
async fn approved_items(tx: &mut Tx, id: Uuid, digest: Vec<u8>) -> Result<Vec<Item>> {
    let items = tables::signing_items::of_request(tx, id).await?;
    let found = manifest_digest(items.iter().map(|item| (item.name.as_str(), item.digest.as_slice())));
    if found == digest { Ok(items) } else { Err(tx.refuse("signing_items", id).into()) }
}
