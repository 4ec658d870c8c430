//! `/api/v2/identity-providers/{uuid}`.

use axum::extract::State;
use chancery_types::{
    IdentityProviderId,
    wire::{
        Empty, Envelope,
        identity_providers::{IdentityProvider, PatchIdentityProvider},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// An identity provider. Needs Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identity-providers/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityProviderId, Path, description = "The identity provider")),
    responses((status = 200, body = Envelope<IdentityProvider>)),
)]
pub(crate) async fn read_provider(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityProviderId>,
) -> Answer<IdentityProvider> {
    success(app.identities.identity_provider(&caller, id).await?)
}

/// Changes an identity provider, and ends the sessions of all identities that are bound to it, unless only its name changes.
/// Needs Identity:Manage, and every permission of these identities.
#[utoipa::path(
    patch,
    path = "/api/v2/identity-providers/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityProviderId, Path, description = "The identity provider")),
    request_body = PatchIdentityProvider,
    responses((status = 200, body = Envelope<IdentityProvider>)),
)]
pub(crate) async fn change_provider(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityProviderId>,
    Body(body): Body<PatchIdentityProvider>,
) -> Answer<IdentityProvider> {
    success(app.identities.change_identity_provider(&caller, id, body).await?)
}

/// Removes an identity provider that no identity is bound to. Needs Identity:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/identity-providers/{uuid}",
    tag = "Identities",
    params(("uuid" = IdentityProviderId, Path, description = "The identity provider")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete_provider(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityProviderId>,
) -> Answer<Empty> {
    success(app.identities.delete_identity_provider(&caller, id).await?)
}
