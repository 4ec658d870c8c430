//! Turning one token back.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{DetokenizationResponse, DetokenizeRequest},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Turns a token back into its message: in clear, or masked where only a PartialDetokenize rule allows the caller.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/detokenize",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = DetokenizeRequest,
    responses((status = 200, body = Envelope<DetokenizationResponse>)),
)]
pub(crate) async fn detokenize(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<DetokenizeRequest>,
) -> Answer<DetokenizationResponse> {
    success(app.tokens.detokenize(&caller, id, request).await?)
}
