//! The sockets of a server, from the first request to the last.

use std::{io::ErrorKind, net::SocketAddr, sync::Arc, time::Duration};

use chancery_core::{Chancery, Host};
use chancery_server::{Routes, Site, Tls, public_router, router};
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    task::JoinSet,
    time,
};
use tracing::{error, info, warn};

use crate::{
    failure::{Failure, While as _, describe},
    logging::LogLevel,
    own_tls::{self, Presented},
    settings::{Options, Settings},
};

/// A server that answers requests.
pub(crate) struct Serving {
    chancery: Arc<Chancery>,
    /// Where the interface is served over TLS.
    pub(crate) address: SocketAddr,
    routes: Routes,
    tls: Tls,
    asking_tls: Tls,
    reload: Reload,
    /// How long it says that it is not ready before it takes no more connections.
    drain_delay: Duration,
    stop: watch::Sender<bool>,
    sockets: JoinSet<()>,
    signals: Signals,
}

/// What is read again at SIGHUP.
pub(crate) struct Reload {
    /// What was given; the file that it names may have changed.
    pub(crate) options: Options,
    /// What is logged.
    pub(crate) log: LogLevel,
}

/// What a signal asks for.
enum Asked {
    Stop(&'static str),
    Reload,
}

/// What tells a server to stop or to read its files again. Caught from before the first request, so that no signal ends
/// the process half way.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

/// From here on SIGHUP ends nothing: whoever starts a server in the background and closes the terminal has it run on.
/// What it asks for before the server serves is done then anyway.
pub(crate) fn outlive_hang_ups() -> Result<(), Failure> {
    let _caught_for_good = signal(SignalKind::hangup())?;
    Ok(())
}

impl Signals {
    fn catch() -> Result<Self, Failure> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.terminate.recv() => Asked::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Asked::Stop("SIGINT"),
            _ = self.hang_up.recv() => Asked::Reload,
        }
    }

    /// The name of the next one that asks to stop.
    async fn stop(&mut self) -> &'static str {
        loop {
            if let Asked::Stop(signal) = self.next().await {
                return signal;
            }
        }
    }
}

/// Every socket that the settings name. Connections wait in the kernel until they are served.
pub(crate) struct Sockets {
    interface: TcpListener,
    plain: Option<TcpListener>,
    client_cert: Option<TcpListener>,
    public: Option<TcpListener>,
}

impl Sockets {
    /// Opens all of them, or none.
    pub(crate) async fn bind(settings: &Settings) -> Result<Self, Failure> {
        Ok(Self {
            interface: bind(&settings.listen, "--listen").await?,
            plain: bind_if(settings.plain_listen, "--plain-listen").await?,
            client_cert: bind_if(settings.client_cert_listen, "--client-cert-listen").await?,
            public: bind_if(settings.public_listen, "--public-listen").await?,
        })
    }

    /// Where the interface is served over TLS.
    pub(crate) fn address(&self) -> Result<SocketAddr, Failure> {
        Ok(self.interface.local_addr()?)
    }
}

impl Serving {
    /// Serves on these sockets, once the audit records say so.
    pub(crate) async fn start(
        (chancery, host): (Arc<Chancery>, &Host),
        sockets: Sockets,
        settings: &Settings,
        reload: Reload,
    ) -> Result<Self, Failure> {
        let signals = Signals::catch()?;
        match chancery_server::check_temporary_folder() {
            // There may be room again.
            Err(error) if error.kind() == ErrorKind::StorageFull => warn!(%error, "large bodies are refused"),
            checked => checked?,
        }
        let Presented { plain, asking } = own_tls::config(settings, &chancery, host).await?;
        let (tls, asking_tls) = (Tls::from(plain), Tls::asking(asking));
        let address = sockets.address()?;
        let begins = chancery.audit.serving_begins(host, env!("CARGO_PKG_VERSION"), settings.recorded());
        begins.await.doing("recording that the server begins")?;
        let Sockets { interface: socket, plain, client_cert, public } = sockets;
        let (stop, stopping) = watch::channel(false);
        let mut sockets = JoinSet::new();
        let site = |routes, tls: Option<Tls>| Site { routes, tls, bounds: settings.bounds.clone() };
        let routes = router(Arc::clone(&chancery));
        sockets.spawn(chancery_server::serve(socket, site(routes.clone(), Some(tls.clone())), stopping.clone()));
        if let Some(socket) = plain {
            sockets.spawn(chancery_server::serve(socket, site(routes.clone(), None), stopping.clone()));
        }
        if let Some(socket) = client_cert {
            let asking = site(routes.clone(), Some(asking_tls.clone()));
            sockets.spawn(chancery_server::serve(socket, asking, stopping.clone()));
        }
        if let Some(socket) = public {
            let public = site(public_router(Arc::clone(&chancery)), None);
            sockets.spawn(chancery_server::serve(socket, public, stopping));
        }
        chancery.notices.deliver_notices(&Host::running("serve"));
        chancery.audit.ship_audit(&Host::running("serve"));
        chancery.log.ask_witnesses(&Host::running("serve"));
        if settings.no_deliveries {
            warn!("no notices, mails and audit records are delivered and no witness is asked: --no-deliveries");
        }
        info!(%address, "serving");
        let drain_delay = settings.drain_delay;
        Ok(Self { chancery, address, routes, tls, asking_tls, reload, drain_delay, stop, sockets, signals })
    }

    /// Serves until SIGTERM or SIGINT, then stops.
    pub(crate) async fn until_told_to_stop(mut self) {
        self.told_to_stop().await;
        self.stop().await;
    }

    /// Waits for the signal to stop, and meanwhile reads the files again whenever that is asked for.
    pub(crate) async fn told_to_stop(&mut self) {
        loop {
            match self.signals.next().await {
                Asked::Stop(signal) => {
                    info!(signal, "stopping");
                    return;
                }
                Asked::Reload => match self.reload() {
                    Ok(()) => info!("read the TLS files and the log level again"),
                    Err(failure) => error!(failure = describe(failure.as_ref()), "SIGHUP changed nothing"),
                },
            }
        }
    }

    /// Reads the TLS files and, from the configuration file, what is logged. Both are read before either is changed.
    fn reload(&self) -> Result<(), Failure> {
        let settings = self.reload.options.clone().resolve()?;
        let tls = own_tls::present(&settings)?;
        self.reload.log.change(&settings)?;
        self.tls.replace(tls.plain);
        self.asking_tls.replace(tls.asking);
        Ok(())
    }

    /// Says that it is not ready and, after the delay in which balancers notice, takes no more calls, finishes those in
    /// flight, and writes down what is only in memory. A further signal ends the waiting, never the writing down.
    pub(crate) async fn stop(mut self) {
        self.routes.drain();
        if !self.drain_delay.is_zero() {
            tokio::select! {
                () = time::sleep(self.drain_delay) => {}
                signal = self.signals.stop() => warn!(signal, "not waiting until balancers have noticed"),
            }
        }
        let _nobody_listens = self.stop.send(true);
        tokio::select! {
            () = async { while self.sockets.join_next().await.is_some() {} } => {}
            signal = self.signals.stop() => warn!(signal, "not waiting for the calls in flight"),
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
