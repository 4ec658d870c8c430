//! `/home/v1/login/token`.

use axum::extract::State;
use chancery_types::wire::login::{HomeAnswer, TokenAnswer};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::Authenticated,
};

/// A bearer token for a fully logged-in session.
#[utoipa::path(
    get,
    path = "/home/v1/login/token",
    tag = "Login",
    responses(
        (status = 200, body = TokenAnswer),
        (status = 401, body = HomeAnswer, description = "the session is missing, half logged in, or has ended"),
        (status = 403, body = HomeAnswer, description = "ApiAccessDisabled: API access is switched off"),
        (status = 429, body = HomeAnswer, description = "too much waiting work; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage is out of reach"),
    ),
    security(("session" = []), ("bearer" = [])),
)]
pub(crate) async fn token(State(app): State<App>, caller: Authenticated) -> Result<Json<TokenAnswer>, Failure> {
    Ok(Json(app.identities.bearer_token(&caller).await?))
}
