//! Certificate revocation lists, for everybody.

use std::str::FromStr;

use axum::{
    extract::State,
    http::{
        HeaderMap, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LAST_MODIFIED},
    },
    response::{IntoResponse, Response},
};
use chancery_core::{ListKind, RevocationList};
use chancery_types::CertificateId;

use crate::{
    answer::Failure,
    app::App,
    extract::{Anybody, InPath},
    routes::http_date::http_date,
};

/// A revocation may come at any time, so a copy is good for five minutes.
const CACHE: &str = "public, max-age=300, must-revalidate";

/// `UUID.crl` or `UUID.delta.crl`.
pub(crate) struct File {
    issuer: CertificateId,
    kind: ListKind,
}

impl FromStr for File {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let name = name.strip_suffix(".crl").ok_or(())?;
        let (id, kind) = match name.strip_suffix(".delta") {
            Some(id) => (id, ListKind::Delta),
            None => (name, ListKind::Complete),
        };
        Ok(Self { issuer: id.parse().map_err(|_| ())?, kind })
    }
}

/// The newest revocation list of an authority, in DER: complete, or what changed since an earlier complete one.
#[utoipa::path(
    get,
    path = "/crl/{file}",
    tag = "Public",
    params(
        ("file" = String, Path, description = "the authority's certificate's uuid, and `.crl` or `.delta.crl`"),
        ("If-None-Match" = Option<String>, Header, description = "the `ETag` of a list that is there already"),
    ),
    responses(
        (status = 200, description = "the list", body = Vec<u8>, content_type = "application/pkix-crl"),
        (status = 304, description = "the list is the one of `If-None-Match`"),
        (status = 404, description = "no such authority", content_type = "text/plain"),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    visitor: Anybody,
    InPath(File { issuer, kind }): InPath<File>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let RevocationList { der, number, this_update_s } = app.revocation_list(&visitor, issuer, kind).await?;
    let tag = match kind {
        ListKind::Complete => format!("\"{number}\""),
        ListKind::Delta => format!("\"delta-{number}\""),
    };
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let known = known.flat_map(|values| values.split(',')).map(str::trim).any(|value| value == tag || value == "*");
    let about = [(ETAG, tag), (LAST_MODIFIED, http_date(this_update_s)), (CACHE_CONTROL, CACHE.to_owned())];
    if known {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    Ok((about, [(CONTENT_TYPE, "application/pkix-crl")], der).into_response())
}
