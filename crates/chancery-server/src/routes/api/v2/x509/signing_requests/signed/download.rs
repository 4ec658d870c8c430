//! A file with its signature inside.

use axum::{
    extract::State,
    http::header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use chancery_types::SigningRequestId;

use crate::{
    answer::Failure,
    app::App,
    extract::{Authenticated, InPath},
};

/// The uploaded file with its signature inside, for the formats that embed. Needs Signing:Approve, or Signing:Submit for
/// the own requests. The answer has no envelope.
#[utoipa::path(
    get,
    path = "/api/v2/x509/signing-requests/{uuid}/signed/download",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The signing request")),
    responses((
        status = 200, description = "the file", body = Vec<u8>, content_type = "application/octet-stream",
    )),
)]
pub(crate) async fn download(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
) -> Result<Response, Failure> {
    let (name, file) = app.signing.signed_file(&caller, id).await?;
    let name = format!("attachment; filename=\"{}\"", plain(&name));
    Ok(([(CONTENT_TYPE, "application/octet-stream".to_owned()), (CONTENT_DISPOSITION, name)], file).into_response())
}

/// A name that needs no quoting anywhere.
fn plain(name: &str) -> String {
    let kept = |symbol: char| symbol.is_ascii_alphanumeric() || "._-+ ".contains(symbol);
    name.chars().map(|symbol| if kept(symbol) { symbol } else { '_' }).collect()
}
