//! Signing services, their policies, and what is signed.

use chancery_types::{
    PolicyId, ServiceId, SigningRequestId,
    wire::{
        Empty, Items, ListQuery, Results,
        passkeys::ApprovalStatements,
        service_details::Service,
        services::{
            ChangeService, ChangedService, DeployRequest, DeployedService, RenewService, RenewedService, ServiceStub,
        },
        signing_policies::{ChangeSigningPolicy, CreateSigningPolicy, PolicyBudgets, SigningPolicy},
        signing_requests::{
            ApproveRequest, Approved, BatchDecideRequest, BatchDecided, DecideRequest, Denied, Include, ItemsQuery,
            ManifestItem, SignedItem, SigningRequest, SigningRequestQuery, SigningRequestStub, SubmitRequest,
            Submitted,
        },
        x509::{Certificate, RevokeCertificate},
    },
};

use crate::{Client, ClientError};

super::operations! {
    OPERATIONS:
    /// Deploys a signing service.
    POST "/cuserv/v1/services/deploy" => deploy() [< DeployRequest] -> DeployedService;
    /// The services with their policies.
    GET "/api/v2/x509/services" => services() [? ListQuery] -> Results<Service>;
    /// The services' names.
    GET "/api/v2/x509/services/stubs" => service_stubs() [? ListQuery] -> Results<ServiceStub>;
    /// A service with its policies.
    GET "/api/v2/x509/services/{id}" => service(id: ServiceId) -> Service;
    /// Changes a time-stamping authority.
    PATCH "/api/v2/x509/services/{id}" => change_service(id: ServiceId) [< ChangeService] -> ChangedService;
    /// Gives a service a new certificate and key.
    POST "/api/v2/x509/services/{id}/renew" => renew_service(id: ServiceId) [< RenewService] -> RenewedService;
    /// Revokes a service's certificate.
    POST "/api/v2/x509/services/{id}/revoke" => revoke_service(id: ServiceId) [< RevokeCertificate] -> Certificate;
    /// A service's policies.
    GET "/api/v2/x509/services/{id}/signing-policies" => signing_policies(id: ServiceId) -> Items<SigningPolicy>;
    /// Gives a service another policy.
    POST "/api/v2/x509/services/{id}/signing-policies"
        => create_signing_policy(id: ServiceId) [< CreateSigningPolicy] -> SigningPolicy;
    /// A policy.
    GET "/api/v2/x509/signing-policies/{id}" => signing_policy(id: PolicyId) -> SigningPolicy;
    /// What of a policy's budgets is used now.
    GET "/api/v2/x509/signing-policies/{id}/budgets" => signing_policy_budgets(id: PolicyId) -> PolicyBudgets;
    /// Changes a policy, or proposes it.
    PATCH "/api/v2/x509/signing-policies/{id}"
        => change_signing_policy(id: PolicyId) [< ChangeSigningPolicy] -> SigningPolicy;
    /// Submits something to be signed.
    POST "/api/v2/x509/signing-requests" => submit() [< SubmitRequest] -> Submitted;
    /// The signing requests, the newest first.
    GET "/api/v2/x509/signing-requests" => signing_requests() [? SigningRequestQuery] -> Items<SigningRequestStub>;
    /// Those of one service.
    GET "/api/v2/x509/services/{id}/signing-requests"
        => signing_requests_of(id: ServiceId) [? SigningRequestQuery] -> Items<SigningRequestStub>;
    /// A signing request, with its signature once it has one.
    GET "/api/v2/x509/signing-requests/{id}" => signing_request(id: SigningRequestId) -> SigningRequest;
    /// What each member of the session signs with a passkey to approve a request, where that is demanded.
    GET "/api/v2/x509/signing-requests/{id}/approval-statement"
        => approval_statement(id: SigningRequestId) -> ApprovalStatements;
    /// Approves a request in the name of everybody in the session.
    POST "/api/v2/x509/signing-requests/{id}/approve" => approve(id: SigningRequestId) [< ApproveRequest] -> Approved;
    /// Denies a request.
    POST "/api/v2/x509/signing-requests/{id}/deny" => deny(id: SigningRequestId) [< DecideRequest] -> Denied;
    /// Takes one's own request back.
    POST "/api/v2/x509/signing-requests/{id}/withdraw" => withdraw(id: SigningRequestId) [< DecideRequest] -> Denied;
    /// Submits a failed request again.
    POST "/api/v2/x509/signing-requests/{id}/repeat" => repeat(id: SigningRequestId) [< Empty] -> Submitted;
    /// Decides on several requests.
    POST "/api/v2/x509/signing-requests/batch-approve-deny"
        => decide_requests() [< BatchDecideRequest] -> BatchDecided;
    /// Items of a manifest, a page of them.
    GET "/api/v2/x509/signing-requests/{id}/items"
        => signed_items_page(id: SigningRequestId) [? ItemsQuery] -> Items<SignedItem>;
}

impl Client {
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
        self.submit(&SubmitRequest { items: Some(items), ..SubmitRequest::new(name.to_owned(), service, policy) })
    }

    /// A signing request with a part that is answered on demand only.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn signing_request_with(&self, id: SigningRequestId, include: Include) -> Result<SigningRequest, ClientError> {
        self.get(&format!("/api/v2/x509/signing-requests/{id}?include={include}"))
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

    /// The signed file of a request whose file was uploaded, in a format whose signatures go into files.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn signed_file(&self, id: SigningRequestId) -> Result<Vec<u8>, ClientError> {
        self.body("GET", &format!("/api/v2/x509/signing-requests/{id}/signed/download"), None)
    }
}
