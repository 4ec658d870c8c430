//! One key.

use axum::extract::State;
use chancery_types::{
    KeyId,
    wire::{
        Envelope,
        keys::{Key, PatchKey},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, NotedBody},
};

/// A key; its secret is never answered.
#[utoipa::path(
    get,
    path = "/api/v2/keys/{uuid}",
    tag = "Keys",
    params(("uuid" = KeyId, Path, description = "the key")),
    responses((status = 200, body = Envelope<Key>)),
)]
pub(crate) async fn read(State(app): State<App>, caller: Authenticated, InPath(id): InPath<KeyId>) -> Answer<Key> {
    success(app.keys.key(&caller, id).await?)
}

/// Renames a key, or changes what it may be used for.
#[utoipa::path(
    patch,
    path = "/api/v2/keys/{uuid}",
    tag = "Keys",
    params(("uuid" = KeyId, Path, description = "the key")),
    request_body = PatchKey,
    responses((status = 200, body = Envelope<Key>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<KeyId>,
    NotedBody(request, unknown): NotedBody<PatchKey>,
) -> Answer<Key> {
    let key = app.keys.change_key(&caller, id, request).await?;
    success(Key { warnings: unknown, ..key })
}
