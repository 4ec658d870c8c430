//! PKCS#10 requests.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    x509::{GeneratedCertificate, RequestCertificate},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Issues a certificate for the key of a PKCS#10 request. Needs CertManage:Generate.
#[utoipa::path(
    post,
    path = "/api/v2/x509/requests",
    tag = "Certificates",
    request_body = RequestCertificate,
    responses((status = 200, body = Envelope<GeneratedCertificate>)),
)]
pub(crate) async fn request(
    State(app): State<App>,
    caller: Authenticated,
    Body(request): Body<RequestCertificate>,
) -> Answer<GeneratedCertificate> {
    success(app.request_certificate(&caller, request).await?)
}
