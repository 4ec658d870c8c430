//! New certificates.

use axum::extract::State;
use chancery_types::wire::{Envelope, approval::Issued, x509::GenerateCertificate};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, NotedBody},
};

/// Makes a certificate with a new key: self-signed, or issued by a trusted authority.
///
/// Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
#[utoipa::path(
    post,
    path = "/api/v2/x509/generate",
    tag = "Certificates",
    request_body = GenerateCertificate,
    responses((status = 200, body = Envelope<Issued>)),
)]
pub(crate) async fn generate(
    State(app): State<App>,
    caller: Authenticated,
    NotedBody(request, unknown): NotedBody<GenerateCertificate>,
) -> Answer<Issued> {
    let mut issued = app.pki.generate_certificate(&caller, request).await?;
    issued.warn(unknown);
    success(issued)
}
