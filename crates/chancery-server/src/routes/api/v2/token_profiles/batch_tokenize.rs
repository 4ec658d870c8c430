//! Tokenizing many messages.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{BatchTokenizationResponse, BatchTokenizeRequest},
    },
};

use crate::{
    answer::{BatchAnswer, batch},
    app::App,
    extract::{Authenticated, BatchBody, InPath},
};

/// Turns messages into their tokens, in the same order. Needs rules for Tokenize and for Batch.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/batch-tokenize",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = BatchTokenizeRequest,
    responses((status = 200, body = Envelope<BatchTokenizationResponse>)),
)]
pub(crate) async fn batch_tokenize(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    BatchBody(request, _room): BatchBody<BatchTokenizeRequest>,
) -> BatchAnswer<BatchTokenizationResponse> {
    batch(app.tokens.batch_tokenize(&caller, id, request).await?)
}
