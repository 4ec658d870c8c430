//! One certificate profile.

use axum::extract::State;
use chancery_types::{
    CertProfileId,
    wire::{
        Empty, Envelope,
        cert_profiles::{CertProfile, PatchCertProfile},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// A certificate profile in full; what is read can be written back.
#[utoipa::path(
    get,
    path = "/api/v2/x509/cert-profiles/{uuid}",
    tag = "Certificates",
    params(("uuid" = CertProfileId, Path, description = "the certificate profile")),
    responses((status = 200, body = Envelope<CertProfile>)),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertProfileId>,
) -> Answer<CertProfile> {
    success(app.pki.cert_profile(&caller, id).await?)
}

/// Changes the members that are sent and checks the whole as create does; what was issued stays as it is. A profile that
/// came with Chancery cannot be changed. Needs CertManage:Manage.
#[utoipa::path(
    patch,
    path = "/api/v2/x509/cert-profiles/{uuid}",
    tag = "Certificates",
    params(("uuid" = CertProfileId, Path, description = "the certificate profile")),
    request_body = PatchCertProfile,
    responses((status = 200, body = Envelope<CertProfile>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertProfileId>,
    Body(request): Body<PatchCertProfile>,
) -> Answer<CertProfile> {
    success(app.pki.change_cert_profile(&caller, id, request).await?)
}

/// Removes a certificate profile that no certificate names; any other can be disabled. Needs CertManage:Manage.
#[utoipa::path(
    delete,
    path = "/api/v2/x509/cert-profiles/{uuid}",
    tag = "Certificates",
    params(("uuid" = CertProfileId, Path, description = "the certificate profile")),
    responses((status = 200, body = Envelope<Empty>)),
)]
pub(crate) async fn delete(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<CertProfileId>,
) -> Answer<Empty> {
    app.pki.delete_cert_profile(&caller, id).await?;
    success(Empty {})
}
