//! Moving tokens to the newest key version.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{RewrapRequest, RewrapResponse},
    },
};

use crate::{
    answer::{BatchAnswer, batch},
    app::App,
    extract::{Authenticated, BatchBody, InPath},
};

/// Turns tokens of older key versions into tokens of the profile's, in the same order. Needs rules for Detokenize,
/// Tokenize and Batch.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/rewrap",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = RewrapRequest,
    responses((status = 200, body = Envelope<RewrapResponse>)),
)]
pub(crate) async fn rewrap(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    BatchBody(request, _room): BatchBody<RewrapRequest>,
) -> BatchAnswer<RewrapResponse> {
    batch(app.tokens.rewrap(&caller, id, request).await?)
}
