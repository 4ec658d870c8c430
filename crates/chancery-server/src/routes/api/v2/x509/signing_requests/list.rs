//! The signing requests that there are.

use axum::extract::State;
use chancery_types::wire::{
    Envelope, Items,
    signing_requests::{SigningRequestQuery, SigningRequestStub},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The signing requests that the caller may see: approvers all of them, others the own ones. Needs Signing:Submit or
/// Signing:Approve.
#[utoipa::path(
    get,
    path = "/api/v2/x509/signing-requests",
    tag = "Signing",
    params(SigningRequestQuery),
    responses((status = 200, body = Envelope<Items<SigningRequestStub>>)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<SigningRequestQuery>,
) -> Answer<Items<SigningRequestStub>> {
    success(app.signing.signing_requests(&caller, query).await?)
}
