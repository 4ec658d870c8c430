//! TLS to servers whose addresses somebody else has named: only addresses are connected to that were looked at, and every step
//! ends by one moment.

use std::{
    error::Error,
    io::{self, ErrorKind, Read, Write},
    net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _},
    sync::{Arc, mpsc::sync_channel},
    thread,
    time::{Duration, Instant},
};

use chancery_types::without_mark;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};

use crate::{Allowed, ClientError, webhooks::NotAllowed};

/// A connection over TLS.
pub type TlsStream = StreamOwned<ClientConnection, Timed>;

/// Connects over TLS.
pub struct TlsConnector {
    config: Arc<ClientConfig>,
    allowed: Allowed,
    /// The option that lists more.
    option: &'static str,
}

impl TlsConnector {
    /// Servers must present a certificate of one of these authorities (PEM) that is for their name, and have an address that is
    /// allowed: a public one, or one that the option of this name lists.
    ///
    /// # Errors
    ///
    /// [`ClientError::Authority`] where there is no certificate in it.
    pub fn new(authorities: &[u8], allowed: Allowed, option: &'static str) -> Result<Self, ClientError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(without_mark(authorities)) {
            let certificate = certificate.map_err(|error| ClientError::Authority(error.to_string()))?;
            // As with webhooks, one that nothing can be verified with is left out.
            let _left_out = roots.add(certificate);
        }
        if roots.is_empty() {
            return Err(ClientError::Authority("there is no certificate in it".to_owned()));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| ClientError::Authority(error.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { config: Arc::new(config), allowed, option })
    }

    /// Connects, has something said before TLS begins, and shakes hands. All of it, and whatever the connection is used for,
    /// ends within `wait`.
    ///
    /// # Errors
    ///
    /// Whatever was in the way.
    pub fn connect(
        &self,
        host: &str,
        port: u16,
        wait: Duration,
        before: impl FnOnce(&mut Timed) -> Result<(), Box<dyn Error + Send + Sync>>,
    ) -> Result<TlsStream, Box<dyn Error + Send + Sync>> {
        let until = Instant::now() + wait;
        let name = ServerName::try_from(host.to_owned())?;
        let mut socket = Timed { stream: self.connected(host, port, until)?, until };
        before(&mut socket)?;
        let mut tls = ClientConnection::new(Arc::clone(&self.config), name)?;
        while tls.is_handshaking() {
            tls.complete_io(&mut socket)?;
        }
        Ok(StreamOwned::new(tls, socket))
    }

    fn connected(&self, host: &str, port: u16, until: Instant) -> Result<TcpStream, Box<dyn Error + Send + Sync>> {
        let found = addresses(host, port, until)?;
        let allowed: Vec<_> = found.iter().filter(|address| (self.allowed)(address.ip())).collect();
        if let (Some(first), true) = (found.first(), allowed.is_empty()) {
            return Err(NotAllowed(host.to_owned(), first.ip(), self.option).into());
        }
        let mut failure = io::Error::new(ErrorKind::NotFound, "the name has no address");
        for address in allowed {
            match connect(*address, until) {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = error,
            }
        }
        Err(failure.into())
    }
}

/// The addresses of a name. The system asks for as long as its name servers are silent, so that is done aside: who waits for
/// others meanwhile would wait with it.
fn addresses(host: &str, port: u16, until: Instant) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (tell, told) = sync_channel(1);
    let name = host.to_owned();
    let ask = move || drop(tell.send((name.as_str(), port).to_socket_addrs().map(Iterator::collect)));
    thread::Builder::new().name("names".to_owned()).spawn(ask)?;
    let late = || io::Error::new(ErrorKind::TimedOut, "no name server told its address in time");
    told.recv_timeout(left(until)?).map_err(|_| late())?
}

fn connect(address: SocketAddr, until: Instant) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, left(until)?)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A socket of which every step ends by one moment.
pub struct Timed {
    pub(crate) stream: TcpStream,
    until: Instant,
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// What a socket calls a timeout is none in everybody's words.
fn timed(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock { ErrorKind::TimedOut.into() } else { error }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(left(self.until)?))?;
        self.stream.read(buffer).map_err(timed)
    }
}

impl Write for Timed {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(left(self.until)?))?;
        self.stream.write(buffer).map_err(timed)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
