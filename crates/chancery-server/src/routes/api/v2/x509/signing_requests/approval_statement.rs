//! What people sign to approve a signing request.

use axum::extract::State;
use chancery_types::{
    SigningRequestId,
    wire::{Envelope, passkeys::ApprovalStatements},
};

use crate::{
    answer::{Answer, secret},
    app::App,
    extract::{Authenticated, InPath},
};

/// What each member of the session signs with a passkey to approve the signing request, where that is demanded. Nothing is kept of
/// it, and it is good for some minutes, in this session, once. Refused where an approval would be. Needs Signing:Approve.
#[utoipa::path(
    get,
    path = "/api/v2/x509/signing-requests/{uuid}/approval-statement",
    tag = "Signing",
    params(("uuid" = SigningRequestId, Path, description = "The signing request")),
    responses((status = 200, body = Envelope<ApprovalStatements>)),
)]
pub(crate) async fn request_statement(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<SigningRequestId>,
) -> Answer<ApprovalStatements> {
    secret(app.signing.approval_statement(&caller, id).await?)
}
