//! `/api/v2/identity-bindings`.

pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope, Results,
    identity_providers::{CreateIdentityBinding, IdentityBinding, IdentityBindingQuery},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, Query},
};

/// Whose tokens of identity providers stand for which identities. Needs Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identity-bindings",
    tag = "Identities",
    params(IdentityBindingQuery),
    responses((status = 200, body = Envelope<Results<IdentityBinding>>)),
)]
pub(crate) async fn list_bindings(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<IdentityBindingQuery>,
) -> Answer<Results<IdentityBinding>> {
    success(app.identities.identity_bindings(&caller, query).await?)
}

/// Has tokens of an identity provider stand for an identity. Needs Identity:Manage, and every permission that the identity
/// holds.
#[utoipa::path(
    post,
    path = "/api/v2/identity-bindings",
    tag = "Identities",
    request_body = CreateIdentityBinding,
    responses((status = 200, body = Envelope<IdentityBinding>)),
)]
pub(crate) async fn create_binding(
    State(app): State<App>,
    caller: Authenticated,
    Body(body): Body<CreateIdentityBinding>,
) -> Answer<IdentityBinding> {
    success(app.identities.create_identity_binding(&caller, body).await?)
}
