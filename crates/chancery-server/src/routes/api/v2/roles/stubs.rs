//! `/api/v2/roles/stubs`.

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, roles::RoleStub};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The roles that there are.
#[utoipa::path(
    get,
    path = "/api/v2/roles/stubs",
    tag = "Roles",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<RoleStub>>)),
)]
pub(crate) async fn stubs(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<RoleStub>> {
    success(app.identities.role_stubs(&caller, &query).await?)
}
