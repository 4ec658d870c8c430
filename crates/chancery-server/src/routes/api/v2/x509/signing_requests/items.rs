//! The items of a manifest.

use axum::extract::State;
use chancery_types::{
    SigningRequestId,
    wire::{
        Envelope, Items,
        signing_requests::{ItemsQuery, SignedItem},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, Query},
};

/// The items of a manifest in their order, each with its signature once it is there; at most 1,000 at a time. Needs
/// Signing:Approve, or Signing:Submit for the own ones.
#[utoipa::path(
    get,
    path = "/api/v2/x509/signing-requests/{uuid}/items",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The signing request"), ItemsQuery),
    responses((status = 200, body = Envelope<Items<SignedItem>>)),
)]
pub(crate) async fn items(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
    Query(query): Query<ItemsQuery>,
) -> Answer<Items<SignedItem>> {
    success(app.signing.signing_items(&caller, id, query).await?)
}
