//! TLS 1.2 and 1.3 with aws-lc.

use std::sync::{Arc, PoisonError, RwLock};

use chancery_types::without_mark;
use rustls::{
    InconsistentKeys, ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
    server::{NoClientAuth, NoServerSessionStorage, danger::ClientCertVerifier},
    version::{TLS12, TLS13},
};

use super::possession::ProofOfPossession;

/// Why a certificate and a key are no basis for TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificates are not PEM.
    #[error("the certificate chain cannot be read: {0}")]
    Certificates(pem::Error),
    /// There are none.
    #[error("there is no certificate in it: PEM is taken, the server's first and then its intermediates")]
    NoCertificate,
    /// The key is not PEM.
    #[error("the private key cannot be read: {0}")]
    Key(pem::Error),
    /// There is none.
    #[error("there is no private key in it: PEM is taken, without a passphrase")]
    NoKey,
    /// The key is another certificate's.
    #[error("the private key is not that of the first certificate")]
    OtherKey,
    /// They are of a kind that TLS does not know.
    #[error("the certificate chain and the private key do not serve")]
    Pair(#[from] rustls::Error),
}

impl TlsError {
    /// Whether it is the key's fault.
    #[must_use]
    pub const fn is_of_key(&self) -> bool {
        matches!(self, Self::Key(_) | Self::NoKey | Self::OtherKey)
    }
}

/// What a TLS socket presents to those who come next; it may be exchanged while the socket is served.
#[derive(Clone, Debug)]
pub struct Tls {
    config: Arc<RwLock<Arc<ServerConfig>>>,
    asks: bool,
}

impl From<Arc<ServerConfig>> for Tls {
    fn from(config: Arc<ServerConfig>) -> Self {
        Self { config: Arc::new(RwLock::new(config)), asks: false }
    }
}

impl Tls {
    /// Of a socket whose configuration asks for client certificates: [`tls_config_asking`].
    #[must_use]
    pub fn asking(config: Arc<ServerConfig>) -> Self {
        Self { asks: true, ..Self::from(config) }
    }

    /// Whether what connections show is kept for logins.
    pub(super) const fn asks(&self) -> bool {
        self.asks
    }

    /// Presents this from now on; connections that stand are not touched.
    pub fn replace(&self, config: Arc<ServerConfig>) {
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config;
    }

    pub(super) fn now(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a TLS socket presents: `chain` is the leaf and its intermediates in PEM, `key` the leaf's key in PEM.
///
/// # Errors
///
/// [`TlsError`] where either cannot be read or they do not belong together.
pub fn tls_config(chain: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    config(chain, key, Arc::new(NoClientAuth)).map(Arc::new)
}

/// The same for a socket that asks for client certificates, and does without.
///
/// No session is resumed there: each connection has shown anew that it has the key. In TLS 1.2 the proof is bound to the
/// connection (RFC 7627).
///
/// # Errors
///
/// As [`tls_config`].
pub fn tls_config_asking(chain: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    let mut config = config(chain, key, Arc::new(ProofOfPossession::new()))?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    config.require_ems = true;
    Ok(Arc::new(config))
}

fn config(chain: &[u8], key: &[u8], clients: Arc<dyn ClientCertVerifier>) -> Result<ServerConfig, TlsError> {
    let (chain, key) = (without_mark(chain), without_mark(key));
    let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>().map_err(TlsError::Certificates)?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| {
        if matches!(error, pem::Error::NoItemsFound) { TlsError::NoKey } else { TlsError::Key(error) }
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(&[&TLS13, &TLS12])?
        .with_client_cert_verifier(clients)
        .with_single_cert(chain, key)
        .map_err(|error| {
            let is_other = matches!(error, rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch));
            if is_other { TlsError::OtherKey } else { TlsError::Pair(error) }
        })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
