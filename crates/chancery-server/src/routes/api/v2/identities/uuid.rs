//! `/api/v2/identities/{uuid}`.

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{
        Empty, Envelope,
        identities::{Identity, PatchIdentity},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// An identity. Needs Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identities/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    responses((status = 200, body = Envelope<Identity>)),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
) -> Answer<Identity> {
    success(app.identities.identity(&caller, id).await?)
}

/// Renames an identity or replaces its roles. Needs Identity:Manage, and every permission of the roles added. What is
/// withdrawn ends at once, also in live sessions; what is added needs a new login.
#[utoipa::path(
    patch,
    path = "/api/v2/identities/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = PatchIdentity,
    responses((status = 200, body = Envelope<Identity>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    Body(body): Body<PatchIdentity>,
) -> Answer<Identity> {
    success(app.identities.change_identity(&caller, id, body).await?)
}

/// Deletes an identity and ends its sessions. Needs Identity:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/identities/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
) -> Answer<Empty> {
    success(app.identities.delete_identity(&caller, id).await?)
}
