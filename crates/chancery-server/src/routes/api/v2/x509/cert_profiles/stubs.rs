//! The certificate profiles that there are.

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, x509::CertProfileStub};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The certificate profiles, by name.
#[utoipa::path(
    get,
    path = "/api/v2/x509/cert-profiles/stubs",
    tag = "Certificates",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<CertProfileStub>>)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<CertProfileStub>> {
    success(app.pki.cert_profile_stubs(&caller, &query).await?)
}
