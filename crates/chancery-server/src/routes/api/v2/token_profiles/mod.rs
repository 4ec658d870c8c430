//! `POST /api/v2/token-profiles`; what lies below this path is in the modules below.

pub(crate) mod batch_detokenize;
pub(crate) mod batch_tokenize;
pub(crate) mod budgets;
pub(crate) mod copy;
pub(crate) mod detokenize;
pub(crate) mod grants;
pub(crate) mod permissions;
pub(crate) mod preview;
pub(crate) mod rewrap;
pub(crate) mod stubs;
pub(crate) mod template;
pub(crate) mod tokenize;
pub(crate) mod tokenized;
pub(crate) mod tokens;
pub(crate) mod track_detokenize;
pub(crate) mod track_tokenize;
pub(crate) mod uuid;

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    token_profiles::{CreateTokenProfile, TokenProfile},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, NotedBody},
};

/// Makes a token profile. Needs Tokenization:Manage.
#[utoipa::path(
    post,
    path = "/api/v2/token-profiles",
    tag = "Tokenization",
    request_body = CreateTokenProfile,
    responses((status = 200, body = Envelope<TokenProfile>)),
)]
pub(crate) async fn create(
    State(app): State<App>,
    caller: Authenticated,
    NotedBody(request, unknown): NotedBody<CreateTokenProfile>,
) -> Answer<TokenProfile> {
    let mut made = app.tokens.create_token_profile(&caller, request).await?;
    made.warnings.extend(unknown);
    success(made)
}
