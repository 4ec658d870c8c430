//! `/api/v2/identities/{uuid}/api-keys/{keyUuid}/rotate`.

use axum::extract::State;
use chancery_types::{
    ApiKeyId, IdentityId,
    wire::{
        Envelope,
        api_keys::{ApiKeyCreated, RotateApiKey},
    },
};

use crate::{
    answer::{Answer, secret},
    app::App,
    extract::{Authenticated, BodyOrEmpty, BothInPath},
};

/// Gives an API key a new secret, which is answered this once. The one of before goes on for a set time. Whoever shows the
/// key as the bearer of this call may rotate it, and so may a session of one person alone that began with a password, its
/// own; others need Identity:Manage, and every permission that the identity holds.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/api-keys/{keyUuid}/rotate",
    tag = "Identities",
    params(
        ("uuid" = IdentityId, Path, description = "The identity"),
        ("keyUuid" = ApiKeyId, Path, description = "The API key"),
    ),
    request_body = Option<RotateApiKey>,
    responses((status = 200, body = Envelope<ApiKeyCreated>)),
)]
pub(crate) async fn rotate(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, key): BothInPath<IdentityId, ApiKeyId>,
    BodyOrEmpty(body): BodyOrEmpty<RotateApiKey>,
) -> Answer<ApiKeyCreated> {
    secret(app.identities.rotate_api_key(&caller, id, key, body).await?)
}
