//! One certificate.

use axum::extract::State;
use chancery_types::{
    CertificateId,
    wire::{Envelope, x509::Certificate},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
};

/// A certificate and where it stands.
#[utoipa::path(
    get,
    path = "/api/v2/x509/{uuid}",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the certificate")),
    responses((status = 200, body = Envelope<Certificate>)),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
) -> Answer<Certificate> {
    success(app.pki.certificate(&caller, id).await?)
}
