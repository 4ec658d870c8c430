//! Tokenizing one message.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{TokenizationResponse, TokenizeRequest},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Turns a message into its token. Needs a Control Rule for Tokenize, and a key whose usages contain Tokenize.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/tokenize",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = TokenizeRequest,
    responses((status = 200, body = Envelope<TokenizationResponse>)),
)]
pub(crate) async fn tokenize(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<TokenizeRequest>,
) -> Answer<TokenizationResponse> {
    success(app.tokens.tokenize(&caller, id, request).await?)
}
