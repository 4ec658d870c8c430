//! Lists the signing services, each in short.

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, services::ServiceStub};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The services that there are.
#[utoipa::path(
    get,
    path = "/api/v2/x509/services/stubs",
    tag = "Signing",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<ServiceStub>>)),
)]
pub(crate) async fn stubs(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<ServiceStub>> {
    success(app.signing.service_stubs(&caller, &query).await?)
}
