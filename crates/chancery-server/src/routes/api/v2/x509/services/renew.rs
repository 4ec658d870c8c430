//! Renewing a service's signing certificate.

use axum::extract::State;
use chancery_types::{
    ServiceId,
    wire::{
        Envelope,
        services::{RenewService, RenewedService},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Gives a service a new certificate with a new key of the same kind; its uuid and its policies stay. Needs
/// Services:Deploy.
///
/// Where the issuer demands approvals, the certificate waits for them, and the service keeps what it has.
#[utoipa::path(
    post,
    path = "/api/v2/x509/services/{serviceUuid}/renew",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    request_body = Option<RenewService>,
    responses((status = 200, body = Envelope<RenewedService>)),
)]
pub(crate) async fn renew(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
    BodyOrEmpty(body): BodyOrEmpty<RenewService>,
) -> Answer<RenewedService> {
    success(app.signing.renew_service(&caller, service, body).await?)
}
