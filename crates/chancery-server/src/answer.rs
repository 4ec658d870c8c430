//! What a handler answers, and how a refusal leaves the server.

mod batch;
pub(crate) mod room;

use std::{fmt::Write as _, sync::Arc};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use chancery_core::{Error, Meaning, RequestId};
use chancery_types::wire::{
    Envelope, ErrorResponse,
    login::{HomeAnswer, HomeStatus, LoginFailure, NotLoggedIn},
};

use futures::Stream;
use serde::Serialize;

pub(crate) use self::batch::{BatchAnswer, batch};
use crate::{error_table, headers};

/// A JSON answer. Not axum's, whose buffer takes every quote and comma by a call of its own: a batch has a million.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        written(serde_json::to_vec(&self.0))
    }
}

/// Bytes that are kept for many answers, and not copied for each.
pub(crate) fn shared(bytes: Arc<[u8]>) -> Bytes {
    Bytes::from_owner(bytes)
}

/// What is made while it is sent. Where a piece fails, the connection breaks off.
pub(crate) fn in_pieces(pieces: impl Stream<Item = Result<Vec<u8>, Error>> + Send + 'static) -> Body {
    Body::from_stream(pieces)
}

pub(crate) fn written(json: serde_json::Result<Vec<u8>>) -> Response {
    match json {
        Ok(json) => {
            let mut response = Response::new(Body::from(json));
            *response.headers_mut() = headers::of_json();
            response
        }
        Err(error) => Failure(Error::internal(error)).into_response(),
    }
}

/// What the handlers under `/api/v2` and `/cuserv/v1` answer.
pub(crate) type Answer<T> = Result<Success<T>, Failure>;

/// The payload of a call that succeeded; it leaves in [`Envelope::success`].
pub(crate) struct Success<T> {
    response: T,
    holds_secret: bool,
}

/// Marks an answer that is given once and kept nowhere.
#[derive(Clone, Copy)]
pub(crate) struct HoldsSecret;

/// The answer of a call that succeeded.
pub(crate) const fn success<T>(response: T) -> Answer<T> {
    Ok(Success { response, holds_secret: false })
}

/// The answer of a call that succeeded, with something that nobody will be told again.
pub(crate) const fn secret<T>(response: T) -> Answer<T> {
    Ok(Success { response, holds_secret: true })
}

impl<T: Serialize> IntoResponse for Success<T> {
    fn into_response(self) -> Response {
        let mut answer = written(in_envelope(&self.response));
        if self.holds_secret {
            answer.extensions_mut().insert(HoldsSecret);
        }
        answer
    }
}

/// What is the same for all answers is not serialized for each.
fn in_envelope(response: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut json = Vec::with_capacity(256);
    json.extend_from_slice(br#"{"success":true,"errorCode":"Success","response":"#);
    serde_json::to_writer(&mut json, response)?;
    json.push(b'}');
    Ok(json)
}

/// A call that was refused or failed.
#[derive(Debug)]
pub(crate) struct Failure(Error);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

/// The error travels beside an empty answer to [`render`], because only the outermost layer knows the request's id and
/// which envelope its path has.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = error_table::status(self.0.meaning()).into_response();
        response.extensions_mut().insert(Refusal(Arc::new(self.0)));
        response
    }
}

/// The error behind an answer.
#[derive(Clone, Debug)]
pub(crate) struct Refusal(pub(crate) Arc<Error>);

/// Marks a refusal that a person's browser goes to by itself, and not by a call of a script: the console shows it.
#[derive(Clone, Copy)]
pub(crate) struct InConsole;

/// Whether answers are in the interface's own envelope.
pub(crate) fn is_of_api(path: &str) -> bool {
    Family::of(path) == Family::Api
}

/// The family of paths that a request belongs to, which decides the form of its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// `/api/v2` and `/cuserv/v1`.
    Api,
    /// `/home/v1/login`.
    Login,
    /// The rest of `/home/v1`.
    Home,
    /// Everything else: health, public certificates and lists, pages.
    Plain,
}

impl Family {
    fn of(path: &str) -> Self {
        let under = |root: &str| path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if under("/api/v2") || under("/cuserv/v1") {
            Self::Api
        } else if path == "/home/v1/login" {
            Self::Login
        } else if under("/home/v1") {
            Self::Home
        } else {
            Self::Plain
        }
    }
}

/// The full answer of a refused call.
pub(crate) fn render(error: &Error, path: &str, request_id: RequestId) -> Response {
    let status = error_table::status(error.meaning());
    let mut response = match Family::of(path) {
        Family::Api => (status, Json(envelope(error, request_id))).into_response(),
        Family::Login => (status, Json(login_failure(error))).into_response(),
        Family::Home => (status, Json(home_failure(error))).into_response(),
        Family::Plain => (status, plain(error)).into_response(),
    };
    if let Some(seconds) = error.retry_after_s() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if error.meaning() == Meaning::Unauthenticated {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// The body of an answer to what was no request, so that its path is not known.
pub(crate) fn unread_body(error: &Error, request_id: RequestId) -> Vec<u8> {
    // A message and an id can always be written.
    serde_json::to_vec(&envelope(error, request_id)).unwrap_or_default()
}

fn login_failure(error: &Error) -> LoginFailure {
    LoginFailure {
        message: message_and_field(error),
        status: HomeStatus::Failure,
        response: NotLoggedIn { fully_logged_in: false },
    }
}

fn home_failure(error: &Error) -> HomeAnswer {
    let disabled = error.meaning() == Meaning::ApiAccessDisabled;
    HomeAnswer {
        message: message_and_field(error),
        status: HomeStatus::Failure,
        error_code: disabled.then(|| error.meaning().error_code()),
    }
}

fn envelope(error: &Error, request_id: RequestId) -> Envelope<ErrorResponse> {
    Envelope {
        success: false,
        error_code: error.meaning().error_code(),
        response: ErrorResponse {
            message: error.message().to_owned(),
            request_id: request_id.to_string(),
            field: error.field().map(str::to_owned),
            errors: error.items().to_vec(),
        },
    }
}

fn plain(error: &Error) -> String {
    message_and_field(error) + "\n"
}

/// Where the answer has no member for what is at fault.
fn message_and_field(error: &Error) -> String {
    let mut text = error.message().to_owned();
    if let Some(field) = error.field() {
        let _infallible = write!(text, " ({field})");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_success_is_written_as_its_envelope() {
        let payload = serde_json::json!({"token": "a\"b", "errors": []});
        let written = in_envelope(&payload).unwrap();
        assert_eq!(written, serde_json::to_vec(&Envelope::success(&payload)).unwrap());
    }

    #[test]
    fn a_path_belongs_to_one_family() {
        for (path, family) in [
            ("/api/v2", Family::Api),
            ("/api/v2/", Family::Api),
            ("/api/v2/nothing", Family::Api),
            ("/api/v22", Family::Plain),
            ("/cuserv/v1/services/deploy", Family::Api),
            ("/home/v1/login", Family::Login),
            ("/home/v1/login/token", Family::Home),
            ("/home/v1", Family::Home),
            ("/", Family::Plain),
        ] {
            assert_eq!(Family::of(path), family, "{path}");
        }
    }
}
