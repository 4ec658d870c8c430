//! What the TLS socket presents: what was given, or a certificate of the server's own, made on first start.

use std::{
    fs,
    net::IpAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use chancery_core::{Chancery, Host};
use chancery_server::TlsError;
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use serde::{Deserialize, Serialize};
use tracing::{info, warn};
use x509_cert::{Certificate, der::Decode as _};

use crate::{
    bounded,
    failure::{Failure, While as _},
    private_file,
    settings::Settings,
};

/// Less than this before its end, a certificate is late to be renewed.
const SOON: Duration = Duration::from_secs(14 * 24 * 60 * 60);

/// Names by which a client on the same host reaches the server, whatever it listens on.
const LOCAL: [&str; 3] = ["127.0.0.1", "::1", "localhost"];

/// The files of the server's own certificate, in the data folder.
pub(crate) struct OwnFiles {
    pub(crate) authority: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
    names: PathBuf,
}

impl OwnFiles {
    pub(crate) fn under(data: &Path) -> Self {
        let file = |name| data.join("tls").join(name);
        Self { authority: file("ca.pem"), certificate: file("tls.pem"), key: file("tls.key"), names: file("tls.json") }
    }
}

/// The names that the certificate was made for.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Names {
    names: Vec<String>,
}

/// The TLS of the sockets: of those that ask for no client certificate, and of the one that does.
pub(crate) struct Presented {
    pub(crate) plain: Arc<ServerConfig>,
    pub(crate) asking: Arc<ServerConfig>,
}

/// The TLS of the sockets.
pub(crate) async fn config(settings: &Settings, chancery: &Chancery, host: &Host) -> Result<Presented, Failure> {
    if settings.tls.is_none() {
        own(settings, chancery, host).await.doing("making the server's own TLS certificate")?;
    }
    present(settings)
}

/// The TLS of the sockets by files that are there.
pub(crate) fn present(settings: &Settings) -> Result<Presented, Failure> {
    let (certificate, key) = match &settings.tls {
        Some((certificate, key)) => (certificate.clone(), key.clone()),
        None => {
            let files = OwnFiles::under(&settings.data);
            (files.certificate, files.key)
        }
    };
    let [of_chain, of_key] = if settings.tls.is_some() { ["--tls-cert", "--tls-key"] } else { [""; 2] };
    warn_of_readers(&key);
    let (chain, secret) = (bounded::file(of_chain, &certificate)?, bounded::file(of_key, &key)?);
    let named = |why: TlsError| {
        let (what, path) = if why.is_of_key() { (of_key, &key) } else { (of_chain, &certificate) };
        Err::<Arc<ServerConfig>, _>(why).doing(bounded::named(what, path))
    };
    let plain = chancery_server::tls_config(&chain, &secret).or_else(named)?;
    let asking = chancery_server::tls_config_asking(&chain, &secret).or_else(named)?;
    warn_of_its_end(&certificate, &chain);
    Ok(Presented { plain, asking })
}

/// A certificate that has ended is still presented: whoever renews it by another program may be late, and a server that
/// does not start helps nobody. But it is told, since clients say no more than that they do not trust it.
fn warn_of_its_end(file: &Path, chain: &[u8]) {
    let Some(end) = end_of(chain) else { return };
    let file = file.display();
    match end.duration_since(SystemTime::now()) {
        Err(_) => warn!(%file, "the TLS certificate has ended: clients refuse it until it is renewed"),
        Ok(left) if left < SOON => {
            warn!(%file, days = left.as_secs() / (24 * 60 * 60), "the TLS certificate ends soon: renew it, and send SIGHUP");
        }
        Ok(_) => {}
    }
}

/// When the first certificate of a chain ends, PEM; nothing where it cannot be read here, which is no reason to refuse it.
fn end_of(chain: &[u8]) -> Option<SystemTime> {
    let first = CertificateDer::from_pem_slice(chain).ok()?;
    let certificate = Certificate::from_der(&first).ok()?;
    Some(certificate.tbs_certificate().validity().not_after.to_system_time())
}

/// Groups may read a key, since other programs of the host may serve with it too; anybody may not. It is not refused, so
/// that no renewal by another program stops the server.
fn warn_of_readers(key: &Path) {
    let mode = fs::metadata(key).map_or(0, |metadata| metadata.permissions().mode() & 0o7777);
    if mode & 0o007 != 0 {
        warn!(file = %key.display(), mode = %format_args!("{mode:04o}"), "everybody on this host can read the TLS key");
    }
}

/// Makes the server's own certificate and key, below the installation's authority. Made anew when there is none, or when
/// the server has another name. What is there stays, also below an authority of the node's own, as former releases made
/// them: clients trust it.
async fn own(settings: &Settings, chancery: &Chancery, host: &Host) -> Result<(), Failure> {
    let files = OwnFiles::under(&settings.data);
    let wanted = Names { names: names(settings) };
    let made_for = fs::read(&files.names).ok().and_then(|json| serde_json::from_slice::<Names>(&json).ok());
    if made_for.is_none_or(|made_for| made_for != wanted) {
        crate::installation::make_data_folder(&settings.data.join("tls"))?;
        let identity = chancery.pki.transport_identity(host, &wanted.names).await?;
        // The names come last: where they are, the other three belong together.
        let _absent = fs::remove_file(&files.names);
        private_file::replace(&files.key, identity.key_pem.as_bytes())?;
        private_file::replace(&files.certificate, identity.certificate_pem.as_bytes())?;
        private_file::replace(&files.authority, identity.authority_pem.as_bytes())?;
        private_file::replace(&files.names, &serde_json::to_vec(&wanted)?)?;
        info!(ca = %files.authority.display(), names = wanted.names.join(" "), "made a TLS certificate");
    }
    Ok(())
}

/// The names of this server: local ones, the host it listens on unless that is "any", and those that were given.
fn names(settings: &Settings) -> Vec<String> {
    let mut names: Vec<String> = LOCAL.map(str::to_owned).into();
    let host = host_of(&settings.listen);
    let is_any = host.parse().is_ok_and(|address: IpAddr| address.is_unspecified());
    let listened = (!is_any).then(|| host.to_owned());
    for name in listened.into_iter().chain(settings.tls_names.iter().cloned()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The host of `HOST:PORT`, without the brackets of an IPv6 address.
pub(crate) fn host_of(listen: &str) -> &str {
    let host = listen.rsplit_once(':').map_or(listen, |(host, _)| host);
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_stands_before_the_port() {
        for (listen, host) in [("127.0.0.1:8443", "127.0.0.1"), ("[::1]:8443", "::1"), ("kms.example:1", "kms.example")]
        {
            assert_eq!(host_of(listen), host);
        }
    }
}
