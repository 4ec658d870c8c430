//! New certificates.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    x509::{GenerateCertificate, GeneratedCertificate},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Makes a certificate with a new key: self-signed, or issued by a trusted authority.
#[utoipa::path(
    post,
    path = "/api/v2/x509/generate",
    tag = "Certificates",
    request_body = GenerateCertificate,
    responses((status = 200, body = Envelope<GeneratedCertificate>)),
)]
pub(crate) async fn generate(
    State(app): State<App>,
    caller: Authenticated,
    Body(request): Body<GenerateCertificate>,
) -> Answer<GeneratedCertificate> {
    success(app.generate_certificate(&caller, request).await?)
}
