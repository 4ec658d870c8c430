//! `/api/v2/identities/{uuid}/lock`.

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{Empty, Envelope, identities::Identity},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Locks an identity: its sessions end, and it cannot log in. Needs Identity:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/lock",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<Identity>)),
)]
pub(crate) async fn lock(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<Identity> {
    success(app.identities.lock_identity(&caller, id).await?)
}
