//! Bodies under `/api/v2/x509` that speak of certificates.

use serde::{Deserialize, Serialize};

use super::{ObjInfo, approval::ApprovalRules, log::InclusionProof};
use crate::{
    CertKeyUsage, CertProfileId, CertificateId, CertificateStatus, Curve, HashType, KeyAlgorithm, KeyId, KeyTypeId,
    ObjectId, Origin, RevocationReason, ValidityUnit,
};

/// How long something is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ValidityPeriod {
    /// The unit. Months and years are the calendar's.
    pub unit: ValidityUnit,
    /// A positive whole number, as text.
    #[cfg_attr(feature = "schema", schema(pattern = "^[0-9]*[1-9][0-9]*$"))]
    pub amount: String,
}

/// A certificate profile in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CertProfileStub {
    /// Name and id.
    pub obj_info: ObjInfo<CertProfileId>,
    /// How long its certificates are valid unless the request says otherwise.
    pub validity_period: ValidityPeriod,
    /// Whether it came with Chancery.
    pub system: bool,
}

/// The key of a new certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NewKey {
    /// Its key type.
    #[serde(default)]
    pub key_type_uuid: Option<KeyTypeId>,
    /// Whether the private key is kept, so that it can sign; by default it is.
    #[serde(default)]
    pub save: Option<bool>,
}

/// A key's parameters, where no key type is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeyParams {
    /// The algorithm family.
    pub key_algorithm: KeyAlgorithm,
    /// Its size.
    #[serde(default)]
    pub key_size: Option<u32>,
    /// The curve, for `Ec`.
    #[serde(default)]
    pub curve: Option<Curve>,
}

/// What a new certificate shall say besides its subject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CertParams {
    /// How long it is valid; by default as the profile says.
    #[serde(default)]
    pub validity_period: Option<ValidityPeriod>,
    /// The hash under the certificate's signature; by default SHA-256 for RSA and P-256, SHA-384 for P-384, SHA-512 for
    /// P-521.
    #[serde(default)]
    pub hash_algorithm: Option<HashType>,
    /// Subject alternative names: `DNS:host.example`, `IP:192.0.2.1`, `email:name@host.example`,
    /// `URI:https://host.example/`, `UPN:user@host.example`; each once.
    #[serde(default)]
    pub subject_alt_names: Option<Vec<String>>,
    /// Some of the profile's key usages; by default all.
    #[serde(default)]
    pub key_usages: Option<Vec<CertKeyUsage>>,
    /// Some of the profile's extended key usages; by default all.
    #[serde(default)]
    pub extended_key_usages: Option<Vec<String>>,
    /// For an authority, how many others may stand below it: not more than the profile says.
    #[serde(default)]
    pub path_length: Option<u8>,
}

/// What certificate is to be generated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GenerateCertificate {
    /// The certificate profile; `profileUuid` is read too.
    #[serde(alias = "profileUuid")]
    pub cert_profile_uuid: CertProfileId,
    /// The subject, such as `CN=…,O=…,C=US` or `/C=US/O=…/CN=…`; `subject` is read too. By default it
    /// is empty for a leaf with alternative names, else a CN of the profile's name and the first 8 digits of the serial
    /// number.
    #[serde(default, alias = "subject")]
    pub subject_oneline: Option<String>,
    /// The new key.
    #[serde(default)]
    pub new_key: Option<NewKey>,
    /// Whether the certificate is kept; by default it is.
    #[serde(default)]
    pub save_cert: Option<bool>,
    /// Whether it is trusted as an issuer; by default it is not.
    #[serde(default)]
    pub trust_cert: Option<bool>,
    /// The certificate that issues this one; without it, it is self-signed.
    #[serde(default)]
    pub issuer_uuid: Option<CertificateId>,
    /// What the certificate says besides.
    #[serde(default)]
    pub cert_params: Option<CertParams>,
    /// The new key's parameters, where `newKey.keyTypeUuid` is absent.
    #[serde(default)]
    pub key_params: Option<KeyParams>,
}

/// What certificate is asked for with a PKCS#10 request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RequestCertificate {
    /// The authority that shall issue: its certificate, or a signing service for the one that issued its certificate. This
    /// or `serviceUuid` is needed.
    #[serde(default)]
    pub service_or_issuer_uuid: Option<ObjectId>,
    /// Another name of `serviceOrIssuerUuid`.
    #[serde(default)]
    pub service_uuid: Option<ObjectId>,
    /// The request: PEM, or its DER in base64.
    pub csr: String,
    /// The certificate profile.
    pub cert_profile_uuid: CertProfileId,
    /// The subject; by default the request's.
    #[serde(default)]
    pub subject_oneline: Option<String>,
    /// What the certificate says besides; `subjectAltNames` take the place of the request's.
    #[serde(default)]
    pub cert_params: Option<CertParams>,
    /// Whether the certificate is kept; by default it is.
    #[serde(default)]
    pub save_cert: Option<bool>,
}

/// What shall be different about a renewed certificate: as a rule nothing but its validity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenewCertificate {
    /// The certificate profile, for a certificate that was made elsewhere; others keep theirs.
    #[serde(default)]
    pub cert_profile_uuid: Option<CertProfileId>,
    /// The authority that shall issue; by default the one that did.
    #[serde(default)]
    pub issuer_uuid: Option<CertificateId>,
    /// `validityPeriod` and `hashAlgorithm`, by default the profile's; the names stay.
    #[serde(default)]
    pub cert_params: Option<RenewParams>,
}

/// What shall be different about a certificate with a new key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RekeyCertificate {
    /// The certificate profile, for a certificate that was made elsewhere; others keep theirs.
    #[serde(default)]
    pub cert_profile_uuid: Option<CertProfileId>,
    /// The authority that shall issue; by default the one that did.
    #[serde(default)]
    pub issuer_uuid: Option<CertificateId>,
    /// The new key; by default of the old one's type, and kept if that was.
    #[serde(default)]
    pub new_key: Option<NewKey>,
    /// A PKCS#10 request with the new key, where it is made elsewhere: PEM, or its DER in base64. Nothing else is taken
    /// from it.
    #[serde(default)]
    pub csr: Option<String>,
    /// `validityPeriod` and `hashAlgorithm`, by default the profile's; the names stay.
    #[serde(default)]
    pub cert_params: Option<RenewParams>,
}

/// What may be different about a certificate that takes the place of another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenewParams {
    /// How long it is valid; by default as the profile says.
    #[serde(default)]
    pub validity_period: Option<ValidityPeriod>,
    /// The hash under its signature.
    #[serde(default)]
    pub hash_algorithm: Option<HashType>,
}

/// A certificate that was generated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GeneratedCertificate {
    /// Its id in the inventory, which knows it also where the certificate itself was not saved.
    pub certificate_uuid: CertificateId,
    /// The certificate in PEM.
    pub certificate: String,
    /// Its serial number in hexadecimal digits.
    pub serial_number: String,
    /// First moment of its validity: RFC 3339, UTC.
    pub not_before: String,
    /// Last moment of its validity: RFC 3339, UTC.
    pub not_after: String,
    /// Its key, if that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_uuid: Option<KeyId>,
    /// What somebody should know about it, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Certificate {
    /// Its id, as in `objInfo`.
    pub uuid: CertificateId,
    /// Name and id. The name is the subject's common name.
    pub obj_info: ObjInfo<CertificateId>,
    /// The subject in one line.
    pub subject: String,
    /// The certificate that issued it; its own id where it is self-signed.
    pub issuer_uuid: CertificateId,
    /// The certificate profile; absent where the certificate was made elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_profile_uuid: Option<CertProfileId>,
    /// Where it was made.
    pub origin: Origin,
    /// Its serial number in hexadecimal digits.
    pub serial_number: String,
    /// First moment of its validity: RFC 3339, UTC.
    pub not_before: String,
    /// Last moment of its validity: RFC 3339, UTC.
    pub not_after: String,
    /// Where it stands.
    pub status: CertificateStatus,
    /// Whether it is trusted as an issuer.
    pub trusted: bool,
    /// The algorithm family of its key.
    pub key_algorithm: KeyAlgorithm,
    /// Its key, if that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_uuid: Option<KeyId>,
    /// When it was revoked or put on hold: RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation_reason: Option<RevocationReason>,
    /// What it demands of everything that it issues; absent where it demands nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRules>,
    /// The certificate in PEM; absent where it was not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// The proof that it is in the transparency log; null until a checkpoint covers it, within a second of its issue.
    #[serde(default)]
    pub inclusion_proof: Option<InclusionProof>,
}

/// Which certificates are asked for; what is absent does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct CertificateQuery {
    /// A case-insensitive part of the subject. Certificates are looked through in the order of the list, some thousand a
    /// call: a page may be short, and `next` goes on.
    pub search: Option<String>,
    /// How the name, the subject's common name, begins, in any letter case. It is found at once.
    pub name: Option<String>,
    /// The serial number in hexadecimal digits, of the issuer named or of any authority that issues here.
    pub serial_number: Option<String>,
    /// What issued it.
    pub issuer: Option<CertificateId>,
    /// Where it stands.
    #[cfg_attr(feature = "schema", param(inline))]
    pub status: Option<CertificateStatus>,
    /// The algorithm family of its key.
    #[cfg_attr(feature = "schema", param(inline))]
    pub key_algorithm: Option<KeyAlgorithm>,
    /// It ends before this moment: RFC 3339, such as `2027-01-01T00:00:00Z`. The list then is in the order of the ends.
    pub expires_before: Option<String>,
    /// Certificates a page, 1 to 1,000; by default 50.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// The `next` of the page before.
    pub after: Option<String>,
}

/// A page of certificates, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CertificatePage {
    /// This page's certificates.
    pub results: Vec<CertificateStub>,
    /// Certificates a page.
    pub page_size: u32,
    /// What `after` shall be for the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A certificate in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CertificateStub {
    /// Name and id.
    pub obj_info: ObjInfo<CertificateId>,
    /// The subject in one line.
    pub subject: String,
    /// The certificate that issued it; its own id where it is self-signed.
    pub issuer_uuid: CertificateId,
    /// Its serial number in hexadecimal digits.
    pub serial_number: String,
    /// First moment of its validity: RFC 3339, UTC.
    pub not_before: String,
    /// Last moment of its validity: RFC 3339, UTC.
    pub not_after: String,
    /// Where it stands.
    pub status: CertificateStatus,
    /// Whether it is trusted as an issuer.
    pub trusted: bool,
    /// The algorithm family of its key.
    pub key_algorithm: KeyAlgorithm,
}

/// Why a certificate is to be revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RevokeCertificate {
    /// The reason, as RFC 5280 spells it.
    pub reason: RevocationReason,
}

/// In which form a certificate is downloaded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct DownloadQuery {
    /// The form; by default `pem`.
    #[cfg_attr(feature = "schema", param(inline))]
    pub format: Option<DownloadFormat>,
}

/// Which revocation lists are exported, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct CrlExportQuery {
    /// Only the list of this authority; by default those of all.
    pub issuer: Option<CertificateId>,
    /// The form; by default `pem`. `der` needs `issuer`.
    #[cfg_attr(feature = "schema", param(inline))]
    pub format: Option<CrlFormat>,
}

wire_enum! {
    /// The forms of exported revocation lists.
    pub enum CrlFormat {
        /// One after the other in PEM (`X509 CRL`).
        Pem = "pem",
        /// One alone in DER.
        Der = "der",
    }
}

wire_enum! {
    /// The forms of a downloaded certificate: one in PEM or DER, or with all its issuers in PEM or PKCS#7.
    pub enum DownloadFormat {
        /// The certificate in PEM.
        Pem = "pem",
        /// The certificate in DER.
        Der = "der",
        /// The certificate and its issuers in PEM, the root last.
        Chain = "chain",
        /// The certificate and its issuers as PKCS#7 (degenerate SignedData) in DER.
        Pkcs7 = "pkcs7",
    }
}
