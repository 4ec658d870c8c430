//! Adds a version to a data key.

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

/// Adds a version to a data key. A token profile that uses it goes on with the version that it names, until its
/// keyVersion is changed.
#[utoipa::path(
    post,
    path = "/api/v2/keys/{uuid}/rotate",
    tag = "Keys",
    params(("uuid" = KeyId, Path, description = "the key")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<Key>)),
)]
pub(crate) async fn rotate(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<KeyId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<Key> {
    success(app.keys.rotate_key(&caller, id).await?)
}
