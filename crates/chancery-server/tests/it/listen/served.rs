//! A router on a socket, with a certificate that openssl made.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use axum::Router;
use chancery_server::{Bounds, Routes, Site, Tls};
use chancery_testkit::{TempDir, Tool, temp_dir};
use tokio::{
    net::TcpListener,
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};

pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) ca_file: PathBuf,
    pub(crate) stop: watch::Sender<bool>,
    task: JoinHandle<()>,
    _folder: TempDir,
}

impl Served {
    pub(crate) async fn over_tls(routes: impl Into<Routes>, bounds: Bounds) -> Self {
        Self::with_certificate(routes, bounds, |chain, key| chancery_server::tls_config(chain, key).unwrap().into())
            .await
    }

    /// Asks for client certificates.
    pub(crate) async fn asking(routes: impl Into<Routes>, bounds: Bounds) -> Self {
        let asking = |chain: &[u8], key: &[u8]| Tls::asking(chancery_server::tls_config_asking(chain, key).unwrap());
        Self::with_certificate(routes, bounds, asking).await
    }

    async fn with_certificate(
        routes: impl Into<Routes>,
        bounds: Bounds,
        tls: impl FnOnce(&[u8], &[u8]) -> Tls,
    ) -> Self {
        let folder = temp_dir();
        let (certificate, key) = (folder.path().join("tls.pem"), folder.path().join("tls.key"));
        let subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "2"];
        let _made = Tool::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout"])
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .args(subject)
            .run();
        let tls = tls(&std::fs::read(&certificate).unwrap(), &std::fs::read(&key).unwrap());
        Self::start(Site { routes: routes.into(), tls: Some(tls), bounds }, certificate, folder).await
    }

    pub(crate) async fn plain(routes: impl Into<Routes>, bounds: Bounds) -> Self {
        Self::start(Site { routes: routes.into(), tls: None, bounds }, PathBuf::new(), temp_dir()).await
    }

    async fn start(site: Site, ca_file: PathBuf, folder: TempDir) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        let task = tokio::spawn(chancery_server::serve(socket, site, stopping));
        Self { address, ca_file, stop, task, _folder: folder }
    }

    /// Waits until the server has returned, and says whether it did in time.
    pub(crate) async fn stops_within(self, patience: Duration) -> bool {
        timeout(patience, self.task).await.is_ok()
    }
}

/// A route that takes this long.
pub(crate) fn slow_router(takes: Duration) -> Router {
    let slow = move || async move {
        sleep(takes).await;
        "done"
    };
    Router::new().route("/slow", axum::routing::get(slow))
}
