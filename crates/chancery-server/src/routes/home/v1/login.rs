//! `/home/v1/login`.

pub(crate) mod exchange;
pub(crate) mod oidc;
pub(crate) mod passkey;
pub(crate) mod password;
pub(crate) mod token;
pub(crate) mod totp;

use axum::{
    extract::State,
    http::header,
    response::{AppendHeaders, IntoResponse},
};
use chancery_types::{
    AuthType,
    wire::login::{LoginAnswer, LoginFailure, LoginRequest, SessionAnswer},
};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Anybody, ClientCertificate, SessionCookie, Shown, VisitorBody},
    session_cookie,
};

/// Logs an identity in, on the session of the cookie or on a new one. Roles with two logins are complete after the
/// second, of another identity. With `authType` `certificate` it is the identity that the client certificate of this connection
/// stands for; no other call looks at that. With `ldap` it is the one that an account of a directory stands for.
#[utoipa::path(
    post,
    path = "/home/v1/login",
    tag = "Login",
    request_body = LoginRequest,
    responses(
        (status = 200, body = LoginAnswer, headers(("Set-Cookie" = String, description = "the session's new cookie"))),
        (status = 400, body = LoginFailure, description = "the body is not as described, or there is no such directory"),
        (status = 401, body = LoginFailure, description = "the login is refused"),
        (status = 403, body = LoginFailure, description = "a page of another origin sent it"),
        (status = 409, body = LoginFailure, description = "the password is for one use and sets another one, or a passkey is shown, and the server was not told a DNS name by which browsers reach it"),
        (status = 413, body = LoginFailure, description = "the body is larger than its limit"),
        (status = 415, body = LoginFailure, description = "the content type is not application/json"),
        (status = 429, body = LoginFailure, description = "too many logins; try again after Retry-After"),
        (status = 500, body = LoginFailure, description = "the cause is in the server's log under the request id"),
        (status = 503, body = LoginFailure, description = "storage or the directory is out of reach"),
    ),
)]
pub(crate) async fn login(
    State(app): State<App>,
    visitor: Anybody,
    SessionCookie(cookie): SessionCookie,
    certificate: ClientCertificate,
    VisitorBody(request): VisitorBody<LoginRequest>,
) -> Result<impl IntoResponse, Failure> {
    let cookie = cookie.as_deref();
    let logged_in = match request.auth_type {
        AuthType::Certificate => app.identities.log_in_by_certificate(&visitor, cookie, certificate.shown()).await?,
        AuthType::Ldap => app.identities.log_in_by_ldap(&visitor, cookie, request).await?,
        AuthType::Userpass | AuthType::Apikey => app.identities.log_in(&visitor, cookie, request).await?,
    };
    Ok((AppendHeaders([(header::SET_COOKIE, session_cookie::set(&logged_in.cookie)?)]), Json(logged_in.answer)))
}

/// Where the session stands that the cookie or the token belongs to, and who has logged in on it; nobody, where there is
/// none. To ask does not keep a session from running out.
#[utoipa::path(
    get,
    path = "/home/v1/login",
    tag = "Login",
    responses(
        (status = 200, body = SessionAnswer),
        (status = 403, body = LoginFailure, description = "a page of another origin sent it with the session cookie"),
        (status = 500, body = LoginFailure, description = "the cause is in the server's log under the request id"),
        (status = 503, body = LoginFailure, description = "storage is out of reach"),
    ),
)]
pub(crate) async fn state(
    State(app): State<App>,
    Shown { request, credentials }: Shown,
) -> Result<Json<SessionAnswer>, Failure> {
    Ok(Json(app.identities.session_state(request, credentials).await?))
}
