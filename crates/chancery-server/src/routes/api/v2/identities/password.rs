//! `/api/v2/identities/{uuid}/password`.

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{
        Envelope,
        identities::{Identity, NewPassword},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, SecretBody},
};

/// Sets an identity's password and ends its sessions. A session of this identity alone may set its own; others need
/// Identity:Manage, and every permission that the identity holds. With `oneTime` it logs nobody in, and sets another one.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/password",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = NewPassword,
    responses((status = 200, body = Envelope<Identity>)),
)]
pub(crate) async fn password(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    SecretBody(body): SecretBody<NewPassword>,
) -> Answer<Identity> {
    success(app.identities.set_password(&caller, id, body).await?)
}
