//! Removing a token.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{Empty, Envelope, token_profiles::TokenRequest},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Removes a token of a Random profile, and its message with it; nothing brings them back. Needs Tokenization:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/tokens/delete",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = TokenRequest,
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete_token(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<TokenRequest>,
) -> Answer<Empty> {
    app.tokens.delete_token(&caller, id, request).await?;
    success(Empty {})
}
