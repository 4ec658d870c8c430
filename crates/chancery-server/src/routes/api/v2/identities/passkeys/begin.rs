//! `/api/v2/identities/{uuid}/passkeys/begin`.

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{Empty, Envelope, passkeys::PasskeyBegun},
};

use crate::{
    answer::{Answer, secret},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// What the browser is to be asked for, so that it makes a passkey. Nothing is kept of it. Only a person that sits in the
/// session, logged in by no program, and nobody for another. The server has to know the DNS name by which browsers reach it
/// (`--public-origin`).
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/passkeys/begin",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<PasskeyBegun>)),
)]
pub(crate) async fn begin_passkey(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<PasskeyBegun> {
    secret(app.identities.begin_passkey(&caller, id).await?)
}
