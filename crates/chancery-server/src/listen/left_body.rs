//! What a call leaves unread of its request's body.
//!
//! A call may be answered before its body was read: by 401, say. The client may be sending all the while, and some clients
//! look for the answer only when they have sent it all. HTTP/1.1 has to close the connection then, unless the rest was short
//! enough to be read ([`Remainder`](crate::remainder::Remainder)); HTTP/2 would reset the stream, at which some clients throw
//! the answer away.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Bytes, HttpBody},
    extract::Request,
    http::{HeaderValue, header},
    response::Response,
};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::{
    sync::watch,
    time::{self, Instant},
};

use super::lingering::THROWN_AWAY_MAX;

/// How long the rest of a body over HTTP/2 may be quiet, and how long all of it may take.
const QUIET_MAX: Duration = Duration::from_secs(5);
const ALL_MAX: Duration = Duration::from_secs(30);

/// A body that is kept where it is dropped before its end.
pub(super) struct KeptBody {
    body: Option<Incoming>,
    left: LeftBody,
}

/// What is left of a body, once its call has an answer.
#[derive(Clone, Default)]
pub(super) struct LeftBody(Option<Arc<Mutex<Option<Incoming>>>>);

impl LeftBody {
    /// Keeps what will be left of the body of a request. One without a body leaves nothing.
    pub(super) fn of(request: Request<Incoming>) -> (Request<KeptBody>, Self) {
        let left = Self((!request.body().is_end_stream()).then(Arc::default));
        let kept = request.map(|body| KeptBody { body: Some(body), left: left.clone() });
        (kept, left)
    }

    fn take(&self) -> Option<Incoming> {
        self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether something is left behind an answer over HTTP/1.1: then the connection is closed, and the answer says so (RFC
    /// 9112, 9.6). A short rest was read before the call was answered.
    pub(super) fn ends(&self, response: &mut Response) -> bool {
        let is_left = self.take().is_some();
        if is_left {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        is_left
    }

    /// Throws the rest away while it comes, behind an answer over HTTP/2; until the server stops.
    pub(super) fn throw_away(&self, mut stop: watch::Receiver<bool>) {
        let Some(mut rest) = self.take() else { return };
        tokio::spawn(async move {
            let (end, mut thrown_away) = (Instant::now() + ALL_MAX, 0);
            while thrown_away <= THROWN_AWAY_MAX {
                let frame = tokio::select! {
                    frame = time::timeout_at(end.min(Instant::now() + QUIET_MAX), rest.frame()) => frame,
                    _ = stop.changed() => return,
                };
                let Ok(Some(Ok(frame))) = frame else { return };
                thrown_away += frame.data_ref().map_or(0, |data| data.len() as u64);
            }
        });
    }
}

impl Drop for KeptBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream())
            && let Some(left) = &self.left.0
        {
            *left.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
        }
    }
}

impl HttpBody for KeptBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}
