//! Renewal.

use axum::extract::State;
use chancery_types::{
    CertificateId,
    wire::{
        Envelope,
        x509::{GeneratedCertificate, RenewCertificate},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Issues a certificate again, for the same key and names. Needs CertManage:Generate.
#[utoipa::path(
    post,
    path = "/api/v2/x509/{uuid}/renew",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the certificate")),
    request_body = RenewCertificate,
    responses((status = 200, body = Envelope<GeneratedCertificate>)),
)]
pub(crate) async fn renew(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
    Body(request): Body<RenewCertificate>,
) -> Answer<GeneratedCertificate> {
    success(app.renew_certificate(&caller, id, request).await?)
}
