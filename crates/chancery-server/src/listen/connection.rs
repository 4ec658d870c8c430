//! One connection, from its first request to its last.

use std::{
    convert::Infallible,
    mem,
    net::IpAddr,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{extract::Request, response::Response};
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

use super::{Bounds, Site, head_timer::HeadTimer, seldom::Seldom};

/// How often an HTTP/2 client is asked whether it is still there, and how long it may take to say so.
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_ANSWER_MAX: Duration = Duration::from_secs(10);

/// Serves HTTP/1.1 on a connection. The time for a head also bounds the time between two requests.
pub(super) async fn serve_http1<IO>(io: IO, peer: IpAddr, site: &Arc<Site>, stop: watch::Receiver<bool>)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Bounds { head_max, head_bytes_max, .. } = site.bounds;
    let calls = Calls::new(site, peer);
    let counted = Arc::clone(&calls);
    let connection = http1::Builder::new()
        .timer(HeadTimer)
        .header_read_timeout(head_max)
        .max_header_size(head_bytes_max as usize)
        .serve_connection(TokioIo::new(io), service_fn(move |request| Arc::clone(&counted).answer(request)));
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
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_ANSWER_MAX)
        .max_header_list_size(head_bytes_max)
        .max_concurrent_streams(streams_max)
        .serve_connection(TokioIo::new(io), service_fn(move |request| Arc::clone(&counted).answer(request)));
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

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response, Infallible> {
        let _counted = Counted::new(&self.counts);
        Ok(self.site.routes.answer(request, self.peer).await)
    }
}

/// A connection is looked at so often in the longest time that it may be idle.
const LOOKS: u32 = 8;

/// What may end a connection besides its client.
enum Event {
    /// The server stops.
    Stop,
    /// It is time to look whether the connection is idle.
    Look,
}

/// Runs a connection to its end, which comes when the client closes it, when it has been idle for `idle_max`, or when
/// the server stops; in the latter two the calls in flight finish first.
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
    loop {
        let event = async {
            tokio::select! {
                _ = stop.changed(), if !closing => Event::Stop,
                // Also while closing: this is when the connection sees that a head has taken too long.
                _ = looks.tick() => Event::Look,
            }
        };
        let ends = tokio::select! {
            biased;
            // An error here is the client's: it went away, or spoke no HTTP. Nobody is left to be told.
            _ = connection.as_mut() => return,
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
struct Counted<'a>(&'a Counts);

impl<'a> Counted<'a> {
    fn new(counts: &'a Counts) -> Self {
        counts.begun.fetch_add(1, Ordering::Relaxed);
        Self(counts)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}
