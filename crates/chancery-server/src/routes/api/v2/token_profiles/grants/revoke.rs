//! Ending a grant.

use axum::extract::State;
use chancery_types::{
    ProposalId, TokenProfileId,
    wire::{Envelope, proposals::Proposed, signing_requests::DecideRequest},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, BothInPath},
};

/// Ends a grant at once, on every server, or the request for one. For those who asked for it; others need Signing:Approve
/// or Tokenization:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles/{uuid}/grants/{grantUuid}/revoke",
    tag = "Tokenization",
    params(
        ("uuid" = TokenProfileId, Path, description = "The token profile"),
        ("grantUuid" = ProposalId, Path, description = "The grant"),
    ),
    request_body = Option<DecideRequest>,
    responses((status = 200, body = Envelope<Proposed>)),
)]
pub(crate) async fn revoke_grant(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, grant): BothInPath<TokenProfileId, ProposalId>,
    BodyOrEmpty(body): BodyOrEmpty<DecideRequest>,
) -> Answer<Proposed> {
    success(app.tokens.revoke_grant(&caller, id, grant, body).await?)
}
