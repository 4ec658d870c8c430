//! What is left of a body that its handler did not read.
//!
//! An answer before the end of the body makes hyper cut an HTTP/1 connection without a word, so that the client's next
//! call on it fails; and where bytes arrive at the closed socket, TCP may throw away the answer itself. So what a
//! refused client still sends is taken, within bounds, and dropped; beyond them the answer announces the cut.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Error,
    body::{Body, Bytes, HttpBody},
    extract::Request,
    http::{HeaderMap, header},
};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::time;

/// So many bytes are worth less than a new connection.
const BYTES_MAX: usize = 64 * 1024;

/// How long they may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// A request's body, held beside the handler.
pub(crate) struct Remainder(Option<Shared>);

impl Remainder {
    /// Puts a handle on the request's body. A client that waits for `100 Continue` must not be told to go on by reading,
    /// so its body is left alone; so is one too long to be taken.
    pub(crate) fn of(request: Request) -> (Request, Self) {
        if !may_be_taken(request.headers(), request.body()) {
            return (request, Self(None));
        }
        let (parts, body) = request.into_parts();
        let shared = Shared(Arc::new(Mutex::new(body)));
        (Request::from_parts(parts, Body::new(shared.clone())), Self(Some(shared)))
    }

    /// Takes the rest and drops it; says whether the connection is of further use.
    pub(crate) async fn take(self) -> bool {
        match self.0 {
            Some(mut body) => take(&mut body).await,
            None => true,
        }
    }
}

/// Whether what is left of a body may be read when the answer is known.
pub(crate) fn may_be_taken(headers: &HeaderMap, body: &impl HttpBody) -> bool {
    let is_long = body.size_hint().lower() > BYTES_MAX as u64;
    !body.is_end_stream() && !is_long && !headers.contains_key(header::EXPECT)
}

/// Takes the rest of a body and drops it; says whether its connection is of further use.
pub(crate) async fn take(body: &mut (impl HttpBody<Data = Bytes> + Unpin)) -> bool {
    if body.is_end_stream() {
        return true;
    }
    let rest = async {
        let mut taken = 0;
        while taken <= BYTES_MAX {
            match body.frame().await {
                Some(Ok(frame)) => taken += frame.data_ref().map_or(0, Bytes::len),
                Some(Err(_)) => return false,
                None => return true,
            }
        }
        false
    };
    time::timeout(PATIENCE, rest).await.unwrap_or(false)
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Body>>);

impl Shared {
    fn body(&self) -> MutexGuard<'_, Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut *self.body()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body().size_hint()
    }
}
