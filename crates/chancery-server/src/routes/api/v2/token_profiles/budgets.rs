//! What of a profile's budgets is used.

use axum::extract::State;
use chancery_types::{
    TokenProfileId,
    wire::{Envelope, token_profiles::TokenBudgets},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
};

/// What of the budgets of the profile's Control Rules is used in the windows that are open now. Needs Tokenization:Manage.
#[utoipa::path(
    get,
    path = "/api/v2/token-profiles/{uuid}/budgets",
    tag = "Tokenization",
    params(("uuid" = TokenProfileId, Path, description = "The token profile")),
    responses((status = 200, body = Envelope<TokenBudgets>)),
)]
pub(crate) async fn budgets(
    State(app): State<App>,
    caller: Authenticated,
    InPath(id): InPath<TokenProfileId>,
) -> Answer<TokenBudgets> {
    success(app.tokens.token_budgets(&caller, id).await?)
}
