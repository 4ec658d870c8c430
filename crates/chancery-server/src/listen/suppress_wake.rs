//! A body whose last piece wakes nobody.
//!
//! Whoever takes a piece of a body wakes the task that has the next one to read from the socket. With HTTP/1 that is
//! the task that runs the call itself, and after the last piece there is no next one: every call with a body would have
//! its connection queued once more, maybe another core called to it, and polled for nothing. That is 20 % of the processor
//! time of a call that tokenizes a value (decision 0158).

use std::{
    cell::Cell,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// Polls the future of a connection, so that [`SuppressWake`] bodies may keep its task from being woken.
#[derive(Default)]
pub(super) struct WakeFilter(Option<(Arc<Task>, Waker)>);

/// A connection's task.
struct Task(Waker);

thread_local! {
    /// Whether a piece of a body is being taken: then the wake that this makes is held back.
    static HOLDS: Cell<bool> = const { Cell::new(false) };
    /// Whose wake was held back.
    static HELD: Cell<Option<Arc<Task>>> = const { Cell::new(None) };
}

impl WakeFilter {
    pub(super) fn poll<F: Future>(&mut self, future: Pin<&mut F>, context: &Context<'_>) -> Poll<F::Output> {
        // At first, and when another task has taken over, the future has to learn whom to wake.
        let known = self.0.take().filter(|(task, _)| task.0.will_wake(context.waker()));
        let (_, waker) = self.0.insert(known.unwrap_or_else(|| {
            let task = Arc::new(Task(context.waker().clone()));
            (Arc::clone(&task), Waker::from(task))
        }));
        future.poll(&mut Context::from_waker(waker))
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if HOLDS.replace(false) {
            HELD.set(Some(self));
        } else {
            self.0.wake_by_ref();
        }
    }
}

/// As long as it lives, this thread's next wake is held back.
struct Hold;

impl Hold {
    fn begin() -> Self {
        HOLDS.set(true);
        Self
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDS.set(false);
    }
}

/// The body of an HTTP/1 request. (HTTP/2 has more to do when a piece was taken: it tells the client that there is room.)
pub(super) struct SuppressWake<B>(pub(super) B);

impl<B: HttpBody<Data = Bytes, Error = hyper::Error> + Unpin> HttpBody for SuppressWake<B> {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let hold = Hold::begin();
        let frame = Pin::new(&mut self.0).poll_frame(context);
        drop(hold);
        if let Some(task) = HELD.take()
            && !self.0.is_end_stream()
        {
            task.0.wake_by_ref();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        future::poll_fn,
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    use axum::{body::Body, extract::Request, response::Response};
    use http_body_util::BodyExt as _;
    use hyper::{body::Incoming, server::conn::http1, service::service_fn};
    use hyper_util::rt::TokioIo;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, duplex},
        time::{sleep, timeout},
    };

    use super::*;

    /// Sends these pieces of a request; how often its connection was polled until there was nothing left to do.
    async fn polls(pieces: &[&str]) -> usize {
        let polls = Arc::new(AtomicUsize::new(0));
        let (mut client, server) = duplex(4096);
        let echo = |request: Request<Incoming>| async {
            let body = SuppressWake(request.into_body()).collect().await.unwrap().to_bytes();
            Ok::<_, Infallible>(Response::new(Body::from(body)))
        };
        let mut connection = Box::pin(http1::Builder::new().serve_connection(TokioIo::new(server), service_fn(echo)));
        let (mut wake_filter, count) = (WakeFilter::default(), Arc::clone(&polls));
        tokio::spawn(poll_fn(move |context| {
            count.fetch_add(1, Ordering::Relaxed);
            wake_filter.poll(connection.as_mut(), context).map(drop)
        }));
        sleep(Duration::from_millis(20)).await;
        let before = polls.load(Ordering::Relaxed);
        for piece in pieces {
            client.write_all(piece.as_bytes()).await.unwrap();
            sleep(Duration::from_millis(20)).await;
        }
        let mut answer = vec![0; 4096];
        let bytes = timeout(Duration::from_secs(8), client.read(&mut answer)).await.expect("an answer").unwrap();
        let answer = str::from_utf8(&answer[..bytes]).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("a body"), "{answer}");
        polls.load(Ordering::Relaxed) - before
    }

    #[tokio::test]
    async fn who_takes_the_last_piece_wakes_nobody() {
        assert_eq!(polls(&["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\na body"]).await, 1);
    }

    #[tokio::test]
    async fn who_takes_another_piece_has_the_next_one_read() {
        let head = "POST / HTTP/1.1\r\nHost: x\r\n";
        let (length, chunked) =
            (format!("{head}Content-Length: 6\r\n\r\n"), format!("{head}Transfer-Encoding: chunked\r\n\r\n"));
        assert!(polls(&[&length, "a ", "bo", "dy"]).await > 3);
        assert!(polls(&[&format!("{length}a "), "body"]).await > 1);
        assert!(polls(&[&format!("{chunked}6\r\na body\r\n0\r\n\r\n")]).await > 0);
        assert!(polls(&[&format!("{chunked}2\r\na \r\n4\r\nbo"), "dy\r\n0\r\n", "\r\n"]).await > 2);
    }
}
