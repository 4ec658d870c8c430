//! `/api/v2/x509`: certificates, and what signs with them.

pub(crate) mod approval;
pub(crate) mod cert_profiles;
pub(crate) mod crls;
pub(crate) mod download;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod import_key;
pub(crate) mod pre_approvals;
pub(crate) mod proposals;
pub(crate) mod rekey;
pub(crate) mod release;
pub(crate) mod renew;
pub(crate) mod requests;
pub(crate) mod revoke;
pub(crate) mod services;
pub(crate) mod signing_policies;
pub(crate) mod signing_requests;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    x509::{CertificatePage, CertificateQuery},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Query},
};

/// The certificates that the query asks for, by name. Pages follow each other by `next`.
#[utoipa::path(
    get,
    path = "/api/v2/x509",
    tag = "Certificates",
    params(CertificateQuery),
    responses((status = 200, body = Envelope<CertificatePage>)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    caller: Authenticated,
    Query(query): Query<CertificateQuery>,
) -> Answer<CertificatePage> {
    success(app.pki.certificates(&caller, &query).await?)
}
