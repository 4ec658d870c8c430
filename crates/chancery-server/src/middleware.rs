//! The outermost layer: gives every request its id, every answer its form and its headers, and the log its line.
//!
//! [`Outermost`] lies around the routes of the router, [`Exchange`] is what it does: the calls that take no router
//! (`direct`) do the same.

pub(crate) mod idempotency;

use std::{
    any::Any,
    convert::Infallible,
    error::Error as StdError,
    future::poll_fn,
    net::{IpAddr, Ipv4Addr},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant, SystemTime},
};

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use chancery_core::{Error, Meaning, OnBehalf, RequestId, RequestInfo};
use tower::Service;
use tracing::{Instrument as _, Span, debug, debug_span, error};

use crate::{
    answer::{
        Failure, InConsole, Refusal, is_of_api, render,
        room::{self, Large},
        unread_body,
    },
    headers,
    listen::{ConnectionState, HeadFault, too_large_or_too_many},
    metrics,
    routes::console,
};

/// The other end of a call, noted on every request.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The address that the call comes from.
    pub(crate) source: IpAddr,
    /// The connection that it comes by.
    pub(crate) connection: Option<Arc<ConnectionState>>,
    /// What the connection found wrong with the call's head.
    pub(crate) fault: Option<HeadFault>,
}

impl From<IpAddr> for Peer {
    fn from(source: IpAddr) -> Self {
        Self { source, connection: None, fault: None }
    }
}

impl Peer {
    /// The call turned out to be of somebody who is logged in.
    pub(crate) fn is_known(&self) {
        if let Some(connection) = &self.connection {
            connection.caller_is_known();
        }
    }
}

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
        let source = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.source);
        let mut exchange = Exchange::begin(request.method(), source);
        let uri = request.uri().clone();
        let route = request.extensions().get::<MatchedPath>().cloned();
        request.extensions_mut().insert(exchange.info);

        let begun = catch_unwind(AssertUnwindSafe(|| self.0.call(request)));
        Box::pin(async move {
            let answer = match begun {
                Ok(answer) => {
                    let answer = pin!(async { answer.await.unwrap_or_else(|never| match never {}) });
                    exchange.run(answer).await
                }
                Err(panic) => panicked(panic.as_ref()),
            };
            let route = route.as_ref().map_or("none", MatchedPath::as_str);
            Ok(exchange.finish(answer, uri.path(), route))
        })
    }
}

/// A request and its answer.
pub(crate) struct Exchange {
    /// The request's id, and where it comes from.
    pub(crate) info: RequestInfo,
    started: Instant,
    method: &'static str,
    span: Span,
    on_behalf: OnBehalf,
}

impl Exchange {
    /// Gives the request its id.
    pub(crate) fn begin(method: &Method, source: IpAddr) -> Self {
        let started = Instant::now();
        let info = RequestInfo { source, ..unknown_request() };
        let span = debug_span!("request", id = %info.id, %source);
        Self { info, started, method: method_name(method), span, on_behalf: OnBehalf::of(info.counted_as()) }
    }

    /// A route's answer, also if it panics; what it logs bears the request's id, and heavy work waits in the caller's turns.
    /// The route's future stays where it is.
    pub(crate) async fn run(&mut self, mut answer: Pin<&mut impl Future<Output = Response>>) -> Response {
        poll_fn(|context| {
            let _entered = self.span.enter();
            match catch_unwind(AssertUnwindSafe(|| self.on_behalf.poll(|| answer.as_mut().poll(context)))) {
                Ok(poll) => poll,
                Err(panic) => Poll::Ready(panicked(panic.as_ref())),
            }
        })
        .await
    }

    /// Puts the answer into the form of its path, counts and logs it.
    pub(crate) fn finish(self, answer: Response, path: &str, route: &str) -> Response {
        let _entered = self.span.enter();
        let mut answer = finish(answer, path, self.info.id, &Called { method: self.method, route });
        if room::is_large(&answer) && is_of_api(path) {
            answer.extensions_mut().insert(Large { whose: self.on_behalf.party(), id: self.info.id });
        }
        let (method, status, time) = (self.method, answer.status().as_u16(), self.started.elapsed());
        metrics::count_request(method, route, status, time);
        debug!(method, route, status, ms = time.as_secs_f64() * 1e3, "answered");
        answer
    }
}

/// Has a call done to its end, also where whoever made it hangs up meanwhile: else a proof would be looked at, and whoever does
/// not wait for the answer would never be counted, delayed or recorded.
pub(crate) async fn to_the_end(request: Request, next: Next) -> Response {
    let source = request
        .extensions()
        .get::<RequestInfo>()
        .map_or_else(|| unknown_request().counted_as(), |info| info.counted_as());
    let mut on_behalf = OnBehalf::of(source);
    let call = async move {
        let mut answer = pin!(next.run(request));
        poll_fn(|context| on_behalf.poll(|| answer.as_mut().poll(context))).await
    };
    match tokio::spawn(call.in_current_span()).await {
        Ok(answer) => answer,
        Err(ended) if ended.is_panic() => resume_unwind(ended.into_panic()),
        Err(ended) => Failure::from(Error::internal(ended)).into_response(),
    }
}

/// What was called, in words that are not the client's.
struct Called<'a> {
    method: &'static str,
    route: &'a str,
}

/// Puts the answer into the form of its path and sets the headers that all have.
fn finish(answer: Response, path: &str, request_id: RequestId, called: &Called<'_>) -> Response {
    let mut answer = match refusal(&answer) {
        Some(refusal) => {
            log_cause(&refusal.0, request_id, called);
            let mut rendered = render(&refusal.0, path, request_id);
            if answer.extensions().get::<InConsole>().is_some() {
                rendered = console::refused(&refusal.0, request_id, rendered);
            }
            for kept in [header::ALLOW, header::SET_COOKIE] {
                if let Some(value) = answer.headers().get(&kept) {
                    rendered.headers_mut().insert(kept, value.clone());
                }
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
fn log_cause(refusal: &Error, request_id: RequestId, &Called { method, route }: &Called<'_>) {
    if matches!(refusal.meaning(), Meaning::Internal | Meaning::Unavailable | Meaning::Sealed) {
        error!(id = %request_id, method, route, cause = refusal.source(), meaning = ?refusal.meaning(), "a call failed");
    }
}

/// The answer of a call that is refused before its path is looked at. Its body stays where it is.
pub(crate) fn refuse(head: &Parts, source: IpAddr, refusal: Failure) -> Response {
    let exchange = Exchange::begin(&head.method, source);
    let mut refused = exchange.finish(refusal.into_response(), head.uri.path(), "none");
    if head.version < Version::HTTP_2 {
        refused.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    refused
}

/// The same for a head: one that is too large has a status of its own (RFC 6585, 5).
pub(crate) fn refuse_head(head: &Parts, source: IpAddr, fault: HeadFault) -> Response {
    let mut refused = refuse(head, source, fault.error().into());
    if matches!(fault, HeadFault::TooLarge(_) | HeadFault::TooManyFields) {
        *refused.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    }
    refused
}

/// The whole answer, as HTTP/1.1 writes it, to what was no request that could be read. `told` is what hyper wants to say.
/// Nobody knows the path, so the form is that of most.
pub(crate) fn refuse_unread(told: &[u8], head_bytes_max: u32) -> Vec<u8> {
    let is_long = [&b"431"[..], b"414"].iter().any(|status| told.get(9..12) == Some(status));
    let (status, refusal) = if is_long {
        (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, too_large_or_too_many(head_bytes_max))
    } else {
        let message = "What was sent is no HTTP request that can be read.";
        (StatusCode::BAD_REQUEST, Error::new(Meaning::Malformed, message))
    };
    let id = unknown_request().id;
    metrics::count_request("other", "none", status.as_u16(), Duration::ZERO);
    debug!(%id, status = status.as_u16(), "refused what is no request");
    let body = unread_body(&refusal, id);
    let mut head = HeaderMap::from_iter([(header::CONNECTION, HeaderValue::from_static("close"))]);
    // The library adds the date to all answers but these (RFC 9110, 6.6.1).
    if let Ok(date) = HeaderValue::try_from(httpdate::fmt_http_date(SystemTime::now())) {
        head.insert(header::DATE, date);
    }
    head.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    head.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    headers::complete(&mut head, id);
    let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in &head {
        bytes.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&body);
    bytes
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
