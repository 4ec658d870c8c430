//! What a call leaves unread of its request's body.
//!
//! A call may be answered before its body was read: by 401, say. The client may be sending all the while, and some clients
//! look for the answer only when they have sent it all. hyper would cut an HTTP/1 connection then without a word, so that the
//! client's next call on it fails, and reset a stream of HTTP/2, at which some clients throw the answer away. So a short rest
//! is taken before the answer, and beyond that the answer announces the cut, or the rest is taken behind it.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Bytes, HttpBody},
    extract::Request,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::{
    sync::watch,
    time::{self, Instant},
};

use super::lingering::THROWN_AWAY_MAX;

/// So many bytes are worth less than a new connection, and how long they may take.
const SHORT: usize = 64 * 1024;
const SHORT_WAIT: Duration = Duration::from_secs(1);

/// How long the rest of a body over HTTP/2 may be quiet, and how long all of it may take.
const QUIET_MAX: Duration = Duration::from_secs(5);
const ALL_MAX: Duration = Duration::from_secs(30);

/// A body that is kept where it is dropped before its end.
pub(super) struct KeptBody {
    body: Option<Incoming>,
    left: Option<Place>,
}

/// Where it is kept.
type Place = Arc<Mutex<Option<Incoming>>>;

/// What is left of a body, once its call has an answer.
pub(super) struct LeftBody {
    left: Option<Place>,
    may_be_taken: bool,
}

impl LeftBody {
    /// Keeps what will be left of the body of a request. One without a body leaves nothing.
    pub(super) fn of(request: Request<Incoming>) -> (Request<KeptBody>, Self) {
        let left: Option<Place> = (!request.body().is_end_stream()).then(Arc::default);
        let may_be_taken = may_be_taken(request.headers(), request.body());
        let kept = request.map(|body| KeptBody { body: Some(body), left: left.clone() });
        (kept, Self { left, may_be_taken })
    }

    /// Takes a short rest and drops it; answers one that is left.
    async fn read(self) -> Option<Incoming> {
        let mut rest = self.left?.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let is_read = self.may_be_taken && take(&mut rest).await;
        (!is_read).then_some(rest)
    }

    /// Whether something is left behind an answer over HTTP/1.1: then the connection is closed, and the answer says so (RFC
    /// 9112, 9.6).
    pub(super) async fn ends(self, response: &mut Response) -> bool {
        let is_left = self.read().await.is_some();
        if is_left {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        is_left
    }

    /// Throws away what is left behind an answer over HTTP/2 while it comes; until the server stops.
    pub(super) async fn throw_away(self, mut stop: watch::Receiver<bool>) {
        let Some(mut rest) = self.read().await else { return };
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

/// Whether what is left of a body may be read when the answer is known. A client that waits for `100 Continue` must not be
/// told to go on by reading.
fn may_be_taken(headers: &HeaderMap, body: &Incoming) -> bool {
    body.size_hint().lower() <= SHORT as u64 && !headers.contains_key(header::EXPECT)
}

/// Takes the rest of a body and drops it; says whether its connection is of further use.
async fn take(body: &mut Incoming) -> bool {
    let rest = async {
        let mut taken = 0;
        while taken <= SHORT {
            match body.frame().await {
                Some(Ok(frame)) => taken += frame.data_ref().map_or(0, Bytes::len),
                Some(Err(_)) => return false,
                None => return true,
            }
        }
        false
    };
    time::timeout(SHORT_WAIT, rest).await.unwrap_or(false)
}

impl Drop for KeptBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream())
            && let Some(left) = &self.left
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
