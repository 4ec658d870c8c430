//! What is found by its name.

use chancery_types::wire::{
    ListQuery, Results,
    key_types::KeyTypeStub,
    keys::KeyStub,
    service_details::Service,
    token_profiles::{TokenProfileStub, TokenProfileTemplate},
    x509::{CertProfileStub, CertificatePage},
};

use super::escaped;
use crate::{Client, ClientError};

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

    /// The first certificates whose name begins with `name`.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn certificates(&self, name: &str) -> Result<CertificatePage, ClientError> {
        self.get(&format!("/api/v2/x509?name={}", escaped(name)))
    }

    /// A built-in template, by its name.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn token_profile_template(&self, name: &str) -> Result<TokenProfileTemplate, ClientError> {
        self.get(&format!("/api/v2/token-profiles/template/{}", escaped(name)))
    }

    /// The token profiles whose name contains `search`.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn token_profiles(&self, search: &str) -> Result<Results<TokenProfileStub>, ClientError> {
        self.get(&format!("/api/v2/token-profiles/stubs?search={}", escaped(search)))
    }

    /// The signing services whose name contains `search`, with their policies.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn services(&self, search: &str) -> Result<Results<Service>, ClientError> {
        self.get(&format!("/api/v2/x509/services?search={}", escaped(search)))
    }
}
