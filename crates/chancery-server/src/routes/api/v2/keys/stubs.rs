//! The keys that there are.

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, keys::KeyStub};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The keys, by name.
#[utoipa::path(
    get,
    path = "/api/v2/keys/stubs",
    tag = "Keys",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<KeyStub>>)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<KeyStub>> {
    success(app.keys.key_stubs(&caller, &query).await?)
}
