//! `/home/v1/login/oidc/callback`.

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use chancery_types::wire::login::{HomeAnswer, OidcCallback};

use crate::{
    answer::{Failure, InConsole},
    app::App,
    extract::{Anybody, Query},
    routes::console,
    session_cookie::{self, login},
};

/// Where an identity provider sends the browser of a person back to. On success it goes on to the console with a session; a
/// refusal is shown to browsers in the console, and to programs as usual.
#[utoipa::path(
    get,
    path = "/home/v1/login/oidc/callback",
    tag = "Login",
    params(OidcCallback),
    responses(
        (status = 303, description = "logged in: on to the console", headers(
            ("Location" = String, description = "the console"),
            ("Set-Cookie" = String, description = "the session's new cookie"),
        )),
        (status = 400, body = HomeAnswer, description = "the query is not as described"),
        (status = 401, body = HomeAnswer, description = "the login is refused"),
        (status = 429, body = HomeAnswer, description = "too many logins; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage or the provider is out of reach"),
    ),
)]
pub(crate) async fn finish_oidc(
    State(app): State<App>,
    visitor: Anybody,
    headers: HeaderMap,
    Query(answer): Query<OidcCallback>,
) -> Result<Response, Failure> {
    let cookie = login::read(&headers);
    let mut response = match app.identities.finish_oidc(&visitor, cookie.as_deref(), answer).await {
        Ok(logged_in) => {
            let session = session_cookie::set(&logged_in.cookie)?;
            let on = (header::LOCATION, HeaderValue::from_static("/"));
            (StatusCode::SEE_OTHER, AppendHeaders([on, (header::SET_COOKIE, session)])).into_response()
        }
        Err(refusal) => Failure::from(refusal).into_response(),
    };
    if console::is_browser(&headers) {
        response.extensions_mut().insert(InConsole);
    }
    // It is good for one answer, whatever came of it.
    response.headers_mut().append(header::SET_COOKIE, login::clear()?);
    Ok(response)
}
