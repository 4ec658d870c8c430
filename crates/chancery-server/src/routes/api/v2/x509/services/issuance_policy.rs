//! The approval that the certificates of a service need.

use axum::extract::State;
use chancery_types::{
    ServiceId,
    wire::{
        Envelope,
        service_details::{IssuancePolicy, PatchIssuancePolicy},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// The approval that the certificates of a service need: what their issuer demands of everything that it issues.
#[utoipa::path(
    get,
    path = "/api/v2/x509/services/{serviceUuid}/issuance-policy",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    responses((status = 200, body = Envelope<IssuancePolicy>)),
)]
pub(crate) async fn issuance_policy(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
) -> Answer<IssuancePolicy> {
    success(app.signing.issuance_policy(&caller, service).await?)
}

/// Changes it, as `PUT /api/v2/x509/{uuid}/approval` of the issuer does: where approvals are demanded now, so does the
/// change, which is then a proposal. Needs CertManage:Manage.
#[utoipa::path(
    patch,
    path = "/api/v2/x509/services/{serviceUuid}/issuance-policy",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    request_body = PatchIssuancePolicy,
    responses((status = 200, body = Envelope<IssuancePolicy>)),
)]
pub(crate) async fn change_issuance_policy(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
    Body(request): Body<PatchIssuancePolicy>,
) -> Answer<IssuancePolicy> {
    success(app.signing.change_issuance_policy(&caller, service, request).await?)
}
