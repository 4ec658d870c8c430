//! The certificate by which a client logs in, and its key.

use chancery_types::without_mark;
use rustls::{
    crypto::aws_lc_rs,
    pki_types::{PrivateKeyDer, pem::PemObject as _},
    sign::CertifiedKey,
};
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, parse_pem};

use crate::ClientError;

/// Held against each other here: the transport would panic over a key of another certificate.
pub(crate) fn client_certificate(certificate_pem: &[u8], key_pem: &[u8]) -> Result<ClientCert, ClientError> {
    let why = |error: &dyn ToString| ClientError::Certificate(error.to_string());
    let key_pem = without_mark(key_pem);
    let chain = certificates(certificate_pem).map_err(|error| why(&error))?;
    let key = PrivateKey::from_pem(key_pem).map_err(|error| why(&error))?;
    let ders = chain.iter().map(|certificate| certificate.der().to_vec().into()).collect();
    let checked = PrivateKeyDer::from_pem_slice(key_pem).map_err(|error| why(&error))?;
    let _belong_together =
        CertifiedKey::from_der(ders, checked, &aws_lc_rs::default_provider()).map_err(|error| why(&error))?;
    Ok(ClientCert::new_with_certs(&chain, key))
}

/// All certificates of a file; a refusal of a file without any.
pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>, String> {
    let mut found = Vec::new();
    for item in parse_pem(without_mark(pem)) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| error.to_string())? {
            found.push(certificate);
        }
    }
    if found.is_empty() { Err("there is no certificate in it".to_owned()) } else { Ok(found) }
}
