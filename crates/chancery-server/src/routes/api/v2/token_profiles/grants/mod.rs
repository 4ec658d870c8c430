//! `/api/v2/token-profiles/{uuid}/grants`: approvals of detokenizing in full. They are given as those of other proposals
//! are, below `/api/v2/x509/proposals`.

pub(crate) mod grant_uuid;
pub(crate) mod revoke;

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope, Items,
        proposals::Proposed,
        token_profiles::{DetokenizeGrant, GrantQuery, RequestGrant},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath, Query},
};

/// Asks for approvals of detokenizing in full: of listed tokens, or of any of the profile, so many values for so long.
/// Needs a Control Rule for Detokenize that demands approvals.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/grants",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "The token profile")),
    request_body = RequestGrant,
    responses((status = 200, body = Envelope<Proposed>)),
)]
pub(crate) async fn request_grant(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<RequestGrant>,
) -> Answer<Proposed> {
    success(app.tokens.request_grant(&caller, id, request).await?)
}

/// The grants of the profile, and the requests for them, by their reasons: those of the caller; with Signing:Approve,
/// Tokenization:Manage or Audit:Read all of them.
#[utoipa::path(
    get,
    path = "/api/v2/token-profiles/{uuid}/grants",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "The token profile"), GrantQuery),
    responses((status = 200, body = Envelope<Items<DetokenizeGrant>>)),
)]
pub(crate) async fn list_grants(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Query(query): Query<GrantQuery>,
) -> Answer<Items<DetokenizeGrant>> {
    success(app.tokens.grants(&caller, id, query).await?)
}
