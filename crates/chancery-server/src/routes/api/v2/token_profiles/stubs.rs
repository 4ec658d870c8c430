//! The token profiles that there are.

use axum::extract::State;
use chancery_types::wire::{Envelope, ListQuery, Results, token_profiles::TokenProfileStub};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The token profiles that there are, by name.
#[utoipa::path(
    get,
    path = "/api/v2/token-profiles/stubs",
    tag = "Tokenization",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<TokenProfileStub>>)),
)]
pub(crate) async fn stubs(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<TokenProfileStub>> {
    success(app.tokens.token_profile_stubs(&caller, &query).await?)
}
