//! Whether a message has a token.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{TokenizedRequest, TokenizedResponse},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Whether a message has a token in a deterministic Random profile; none is made. Needs a Control Rule for Detokenize.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/tokenized",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = TokenizedRequest,
    responses((status = 200, body = Envelope<TokenizedResponse>)),
)]
pub(crate) async fn tokenized(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<TokenizedRequest>,
) -> Answer<TokenizedResponse> {
    success(app.tokens.tokenized(&caller, id, request).await?)
}
