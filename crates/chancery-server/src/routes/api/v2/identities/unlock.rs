//! `/api/v2/identities/{uuid}/unlock`.

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

/// Unlocks an identity and forgives its wrong passwords. Needs Identity:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/unlock",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<Identity>)),
)]
pub(crate) async fn unlock(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<Identity> {
    success(app.identities.unlock_identity(&caller, id).await?)
}
