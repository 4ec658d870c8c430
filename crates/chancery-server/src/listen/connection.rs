//! One connection, from its first request to its last.

use std::{
    convert::Infallible,
    future::poll_fn,
    mem,
    net::IpAddr,
    ops::Deref,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    BoxError,
    body::{Bytes, HttpBody},
    extract::Request,
    response::Response,
};
use hyper::{
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::graceful::GracefulConnection,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time,
};

use super::{
    Bounds, Site,
    quiet::{Quiet, Sleeper},
    seldom::Seldom,
};
use crate::Routes;

/// How often an HTTP/2 client is asked whether it is still there, and how long it may take to say so.
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_ANSWER_MAX: Duration = Duration::from_secs(10);

/// Serves HTTP/1.1 on a connection.
///
/// hyper could bound the time for a head itself. It would set a timer for every request, and look for the next one once
/// more after every answer.
pub(super) async fn serve_http1<IO>(io: IO, peer: IpAddr, site: &Arc<Site>, stop: watch::Receiver<bool>)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Bounds { head_max, head_bytes_max, .. } = site.bounds;
    let calls = Calls::new(site, peer);
    let counted = Arc::clone(&calls);
    let answer = move |request: Request<Incoming>| Call::begin(&counted).answer(request.map(Quiet));
    let connection = http1::Builder::new()
        .max_header_size(head_bytes_max as usize)
        .serve_connection(TokioIo::new(io), service_fn(answer));
    drive(connection, &calls.counts, head_max, stop).await;
}

/// Serves HTTP/2 on a connection.
pub(super) async fn serve_http2<IO>(io: IO, peer: IpAddr, site: &Arc<Site>, stop: watch::Receiver<bool>)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Bounds { head_max, head_bytes_max, streams_max, .. } = site.bounds;
    let calls = Calls::new(site, peer);
    let counted = Arc::clone(&calls);
    let answer = move |request: Request<Incoming>| Call::begin(&counted).answer(request);
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_ANSWER_MAX)
        .max_header_list_size(head_bytes_max)
        .max_concurrent_streams(streams_max)
        .serve_connection(TokioIo::new(io), service_fn(answer));
    drive(connection, &calls.counts, head_max, stop).await;
}

/// The calls of one connection.
struct Calls {
    site: Arc<Site>,
    peer: IpAddr,
    counts: Counts,
}

impl Calls {
    fn new(site: &Arc<Site>, peer: IpAddr) -> Arc<Self> {
        Arc::new(Self { site: Arc::clone(site), peer, counts: Counts::default() })
    }
}

/// A connection is looked at so often in the longest time that it may be idle.
const LOOKS: u32 = 16;

/// What may end a connection besides its client.
enum Event {
    /// The server stops.
    Stop,
    /// It is time to look whether the connection is idle.
    Look,
}

/// Runs a connection to its end, which comes when the client closes it, when it has been idle for `idle_max` (or a
/// fifth more), or when the server stops; in the latter two the calls in flight finish first. A head that is still to
/// come in full is no call yet.
async fn drive<C: GracefulConnection>(
    connection: C,
    counts: &Counts,
    idle_max: Duration,
    mut stop: watch::Receiver<bool>,
) {
    let mut connection = pin!(connection);
    let mut looks = time::interval(idle_max / LOOKS);
    looks.tick().await;
    let (mut idle_looks, mut begun, mut closing) = (0, 0, false);
    let mut sleeper = Sleeper::default();
    loop {
        let event = async {
            tokio::select! {
                _ = stop.changed(), if !closing => Event::Stop,
                // Also while closing: for the head of a first request hyper would wait for ever.
                _ = looks.tick() => Event::Look,
            }
        };
        let ends = tokio::select! {
            biased;
            // An error here is the client's: it went away, or spoke no HTTP. Nobody is left to be told.
            _ = poll_fn(|context| sleeper.poll(connection.as_mut(), context)) => return,
            event = Seldom::new(event) => match event {
                Event::Stop => true,
                Event::Look => {
                    // Short calls may all have come and gone between two looks.
                    let before = mem::replace(&mut begun, counts.begun.load(Ordering::Relaxed));
                    let is_idle = begun == before && counts.ended.load(Ordering::Relaxed) == begun;
                    idle_looks = if is_idle { idle_looks + 1 } else { 0 };
                    idle_looks > LOOKS
                }
            },
        };
        if ends && closing && begun == 0 {
            return;
        }
        if ends && !closing {
            connection.as_mut().graceful_shutdown();
            closing = true;
        }
    }
}

/// How many calls have begun and ended.
#[derive(Default)]
struct Counts {
    begun: AtomicUsize,
    ended: AtomicUsize,
}

/// A call that has begun; its end is counted when this is dropped.
struct Call(Arc<Calls>);

impl Call {
    fn begin(calls: &Arc<Calls>) -> Self {
        calls.counts.begun.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(calls))
    }

    fn answer<B>(self, request: Request<B>) -> impl Future<Output = Result<Response, Infallible>> + Send
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let peer = self.0.peer;
        Routes::answer(self, request, peer)
    }
}

impl Deref for Call {
    type Target = Routes;

    fn deref(&self) -> &Routes {
        &self.0.site.routes
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.counts.ended.fetch_add(1, Ordering::Relaxed);
    }
}
