//! `/api/v2/identity-providers`.

pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope, ListQuery, Results,
    identity_providers::{CreateIdentityProvider, IdentityProvider},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, Query},
};

/// The identity providers whose tokens are taken. Needs Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identity-providers",
    tag = "Identities",
    params(ListQuery),
    responses((status = 200, body = Envelope<Results<IdentityProvider>>)),
)]
pub(crate) async fn list_providers(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<ListQuery>,
) -> Answer<Results<IdentityProvider>> {
    success(app.identities.identity_providers(&caller, &query).await?)
}

/// Has the tokens of an identity provider taken, once identities are bound to some of them. Needs Identity:Manage, which
/// takes two persons.
#[utoipa::path(
    post,
    path = "/api/v2/identity-providers",
    tag = "Identities",
    request_body = CreateIdentityProvider,
    responses((status = 200, body = Envelope<IdentityProvider>)),
)]
pub(crate) async fn create_provider(
    State(app): State<App>,
    caller: Authenticated,
    Body(body): Body<CreateIdentityProvider>,
) -> Answer<IdentityProvider> {
    success(app.identities.create_identity_provider(&caller, body).await?)
}
