//! Submitting again what failed.

use std::sync::Arc;

use chancery_types::{
    Action, Base64, Perm, SigningRequestId,
    wire::signing_requests::{ManifestItem, SubmitRequest, Submitted},
};
use uuid::Uuid;

use super::{
    claim::Claim,
    payload::{Stored, approved_items},
    provenance::{self, Proven},
};
use crate::{Caller, Error, Result, Signing, approval::Transition};

impl Signing {
    /// Submits a request that failed, or that waited too long, as a new one: in the name of this session, under the
    /// policy as it is now, with approvals of its own.
    pub async fn repeat_signing_request(self: &Arc<Self>, caller: &Caller, id: SigningRequestId) -> Result<Submitted> {
        let (action, object) = (Action::SigningRequestSubmit, Some(Uuid::from(id)));
        let _may_submit = self.context.grant(caller, Perm::SigningSubmit, action, object).await?;
        let (grant, stored) = self.readable_request(caller, id).await?;
        let mut facts = stored.facts(self.context.hardened, self.context.clock.now_ms());
        facts.take(Transition::Repeat).map_err(|_| Error::state("Only a request that failed is repeated."))?;
        let payload = match self.payload_as_stored(&grant, &stored).await? {
            None => None,
            Some(Stored::Approved(payload)) => Some(Base64(Arc::unwrap_or_clone(payload))),
            Some(Stored::Unreadable(_)) => {
                return Err(Error::state("The file cannot be read any more; another one is submitted instead."));
            }
        };
        let page_hashes = self.stored_page_hashes(&grant, &stored).await?;
        let program = self.stored_program(&grant, &stored).await?;
        let (program_name, program_url) = program.map_or((None, None), |program| (program.name, program.url));
        let row = stored.row;
        let read = self.context.storage.read(&grant, move |tx| Box::pin(provenance::with_claim(tx, id.into())));
        let (Claim { note, metadata }, proven) = read.await?;
        let of = row.clone();
        let read = self.context.storage.read(&grant, move |tx| Box::pin(async move { approved_items(tx, &of).await }));
        let items = read.await?;
        let items: Vec<_> =
            items.into_iter().map(|item| ManifestItem { name: item.name, digest: Base64(item.digest) }).collect();
        let existing_signature = row.existing_signature.as_deref().map(str::parse).transpose();
        let request = SubmitRequest {
            name: row.name,
            service_uuid: row.service_id.into(),
            policy_uuid: row.policy_id.into(),
            with_page_hashes: payload.is_some() && page_hashes.is_some(),
            page_hashes: page_hashes.filter(|_| payload.is_none()).map(Base64),
            digest: (payload.is_none() && items.is_empty()).then_some(Base64(row.digest)),
            items: (!items.is_empty()).then_some(items),
            upload_data: payload,
            program_name,
            program_url,
            existing_signature: existing_signature.map_err(Error::internal)?,
            note,
            metadata,
            provenance: proven.map(Proven::into_envelope),
        };
        self.submit(caller, request, Some(id)).await
    }
}
