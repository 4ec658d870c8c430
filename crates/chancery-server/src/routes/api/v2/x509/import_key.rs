//! Authorities from elsewhere, with their private keys.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    import::{ImportAuthority, Imported},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, SecretBody},
};

/// Takes a certificate authority in with its private key; it issues here from then on. Needs CertManage:Export, and a
/// session of two people.
#[utoipa::path(
    post,
    path = "/api/v2/x509/import-key",
    tag = "Certificates",
    request_body = ImportAuthority,
    responses((status = 200, body = Envelope<Imported>)),
)]
pub(crate) async fn import_key(
    State(app): State<App>,
    caller: Authenticated,
    SecretBody(request): SecretBody<ImportAuthority>,
) -> Answer<Imported> {
    success(app.pki.import_authority(&caller, request).await?)
}
