//! Signing services and requests.

use chancery_types::{
    PolicyId, ServiceId, SigningRequestId,
    wire::{
        Items, Results,
        service_details::Service,
        services::{DeployRequest, DeployedService},
        signing_requests::{
            ApproveRequest, Approved, ManifestItem, SignedItem, SigningRequest, SubmitRequest, Submitted,
        },
    },
};

use crate::{Client, ClientError, tokenization::escaped};

impl Client {
    /// Deploys a signing service.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn deploy(&self, request: &DeployRequest) -> Result<DeployedService, ClientError> {
        self.post("/cuserv/v1/services/deploy", request)
    }

    /// The signing services whose name contains `search`, with their policies.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn services(&self, search: &str) -> Result<Results<Service>, ClientError> {
        self.get(&format!("/api/v2/x509/services?search={}", escaped(search)))
    }

    /// Submits something to be signed.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn submit(&self, request: &SubmitRequest) -> Result<Submitted, ClientError> {
        self.post("/api/v2/x509/signing-requests", request)
    }

    /// Approves a request in the name of everybody in the session.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn approve(&self, id: SigningRequestId, request: &ApproveRequest) -> Result<Approved, ClientError> {
        self.post(&format!("/api/v2/x509/signing-requests/{id}/approve"), request)
    }

    /// Submits a manifest: named digests that are approved together and signed each by itself.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn submit_manifest(
        &self,
        name: &str,
        service: ServiceId,
        policy: PolicyId,
        items: Vec<ManifestItem>,
    ) -> Result<Submitted, ClientError> {
        self.submit(&SubmitRequest {
            name: name.to_owned(),
            service_uuid: service,
            policy_uuid: policy,
            upload_data: None,
            digest: None,
            items: Some(items),
            with_page_hashes: false,
            page_hashes: None,
            program_name: None,
            program_url: None,
            note: None,
            metadata: None,
            existing_signature: None,
        })
    }

    /// All items of a manifest in their order, with their signatures once they have them, and with the proofs that these
    /// are in the transparency log.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn signed_items(&self, id: SigningRequestId) -> Result<Vec<SignedItem>, ClientError> {
        let mut all = Vec::new();
        for page in 1.. {
            let path =
                format!("/api/v2/x509/signing-requests/{id}/items?page={page}&pageSize=1000&include=inclusionProof");
            let answer: Items<SignedItem> = self.get(&path)?;
            let last = answer.items.is_empty();
            all.extend(answer.items);
            if last || all.len() as u64 >= answer.total {
                break;
            }
        }
        Ok(all)
    }

    /// A signing request, with its signature once it has one.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn signing_request(&self, id: SigningRequestId) -> Result<SigningRequest, ClientError> {
        self.get(&format!("/api/v2/x509/signing-requests/{id}"))
    }
}
