//! Sockets: accepts connections, bounds what each may cost, and stops without breaking a call.

mod bounds;
mod connection;
mod connections;
mod head;
mod hyper_refusals;
mod left_body;
mod lingering;
mod per_source;
mod possession;
mod proxies;
mod proxy_protocol;
mod streams_before_login;
mod suppress_wake;
mod tls;
mod write_stall;

use std::{io, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time,
};
use tracing::{info, warn};

use crate::Routes;
use connections::{Arrived, Connections};

pub use bounds::Bounds;
pub(crate) use connection::ConnectionState;
pub(crate) use head::{HeadFault, too_large_or_too_many};
pub use proxies::TrustedProxies;
pub use tls::{Tls, TlsError, tls_config, tls_config_asking};

/// What to serve on one socket.
#[derive(Clone)]
pub struct Site {
    /// What it serves.
    pub routes: Routes,
    /// With TLS, or plain HTTP without.
    pub tls: Option<Tls>,
    /// What a connection may cost.
    pub bounds: Bounds,
}

/// How long accepting rests after a failure of the machine's, such as too many open files.
const REST: Duration = Duration::from_millis(50);

/// How often somebody looks for a slot for a connection that waits for one.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Serves a site until `stop` changes (or its sender is gone); then accepts no more, lets the calls in flight finish
/// within [`Bounds::stop_max`], and returns.
pub async fn serve(socket: TcpListener, site: Site, mut stop: watch::Receiver<bool>) {
    let stop_max = site.bounds.stop_max;
    let mut connections = Connections::new(Arc::new(site), stop.clone());
    // Those that come after one without a slot wait in the kernel's queue.
    let mut waiting: Option<Arrived> = None;
    loop {
        tokio::select! {
            biased;
            _ = stop.changed() => break,
            Some(_) = connections.tasks.join_next() => {}
            () = time::sleep(LOOK_EVERY), if waiting.is_some() => {}
            stream = accept(&socket), if waiting.is_none() => waiting = connections.arrived(stream),
        }
        if let Some(arrived) = waiting.take() {
            waiting = connections.take(arrived);
        }
    }
    drop((socket, waiting));
    finish(connections.tasks, stop_max).await;
}

async fn accept(socket: &TcpListener) -> TcpStream {
    loop {
        match socket.accept().await {
            Ok((stream, _)) => return stream,
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

async fn finish(mut connections: JoinSet<()>, stop_max: Duration) {
    let finished = time::timeout(stop_max, async { while connections.join_next().await.is_some() {} }).await;
    if finished.is_err() {
        info!(connections = connections.len(), "stopped with calls still in flight");
    }
}
