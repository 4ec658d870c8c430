//! The outermost layer: gives every request its id, every answer its form and its headers, and the log its line.

use std::{
    any::Any,
    convert::Infallible,
    error::Error as StdError,
    future::poll_fn,
    mem,
    net::{IpAddr, Ipv4Addr},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::LazyLock,
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header},
    response::{IntoResponse, Response},
};
use chancery_core::{Error, Meaning, RequestId, RequestInfo};
use tower::Service;
use tracing::{Instrument, debug, debug_span, error};

use crate::{
    answer::{Failure, Refusal, render},
    metrics,
    remainder::Remainder,
};

/// The address of the other end of the connection; the listener notes it on every request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What every answer says unless its handler says otherwise: answers are not to be kept, guessed at, framed or run.
static DEFAULT_HEADERS: LazyLock<HeaderMap> = LazyLock::new(|| {
    const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers
});

/// Wraps a route. A service of its own, because axum's middleware out of a function would copy the route within and
/// allocate several times for every request.
#[derive(Clone, Debug)]
pub(crate) struct Outermost<S>(pub(crate) S);

impl<S> Service<Request> for Outermost<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    /// Runs a request inside its span and finishes its answer.
    fn call(&mut self, mut request: Request) -> Self::Future {
        let started = Instant::now();
        let info = request_info(&request);
        let method = method_name(request.method());
        let uri = request.uri().clone();
        let route = request.extensions().get::<MatchedPath>().cloned();
        let span = debug_span!("request", id = %info.id, source = %info.source);
        request.extensions_mut().insert(info);

        let version = request.version();
        let (request, remainder) = Remainder::of(request);

        let begun = catch_unwind(AssertUnwindSafe(|| self.0.call(request)));
        Box::pin(async move {
            let answer = match begun {
                Ok(answer) => answered(answer).instrument(span.clone()).await,
                Err(panic) => panicked(panic.as_ref()),
            };
            let is_read = remainder.take().await;
            let _entered = span.entered();
            let mut answer = finish(answer, uri.path(), info.id);
            if !is_read && version < Version::HTTP_2 {
                answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }

            let route = route.as_ref().map_or("none", MatchedPath::as_str);
            let status = answer.status().as_u16();
            let time = started.elapsed();
            metrics::count_request(method, route, status, time);
            debug!(method, route, status, ms = time.as_secs_f64() * 1e3, "answered");
            Ok(answer)
        })
    }
}

/// A route's answer, also if it panics.
async fn answered(answer: impl Future<Output = Result<Response, Infallible>>) -> Response {
    let mut answer = pin!(answer);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
        Ok(poll) => poll.map(|Ok(answer)| answer),
        Err(panic) => Poll::Ready(panicked(panic.as_ref())),
    })
    .await
}

/// Puts the answer into the form of its path and sets the headers that all have.
fn finish(answer: Response, path: &str, request_id: RequestId) -> Response {
    let mut answer = match refusal(&answer) {
        Some(refusal) => {
            log_cause(&refusal.0, request_id);
            let mut rendered = render(&refusal.0, path, request_id);
            if let Some(allow) = answer.headers().get(header::ALLOW) {
                rendered.headers_mut().insert(header::ALLOW, allow.clone());
            }
            rendered
        }
        None => answer,
    };
    let headers = answer.headers_mut();
    // The handler's few join the copy of the usual ones, which costs less than the other way round. `extend` puts the
    // first of each name in the place of a default, and keeps those of the same name that follow.
    let own = mem::replace(headers, DEFAULT_HEADERS.clone());
    headers.extend(own);
    if let Ok(id) = HeaderValue::from_bytes(&request_id.digits()) {
        headers.insert(REQUEST_ID, id);
    }
    answer
}

/// Why the call was refused, if it was; the router's own refusal of a method carries no reason yet.
fn refusal(answer: &Response) -> Option<Refusal> {
    let known = answer.extensions().get::<Refusal>().cloned();
    known.or_else(|| {
        let unmatched = answer.status() == StatusCode::METHOD_NOT_ALLOWED;
        unmatched.then(|| Refusal(Error::new(Meaning::Method, "This path has no such method; see Allow.").into()))
    })
}

/// The log alone learns why: the answer says only under which id to look.
fn log_cause(refusal: &Error, request_id: RequestId) {
    if matches!(refusal.meaning(), Meaning::Internal | Meaning::Unavailable | Meaning::Sealed) {
        error!(id = %request_id, cause = refusal.source(), meaning = ?refusal.meaning(), "a call failed");
    }
}

/// The answer of paths that nobody serves.
pub(crate) async fn no_such_path() -> Failure {
    Error::new(Meaning::NotFound, "There is no such path.").into()
}

/// The answer of a handler that panicked, which is a defect; the panic hook has logged where.
fn panicked(panic: &(dyn Any + Send)) -> Response {
    let message = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let cause = format!("panic: {}", message.unwrap_or("of unknown kind"));
    Failure::from(Error::internal(cause)).into_response()
}

/// A new id, and where the request comes from.
fn request_info(request: &Request) -> RequestInfo {
    let peer = request.extensions().get::<Peer>();
    RequestInfo { source: peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0), ..unknown_request() }
}

/// A request of which nothing was noted.
pub(crate) fn unknown_request() -> RequestInfo {
    RequestInfo { id: RequestId(rand::random()), source: IpAddr::V4(Ipv4Addr::UNSPECIFIED) }
}

/// The method's name, if it is one of the known ones: a label of a metric must not be the client's to invent.
fn method_name(method: &Method) -> &'static str {
    const KNOWN: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

#[cfg(test)]
mod tests;
