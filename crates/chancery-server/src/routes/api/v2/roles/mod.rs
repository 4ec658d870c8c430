//! `/api/v2/roles`.

pub(crate) mod stubs;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    roles::{CreateRole, RoleCreated},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Makes a role. Needs Identity:Manage, and every permission that the role shall have.
#[utoipa::path(
    post,
    path = "/api/v2/roles",
    tag = "Roles",
    request_body = CreateRole,
    responses((status = 200, body = Envelope<RoleCreated>)),
)]
pub(crate) async fn create(
    State(app): State<App>,
    caller: Authenticated,
    Body(body): Body<CreateRole>,
) -> Answer<RoleCreated> {
    success(app.identities.create_role(&caller, body).await?)
}
