//! PKCS#10 requests, and what waits for approvals because of one.

pub(crate) mod approve;

use axum::extract::State;
use chancery_types::wire::{Envelope, approval::Issued, x509::RequestCertificate};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, NotedBody},
};

/// Issues a certificate for the key of a PKCS#10 request. Needs CertManage:Generate.
///
/// Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
#[utoipa::path(
    post,
    path = "/api/v2/x509/requests",
    tag = "Certificates",
    request_body = RequestCertificate,
    responses((status = 200, body = Envelope<Issued>)),
)]
pub(crate) async fn request(
    State(app): State<App>,
    caller: Authenticated,
    NotedBody(request, unknown): NotedBody<RequestCertificate>,
) -> Answer<Issued> {
    let mut issued = app.pki.request_certificate(&caller, request).await?;
    issued.warn(unknown);
    success(issued)
}
