//! Holds released.

use axum::extract::State;
use chancery_types::{
    CertificateId,
    wire::{Empty, Envelope, x509::Certificate},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, BodyOrEmpty, InPath},
};

/// Releases a certificate that is on hold: it is valid again. Needs CertManage:Manage and two persons.
#[utoipa::path(
    post,
    path = "/api/v2/x509/{uuid}/release",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the certificate")),
    request_body = Option<Empty>,
    responses((status = 200, body = Envelope<Certificate>)),
)]
pub(crate) async fn release(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
    BodyOrEmpty(Empty {}): BodyOrEmpty<Empty>,
) -> Answer<Certificate> {
    success(app.pki.release_certificate(&caller, id).await?)
}
