//! The signing policies of a service.

use axum::extract::State;
use chancery_types::{
    ServiceId,
    wire::{
        Envelope, Items,
        signing_policies::{CreateSigningPolicy, SigningPolicy},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// The signing policies of a service.
#[utoipa::path(
    get,
    path = "/api/v2/x509/services/{serviceUuid}/signing-policies",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    responses((status = 200, body = Envelope<Items<SigningPolicy>>)),
)]
pub(crate) async fn signing_policies(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
) -> Answer<Items<SigningPolicy>> {
    success(app.signing.signing_policies(&caller, service).await?)
}

/// Adds a policy to a service, at least as strict as those that are there. Needs Services:Deploy.
#[utoipa::path(
    post,
    path = "/api/v2/x509/services/{serviceUuid}/signing-policies",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    request_body = CreateSigningPolicy,
    responses((status = 200, body = Envelope<SigningPolicy>)),
)]
pub(crate) async fn create_signing_policy(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
    Body(body): Body<CreateSigningPolicy>,
) -> Answer<SigningPolicy> {
    success(app.signing.create_signing_policy(&caller, service, body).await?)
}
