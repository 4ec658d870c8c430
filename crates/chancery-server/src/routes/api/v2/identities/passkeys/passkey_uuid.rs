//! `/api/v2/identities/{uuid}/passkeys/{passkeyUuid}`.

use axum::extract::State;
use chancery_types::{
    IdentityId, PasskeyId,
    wire::{
        Empty, Envelope,
        passkeys::{Passkey, PatchPasskey},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, BothInPath},
};

/// Renames a passkey. A person that sits in the session may rename its own; others need Identity:Manage.
#[utoipa::path(
    patch,
    path = "/api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
    tag = "Identities",
    params(
        ("uuid" = IdentityId, Path, description = "The identity"),
        ("passkeyUuid" = PasskeyId, Path, description = "The passkey"),
    ),
    request_body = PatchPasskey,
    responses((status = 200, body = Envelope<Passkey>)),
)]
pub(crate) async fn rename_passkey(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, passkey): BothInPath<IdentityId, PasskeyId>,
    Body(body): Body<PatchPasskey>,
) -> Answer<Passkey> {
    success(app.identities.rename_passkey(&caller, id, passkey, body).await?)
}

/// Deletes a passkey. What it signed stays. A person that sits in the session may delete its own; others need
/// Identity:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
    tag = "Identities",
    params(
        ("uuid" = IdentityId, Path, description = "The identity"),
        ("passkeyUuid" = PasskeyId, Path, description = "The passkey"),
    ),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete_passkey(
    State(app): State<App>,
    caller: Authenticated,
    BothInPath(id, passkey): BothInPath<IdentityId, PasskeyId>,
) -> Answer<Empty> {
    success(app.identities.delete_passkey(&caller, id, passkey).await?)
}
