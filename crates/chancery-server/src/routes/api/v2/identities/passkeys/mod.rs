//! `/api/v2/identities/{uuid}/passkeys`.

pub(crate) mod begin;
pub(crate) mod confirm;
pub(crate) mod passkey_uuid;

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{
        Envelope,
        passkeys::{EnrolPasskey, Passkey, Passkeys},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// All passkeys of an identity, by name. A person that sits in the session may ask for its own; others need Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identities/{uuid}/passkeys",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    responses((status = 200, body = Envelope<Passkeys>)),
)]
pub(crate) async fn list_passkeys(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
) -> Answer<Passkeys> {
    success(app.identities.passkeys(&caller, id).await?)
}

/// Enrols a passkey that the browser has made. It signs nothing before a second person has confirmed it. Only a person that
/// sits in the session, logged in by no program, and nobody for another.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/passkeys",
    tag = "Identities",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = EnrolPasskey,
    responses((status = 200, body = Envelope<Passkey>)),
)]
pub(crate) async fn enrol_passkey(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    Body(body): Body<EnrolPasskey>,
) -> Answer<Passkey> {
    success(app.identities.enrol_passkey(&caller, id, body).await?)
}
