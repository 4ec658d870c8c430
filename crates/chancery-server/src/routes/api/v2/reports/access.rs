//! Who can do what.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    reports::{AccessQuery, AccessReport},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// Who can tokenize, detokenize, sign, approve and administer now, by identity: with the role that lets them, and the mask. With
/// `asOf` as it was at that moment, made of the audit records since. Needs Audit:Read.
#[utoipa::path(
    get,
    path = "/api/v2/reports/access",
    tag = "Audit",
    params(AccessQuery),
    responses((status = 200, body = Envelope<AccessReport>)),
)]
pub(crate) async fn access(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<AccessQuery>,
) -> Answer<AccessReport> {
    success(app.reports.access_report(&caller, query).await?)
}
