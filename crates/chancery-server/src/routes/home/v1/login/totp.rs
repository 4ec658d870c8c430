//! `/home/v1/login/totp`.

pub(crate) mod confirm;
pub(crate) mod remove;

use axum::extract::State;
use chancery_types::wire::login::{HomeAnswer, TotpCredentials, TotpSecret};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Anybody, SessionCookie, VisitorBody},
};

/// Makes a new secret of one-time codes for a person, and shows it this once. It counts once one of its codes has confirmed
/// it; until then, a login takes what it took before. Whoever has codes already shows a present one, or a passkey; whoever has none and
/// a passkey that was confirmed shows that.
#[utoipa::path(
    post,
    path = "/home/v1/login/totp",
    tag = "Login",
    request_body = TotpCredentials,
    responses(
        (status = 200, body = TotpSecret),
        (status = 400, body = HomeAnswer, description = "the body is not as described"),
        (status = 401, body = HomeAnswer, description = "refused: unknown name, wrong password, code or passkey, locked or delayed"),
        (status = 403, body = HomeAnswer, description = "a page of another origin sent it, or the identity is an application"),
        (status = 409, body = HomeAnswer, description = "a passkey is shown, and there are none here; or the password is for one use, and sets another one first"),
        (status = 413, body = HomeAnswer, description = "the body is larger than its limit"),
        (status = 415, body = HomeAnswer, description = "the content type is not application/json"),
        (status = 429, body = HomeAnswer, description = "too many logins; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage is out of reach"),
    ),
)]
pub(crate) async fn enrol(
    State(app): State<App>,
    visitor: Anybody,
    SessionCookie(_cookie): SessionCookie,
    VisitorBody(body): VisitorBody<TotpCredentials>,
) -> Result<Json<TotpSecret>, Failure> {
    Ok(Json(app.identities.enrol_totp(&visitor, body).await?))
}
