//! Trying a token profile out.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    token_profiles::{PreviewAnswer, PreviewRequest},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, PreviewBody},
};

/// Tokenizes up to 20 samples as a profile of this draft would, under a key that is thrown away. Samples are neither
/// logged nor stored. Needs Tokenization:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/preview",
    tag = "Tokenization",
    request_body = PreviewRequest,
    responses((status = 200, body = Envelope<PreviewAnswer>)),
)]
pub(crate) async fn preview(
    State(app): State<App>,
    caller: Authenticated,
    PreviewBody(request): PreviewBody<PreviewRequest>,
) -> Answer<PreviewAnswer> {
    success(app.tokens.preview_token_profile(&caller, request).await?)
}
