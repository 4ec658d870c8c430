//! The key types that there are.

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, key_types::KeyTypeStub};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty},
};

/// The key types, by name; page and filter are members of the body, which may be empty.
#[utoipa::path(
    post,
    path = "/api/v2/key-types/stubs",
    tag = "Keys",
    request_body = Option<ListQuery>,
    responses((status = 200, body = Envelope<Results<KeyTypeStub>>)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Authenticated,
    BodyOrEmpty(query): BodyOrEmpty<ListQuery>,
) -> Answer<Results<KeyTypeStub>> {
    success(app.keys.key_type_stubs(&caller, &query).await?)
}
