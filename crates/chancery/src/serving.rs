//! The sockets of a server, from the first request to the last.

use std::{net::SocketAddr, sync::Arc};

use chancery_core::Chancery;
use chancery_server::{Site, public_router, router};
use rustls::ServerConfig;
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    task::JoinSet,
};
use tracing::{info, warn};

use crate::{
    failure::{Failure, While as _},
    own_tls,
    settings::Settings,
};

/// A server that answers requests.
pub(crate) struct Serving {
    chancery: Arc<Chancery>,
    /// Where the interface is served over TLS.
    pub(crate) address: SocketAddr,
    stop: watch::Sender<bool>,
    sockets: JoinSet<()>,
    signals: Signals,
}

/// What tells a server to stop. Caught from before the first request, so that no signal ends the process half way.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn catch() -> Result<Self, Failure> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// The name of the next one.
    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

impl Serving {
    /// Opens every socket that the settings name, and serves. Either all sockets are open, or none.
    pub(crate) async fn start(chancery: Arc<Chancery>, settings: &Settings) -> Result<Self, Failure> {
        let signals = Signals::catch()?;
        let tls = own_tls::config(settings)?;
        let socket = bind(&settings.listen, "--listen").await?;
        let plain = bind_if(settings.plain_listen, "--plain-listen").await?;
        let public = bind_if(settings.public_listen, "--public-listen").await?;
        let address = socket.local_addr()?;
        let (stop, stopping) = watch::channel(false);
        let mut sockets = JoinSet::new();
        let site = |routes, tls: Option<Arc<ServerConfig>>| Site { routes, tls, bounds: settings.bounds.clone() };
        let full = router(Arc::clone(&chancery));
        sockets.spawn(chancery_server::serve(socket, site(full.clone(), Some(tls)), stopping.clone()));
        if let Some(socket) = plain {
            sockets.spawn(chancery_server::serve(socket, site(full, None), stopping.clone()));
        }
        if let Some(socket) = public {
            let public = site(public_router(Arc::clone(&chancery)), None);
            sockets.spawn(chancery_server::serve(socket, public, stopping));
        }
        info!(%address, "serving");
        Ok(Self { chancery, address, stop, sockets, signals })
    }

    /// Serves until SIGTERM or SIGINT, then stops.
    pub(crate) async fn until_told_to_stop(mut self) {
        self.told_to_stop().await;
        self.stop().await;
    }

    /// Waits for the signal to stop.
    pub(crate) async fn told_to_stop(&mut self) {
        let signal = self.signals.next().await;
        info!(signal, "stopping");
    }

    /// Takes no more calls, finishes those in flight, and writes down what is only in memory. A further signal ends the
    /// waiting, never the writing down.
    pub(crate) async fn stop(mut self) {
        let _nobody_listens = self.stop.send(true);
        tokio::select! {
            () = async { while self.sockets.join_next().await.is_some() {} } => {}
            signal = self.signals.next() => warn!(signal, "not waiting for the calls in flight"),
        }
        self.chancery.shut_down().await;
        info!("stopped");
    }
}

async fn bind(address: &str, flag: &str) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.doing(format!("{flag} {address}"))
}

async fn bind_if(address: Option<SocketAddr>, flag: &str) -> Result<Option<TcpListener>, Failure> {
    match address {
        Some(address) => bind(&address.to_string(), flag).await.map(Some),
        None => Ok(None),
    }
}
