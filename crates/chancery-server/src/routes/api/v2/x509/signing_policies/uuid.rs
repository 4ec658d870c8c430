//! One signing policy.

use axum::extract::State;
use chancery_types::{
    PolicyId,
    wire::{
        Envelope,
        signing_policies::{ChangeSigningPolicy, SigningPolicy},
    },
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body, InPath},
};

/// A signing policy.
#[utoipa::path(
    get,
    path = "/api/v2/x509/signing-policies/{uuid}",
    tag = "Signing",
    params(("uuid" = PolicyId, Path, description = "The policy")),
    responses((status = 200, body = Envelope<SigningPolicy>)),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Authenticated,
    InPath(policy): InPath<PolicyId>,
) -> Answer<SigningPolicy> {
    success(app.signing.signing_policy(&caller, policy).await?)
}

/// Changes name, approvals, self-approval and rules of a policy; it is never laxer than the service's policies. Needs
/// Services:Deploy.
#[utoipa::path(
    patch,
    path = "/api/v2/x509/signing-policies/{uuid}",
    tag = "Signing",
    params(("uuid" = PolicyId, Path, description = "The policy")),
    request_body = ChangeSigningPolicy,
    responses((status = 200, body = Envelope<SigningPolicy>)),
)]
pub(crate) async fn change(
    State(app): State<App>,
    caller: Authenticated,
    InPath(policy): InPath<PolicyId>,
    Body(body): Body<ChangeSigningPolicy>,
) -> Answer<SigningPolicy> {
    success(app.signing.change_signing_policy(&caller, policy, body).await?)
}
