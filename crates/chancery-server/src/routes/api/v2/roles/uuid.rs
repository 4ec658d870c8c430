//! `/api/v2/roles/{uuid}`.

use axum::extract::State;
use chancery_types::{
    RoleId,
    wire::{
        Empty, Envelope,
        roles::{PatchRole, Role},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// A role. Needs Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/roles/{uuid}",
    tag = "Roles",
    params(("uuid" = RoleId, Path, description = "The role")),
    responses((status = 200, body = Envelope<Role>)),
)]
pub(crate) async fn read(State(app): State<App>, caller: Authenticated, InPath(id): InPath<RoleId>) -> Answer<Role> {
    success(app.identities.role(&caller, id).await?)
}

/// Changes a role of one's own making. Needs Identity:Manage, and every permission that is added.
#[utoipa::path(
    patch,
    path = "/api/v2/roles/{uuid}",
    tag = "Roles",
    params(("uuid" = RoleId, Path, description = "The role")),
    request_body = PatchRole,
    responses((status = 200, body = Envelope<Role>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<RoleId>,
    Body(body): Body<PatchRole>,
) -> Answer<Role> {
    success(app.identities.change_role(&caller, id, body).await?)
}

/// Deletes a role that nobody holds. Needs Identity:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/roles/{uuid}",
    tag = "Roles",
    params(("uuid" = RoleId, Path, description = "The role")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete(State(app): State<App>, caller: Authenticated, InPath(id): InPath<RoleId>) -> Answer<Empty> {
    success(app.identities.delete_role(&caller, id).await?)
}
