//! One template.

use axum::extract::State;
use chancery_types::wire::{Envelope, token_profiles::TokenProfileTemplate};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, InPath},
};

/// A built-in template: what to send to create a profile, but for the key and the rules.
#[utoipa::path(
    get,
    path = "/api/v2/token-profiles/template/{name}",
    tag = "Tokenization",
    params(("name" = String, Path, description = "the template's name, in any letter case")),
    responses((status = 200, body = Envelope<TokenProfileTemplate>)),
)]
pub(crate) async fn read(
    State(app): State<App>,
    caller: Authenticated,
    InPath(name): InPath<String>,
) -> Answer<TokenProfileTemplate> {
    success(app.tokens.token_template(&caller, &name)?)
}
