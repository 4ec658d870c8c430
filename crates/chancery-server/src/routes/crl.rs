//! Certificate revocation lists, for everybody.

use std::{
    str::FromStr,
    time::{Duration, UNIX_EPOCH},
};

use axum::{
    extract::State,
    http::{
        HeaderMap, HeaderName, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED},
    },
    response::{IntoResponse, Response},
};
use chancery_core::{ListKind, ListVersion, RevocationList};
use chancery_types::CertificateId;

use crate::{
    answer::{Failure, shared},
    app::App,
    extract::{Anybody, InPath},
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
        ("If-Modified-Since" = Option<String>, Header, description = "its `Last-Modified`, where `If-None-Match` is absent"),
    ),
    responses(
        (status = 200, description = "the list", body = Vec<u8>, content_type = "application/pkix-crl"),
        (status = 304, description = "the list is the one of `If-None-Match` or `If-Modified-Since`"),
        (status = 404, description = "no such authority", content_type = "text/plain"),
    ),
)]
pub(crate) async fn list(
    State(app): State<App>,
    visitor: Anybody,
    InPath(File { issuer, kind }): InPath<File>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let version = app.pki.revocation_list_version(&visitor, issuer).await?;
    let modified_s = app.pki.last_modified_s(&visitor, version);
    if is_known(&headers, &tag(kind, version.number), version) {
        return Ok((StatusCode::NOT_MODIFIED, about(kind, version.number, modified_s)).into_response());
    }
    let RevocationList { der, number } = app.pki.revocation_list(&visitor, issuer, kind).await?;
    // One that was signed in between is told with the time of the one before: who asks again by it gets it again.
    let about = about(kind, number, modified_s);
    Ok((about, [(CONTENT_TYPE, "application/pkix-crl")], shared(der)).into_response())
}

fn tag(kind: ListKind, number: i64) -> String {
    match kind {
        ListKind::Complete => format!("\"{number}\""),
        ListKind::Delta => format!("\"delta-{number}\""),
    }
}

fn about(kind: ListKind, number: i64, modified_s: i64) -> [(HeaderName, String); 3] {
    let modified = UNIX_EPOCH + Duration::from_secs(modified_s.unsigned_abs());
    [(ETAG, tag(kind, number)), (LAST_MODIFIED, httpdate::fmt_http_date(modified)), (CACHE_CONTROL, CACHE.to_owned())]
}

/// Whether the client has the list: by its tag or, only where it names none, by its time (RFC 9110, 13.2.2). A date that is
/// none is passed over.
fn is_known(headers: &HeaderMap, tag: &str, version: ListVersion) -> bool {
    let mut named = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).peekable();
    if named.peek().is_some() {
        let mut tags = named.flat_map(|values| values.split(',')).map(str::trim);
        return tags.any(|known| known.strip_prefix("W/").unwrap_or(known) == tag || known == "*");
    }
    let since = headers.get(IF_MODIFIED_SINCE).and_then(|value| httpdate::parse_http_date(value.to_str().ok()?).ok());
    let since_s = since.and_then(|since| since.duration_since(UNIX_EPOCH).ok()).map(|since| since.as_secs());
    since_s.is_some_and(|since_s| since_s >= version.signed_s.unsigned_abs())
}
