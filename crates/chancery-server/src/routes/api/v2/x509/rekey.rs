//! New keys.

use axum::extract::State;
use chancery_types::{
    CertificateId,
    wire::{Envelope, approval::Issued, x509::RekeyCertificate},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath, NotedBody},
};

/// Issues a certificate again, for the same names and another key. Needs CertManage:Generate.
///
/// Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
#[utoipa::path(
    post,
    path = "/api/v2/x509/{uuid}/rekey",
    tag = "Certificates",
    params(("uuid" = CertificateId, Path, description = "the certificate")),
    request_body = RekeyCertificate,
    responses((status = 200, body = Envelope<Issued>)),
)]
pub(crate) async fn rekey(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertificateId>,
    NotedBody(request, unknown): NotedBody<RekeyCertificate>,
) -> Answer<Issued> {
    let mut issued = app.pki.rekey_certificate(&caller, id, request).await?;
    issued.warn(unknown);
    success(issued)
}
