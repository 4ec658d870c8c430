//! Signing services and requests.

use chancery_types::{
    SigningRequestId,
    wire::{
        services::{DeployRequest, DeployedService},
        signing_requests::{SigningRequest, SubmitRequest, Submitted},
    },
};

use crate::{Client, ClientError};

impl Client {
    /// Deploys a signing service.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn deploy(&self, request: &DeployRequest) -> Result<DeployedService, ClientError> {
        self.post("/cuserv/v1/services/deploy", request)
    }

    /// Submits something to be signed.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn submit(&self, request: &SubmitRequest) -> Result<Submitted, ClientError> {
        self.post("/api/v2/x509/signing-requests", request)
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
