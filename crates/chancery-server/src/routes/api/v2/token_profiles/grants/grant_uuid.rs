//! One grant.

use axum::extract::State;
use chancery_types::{
    ProposalId, TokenProfileId,
    wire::{Envelope, token_profiles::DetokenizeGrant},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BothInPath},
};

/// One grant, with how much of it is used. For those who asked for it; others need Signing:Approve, Tokenization:Manage or
/// Audit:Read.
#[utoipa::path(
    get,
    path = "/api/v2/token-profiles/{uuid}/grants/{grantUuid}",
    tag = "Tokenization",
    params(
        ("uuid" = TokenProfileId, Path, description = "The token profile"),
        ("grantUuid" = ProposalId, Path, description = "The grant"),
    ),
    responses((status = 200, body = Envelope<DetokenizeGrant>)),
)]
pub(crate) async fn read_grant(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, grant): BothInPath<TokenProfileId, ProposalId>,
) -> Answer<DetokenizeGrant> {
    success(app.tokens.detokenize_grant(&caller, id, grant).await?)
}
