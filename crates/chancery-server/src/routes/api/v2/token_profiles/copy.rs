//! A new token profile after an existing one.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{PatchTokenProfile, TokenProfile},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, NotedBody},
};

/// Makes a profile with the members of this one, but for those that are sent; `objInfo.name` is needed. The copy's
/// tokens are its own, unless `tweakDomain` is sent. Needs Tokenization:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/copy",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = PatchTokenProfile,
    responses((status = 200, body = Envelope<TokenProfile>)),
)]
pub(crate) async fn copy(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    NotedBody(request, unknown): NotedBody<PatchTokenProfile>,
) -> Answer<TokenProfile> {
    let mut made = app.tokens.copy_token_profile(&caller, id, request).await?;
    made.warnings.extend(unknown);
    success(made)
}
