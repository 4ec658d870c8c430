//! Deploying a service.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    services::{DeployRequest, DeployedService},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, NotedBody},
};

/// Deploys a signing service: makes its certificate, key and policy. Needs Services:Deploy.
///
/// Where the issuer demands approvals, the certificate waits for them, and the service signs once it has it.
#[utoipa::path(
    post,
    path = "/cuserv/v1/services/deploy",
    tag = "Signing",
    request_body = DeployRequest,
    responses((status = 200, body = Envelope<DeployedService>)),
)]
pub(crate) async fn deploy(
    State(app): State<App>,
    caller: Authenticated,
    NotedBody(body, unknown): NotedBody<DeployRequest>,
) -> Answer<DeployedService> {
    let mut deployed = app.signing.deploy_service(&caller, body).await?;
    deployed.warnings.extend(unknown);
    success(deployed)
}
