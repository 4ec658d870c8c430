//! The server itself, and what it publishes.

use chancery_types::wire::health::{Health, Readiness};
use serde_json::Value;

use crate::{Client, ClientError, operations::escaped, transport::Carried};

impl Client {
    /// Whether a process answers at all.
    ///
    /// # Errors
    ///
    /// [`ClientError`] where it does not.
    pub fn health(&self) -> Result<Health, ClientError> {
        self.send("GET", "/healthz", None)?.json()
    }

    /// Whether it serves, and whether it is a demonstration. A server that does not serve says why as a refusal.
    ///
    /// # Errors
    ///
    /// [`ClientError`] where it does not.
    pub fn readiness(&self) -> Result<Readiness, ClientError> {
        self.send_once("GET", "/readyz", None, Carried::Best(None))?.json()
    }

    /// What Prometheus reads of the server, in its text format.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn metrics(&self) -> Result<String, ClientError> {
        let text = self.body("GET", "/metrics", None)?;
        String::from_utf8(text).map_err(|error| ClientError::Unexpected { status: 200, why: error.to_string() })
    }

    /// The OpenAPI document of the interface.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn openapi(&self) -> Result<Value, ClientError> {
        self.send("GET", "/openapi.json", None)?.json()
    }

    /// The transparency log's latest checkpoint: a signed note.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn checkpoint(&self) -> Result<Vec<u8>, ClientError> {
        self.body("GET", "/log/checkpoint", None)
    }

    /// The transparency log's key, NAME+ID+KEY. What it proves to whoever fetched it together with what it shall prove is
    /// nothing: keep it.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn log_key(&self) -> Result<Vec<u8>, ClientError> {
        self.body("GET", "/log/vkey", None)
    }

    /// A tile of the transparency log, by its path below `/log/tile`.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn log_tile(&self, path: &str) -> Result<Vec<u8>, ClientError> {
        self.body("GET", &format!("/log/tile/{path}"), None)
    }

    /// An authority's certificate (DER), by the name that certificates give its file.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn ca_file(&self, name: &str) -> Result<Vec<u8>, ClientError> {
        self.body("GET", &format!("/ca/{}", escaped(name)), None)
    }

    /// A revocation list (DER), by the name that certificates give its file.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn crl_file(&self, name: &str) -> Result<Vec<u8>, ClientError> {
        self.body("GET", &format!("/crl/{}", escaped(name)), None)
    }

    /// The answer to an OCSPRequest, both DER (RFC 6960). Whether it is a good one is for its reader to say.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn ocsp(&self, request: &[u8]) -> Result<Vec<u8>, ClientError> {
        self.ask("/ocsp", "application/ocsp-request", request)
    }
}
