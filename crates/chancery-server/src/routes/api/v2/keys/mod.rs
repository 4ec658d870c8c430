//! `/api/v2/keys`.

pub(crate) mod disable;
pub(crate) mod enable;
pub(crate) mod rotate;
pub(crate) mod stubs;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    keys::{CreateKey, Key},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, NotedBody},
};

/// Makes a data key.
#[utoipa::path(
    post,
    path = "/api/v2/keys",
    tag = "Keys",
    request_body = CreateKey,
    responses((status = 200, body = Envelope<Key>)),
)]
pub(crate) async fn create(
    State(app): State<App>,
    caller: Authenticated,
    NotedBody(request, unknown): NotedBody<CreateKey>,
) -> Answer<Key> {
    let key = app.keys.create_key(&caller, request).await?;
    success(Key { warnings: unknown, ..key })
}
