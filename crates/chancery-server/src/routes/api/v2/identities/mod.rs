//! `/api/v2/identities`.

pub(crate) mod api_keys;
pub(crate) mod lock;
pub(crate) mod mailbox;
pub(crate) mod passkeys;
pub(crate) mod password;
pub(crate) mod stubs;
pub(crate) mod totp;
pub(crate) mod unlock;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    identities::{CreateIdentity, IdentityCreated},
};

use crate::{
    answer::{Answer, secret, success},
    app::App,
    extract::{Authenticated, SecretBody},
};

/// Makes a person or an application. Needs Identity:Manage, and every permission of the roles given.
#[utoipa::path(
    post,
    path = "/api/v2/identities",
    tag = "Identities",
    request_body = CreateIdentity,
    responses((status = 200, body = Envelope<IdentityCreated>)),
)]
pub(crate) async fn create(
    State(app): State<App>,
    caller: Authenticated,
    SecretBody(body): SecretBody<CreateIdentity>,
) -> Answer<IdentityCreated> {
    let created = app.identities.create_identity(&caller, body).await?;
    if created.api_key.is_some() { secret(created) } else { success(created) }
}
