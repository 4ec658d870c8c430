//! `/api/v2/identity-bindings/{uuid}`.

use axum::extract::State;
use chancery_types::{
    IdentityBindingId,
    wire::{Empty, Envelope, identity_providers::IdentityBinding},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
};

/// A binding of an identity to tokens of a provider. Needs Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identity-bindings/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityBindingId, Path, description = "The binding")),
    responses((status = 200, body = Envelope<IdentityBinding>)),
)]
pub(crate) async fn read_binding(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityBindingId>,
) -> Answer<IdentityBinding> {
    success(app.identities.identity_binding(&caller, id).await?)
}

/// Removes a binding, and ends the sessions of its identity. Needs Identity:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/identity-bindings/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityBindingId, Path, description = "The binding")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete_binding(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityBindingId>,
) -> Answer<Empty> {
    success(app.identities.delete_identity_binding(&caller, id).await?)
}
