//! `/api/v2/identities/{uuid}/totp`.

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{Envelope, identities::Identity},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
};

/// Takes an identity's second factor away, for somebody who has lost it, and ends its sessions. Needs Identity:Manage, and
/// every permission that the identity holds.
#[utoipa::path(
    delete,
    path = "/api/v2/identities/{uuid}/totp",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    responses((status = 200, body = Envelope<Identity>)),
)]
pub(crate) async fn reset(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
) -> Answer<Identity> {
    success(app.identities.reset_totp(&caller, id).await?)
}
