//! Counters for Prometheus.

use axum::{extract::State, http::header, response::IntoResponse};
use chancery_core::Error;

use crate::{
    answer::Failure,
    app::App,
    extract::Anybody,
    metrics::{
        note_audit, note_expiring, note_journal, note_notices, note_readiness, note_recoveries, note_refused_rows,
        note_rsa_pool, note_shipping, note_unreadable, note_witnesses, render,
    },
};

/// The process's counters in Prometheus' text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "System",
    responses((status = 200, body = String, content_type = "text/plain; version=0.0.4")),
)]
pub(crate) async fn metrics(State(app): State<App>, visitor: Anybody) -> Result<impl IntoResponse, Failure> {
    let is_ready = !app.is_draining() && app.readiness(&visitor).await.is_ok();
    note_readiness(is_ready, app.store_lag(&visitor));
    note_expiring(&app.pki.expiring(&visitor));
    note_notices(app.notices.notice_counts(&visitor));
    note_shipping(app.audit.shipping_counts(&visitor));
    if let Some(counts) = app.log.witness_counts(&visitor) {
        note_witnesses(counts);
    }
    if let Some(numbers) = app.audit.journal_numbers(&visitor) {
        note_journal(numbers);
    }
    note_audit(app.audit.is_ledger_failing(&visitor), app.clock_jumps(&visitor));
    note_rsa_pool(&app.keys.rsa_pool_levels(&visitor));
    note_unreadable(app.unreadable(&visitor));
    note_refused_rows(app.refused_rows(&visitor));
    note_recoveries(&app.identities.recoveries(&visitor));
    let text = render().ok_or_else(|| Error::internal("another metrics recorder is installed"))?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}
