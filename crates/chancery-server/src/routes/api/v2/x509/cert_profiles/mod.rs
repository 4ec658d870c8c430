//! `/api/v2/x509/cert-profiles`.

pub(crate) mod stubs;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    cert_profiles::{CertProfile, CreateCertProfile},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Makes a certificate profile. Needs CertManage:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/x509/cert-profiles",
    tag = "Certificates",
    request_body = CreateCertProfile,
    responses((status = 200, body = Envelope<CertProfile>)),
)]
pub(crate) async fn create(
    State(app): State<App>,
    caller: Authenticated,
    Body(request): Body<CreateCertProfile>,
) -> Answer<CertProfile> {
    success(app.pki.create_cert_profile(&caller, request).await?)
}
