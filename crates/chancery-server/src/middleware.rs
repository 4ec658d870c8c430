//! The outermost layer: gives every request its id, every answer its form and its headers, and the log its line.
//!
//! [`Outermost`] lies around the routes of the router, [`Exchange`] is what it does: the calls that take no router
//! (`direct`) do the same.

use std::{
    any::Any,
    convert::Infallible,
    error::Error as StdError,
    future::poll_fn,
    net::{IpAddr, Ipv4Addr},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderValue, Method, StatusCode, Version, header},
    response::{IntoResponse, Response},
};
use chancery_core::{Error, Meaning, RequestId, RequestInfo};
use tower::Service;
use tracing::{Span, debug, debug_span, error};

use crate::{
    answer::{Failure, Refusal, render},
    headers, metrics,
    remainder::Remainder,
};

/// The address of the other end of the connection, noted on every request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

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
        let peer = request.extensions().get::<Peer>();
        let source = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0);
        let exchange = Exchange::begin(request.method(), request.version(), source);
        let uri = request.uri().clone();
        let route = request.extensions().get::<MatchedPath>().cloned();
        request.extensions_mut().insert(exchange.info);
        let (request, remainder) = Remainder::of(request);

        let begun = catch_unwind(AssertUnwindSafe(|| self.0.call(request)));
        Box::pin(async move {
            let answer = match begun {
                Ok(answer) => {
                    let answer = pin!(async { answer.await.unwrap_or_else(|never| match never {}) });
                    exchange.run(answer).await
                }
                Err(panic) => panicked(panic.as_ref()),
            };
            let is_read = remainder.take().await;
            let route = route.as_ref().map_or("none", MatchedPath::as_str);
            Ok(exchange.finish(answer, uri.path(), route, is_read))
        })
    }
}

/// A request and its answer.
pub(crate) struct Exchange {
    /// The request's id, and where it comes from.
    pub(crate) info: RequestInfo,
    started: Instant,
    method: &'static str,
    version: Version,
    span: Span,
}

impl Exchange {
    /// Gives the request its id.
    pub(crate) fn begin(method: &Method, version: Version, source: IpAddr) -> Self {
        let started = Instant::now();
        let info = RequestInfo { source, ..unknown_request() };
        let span = debug_span!("request", id = %info.id, %source);
        Self { info, started, method: method_name(method), version, span }
    }

    /// A route's answer, also if it panics; what it logs bears the request's id. The route's future stays where it is.
    pub(crate) async fn run(&self, mut answer: Pin<&mut impl Future<Output = Response>>) -> Response {
        poll_fn(|context| {
            let _entered = self.span.enter();
            match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
                Ok(poll) => poll,
                Err(panic) => Poll::Ready(panicked(panic.as_ref())),
            }
        })
        .await
    }

    /// Puts the answer into the form of its path, counts and logs it. A connection on which some of the request is still
    /// to come is of no further use.
    pub(crate) fn finish(self, answer: Response, path: &str, route: &str, is_read: bool) -> Response {
        let _entered = self.span.enter();
        let mut answer = finish(answer, path, self.info.id);
        if !is_read && self.version < Version::HTTP_2 {
            answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let (method, status, time) = (self.method, answer.status().as_u16(), self.started.elapsed());
        metrics::count_request(method, route, status, time);
        debug!(method, route, status, ms = time.as_secs_f64() * 1e3, "answered");
        answer
    }
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
    headers::complete(answer.headers_mut(), request_id);
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
