//! `/home/v1/login/passkey`.

use axum::extract::State;
use chancery_types::wire::{
    Empty,
    login::{HomeAnswer, PasskeyChallenge},
};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Anybody, SessionCookie, VisitorBodyOrEmpty},
};

/// What a passkey is to sign for a login. It is the same for everybody and says nothing of who has passkeys: the browser finds
/// the one that it has for this host. What it answers goes with name and password, as `passkey`, to POST /home/v1/login.
#[utoipa::path(
    post,
    path = "/home/v1/login/passkey",
    tag = "Login",
    request_body = Option<Empty>,
    responses(
        (status = 200, body = PasskeyChallenge),
        (status = 400, body = HomeAnswer, description = "the body is not as described"),
        (status = 403, body = HomeAnswer, description = "a page of another origin sent it"),
        (status = 409, body = HomeAnswer, description = "the server was not told a DNS name by which browsers reach it"),
        (status = 413, body = HomeAnswer, description = "the body is larger than its limit"),
        (status = 415, body = HomeAnswer, description = "the content type is not application/json"),
        (status = 429, body = HomeAnswer, description = "too many logins; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
    ),
)]
pub(crate) async fn passkey_challenge(
    State(app): State<App>,
    visitor: Anybody,
    SessionCookie(_cookie): SessionCookie,
    VisitorBodyOrEmpty(Empty {}): VisitorBodyOrEmpty<Empty>,
) -> Result<Json<PasskeyChallenge>, Failure> {
    Ok(Json(app.identities.passkey_challenge(&visitor).await?))
}
