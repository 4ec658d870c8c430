//! `/api/v2/activity`.

use axum::extract::State;
use chancery_types::wire::{Envelope, activity::Activity};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::Authenticated,
};

/// How much all servers together have tokenized, detokenized, signed and issued in each hour of the last day. Needs a login.
#[utoipa::path(
    get,
    path = "/api/v2/activity",
    tag = "System",
    responses((status = 200, body = Envelope<Activity>)),
)]
pub(crate) async fn activity(State(app): State<App>, caller: Authenticated) -> Answer<Activity> {
    success(app.activity(&caller).await?)
}
