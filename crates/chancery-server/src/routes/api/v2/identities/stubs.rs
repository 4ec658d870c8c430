//! `/api/v2/identities/stubs`.

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, identities::IdentityStub};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The identities that there are.
#[utoipa::path(
    get,
    path = "/api/v2/identities/stubs",
    tag = "Identities",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<IdentityStub>>)),
)]
pub(crate) async fn stubs(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<IdentityStub>> {
    success(app.identities.identity_stubs(&caller, &query).await?)
}
