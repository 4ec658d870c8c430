//! Switches a key on again.

use axum::extract::State;
use chancery_types::{
    KeyId,
    wire::{Empty, Envelope, keys::Key},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Switches a key on again.
#[utoipa::path(
    post,
    path = "/api/v2/keys/{uuid}/enable",
    tag = "Keys",
    params(("uuid" = KeyId, Path, description = "the key")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<Key>)),
)]
pub(crate) async fn enable(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<KeyId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<Key> {
    success(app.keys.enable_key(&caller, id).await?)
}
