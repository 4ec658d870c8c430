//! One connection, from its first request to its last.

use std::{
    convert::Infallible,
    future::poll_fn,
    mem,
    net::IpAddr,
    ops::Deref,
    pin::pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    BoxError,
    body::{Bytes, HttpBody},
    extract::Request,
    response::Response,
};
use chancery_core::{Error, ShownCertificates, Source};
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
    net::TcpStream,
    sync::{OwnedSemaphorePermit, watch},
    time,
};
use tokio_rustls::TlsAcceptor;

use super::{
    Bounds, Site, head,
    hyper_refusals::RewriteRefusals,
    left_body::{KeptBody, LeftBody},
    lingering::LingeringClose,
    per_source::ConnectionsPerSource,
    possession, proxy_protocol,
    streams_before_login::StreamTurns,
    suppress_wake::{SuppressWake, WakeFilter},
    write_stall::StallLimited,
};
use crate::{
    Routes,
    middleware::{self, Peer},
};

/// How often an HTTP/2 client is asked whether it is still there, and how long it may take to say so.
const PING_EVERY: Duration = Duration::from_secs(20);
const PING_ANSWER_MAX: Duration = Duration::from_secs(10);

/// What an HTTP/2 call holds while it waits for its turn: its head, its task and its window's accounts, measured.
const WAITING_CALL_BYTES: usize = 8 * 1024;

/// What hyper reads and writes at a time at least, however small the bound for heads.
const BUFFER_MIN: usize = 64 * 1024;

/// Serves a connection from its first byte to its last.
pub(super) async fn handle(
    mut stream: TcpStream,
    peer: IpAddr,
    site: Arc<Site>,
    (state, places): (Arc<ConnectionState>, ConnectionsPerSource),
    stop: watch::Receiver<bool>,
) {
    let Bounds { handshake_max, write_stall_max, trusted_proxies, .. } = &site.bounds;
    let _best_effort = stream.set_nodelay(true);
    let (mut source, mut read_ahead, mut _place) = (peer, Vec::new(), None);
    if trusted_proxies.trusts(peer) {
        let told = time::timeout(*handshake_max, proxy_protocol::read(&mut stream, peer)).await;
        let Ok(Ok(told)) = told else { return };
        (source, read_ahead) = told;
        if !trusted_proxies.trusts(source) {
            // Whoever stands behind a balancer has as many connections as anybody else.
            _place = places.take(source.into(), site.bounds.connections_of_source_max());
            if _place.is_none() {
                return;
            }
            let _told_once = state.source.set(source.into());
        }
    }
    let stream = StallLimited::new(stream, read_ahead, *write_stall_max);
    let stream = LingeringClose::new(stream, Arc::clone(&state));
    let Some(tls) = &site.tls else {
        return serve_http1(stream, source, (&site, &state), stop).await;
    };
    let handshake = TlsAcceptor::from(tls.now()).accept(stream);
    let Ok(Ok(stream)) = time::timeout(*handshake_max, handshake).await else { return };
    if tls.asks() {
        let _asked_once = state.certificates.set(possession::shown(stream.get_ref().1.peer_certificates()));
    }
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        serve_http2(stream, source, (&site, &state), stop).await;
    } else {
        serve_http1(stream, source, (&site, &state), stop).await;
    }
}

/// Serves HTTP/1.1 on a connection.
///
/// hyper could bound the time for a head itself. It would set a timer for every request, and look for the next one once
/// more after every answer. Its own bound for the size of a head stands above ours, which has words for it.
async fn serve_http1<IO>(
    io: IO,
    source: IpAddr,
    (site, state): (&Arc<Site>, &Arc<ConnectionState>),
    stop: watch::Receiver<bool>,
) where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Bounds { head_max, head_bytes_max, .. } = site.bounds;
    let calls = Calls::new(site, state, source);
    let answer = move |request: Request<Incoming>| {
        let state = Arc::clone(&calls.state);
        let (request, left) = LeftBody::of(request);
        let answered = Call::begin(&calls).answer(request.map(SuppressWake));
        async move {
            let mut response = answered.await?;
            state.await_unread(left.ends(&mut response).await);
            Ok::<_, Infallible>(response)
        }
    };
    let io = RewriteRefusals::new(io, head_bytes_max, Arc::clone(state));
    let connection = http1::Builder::new()
        .max_buf_size((2 * head_bytes_max as usize).max(BUFFER_MIN))
        .serve_connection(TokioIo::new(io), service_fn(answer));
    drive(connection, state, head_max, stop).await;
}

/// Serves HTTP/2 on a connection. What it takes of bodies that nobody has read grows with what was read: an upload is
/// fast, and who is refused has 64 KiB.
async fn serve_http2<IO>(
    io: IO,
    source: IpAddr,
    (site, state): (&Arc<Site>, &Arc<ConnectionState>),
    stop: watch::Receiver<bool>,
) where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Bounds { head_max, head_bytes_max, streams_max, streams_before_login_max, .. } = site.bounds;
    let few = streams_before_login_max.min(streams_max);
    state.stream_turns.get_or_init(|| StreamTurns::new(few, streams_max));
    let calls = Calls::new(site, state, source);
    let stopping = stop.clone();
    let answer = move |request: Request<Incoming>| {
        let (request, left) = LeftBody::of(request);
        let (answered, stopping) = (Call::begin(&calls).answer_in_turn(request, head_max), stopping.clone());
        async move {
            let response = answered.await;
            left.throw_away(stopping).await;
            response
        }
    };
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_ANSWER_MAX)
        .adaptive_window(true)
        .max_header_list_size(head_bytes_max.saturating_mul(2))
        .max_concurrent_streams(streams_max)
        .serve_connection(TokioIo::new(io), service_fn(answer));
    drive(connection, state, head_max, stop).await;
}

/// The calls of one connection.
struct Calls {
    site: Arc<Site>,
    /// From whom the connection is.
    source: IpAddr,
    /// Whether that is a proxy, whose calls say themselves from whom they are.
    is_proxy: bool,
    state: Arc<ConnectionState>,
}

impl Calls {
    fn new(site: &Arc<Site>, state: &Arc<ConnectionState>, source: IpAddr) -> Arc<Self> {
        let is_proxy = site.bounds.trusted_proxies.trusts(source);
        let (site, state) = (Arc::clone(site), Arc::clone(state));
        Arc::new(Self { site, source, is_proxy, state })
    }

    /// What is known of a call before it is looked at.
    fn peer<B>(&self, request: &Request<B>) -> Peer {
        let Bounds { trusted_proxies, head_bytes_max, .. } = &self.site.bounds;
        let source = if self.is_proxy { trusted_proxies.source(self.source, request.headers()) } else { self.source };
        Peer { source, connection: Some(Arc::clone(&self.state)), fault: head::fault(request, *head_bytes_max) }
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
    state: &ConnectionState,
    idle_max: Duration,
    mut stop: watch::Receiver<bool>,
) {
    let mut connection = pin!(connection);
    let mut looks = time::interval(idle_max / LOOKS);
    looks.tick().await;
    let (mut idle_looks, mut begun, mut closing) = (0, 0, false);
    let mut wake_filter = WakeFilter::default();
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
            _ = poll_fn(|context| wake_filter.poll(connection.as_mut(), context)) => return,
            event = event => match event {
                Event::Stop => true,
                Event::Look => {
                    // Short calls may all have come and gone between two looks.
                    let before = mem::replace(&mut begun, state.begun());
                    let is_idle = begun == before && state.is_idle();
                    idle_looks = if is_idle { idle_looks + 1 } else { 0 };
                    idle_looks > LOOKS
                }
            },
        };
        if ends && closing && begun == 0 {
            return;
        }
        if ends {
            state.end_waiting();
        }
        if ends && !closing {
            connection.as_mut().graceful_shutdown();
            closing = true;
        }
    }
}

/// What is known of a connection while it is open.
#[derive(Debug, Default)]
pub(crate) struct ConnectionState {
    /// Calls that have begun and ended.
    begun: AtomicUsize,
    ended: AtomicUsize,
    has_known_caller: AtomicBool,
    /// Whose it counts as, once that is known; nobody's where it is a trusted proxy's own.
    pub(super) source: OnceLock<Source>,
    /// Whether its client may still be sending what nobody will read, and whether nobody waits for that any more.
    awaits_unread: AtomicBool,
    has_waited: AtomicBool,
    /// Over HTTP/2, where calls wait for their turn until somebody is known.
    stream_turns: OnceLock<StreamTurns>,
    /// Where the client was asked for a certificate: what it has shown.
    pub(crate) certificates: OnceLock<Option<ShownCertificates>>,
}

impl ConnectionState {
    /// How many calls have begun.
    pub(super) fn begun(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    /// Whether no call is in flight.
    pub(super) fn is_idle(&self) -> bool {
        self.ended.load(Ordering::Relaxed) == self.begun()
    }

    /// Whether some call was of somebody who is logged in.
    pub(super) fn has_known_caller(&self) -> bool {
        self.has_known_caller.load(Ordering::Relaxed)
    }

    /// Whether its client may still be sending what nobody will read, so that closing at once would cost it its answer.
    pub(super) fn awaits_unread(&self) -> bool {
        self.awaits_unread.load(Ordering::Relaxed) && !self.has_waited.load(Ordering::Relaxed)
    }

    /// The server stops, or the connection has had its time.
    fn end_waiting(&self) {
        self.has_waited.store(true, Ordering::Relaxed);
    }

    /// Written only where it changes: every call comes by here.
    pub(super) fn await_unread(&self, awaits: bool) {
        if self.awaits_unread() != awaits {
            self.awaits_unread.store(awaits, Ordering::Relaxed);
        }
    }

    /// An answer goes on after its call: until this is dropped, the connection is not idle.
    pub(crate) fn lasting(self: &Arc<Self>) -> Lasting {
        self.begun.fetch_add(1, Ordering::Relaxed);
        Lasting(Arc::clone(self))
    }

    /// Some call is of somebody who is logged in. Looked at before it is written: every call comes by here.
    pub(crate) fn caller_is_known(&self) {
        if !self.has_known_caller()
            && !self.has_known_caller.swap(true, Ordering::Relaxed)
            && let Some(turns) = self.stream_turns.get()
        {
            turns.caller_is_known();
        }
    }
}

/// An answer without an end that is known.
#[derive(Debug)]
pub(crate) struct Lasting(Arc<ConnectionState>);

impl Drop for Lasting {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// A call that has begun; its end is counted when this is dropped.
struct Call(Arc<Calls>);

impl Call {
    fn begin(calls: &Arc<Calls>) -> Self {
        calls.state.begun.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(calls))
    }

    fn answer<B>(self, request: Request<B>) -> impl Future<Output = Result<Response, Infallible>> + Send
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let peer = self.0.peer(&request);
        Routes::answer(self, request, peer)
    }

    /// A call that waits holds memory like a body, from the same room of those who are not known.
    async fn wait_for_turn(&self, turns: &StreamTurns, patience: Duration) -> Result<OwnedSemaphorePermit, Error> {
        // Those behind a proxy would share one room.
        let mut room = self.visitor_bytes(self.0.source.into()).filter(|_| !self.0.is_proxy);
        if room.as_mut().is_some_and(|room| !room.grow(WAITING_CALL_BYTES)) {
            return Err(Error::busy("Too many requests wait on connections of nobody known; log in first.", 1));
        }
        turns.turn(patience).await
    }

    /// The same for HTTP/2, whose calls run side by side.
    async fn answer_in_turn(self, request: Request<KeptBody>, patience: Duration) -> Result<Response, Infallible> {
        let turn = match self.0.state.stream_turns.get() {
            Some(stream_turns) => match stream_turns.turn_at_once() {
                Some(turn) => Ok(Some(turn)),
                None => self.wait_for_turn(stream_turns, patience).await.map(Some),
            },
            None => Ok(None),
        };
        match turn {
            Ok(_turn) => self.answer(request).await,
            Err(refusal) => Ok(middleware::refuse(&request.into_parts().0, self.0.source, refusal.into())),
        }
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
        self.0.state.ended.fetch_add(1, Ordering::Relaxed);
    }
}
