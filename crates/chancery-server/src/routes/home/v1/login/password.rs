//! `/home/v1/login/password`.

use axum::extract::State;
use chancery_types::wire::login::{ChangePassword, HomeAnswer};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Anybody, SessionCookie, VisitorBody},
};

/// Sets one's own password, by the present one and the second factor, and ends the sessions of the identity. A password that
/// others gave for one use does this and nothing else.
#[utoipa::path(
    post,
    path = "/home/v1/login/password",
    tag = "Login",
    request_body = ChangePassword,
    responses(
        (status = 200, body = HomeAnswer),
        (status = 400, body = HomeAnswer, description = "the body is not as described, or the new password is none"),
        (status = 401, body = HomeAnswer, description = "refused: unknown name, wrong password, code or passkey, locked or delayed"),
        (status = 403, body = HomeAnswer, description = "a page of another origin sent it, or the identity is an application"),
        (status = 409, body = HomeAnswer, description = "a passkey is shown, and there are none here"),
        (status = 413, body = HomeAnswer, description = "the body is larger than its limit"),
        (status = 415, body = HomeAnswer, description = "the content type is not application/json"),
        (status = 429, body = HomeAnswer, description = "too many logins; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage is out of reach"),
    ),
)]
pub(crate) async fn change_password(
    State(app): State<App>,
    visitor: Anybody,
    SessionCookie(_cookie): SessionCookie,
    VisitorBody(body): VisitorBody<ChangePassword>,
) -> Result<Json<HomeAnswer>, Failure> {
    Ok(Json(app.identities.change_own_password(&visitor, body).await?))
}
