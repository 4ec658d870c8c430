//! Certificates from elsewhere.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    import::{ImportCertificates, Imported},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Takes certificates that were issued elsewhere into the inventory, without keys. Needs CertManage:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/x509/import",
    tag = "Certificates",
    request_body = ImportCertificates,
    responses((status = 200, body = Envelope<Imported>)),
)]
pub(crate) async fn import(
    State(app): State<App>,
    caller: Authenticated,
    Body(request): Body<ImportCertificates>,
) -> Answer<Imported> {
    success(app.pki.import_certificates(&caller, request).await?)
}
