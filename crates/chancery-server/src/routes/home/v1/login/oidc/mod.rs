//! `/home/v1/login/oidc`.

pub(crate) mod callback;

use axum::{
    extract::State,
    http::header,
    response::{AppendHeaders, IntoResponse},
};
use chancery_types::wire::login::{BeginOidc, HomeAnswer, OidcBegun, OidcProviders};

use crate::{
    answer::{Failure, Json},
    app::App,
    extract::{Anybody, ClientCertificate, SessionCookie, VisitorBody},
    session_cookie::login,
};

/// The identity providers by which people may log in, and the directories: names and ids, for whoever is about to; and whether
/// this socket asks for client certificates.
#[utoipa::path(
    get,
    path = "/home/v1/login/oidc",
    tag = "Login",
    responses(
        (status = 200, body = OidcProviders),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage is out of reach"),
    ),
)]
pub(crate) async fn oidc_providers(
    State(app): State<App>,
    visitor: Anybody,
    certificate: ClientCertificate,
) -> Result<Json<OidcProviders>, Failure> {
    let providers = app.identities.oidc_providers(&visitor).await?;
    Ok(Json(OidcProviders { certificates: certificate.was_asked(), ..providers }))
}

/// Begins the login of a person by an identity provider, on the session of the cookie or on a new one. The browser goes on to
/// the address that is answered, and comes back to the callback with the cookie that this sets.
#[utoipa::path(
    post,
    path = "/home/v1/login/oidc",
    tag = "Login",
    request_body = BeginOidc,
    responses(
        (status = 200, body = OidcBegun, headers(("Set-Cookie" = String, description = "what the callback needs, for ten minutes"))),
        (status = 400, body = HomeAnswer, description = "the body is not as described, or people log in by no such provider"),
        (status = 403, body = HomeAnswer, description = "a page of another origin sent it"),
        (status = 409, body = HomeAnswer, description = "the server was not told its own address"),
        (status = 413, body = HomeAnswer, description = "the body is larger than its limit"),
        (status = 415, body = HomeAnswer, description = "the content type is not application/json"),
        (status = 429, body = HomeAnswer, description = "too many logins; try again after Retry-After"),
        (status = 500, body = HomeAnswer, description = "the cause is in the server's log under the request id"),
        (status = 503, body = HomeAnswer, description = "storage or the provider is out of reach"),
    ),
)]
pub(crate) async fn begin_oidc(
    State(app): State<App>,
    visitor: Anybody,
    SessionCookie(cookie): SessionCookie,
    VisitorBody(body): VisitorBody<BeginOidc>,
) -> Result<impl IntoResponse, Failure> {
    let begun = app.identities.begin_oidc(&visitor, cookie.as_deref(), body).await?;
    Ok((AppendHeaders([(header::SET_COOKIE, login::set(&begun.cookie)?)]), Json(begun.answer)))
}
