//! The signing requests of a service.

use axum::extract::State;
use chancery_types::{
    ServiceId,
    wire::{
        Envelope, Items,
        signing_requests::{SigningRequestQuery, SigningRequestStub},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, Query},
};

/// The signing requests of a service that the caller may see. Needs Signing:Submit or Signing:Approve.
#[utoipa::path(
    get,
    path = "/api/v2/x509/services/{serviceUuid}/signing-requests",
    tag = "Signing",
    params(("serviceUuid" = ServiceId, Path, description = "The service"), SigningRequestQuery),
    responses((status = 200, body = Envelope<Items<SigningRequestStub>>)),
)]
pub(crate) async fn signing_requests(
    State(app): State<App>,
    caller: Authenticated,
    InPath(service): InPath<ServiceId>,
    Query(query): Query<SigningRequestQuery>,
) -> Answer<Items<SigningRequestStub>> {
    success(app.signing.signing_requests_of_service(&caller, service, query).await?)
}
