//! `/api/v2/identities/{uuid}/mailbox/confirm`.

use axum::extract::State;
use chancery_types::{
    IdentityId,
    wire::{
        Envelope,
        mailboxes::{ConfirmMailbox, PersonalMailbox},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Confirms a new address by the code that was mailed to it: from now on notices go there. A code is good for 15 minutes
/// and five tries. Only the person whose mailbox it is, logged in by a password.
#[utoipa::path(
    post,
    path = "/api/v2/identities/{uuid}/mailbox/confirm",
    tag = "Notices",
    params(("uuid" = IdentityId, Path, description = "The identity")),
    request_body = ConfirmMailbox,
    responses((status = 200, body = Envelope<PersonalMailbox>)),
)]
pub(crate) async fn confirm_mailbox(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<IdentityId>,
    Body(body): Body<ConfirmMailbox>,
) -> Answer<PersonalMailbox> {
    success(app.notices.confirm_mailbox(&caller, id, body).await?)
}
