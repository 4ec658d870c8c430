//! The Control Rules of a token profile.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{
        Envelope,
        token_profiles::{PatchPermissions, TokenProfile},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Replaces all Control Rules of a token profile. Needs Tokenization:Manage.
#[utoipa::path(
    patch,
    path = "/api/v2/token-profiles/{uuid}/permissions",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "the token profile")),
    request_body = PatchPermissions,
    responses((status = 200, body = Envelope<TokenProfile>)),
)]
pub(crate) async fn permissions(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
    Body(request): Body<PatchPermissions>,
) -> Answer<TokenProfile> {
    success(app.tokens.change_permissions(&caller, id, request).await?)
}
