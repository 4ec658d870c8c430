//! `/api/v2/x509/services`.

pub(crate) mod issuance_policy;
pub(crate) mod renew;
pub(crate) mod revoke;
pub(crate) mod signing_policies;
pub(crate) mod signing_requests;
pub(crate) mod stubs;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, service_details::Service};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The services with their signing policies and certificates.
#[utoipa::path(
    get,
    path = "/api/v2/x509/services",
    tag = "Signing",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<Service>>)),
)]
pub(crate) async fn list_services(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<Service>> {
    success(app.signing.services(&caller, &query).await?)
}
