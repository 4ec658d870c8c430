//! Whether the server lives, and whether it can do its work.

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use chancery_types::wire::health::{Health, HealthStatus, Readiness};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::Anybody,
};

/// Whether the process answers at all.
#[utoipa::path(get, path = "/healthz", tag = "System", responses((status = 200, body = Health)))]
pub(crate) async fn live() -> Json<Health> {
    Json(Health { status: HealthStatus::Ok })
}

/// Whether the storage answers, the root key is loaded, and the server is not about to stop; says so when the installation is a demonstration.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = "System",
    responses((status = 200, body = Readiness), (status = 503, description = "not ready", content_type = "text/plain")),
)]
pub(crate) async fn ready(State(app): State<App>, visitor: Anybody) -> Result<Response, Failure> {
    if app.is_draining() {
        // No refusal, which the log would tell as a failure at each look of a balancer.
        return Ok((StatusCode::SERVICE_UNAVAILABLE, "The server is stopping.\n").into_response());
    }
    Ok(Json(app.readiness(&visitor).await?).into_response())
}
