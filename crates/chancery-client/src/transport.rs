//! Requests and answers, and what a session carries along.

use std::{sync::Arc, time::Duration};

use chancery_types::{
    ErrorCode,
    wire::{Envelope, ErrorResponse},
};
use rustls::crypto::aws_lc_rs;
use serde::{Serialize, de::DeserializeOwned};
use ureq::{
    Agent,
    http::{HeaderMap, Request, Response, header},
    tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem},
};

use crate::ClientError;

/// The longest that any call may take: generating an RSA key takes seconds on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of an answer at most: the largest batch's.
const ANSWER_MAX: u64 = 64 * 1024 * 1024;

/// A session with one server.
pub struct Client {
    agent: Agent,
    base: String,
    pub(crate) cookie: Option<String>,
    pub(crate) bearer: Option<String>,
}

impl Client {
    /// A client of the server at `base` (such as `https://127.0.0.1:8443`), which must present a certificate of one of
    /// the authorities in `ca_pem`, and of no other.
    ///
    /// # Errors
    ///
    /// [`ClientError::Authority`] where `ca_pem` holds no certificate.
    pub fn new(base: &str, ca_pem: &[u8]) -> Result<Self, ClientError> {
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(authorities(ca_pem)?)))
            .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(PATIENCE))
            .build();
        Ok(Self { agent: config.into(), base: base.to_owned(), cookie: None, bearer: None })
    }

    /// `response` of a GET in the envelope.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        opened(&self.send("GET", path, None)?)
    }

    /// `response` of a POST in the envelope.
    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, ClientError> {
        opened(&self.send("POST", path, Some(json(body)?))?)
    }

    /// Any call; the session cookie and the bearer token go along, a new cookie is kept.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<String>) -> Result<Answer, ClientError> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        if let Some(bearer) = &self.bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {bearer}"));
        } else if let Some(cookie) = &self.cookie {
            request = request.header(header::COOKIE, cookie);
        }
        let response = match body {
            Some(body) => {
                let request = request.header(header::CONTENT_TYPE, "application/json").body(body);
                self.agent.run(request.map_err(ureq::Error::from)?)?
            }
            None => self.agent.run(request.body(()).map_err(ureq::Error::from)?)?,
        };
        Answer::read(response)
    }
}

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(response: Response<ureq::Body>) -> Result<Self, ClientError> {
        let (head, mut body) = response.into_parts();
        let body = body.with_config().limit(ANSWER_MAX).read_to_vec()?;
        Ok(Self { status: head.status.as_u16(), headers: head.headers, body })
    }

    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| self.unexpected(&error))
    }

    pub(crate) fn unexpected(&self, why: &impl ToString) -> ClientError {
        ClientError::Unexpected { status: self.status, why: why.to_string() }
    }

    /// The session cookie that the answer sets, as the Cookie header has it.
    pub(crate) fn cookie(&self) -> Option<String> {
        let set = self.headers.get(header::SET_COOKIE)?.to_str().ok()?;
        set.split(';').next().map(str::to_owned)
    }
}

/// Takes the payload out of its envelope.
fn opened<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    if answer.status == 200 {
        return answer.json::<Envelope<T>>().map(|envelope| envelope.response);
    }
    let refused: Envelope<ErrorResponse> = answer.json()?;
    let error_code: ErrorCode = refused.error_code;
    Err(ClientError::Refused { status: answer.status, error_code, response: Box::new(refused.response) })
}

/// The body of a call. What this crate sends has no map with keys that are not strings, so it always is JSON.
pub(crate) fn json(body: &impl Serialize) -> Result<String, ClientError> {
    serde_json::to_string(body).map_err(|error| ClientError::Unexpected { status: 0, why: error.to_string() })
}

pub(crate) fn authorities(pem: &[u8]) -> Result<Vec<Certificate<'static>>, ClientError> {
    let mut found = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| ClientError::Authority(error.to_string()))? {
            found.push(certificate);
        }
    }
    if found.is_empty() {
        return Err(ClientError::Authority("there is no certificate in it".to_owned()));
    }
    Ok(found)
}
