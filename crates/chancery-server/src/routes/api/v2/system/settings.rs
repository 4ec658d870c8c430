//! `/api/v2/system/settings`.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    system::{PatchSettings, Settings},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Body, Operator},
};

/// The settings of the installation. Needs System:Manage; by a cookie session also while API access is off.
#[utoipa::path(
    get,
    path = "/api/v2/system/settings",
    tag = "System",
    responses((status = 200, body = Envelope<Settings>)),
)]
pub(crate) async fn read(State(app): State<App>, caller: Operator) -> Answer<Settings> {
    success(app.settings(&caller).await?)
}

/// Changes settings. Needs System:Manage; by a cookie session also while API access is off.
#[utoipa::path(
    patch,
    path = "/api/v2/system/settings",
    tag = "System",
    request_body = PatchSettings,
    responses((status = 200, body = Envelope<Settings>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Operator,
    Body(body): Body<PatchSettings>,
) -> Answer<Settings> {
    success(app.change_settings(&caller, body).await?)
}
