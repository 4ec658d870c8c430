//! Renewal.

use axum::extract::State;
use chancery_types::{
    CertificateId,
    wire::{Envelope, approval::Issued, x509::RenewCertificate},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, NotedBody},
};

/// Issues a certificate again, for the same key and names. Needs CertManage:Generate.
///
/// Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
#[utoipa::path(
    post,
    path = "/api/v2/x509/{uuid}/renew",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the certificate")),
    request_body = RenewCertificate,
    responses((status = 200, body = Envelope<Issued>)),
)]
pub(crate) async fn renew(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
    NotedBody(request, unknown): NotedBody<RenewCertificate>,
) -> Answer<Issued> {
    let mut issued = app.pki.renew_certificate(&caller, id, request).await?;
    issued.warn(unknown);
    success(issued)
}
