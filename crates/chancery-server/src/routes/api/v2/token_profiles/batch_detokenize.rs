//! Turning many tokens back.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{BatchDetokenizationResponse, BatchDetokenizeRequest},
    },
};

use crate::{
    answer::{BatchAnswer, batch},
    app::App,
    extract::{Authenticated, BatchBody, InPath},
};

/// Turns tokens back into their messages, in the same order. Needs rules for Detokenize (or PartialDetokenize) and for
/// Batch.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/batch-detokenize",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = BatchDetokenizeRequest,
    responses((status = 200, body = Envelope<BatchDetokenizationResponse>)),
)]
pub(crate) async fn batch_detokenize(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    BatchBody(request, _room): BatchBody<BatchDetokenizeRequest>,
) -> BatchAnswer<BatchDetokenizationResponse> {
    batch(app.tokens.batch_detokenize(&caller, id, request).await?)
}
