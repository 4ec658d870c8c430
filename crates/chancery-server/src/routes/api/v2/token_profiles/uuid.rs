//! One token profile.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Empty, Envelope,
        token_profiles::{PatchTokenProfile, TokenProfile},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, NotedBody},
};

/// A token profile in full; what is read can be written back. Needs Tokenization:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/token-profiles/{uuid}",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    responses((status = 200, body = Envelope<TokenProfile>)),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
) -> Answer<TokenProfile> {
    success(app.tokens.token_profile(&caller, id).await?)
}

/// Changes the members that are sent and checks the whole as create does. Once the profile has made tokens, what would
/// make them unreadable is refused. Needs Tokenization:Manage.
#[utoipa::path(
    patch,
    path = "/api/v2/token-profiles/{uuid}",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = PatchTokenProfile,
    responses((status = 200, body = Envelope<TokenProfile>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    NotedBody(request, unknown): NotedBody<PatchTokenProfile>,
) -> Answer<TokenProfile> {
    let mut changed = app.tokens.change_token_profile(&caller, id, request).await?;
    changed.warnings.extend(unknown);
    success(changed)
}

/// Removes a token profile; nothing can read its tokens any more. Needs Tokenization:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/token-profiles/{uuid}",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
) -> Answer<Empty> {
    app.tokens.delete_token_profile(&caller, id).await?;
    success(Empty {})
}
