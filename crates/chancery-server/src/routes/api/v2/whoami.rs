//! `/api/v2/whoami`.

use axum::extract::State;
use chancery_types::wire::{Envelope, whoami::WhoAmI};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::Authenticated,
};

/// Who makes the call: identities, roles, permissions, how they logged in, and when the session ends. Needs a login.
#[utoipa::path(
    get,
    path = "/api/v2/whoami",
    tag = "Identities",
    responses((status = 200, body = Envelope<WhoAmI>)),
)]
pub(crate) async fn whoami(State(app): State<App>, caller: Authenticated) -> Answer<WhoAmI> {
    success(app.identities.whoami(&caller).await?)
}
