//! Tokenizing track data.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{TrackTokenizationResponse, TrackTokenizeRequest},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Puts a token in the place of the account number of payment card track data (ISO/IEC 7813); the rest stays byte for
/// byte, a check character is recomputed. Needs a rule for Tokenize.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/track-tokenize",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = TrackTokenizeRequest,
    responses((status = 200, body = Envelope<TrackTokenizationResponse>)),
)]
pub(crate) async fn track_tokenize(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<TrackTokenizeRequest>,
) -> Answer<TrackTokenizationResponse> {
    success(app.tokens.track_tokenize(&caller, id, request).await?)
}
