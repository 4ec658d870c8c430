//! Syslog over TLS (RFC 5425) to receivers whose addresses somebody else has named: only addresses are connected to that
//! were looked at.

use std::{
    error::Error,
    io::{self, ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs as _},
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, Stream,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};

use crate::{Allowed, ClientError, webhooks::NotAllowed};

/// Bytes that a receiver may answer before it closes; syslog has no answers.
const ANSWER_MAX: usize = 64 * 1024;

/// Sends syslog messages over TLS.
pub struct SyslogSender {
    config: Arc<ClientConfig>,
    allowed: Allowed,
}

impl SyslogSender {
    /// Receivers must present a certificate of one of these authorities (PEM), and have an address that is allowed.
    ///
    /// # Errors
    ///
    /// [`ClientError::Authority`] where there is no certificate in it.
    pub fn new(tls_authorities: &[u8], allowed: Allowed) -> Result<Self, ClientError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(tls_authorities) {
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
        Ok(Self { config: Arc::new(config), allowed })
    }

    /// Sends these frames over one connection, closes it, and waits until the receiver has closed it as well: it does that
    /// once it has read to the end (RFC 5425, 4.4). All of it within `wait`.
    ///
    /// # Errors
    ///
    /// Whatever was in the way: then some of the messages may have come all the same.
    pub fn send(
        &self,
        host: &str,
        port: u16,
        frames: &[u8],
        wait: Duration,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let until = Instant::now() + wait;
        let name = ServerName::try_from(host.to_owned())?;
        let mut socket = Timed { stream: self.connect(host, port, until)?, until };
        let mut tls = ClientConnection::new(Arc::clone(&self.config), name)?;
        let mut stream = Stream::new(&mut tls, &mut socket);
        stream.write_all(frames)?;
        stream.flush()?;
        tls.send_close_notify();
        while tls.wants_write() {
            tls.write_tls(&mut socket)?;
        }
        socket.stream.shutdown(Shutdown::Write)?;
        until_closed(&mut Stream::new(&mut tls, &mut socket))
    }

    fn connect(&self, host: &str, port: u16, until: Instant) -> Result<TcpStream, Box<dyn Error + Send + Sync>> {
        let found: Vec<_> = (host, port).to_socket_addrs()?.collect();
        let allowed: Vec<_> = found.iter().filter(|address| (self.allowed)(address.ip())).collect();
        if let (Some(first), true) = (found.first(), allowed.is_empty()) {
            return Err(NotAllowed(host.to_owned(), first.ip(), "--notice-networks").into());
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

fn connect(address: SocketAddr, until: Instant) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, left(until)?)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Reads until the receiver has closed the connection. It ought to say so in TLS, but rsyslog with GnuTLS only closes; one
/// that has not read everything resets the connection when it ends.
fn until_closed(stream: &mut impl Read) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (mut buffer, mut read) = ([0; 1_024], 0);
    while read < ANSWER_MAX {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(some) => read += some,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err("it answers without end".into())
}

/// A socket of which every step ends by one moment.
struct Timed {
    stream: TcpStream,
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
