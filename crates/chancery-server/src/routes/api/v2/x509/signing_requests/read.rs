//! One signing request in full.

use axum::extract::State;
use chancery_types::{
    SigningRequestId,
    wire::{
        Envelope,
        signing_requests::{SigningRequest, SigningRequestInclude},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, Query},
};

/// One signing request in full, with its signature once it is there. Needs Signing:Approve, or Signing:Submit for the own
/// ones.
#[utoipa::path(
    get,
    path = "/api/v2/x509/signing-requests/{uuid}",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The signing request"), SigningRequestInclude),
    responses((status = 200, body = Envelope<SigningRequest>)),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
    Query(query): Query<SigningRequestInclude>,
) -> Answer<SigningRequest> {
    success(app.signing.signing_request(&caller, id, query.include).await?)
}
