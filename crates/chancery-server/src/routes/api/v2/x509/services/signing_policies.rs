//! The signing policies of a service.

use axum::extract::State;
use chancery_types::{
    ServiceId,
    wire::{Envelope, Items, signing_policies::SigningPolicy},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
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
    success(app.signing_policies(&caller, service).await?)
}
