//! Bodies of `/api/v2/x509/import` and `/api/v2/x509/import-key`.

use serde::{Deserialize, Serialize};

use crate::{CertificateId, KeyId, SecretText};

/// Certificates from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportCertificates {
    /// One certificate or several in any order, up to a root: PEM (also PKCS#7), or the DER of one certificate or of
    /// PKCS#7 in base64.
    pub certificates: String,
    /// Whether the authorities among them are trusted: published at `/ca/UUID.crt` and found by their serial numbers. By
    /// default they are not. None of them can issue here without its key.
    #[serde(default)]
    pub trust_cert: Option<bool>,
}

/// A certificate authority from elsewhere, with its private key: `privateKey` and `certificates`, or `pkcs12`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportAuthority {
    /// A PKCS#12 file in base64, encrypted by PBES2 with AES as OpenSSL 3 writes it.
    #[serde(default)]
    pub pkcs12: Option<SecretText>,
    /// A PKCS#8 key, encrypted (PBES2 with AES) or not: PEM, or its DER in base64.
    #[serde(default)]
    pub private_key: Option<SecretText>,
    /// The password of the file or of the key, in base64.
    #[serde(default)]
    pub password: Option<SecretText>,
    /// The authority's certificate and what issued it, in any order, as for an import of certificates; beside `pkcs12`
    /// those that are not in the file.
    #[serde(default)]
    pub certificates: Option<String>,
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Imported {
    /// The authority whose key was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
    /// Its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_uuid: Option<KeyId>,
    /// Every certificate that was sent, each after its issuer.
    pub certificates: Vec<ImportedCertificate>,
    /// What somebody should know, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A certificate that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportedCertificate {
    /// Its id.
    pub certificate_uuid: CertificateId,
    /// The subject in one line.
    pub subject: String,
    /// Its serial number in hexadecimal digits.
    pub serial_number: String,
    /// The certificate that issued it; its own id where it is self-signed.
    pub issuer_uuid: CertificateId,
    /// Whether the inventory had it already.
    pub existed: bool,
}
