//! `/home/v1/login/exchange`.

use axum::extract::State;
use chancery_types::wire::login::{ExchangeToken, HomeAnswer, TokenExchanged};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Anybody, SessionCookie, VisitorBody},
};

/// Exchanges a token of an identity provider that is trusted here for a bearer token of the identity that it stands for. For
/// workloads, which need no secret for it. Nothing prolongs what is answered: there is no cookie.
#[utoipa::path(
    post,
    path = "/home/v1/login/exchange",
    tag = "Login",
    request_body = ExchangeToken,
    responses(
        (status = 200, body = TokenExchanged),
        (status = 400, body = HomeAnswer, description = "the body is not as described"),
        (status = 401, body = HomeAnswer, description = "refused: of no provider that is trusted here, not good now, taken before, or of nobody here"),
        (status = 403, body = HomeAnswer, description = "a page of another origin sent it"),
        (status = 413, body = HomeAnswer, description = "the body is larger than its limit"),
        (status = 415, body = HomeAnswer, description = "the content type is not application/json"),
        (status = 429, body = HomeAnswer, description = "too many logins; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage is out of reach"),
    ),
)]
pub(crate) async fn exchange(
    State(app): State<App>,
    visitor: Anybody,
    SessionCookie(_cookie): SessionCookie,
    VisitorBody(body): VisitorBody<ExchangeToken>,
) -> Result<Json<TokenExchanged>, Failure> {
    Ok(Json(app.identities.exchange_token(&visitor, body).await?))
}
