//! Reading signing requests. Approvers see all of them; whoever may only submit sees the own ones.

use chancery_store::tables;
use chancery_types::{
    Action, Base64, Perm, ServiceId, SigningRequestId, SigningRequestState,
    wire::{
        Items, ListQuery,
        signing_requests::{Include, SigningRequest, SigningRequestQuery, SigningRequestStub},
    },
};
use serde_json::{Value, json};

use super::{
    claim::{Claim, pairs},
    contents::OnDemand,
    provenance::{self, Proven},
    service::Service,
    stored_request::{self, StoredRequest},
};
use crate::{
    Caller, Error, Event, Grant, Result, Signing,
    base::list::{Page, items},
    log::inclusion_proof,
};

/// What lets somebody read requests.
const READERS: [Perm; 2] = [Perm::SigningApprove, Perm::SigningSubmit];

impl Signing {
    /// One signing request in full.
    pub async fn signing_request(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        include: Option<Include>,
    ) -> Result<SigningRequest> {
        let (grant, stored) = self.readable_request(caller, id).await?;
        let OnDemand { payload, contents, changes } = self.on_demand(caller, &grant, &stored, include).await?;
        if let Some(payload) = &payload {
            let (name, digest) = (&stored.row.name, hex::encode(&stored.row.digest));
            let detail = json!({"name": name, "digest": digest, "bytes": payload.len(), "signed": false});
            self.tell_of_download(&grant, id, detail).await?;
        }
        let proof = match stored.row.signature {
            Some(_) => self.context.storage.read(&grant, move |tx| Box::pin(inclusion_proof(tx, id.into()))).await?,
            None => None,
        };
        let page_hashes = self.stored_page_hashes(&grant, &stored).await?;
        let program = self.stored_program(&grant, &stored).await?;
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let (claim, proven) = provenance::with_claim(tx, id.into()).await?;
                Ok::<_, Error>((claim, proven, tables::signing_requests::payload_size(tx, id.into()).await?))
            })
        });
        let (Claim { note, metadata }, proven, upload_size) = read.await?;
        let upload_size = upload_size.map(u64::try_from).transpose().map_err(Error::internal)?;
        let shown = proven.as_ref().map(|proven| proven.shown.clone());
        let provenance_envelope = proven.filter(|_| include == Some(Include::Provenance)).map(Proven::into_envelope);
        let approval_digest = self.approval_digest(&grant, &stored, page_hashes.as_deref(), program.as_ref()).await?;
        let facts = stored.facts(self.context.hardened, self.context.clock.now_ms());
        let detail = stored.detail(payload, approval_digest, proof, (&facts, caller));
        let (program_name, program_url) = program.map_or((None, None), |program| (program.name, program.url));
        let page_hashes = page_hashes.map(Base64);
        Ok(SigningRequest {
            page_hashes,
            program_name,
            program_url,
            note,
            metadata,
            provenance: shown,
            provenance_envelope,
            upload_size,
            contents,
            manifest_changes: changes,
            ..detail
        })
    }

    /// Records that a file is given out, before anybody has it.
    pub(super) async fn tell_of_download(&self, grant: &Grant, id: SigningRequestId, detail: Value) -> Result<()> {
        let event = Event::new(Action::SigningRequestDownload).on(uuid::Uuid::from(id)).detail(detail);
        self.context.commit(grant, event, |_| Box::pin(async { Ok(()) })).await
    }

    /// A request that the caller may read, and the evidence of it.
    pub(super) async fn readable_request(
        &self,
        caller: &Caller,
        id: SigningRequestId,
    ) -> Result<(Grant, StoredRequest)> {
        let grant = self.context.grant_any(caller, &READERS, Action::SigningRequestRead, Some(id.into())).await?;
        let stored = self.context.storage.read(&grant, move |tx| Box::pin(StoredRequest::load(tx, id))).await?;
        if let Err(refusal) = may_read(caller, &grant, &stored) {
            let event = Event::new(Action::SigningRequestRead).on(uuid::Uuid::from(id));
            return Err(self.context.refused(caller, event, refusal).await);
        }
        Ok((grant, stored))
    }

    /// The signing requests that the caller may see.
    pub async fn signing_requests(
        &self,
        caller: &Caller,
        query: SigningRequestQuery,
    ) -> Result<Items<SigningRequestStub>> {
        let grant = self.context.grant_any(caller, &READERS, Action::SigningRequestRead, None).await?;
        self.list_requests(caller, &grant, None, query).await
    }

    /// The signing requests of one service that the caller may see.
    pub async fn signing_requests_of_service(
        &self,
        caller: &Caller,
        service: ServiceId,
        query: SigningRequestQuery,
    ) -> Result<Items<SigningRequestStub>> {
        let grant = self.context.grant_any(caller, &READERS, Action::SigningRequestRead, Some(service.into())).await?;
        self.list_requests(caller, &grant, Some(service), query).await
    }

    async fn list_requests(
        &self,
        caller: &Caller,
        grant: &Grant,
        service: Option<ServiceId>,
        query: SigningRequestQuery,
    ) -> Result<Items<SigningRequestStub>> {
        let SigningRequestQuery { state, pre_approval_uuid, page, page_size, after, search, metadata } = query;
        let page = Page::of(&ListQuery { page, page_size, after, search }, &self.context.limits)?;
        if let Err(refusal) = caller.check_requests_of(service) {
            let event = Event::new(Action::SigningRequestRead).on(service.map(uuid::Uuid::from));
            return Err(self.context.refused(caller, event, refusal).await);
        }
        if metadata.as_ref().is_some_and(|metadata| metadata.len() > self.context.limits.lists.metadata_members_max) {
            let max = self.context.limits.lists.metadata_members_max;
            return Err(Error::value("/metadata", format!("At most {max} members of the metadata are looked for.")));
        }
        let own = || caller.members().iter().map(|member| member.id.into()).collect();
        let now_ms = self.context.clock.now_ms();
        // What waited too long is stored as waiting and has failed.
        let failed = state == Some(SigningRequestState::Failed);
        let filter = tables::signing_requests::Filter {
            service_id: service.map(uuid::Uuid::from),
            pre_approval_id: pre_approval_uuid.map(uuid::Uuid::from),
            state: state.filter(|_| !failed).map(|state| state.as_str().to_owned()),
            unexpired_at_ms: (state == Some(SigningRequestState::Approval)).then_some(now_ms),
            failed_at_ms: failed.then_some(now_ms),
            search: page.term(),
            pairs: metadata.as_ref().map(pairs).unwrap_or_default(),
            submitters: (!sees_all(grant)).then(own),
        };
        let rows = page.rows();
        let read = self.context.read_list(caller, grant, move |tx| {
            Box::pin(async move {
                if let Some(service) = service {
                    Service::load(tx, service).await?.ok_or_else(|| Error::not_found("signing service"))?;
                }
                let listed = tables::signing_requests::list(tx, filter, &rows).await?;
                let ids: Vec<_> = listed.rows.iter().map(|row| row.id).collect();
                let claims = Claim::of(tx, &ids).await?;
                Ok((listed, claims))
            })
        });
        let (listed, mut claims) = read.await?;
        items(listed, |row| {
            let claim = claims.remove(&row.id).unwrap_or_default();
            stored_request::stub(row, claim, now_ms)
        })
    }
}

/// Refuses a request of others to whoever is no approver, and of another policy to a key that is restricted.
pub(super) fn may_read(caller: &Caller, grant: &Grant, stored: &StoredRequest) -> Result<()> {
    if !sees_all(grant) && !stored.was_submitted_by(caller.members().iter().map(|member| member.id)) {
        return Err(Error::forbidden("Only approvers and those who submitted this request may read it."));
    }
    caller.check_policy(stored.row.service_id.into(), stored.row.policy_id.into())
}

pub(super) fn sees_all(grant: &Grant) -> bool {
    grant.perm() == Some(Perm::SigningApprove)
}
