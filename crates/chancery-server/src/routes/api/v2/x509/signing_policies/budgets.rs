//! What of a signing policy's budgets is used.

use axum::extract::State;
use chancery_types::{
    PolicyId,
    wire::{Envelope, signing_policies::PolicyBudgets},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
};

/// What of the policy's budgets is used in the windows that are open now. Needs Services:Deploy.
#[utoipa::path(
    get,
    path = "/api/v2/x509/signing-policies/{uuid}/budgets",
    tag = "Signing",
    params(("uuid" = PolicyId, Path, description = "The policy")),
    responses((status = 200, body = Envelope<PolicyBudgets>)),
)]
pub(crate) async fn budgets(
    State(app): State<App>,
    caller: Authenticated,
    InPath(policy): InPath<PolicyId>,
) -> Answer<PolicyBudgets> {
    success(app.signing.signing_policy_budgets(&caller, policy).await?)
}
