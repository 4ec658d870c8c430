//! `/home/v1/login/totp/confirm`.

use axum::extract::State;
use chancery_types::wire::login::{HomeAnswer, TotpCredentials};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Anybody, SessionCookie, VisitorBody},
};

/// Makes the new secret the one whose codes logins take, in the place of a present one: `totp` is a code of the new one. No passkey
/// takes its place.
#[utoipa::path(
    post,
    path = "/home/v1/login/totp/confirm",
    tag = "Login",
    request_body = TotpCredentials,
    responses(
        (status = 200, body = HomeAnswer),
        (status = 400, body = HomeAnswer, description = "the body is not as described"),
        (status = 401, body = HomeAnswer, description = "refused: unknown name, wrong password, code or passkey, locked or delayed"),
        (status = 403, body = HomeAnswer, description = "a page of another origin sent it"),
        (status = 409, body = HomeAnswer, description = "a passkey is shown, and there are none here; or the password is for one use, and sets another one first"),
        (status = 413, body = HomeAnswer, description = "the body is larger than its limit"),
        (status = 415, body = HomeAnswer, description = "the content type is not application/json"),
        (status = 429, body = HomeAnswer, description = "too many logins; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage is out of reach"),
    ),
)]
pub(crate) async fn confirm(
    State(app): State<App>,
    visitor: Anybody,
    SessionCookie(_cookie): SessionCookie,
    VisitorBody(body): VisitorBody<TotpCredentials>,
) -> Result<Json<HomeAnswer>, Failure> {
    Ok(Json(app.identities.confirm_totp(&visitor, body).await?))
}
