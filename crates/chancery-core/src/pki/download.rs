//! Certificates as files.

use chancery_types::wire::x509::DownloadFormat;

use super::stored_certificate::{StoredCertificate, pem};
use chancery_x509::cms;

use crate::{Error, Result};

/// A file to be downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its media type.
    pub media_type: &'static str,
    /// The end of its name.
    pub extension: &'static str,
}

/// The certificate (the first of the chain) in the form asked for.
pub(crate) fn file(chain: &[StoredCertificate], format: DownloadFormat) -> Result<File> {
    let texts = |certificates: &[StoredCertificate]| -> Result<Vec<u8>> {
        Ok(certificates.iter().map(|certificate| pem(&certificate.der)).collect::<Result<String>>()?.into_bytes())
    };
    let ders = || chain.iter().map(|certificate| certificate.der.clone());
    let (bytes, media_type, extension) = match format {
        DownloadFormat::Pem => (texts(&chain[..1])?, "application/x-pem-file", "pem"),
        DownloadFormat::Chain => (texts(chain)?, "application/x-pem-file", "pem"),
        DownloadFormat::Der => (ders().next().unwrap_or_default(), "application/pkix-cert", "crt"),
        DownloadFormat::Pkcs7 => {
            let certificates: Vec<_> = ders().collect();
            let bytes = cms::certificates_only(&certificates).map_err(Error::internal)?;
            (bytes, "application/pkcs7-mime", "p7c")
        }
    };
    Ok(File { bytes, media_type, extension })
}
