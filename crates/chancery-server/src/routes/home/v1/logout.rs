//! `/home/v1/logout`.

use axum::{
    extract::State,
    http::header,
    response::{AppendHeaders, IntoResponse},
};
use chancery_types::wire::{
    Empty,
    login::{HomeAnswer, HomeStatus},
};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Shown, VisitorBodyOrEmpty},
    session_cookie,
};

/// Ends the session, complete or half open, and every token of it.
#[utoipa::path(
    post,
    path = "/home/v1/logout",
    tag = "Login",
    request_body = Option<Empty>,
    responses(
        (status = 200, body = HomeAnswer, headers(("Set-Cookie" = String, description = "removes the cookie"))),
        (status = 400, body = HomeAnswer, description = "the body is no JSON object"),
        (status = 401, body = HomeAnswer, description = "there is no such session"),
        (status = 403, body = HomeAnswer, description = "a page of another origin sent it"),
        (status = 413, body = HomeAnswer, description = "the body is too large"),
        (status = 415, body = HomeAnswer, description = "the content type is not application/json"),
        (status = 429, body = HomeAnswer, description = "too much waiting work; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage is out of reach"),
    ),
    security(("session" = []), ("bearer" = [])),
)]
pub(crate) async fn logout(
    State(app): State<App>,
    Shown { request, credentials }: Shown,
    VisitorBodyOrEmpty(Empty {}): VisitorBodyOrEmpty<Empty>,
) -> Result<impl IntoResponse, Failure> {
    app.identities.log_out(request, credentials).await?;
    let answer = HomeAnswer { message: "Success".to_owned(), status: HomeStatus::Success, error_code: None };
    Ok((AppendHeaders([(header::SET_COOKIE, session_cookie::clear()?)]), Json(answer)))
}
