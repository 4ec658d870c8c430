//! One service.

use axum::extract::State;
use chancery_types::{
    ServiceId,
    wire::{
        Envelope,
        service_details::Service,
        services::{ChangeService, ChangedService},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// A service with its signing policies and its certificate.
#[utoipa::path(
    get,
    path = "/api/v2/x509/services/{serviceUuid}",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    responses((status = 200, body = Envelope<Service>)),
)]
pub(crate) async fn read_service(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
) -> Answer<Service> {
    success(app.signing.service(&caller, service).await?)
}

/// Changes a time-stamping authority: the policy that its stamps name, and whether it is the one that `/tsa` stands for.
/// Needs Services:Deploy. Its certificate is renewed; policies of signing services are changed by themselves.
#[utoipa::path(
    patch,
    path = "/api/v2/x509/services/{serviceUuid}",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service")),
    request_body = ChangeService,
    responses((status = 200, body = Envelope<ChangedService>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
    Body(body): Body<ChangeService>,
) -> Answer<ChangedService> {
    success(app.signing.change_service(&caller, service, body).await?)
}
