//! TLS 1.2 and 1.3 with aws-lc.

use std::sync::{Arc, PoisonError, RwLock};

use rustls::{
    ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
    version::{TLS12, TLS13},
};

/// Why a certificate and a key are no basis for TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificates are not PEM.
    #[error("the certificate chain cannot be read: {0}")]
    Certificates(pem::Error),
    /// The key is not PEM.
    #[error("the private key cannot be read: {0}")]
    Key(pem::Error),
    /// They do not belong together, or are of a kind that TLS does not know.
    #[error("the certificate chain and the private key do not serve: {0}")]
    Pair(#[from] rustls::Error),
}

/// What a TLS socket presents to those who come next; it may be exchanged while the socket is served.
#[derive(Clone, Debug)]
pub struct Tls(Arc<RwLock<Arc<ServerConfig>>>);

impl From<Arc<ServerConfig>> for Tls {
    fn from(config: Arc<ServerConfig>) -> Self {
        Self(Arc::new(RwLock::new(config)))
    }
}

impl Tls {
    /// Presents this from now on; connections that stand are not touched.
    pub fn replace(&self, config: Arc<ServerConfig>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = config;
    }

    pub(super) fn now(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a TLS socket presents: `chain` is the leaf and its intermediates in PEM, `key` the leaf's key in PEM.
///
/// # Errors
///
/// [`TlsError`] where either cannot be read or they do not belong together.
pub fn tls_config(chain: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>().map_err(TlsError::Certificates)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(TlsError::Key)?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(&[&TLS13, &TLS12])?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
