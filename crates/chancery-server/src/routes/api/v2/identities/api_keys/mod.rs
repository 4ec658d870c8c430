//! `/api/v2/identities/{uuid}/api-keys`.

pub(crate) mod key_uuid;
pub(crate) mod rotate;

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{
        Envelope,
        api_keys::{ApiKeyCreated, ApiKeys, CreateApiKey},
    },
};

use crate::{
    answer::{Answer, secret, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// All API keys of an identity, by name. A session of this identity alone that no key began may ask for its own; others
/// need Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identities/{uuid}/api-keys",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    responses((status = 200, body = Envelope<ApiKeys>)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
) -> Answer<ApiKeys> {
    success(app.identities.api_keys(&caller, id).await?)
}

/// Makes an API key; its secret is answered this once. A session of one person alone that began with a password may make
/// its own; others need Identity:Manage, and every permission that the identity holds.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/api-keys",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = CreateApiKey,
    responses((status = 200, body = Envelope<ApiKeyCreated>)),
)]
pub(crate) async fn create(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    Body(body): Body<CreateApiKey>,
) -> Answer<ApiKeyCreated> {
    secret(app.identities.create_api_key(&caller, id, body).await?)
}
