//! Sockets: accepts connections, bounds what each may cost, and stops without breaking a call.

mod bounds;
mod connection;
mod patient;
mod quiet;
mod seldom;
mod tls;

use std::{io, sync::Arc, time::Duration};

use rustls::ServerConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    task::JoinSet,
    time,
};
use tokio_rustls::TlsAcceptor;
use tracing::{info, warn};

use crate::Routes;

pub use bounds::Bounds;
pub use tls::{TlsError, tls_config};

/// What to serve on one socket.
#[derive(Clone)]
pub struct Site {
    /// What it serves.
    pub routes: Routes,
    /// With TLS, or plain HTTP without.
    pub tls: Option<Arc<ServerConfig>>,
    /// What a connection may cost.
    pub bounds: Bounds,
}

/// How long accepting rests after a failure of the machine's, such as too many open files.
const REST: Duration = Duration::from_millis(50);

/// Serves a site until `stop` changes (or its sender is gone); then accepts no more, lets the calls in flight finish
/// within [`Bounds::stop_max`], and returns.
pub async fn serve(socket: TcpListener, site: Site, mut stop: watch::Receiver<bool>) {
    let slots = Arc::new(Semaphore::new(site.bounds.connections_max));
    let site = Arc::new(site);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = stop.changed() => break,
            Some(_) = connections.join_next() => {}
            (slot, stream) = accept(&socket, &slots) => {
                let (site, stop) = (Arc::clone(&site), stop.clone());
                connections.spawn(async move {
                    handle(stream, &site, stop).await;
                    drop(slot);
                });
            }
        }
    }
    drop(socket);
    finish(connections, site.bounds.stop_max).await;
}

/// The next connection, once there is room for it: those beyond the limit wait in the kernel's queue.
async fn accept(socket: &TcpListener, slots: &Arc<Semaphore>) -> (Option<OwnedSemaphorePermit>, TcpStream) {
    // The semaphore is never closed, so there is always a permit; if there were none, one connection more would do no
    // harm.
    let slot = Arc::clone(slots).acquire_owned().await.ok();
    loop {
        match socket.accept().await {
            Ok((stream, _)) => return (slot, stream),
            Err(error) if is_the_clients(&error) => {}
            Err(error) => {
                warn!(%error, "a connection could not be accepted");
                time::sleep(REST).await;
            }
        }
    }
}

/// Whether the failure is only that the client went away again.
fn is_the_clients(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset)
}

async fn handle(stream: TcpStream, site: &Arc<Site>, stop: watch::Receiver<bool>) {
    let Ok(peer) = stream.peer_addr() else { return };
    let _best_effort = stream.set_nodelay(true);
    let stream = patient::Patient::new(stream, site.bounds.write_stall_max);
    let Some(tls) = &site.tls else {
        return connection::serve_http1(stream, peer.ip(), site, stop).await;
    };
    let handshake = TlsAcceptor::from(Arc::clone(tls)).accept(stream);
    let Ok(Ok(stream)) = time::timeout(site.bounds.handshake_max, handshake).await else { return };
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        connection::serve_http2(stream, peer.ip(), site, stop).await;
    } else {
        connection::serve_http1(stream, peer.ip(), site, stop).await;
    }
}

async fn finish(mut connections: JoinSet<()>, stop_max: Duration) {
    let finished = time::timeout(stop_max, async { while connections.join_next().await.is_some() {} }).await;
    if finished.is_err() {
        info!(connections = connections.len(), "stopped with calls still in flight");
    }
}
