//! Certificates, their profiles, and what services have of them.

use chancery_types::{
    CertProfileId, CertificateId, ServiceId,
    wire::{
        Empty, ListQuery, Results,
        approval::{ApprovalRules, Issued, IssuerApproval},
        cert_profiles::{CertProfile, CreateCertProfile, PatchCertProfile},
        import::{ImportCertificates, Imported},
        service_details::{IssuancePolicy, PatchIssuancePolicy},
        x509::{
            CertProfileStub, Certificate, CertificatePage, CertificateQuery, CrlExportQuery, DownloadFormat,
            GenerateCertificate, RekeyCertificate, RenewCertificate, RequestCertificate, RevokeCertificate,
        },
    },
};
use serde_json::Value;

use crate::{Client, ClientError};

super::operations! {
    OPERATIONS:
    /// The certificate profiles.
    GET "/api/v2/x509/cert-profiles/stubs" => cert_profiles() [? ListQuery] -> Results<CertProfileStub>;
    /// Makes a certificate profile.
    POST "/api/v2/x509/cert-profiles" => create_cert_profile() [< CreateCertProfile] -> CertProfile;
    /// A certificate profile.
    GET "/api/v2/x509/cert-profiles/{id}" => cert_profile(id: CertProfileId) -> CertProfile;
    /// Changes a certificate profile, or proposes it.
    PATCH "/api/v2/x509/cert-profiles/{id}" => change_cert_profile(id: CertProfileId) [< PatchCertProfile] -> Value;
    /// Removes a certificate profile that no certificate names.
    DELETE "/api/v2/x509/cert-profiles/{id}" => delete_cert_profile(id: CertProfileId) -> Empty;
    /// Makes a certificate with a new key, or asks for the approvals that it needs.
    POST "/api/v2/x509/generate" => generate_certificate() [< GenerateCertificate] -> Issued;
    /// Has a PKCS#10 request issued, or asks for the approvals that it needs.
    POST "/api/v2/x509/requests" => request_certificate() [< RequestCertificate] -> Issued;
    /// The certificates, a page of them.
    GET "/api/v2/x509" => certificates() [? CertificateQuery] -> CertificatePage;
    /// A certificate.
    GET "/api/v2/x509/{id}" => certificate(id: CertificateId) -> Certificate;
    /// The same subject and key for longer.
    POST "/api/v2/x509/{id}/renew" => renew_certificate(id: CertificateId) [< RenewCertificate] -> Issued;
    /// The same subject with another key.
    POST "/api/v2/x509/{id}/rekey" => rekey_certificate(id: CertificateId) [< RekeyCertificate] -> Issued;
    /// Revokes a certificate, or puts it on hold.
    POST "/api/v2/x509/{id}/revoke" => revoke_certificate(id: CertificateId) [< RevokeCertificate] -> Certificate;
    /// Takes a certificate off hold.
    POST "/api/v2/x509/{id}/release" => release_certificate(id: CertificateId) [< Empty] -> Certificate;
    /// Says who approves what an authority issues.
    PUT "/api/v2/x509/{id}/approval" => change_issuer_approval(id: CertificateId) [< ApprovalRules] -> IssuerApproval;
    /// Takes certificates of others in.
    POST "/api/v2/x509/import" => import_certificates() [< ImportCertificates] -> Imported;
    /// Takes an authority in with its key. The body holds secrets, which is why there is no type of it that can be written.
    POST "/api/v2/x509/import-key" => import_authority() [< Value] -> Imported;
    /// What the certificates of a service need to be issued.
    GET "/api/v2/x509/services/{id}/issuance-policy" => issuance_policy(id: ServiceId) -> IssuancePolicy;
    /// Changes what the certificates of a service need to be issued.
    PATCH "/api/v2/x509/services/{id}/issuance-policy"
        => change_issuance_policy(id: ServiceId) [< PatchIssuancePolicy] -> IssuancePolicy;
}

impl Client {
    /// A certificate as a file: alone in DER or PEM, or with its issuers.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn download_certificate(&self, id: CertificateId, format: DownloadFormat) -> Result<Vec<u8>, ClientError> {
        self.body("GET", &format!("/api/v2/x509/{id}/download?format={format}"), None)
    }

    /// An authority's revocation list.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn export_crl(&self, query: &CrlExportQuery) -> Result<Vec<u8>, ClientError> {
        self.body("GET", &format!("/api/v2/x509/crls/export{}", super::query_of(query)?), None)
    }
}
