//! `/api/v2/identities/{uuid}/mailbox`.

pub(crate) mod confirm;

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{
        Empty, Envelope,
        mailboxes::{PersonalMailbox, SetMailbox},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Where an identity has what concerns it sent by e-mail; nowhere, while there is no address. A person that sits in the session may ask for its own; others
/// need Identity:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/identities/{uuid}/mailbox",
    tag = "Notices",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    responses((status = 200, body = Envelope<PersonalMailbox>)),
)]
pub(crate) async fn read_mailbox(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
) -> Answer<PersonalMailbox> {
    success(app.notices.mailbox(&caller, id).await?)
}

/// Sets where one's own notices go. To another address than the confirmed one a code is mailed, and it counts once that was
/// entered; until then all stays as it is. Only a person that sits in the session, logged in by a password, and nobody for
/// another. One code a minute, and five an hour.
#[utoipa::path(
    put,
    path = "/api/v2/identities/{uuid}/mailbox",
    tag = "Notices",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = SetMailbox,
    responses((status = 200, body = Envelope<PersonalMailbox>)),
)]
pub(crate) async fn set_mailbox(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    Body(body): Body<SetMailbox>,
) -> Answer<PersonalMailbox> {
    success(app.notices.set_mailbox(&caller, id, body).await?)
}

/// Removes a mailbox, and what waits for it. A person that sits in the session may remove its own; others need
/// Identity:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/identities/{uuid}/mailbox",
    tag = "Notices",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn remove_mailbox(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
) -> Answer<Empty> {
    success(app.notices.remove_mailbox(&caller, id).await?)
}
