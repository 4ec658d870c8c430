//! The names of the templates.

use axum::extract::State;
use chancery_types::wire::{Envelope, token_profiles::TemplateNames};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::Authenticated,
};

/// The names of the built-in templates.
#[utoipa::path(
    get,
    path = "/api/v2/token-profiles/template/names",
    tag = "Tokenization",
    responses((status = 200, body = Envelope<TemplateNames>)),
)]
pub(crate) async fn names(State(app): State<App>, caller: Authenticated) -> Answer<TemplateNames> {
    success(app.tokens.token_template_names(&caller))
}
