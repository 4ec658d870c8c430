//! `/api/v2/identities/{uuid}/api-keys/{keyUuid}`.

use axum::extract::State;
use chancery_types::{
    ApiKeyId, IdentityId,
    wire::{
        Empty, Envelope,
        api_keys::{ApiKey, PatchApiKey},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, BothInPath},
};

/// Changes an API key's name, end, networks or scope. A session of one person alone that began with a password may change
/// its own; others need Identity:Manage, and every permission that the identity holds.
#[utoipa::path(
    patch,
    path = "/api/v2/identities/{uuid}/api-keys/{keyUuid}",
    tag = "Identities",
    params(
        ("uuid" = IdentityId, Path, description = "The identity"),
        ("keyUuid" = ApiKeyId, Path, description = "The API key"),
    ),
    request_body = PatchApiKey,
    responses((status = 200, body = Envelope<ApiKey>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, key): BothInPath<IdentityId, ApiKeyId>,
    Body(body): Body<PatchApiKey>,
) -> Answer<ApiKey> {
    success(app.identities.change_api_key(&caller, id, key, body).await?)
}

/// Deletes an API key, and ends the sessions that it began. Whoever shows the key as the bearer of this call may delete it,
/// and so may a session of one person alone that began with a password, its own; others need Identity:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/identities/{uuid}/api-keys/{keyUuid}",
    tag = "Identities",
    params(
        ("uuid" = IdentityId, Path, description = "The identity"),
        ("keyUuid" = ApiKeyId, Path, description = "The API key"),
    ),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, key): BothInPath<IdentityId, ApiKeyId>,
) -> Answer<Empty> {
    success(app.identities.delete_api_key(&caller, id, key).await?)
}
