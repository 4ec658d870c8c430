//! `/api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm`.

use axum::extract::State;
use chancery_types::{
    IdentityId, PasskeyId,
    wire::{
        Envelope,
        passkeys::{ConfirmPasskey, Passkey},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, BothInPath},
};

/// Confirms a passkey, so that it signs. Needs Identity:Manage, and every permission that the identity holds; in the session is a
/// person who had no part in the enrolment, and has held Identity:Manage since before it.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm",
    tag = "Identities",
    params(
        ("uuid" = IdentityId, Path, description = "The identity"),
        ("passkeyUuid" = PasskeyId, Path, description = "The passkey"),
    ),
    request_body = ConfirmPasskey,
    responses((status = 200, body = Envelope<Passkey>)),
)]
pub(crate) async fn confirm_passkey(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, passkey): BothInPath<IdentityId, PasskeyId>,
    Body(body): Body<ConfirmPasskey>,
) -> Answer<Passkey> {
    success(app.identities.confirm_passkey(&caller, id, passkey, body).await?)
}
