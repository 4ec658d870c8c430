//! Revocation.

use axum::extract::State;
use chancery_types::{
    CertificateId,
    wire::{
        Envelope,
        x509::{Certificate, RevokeCertificate},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// Revokes a certificate, or puts it on hold (`certificateHold`). Needs CertManage:Generate; for that of an authority, an
/// OCSP responder, a time stamp or a service CertManage:Manage and two persons.
#[utoipa::path(
    post,
    path = "/api/v2/x509/{uuid}/revoke",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the certificate")),
    request_body = RevokeCertificate,
    responses((status = 200, body = Envelope<Certificate>)),
)]
pub(crate) async fn revoke(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
    Body(request): Body<RevokeCertificate>,
) -> Answer<Certificate> {
    success(app.pki.revoke_certificate(&caller, id, request).await?)
}
