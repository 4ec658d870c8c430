//! What is kept beside the message of a token.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{TokenRecord, TokenRequest},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Metadata and times of a token of a Random profile, without its message. Needs a Control Rule for Detokenize.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/tokens/read",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = TokenRequest,
    responses((status = 200, body = Envelope<TokenRecord>)),
)]
pub(crate) async fn read_token(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<TokenRequest>,
) -> Answer<TokenRecord> {
    success(app.tokens.read_token(&caller, id, request).await?)
}
