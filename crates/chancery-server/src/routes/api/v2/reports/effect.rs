//! What a change would change of who can do what.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    reports::{AccessChange, AccessEffect},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Who would gain and who would lose what by a change that is not made yet, in the words of the call that makes it. Nothing is
/// changed; what the change would be refused for is refused here. Needs what the change needs, or Audit:Read. With `since`, who
/// has gained and lost what by everything that changed since a moment; needs Audit:Read.
#[utoipa::path(
    post,
    path = "/api/v2/reports/access/effect",
    tag = "Audit",
    request_body = AccessChange,
    responses((status = 200, body = Envelope<AccessEffect>)),
)]
pub(crate) async fn effect(
    State(app): State<App>,
    caller: Authenticated,
    Body(change): Body<AccessChange>,
) -> Answer<AccessEffect> {
    success(app.reports.access_effect(&caller, change).await?)
}
