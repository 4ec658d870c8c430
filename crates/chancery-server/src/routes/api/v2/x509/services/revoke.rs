//! Revoking a service's certificate.

use axum::extract::State;
use chancery_types::{
    ServiceId,
    wire::{
        Envelope,
        x509::{Certificate, RevokeCertificate},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Revokes a service's certificate, or puts it on hold (`certificateHold`); the service then signs no more. Needs
/// CertManage:Manage and two persons.
#[utoipa::path(
    post,
    path = "/api/v2/x509/services/{serviceUuid}/revoke",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    request_body = RevokeCertificate,
    responses((status = 200, body = Envelope<Certificate>)),
)]
pub(crate) async fn revoke_service(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
    Body(request): Body<RevokeCertificate>,
) -> Answer<Certificate> {
    success(app.signing.revoke_service(&caller, service, request).await?)
}
