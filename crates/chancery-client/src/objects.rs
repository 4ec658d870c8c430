//! Keys, key types, certificate profiles and certificates.

use chancery_types::{
    CertificateId,
    wire::{
        ListQuery, Results,
        approval::Issued,
        key_types::KeyTypeStub,
        keys::{CreateKey, Key, KeyStub},
        x509::{CertProfileStub, Certificate, CertificatePage, GenerateCertificate},
    },
};

use crate::{Client, ClientError, tokenization::escaped};

impl Client {
    /// The key types whose name contains `search`.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn key_types(&self, search: &str) -> Result<Results<KeyTypeStub>, ClientError> {
        let query = ListQuery { search: Some(search.to_owned()), ..ListQuery::default() };
        self.post("/api/v2/key-types/stubs", &query)
    }

    /// The certificate profiles.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn cert_profiles(&self) -> Result<Results<CertProfileStub>, ClientError> {
        self.get("/api/v2/x509/cert-profiles/stubs")
    }

    /// The data keys whose name contains `search`.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn keys(&self, search: &str) -> Result<Results<KeyStub>, ClientError> {
        self.get(&format!("/api/v2/keys/stubs?search={}", escaped(search)))
    }

    /// Makes a data key.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn create_key(&self, key: &CreateKey) -> Result<Key, ClientError> {
        self.post("/api/v2/keys", key)
    }

    /// Makes a certificate with a new key, or asks for the approvals that it needs.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn generate_certificate(&self, order: &GenerateCertificate) -> Result<Issued, ClientError> {
        self.post("/api/v2/x509/generate", order)
    }

    /// The first certificates whose name begins with `name`.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn certificates(&self, name: &str) -> Result<CertificatePage, ClientError> {
        self.get(&format!("/api/v2/x509?name={}", escaped(name)))
    }

    /// A certificate.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn certificate(&self, id: CertificateId) -> Result<Certificate, ClientError> {
        self.get(&format!("/api/v2/x509/{id}"))
    }
}
