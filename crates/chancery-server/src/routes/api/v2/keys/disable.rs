//! Switches a key off.

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

/// Switches a key off: nothing uses it until it is enabled again.
#[utoipa::path(
    post,
    path = "/api/v2/keys/{uuid}/disable",
    tag = "Keys",
    params(("uuid" = KeyId, Path, description = "the key")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<Key>)),
)]
pub(crate) async fn disable(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<KeyId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<Key> {
    success(app.keys.disable_key(&caller, id).await?)
}
