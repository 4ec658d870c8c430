//! Turning tokenized track data back.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{TrackDetokenizationResponse, TrackDetokenizeRequest},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Puts the account number back into tokenized track data. Needs a rule for Detokenize; a partial one is not enough.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/track-detokenize",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = TrackDetokenizeRequest,
    responses((status = 200, body = Envelope<TrackDetokenizationResponse>)),
)]
pub(crate) async fn track_detokenize(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<TrackDetokenizeRequest>,
) -> Answer<TrackDetokenizationResponse> {
    success(app.tokens.track_detokenize(&caller, id, request).await?)
}
