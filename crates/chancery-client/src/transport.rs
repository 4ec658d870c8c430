//! Requests and answers, and what a session carries along.

use std::{
    io::Read,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_types::wire::{Envelope, ErrorResponse};
use rustls::crypto::aws_lc_rs;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use ureq::{
    Agent, AsSendBody,
    http::{self, HeaderMap, Request, Response, header},
    tls::{Certificate, ClientCert, RootCerts, TlsConfig},
    unversioned::transport::DefaultConnector,
};

use crate::{
    ClientError,
    client_certificate::{certificates, client_certificate},
    resolver::Remembering,
    retry::Tries,
};

/// The longest that any call may take with all its tries, where nobody says otherwise: generating an RSA key takes seconds
/// on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The longest that an answer may take which is read as it comes.
const STREAM_PATIENCE: Duration = Duration::from_hours(6);

/// Bytes of an answer at most: the largest batch's.
const ANSWER_MAX: u64 = 64 * 1024 * 1024;

/// A client of one server, and its session.
pub struct Client {
    agent: Agent,
    base: String,
    session: Mutex<Session>,
    /// An API key by which a session that has ended is followed by another. Whoever locks it logs in, and nobody else
    /// meanwhile.
    kept_key: Mutex<Option<String>>,
    is_patient: bool,
    patience: Duration,
}

/// What a client carries along once somebody has logged in: whoever has it is logged in, so it is kept as passwords are.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The session cookie, as the Cookie header has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cookie: Option<String>,
    /// The bearer token that was taken for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bearer: Option<String>,
}

/// By what a call says who makes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carried<'a> {
    /// The bearer token, or where there is none yet the cookie; and a key under which the call is made once.
    Best(Option<&'a str>),
    /// The cookie alone.
    Cookie,
    /// Another cookie than the session's, which a login by a provider has.
    Login(&'a str),
}

impl Client {
    /// A client of the server at `base` (such as `https://127.0.0.1:8443`), which must present a certificate of one of
    /// the authorities in `ca_pem`, and of no other.
    ///
    /// # Errors
    ///
    /// [`ClientError::Authority`] where `ca_pem` holds no certificate; [`ClientError::NotSent`] where the address has a
    /// name, a password or a query in it.
    pub fn new(base: &str, ca_pem: &[u8]) -> Result<Self, ClientError> {
        Self::of(base, ca_pem, None)
    }

    /// The same, which shows a certificate where the server asks for one: for
    /// [`log_in_by_certificate`](Self::log_in_by_certificate). `certificate_pem` has the client's own first, and then what stands
    /// between it and its authority; `key_pem` its key, without a passphrase.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and [`ClientError::Certificate`] where they cannot be read or do not belong together.
    pub fn with_certificate(
        base: &str,
        ca_pem: &[u8],
        certificate_pem: &[u8],
        key_pem: &[u8],
    ) -> Result<Self, ClientError> {
        Self::of(base, ca_pem, Some(client_certificate(certificate_pem, key_pem)?))
    }

    fn of(base: &str, ca_pem: &[u8], certificate: Option<ClientCert>) -> Result<Self, ClientError> {
        if base.contains(['@', '?', '#']) {
            return Err(ClientError::NotSent(
                "the address has a name, a password or a query in it, which it may not have",
            ));
        }
        let tls = tls(authorities(ca_pem)?, certificate);
        let config =
            Agent::config_builder().tls_config(tls).http_status_as_error(false).max_redirects(0).proxy(None).build();
        Ok(Self {
            agent: Agent::with_parts(config, DefaultConnector::default(), Remembering::default()),
            base: base.trim_end_matches('/').to_owned(),
            session: Mutex::default(),
            kept_key: Mutex::default(),
            is_patient: true,
            patience: PATIENCE,
        })
    }

    /// How long any call may take from now on, with all its tries: 60 seconds where nobody says otherwise.
    pub const fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// The same client, which makes no call again: for whoever has to see what the server answers now.
    #[must_use]
    pub fn tried_once(self) -> Self {
        Self { is_patient: false, ..self }
    }

    /// The same client in a session that was begun before.
    #[must_use]
    pub fn in_session(self, session: Session) -> Self {
        Self { session: Mutex::new(session), ..self }
    }

    /// The session as it is now, for a later [`in_session`](Self::in_session).
    #[must_use]
    pub fn session(&self) -> Session {
        self.locked().clone()
    }

    /// Nothing that holds the lock can panic; whatever was written before is whole.
    pub(crate) fn locked(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn kept_key(&self) -> MutexGuard<'_, Option<String>> {
        self.kept_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `response` of a GET in the envelope.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        opened(&self.send("GET", path, None)?)
    }

    /// `response` of any call in the envelope.
    pub(crate) fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> Result<T, ClientError> {
        opened(&self.send(method, path, body)?)
    }

    /// Any call: the body of the answer as it came, for whoever passes it on. `body` is JSON.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn body(&self, method: &str, path: &str, body: Option<&str>) -> Result<Vec<u8>, ClientError> {
        let answer = self.send(method, path, body)?;
        if answer.status == 200 { Ok(answer.body) } else { Err(refused(&answer)) }
    }

    /// The answer of a GET as it comes, for what may be longer than any memory. It is asked for once, and once more where
    /// the login had ended.
    pub(crate) fn stream(&self, path: &str) -> Result<Box<dyn Read + Send>, ClientError> {
        let carried = self.session();
        let mut response = self.begin_stream(path)?;
        if response.status() == 401 && self.enter_again(&carried)? {
            response = self.begin_stream(path)?;
        }
        if response.status() != 200 {
            return Err(refused(&Answer::read(response)?));
        }
        Ok(Box::new(response.into_body().into_with_config().limit(u64::MAX).reader()))
    }

    fn begin_stream(&self, path: &str) -> Result<Response<ureq::Body>, ClientError> {
        let mut request = Request::builder().method("GET").uri(format!("{}{path}", self.base));
        let Session { cookie, bearer } = self.session();
        if let Some(bearer) = bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {bearer}"));
        } else if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        let request = self.agent.configure_request(request.body(()).map_err(ureq::Error::from)?);
        let request = request.timeout_global(Some(STREAM_PATIENCE)).timeout_recv_response(Some(self.patience)).build();
        Ok(self.agent.run(request)?)
    }

    /// Any call, again where that is safe, and once more where the login had ended and another one could be made.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&str>) -> Result<Answer, ClientError> {
        let carried = self.session();
        // One key for all that is sent of this call, also after another login: it may have been made although its answer
        // was lost.
        let key = takes_key(method, path).then(|| format!("{:032x}", rand::random::<u128>()));
        let answer = self.send_patiently(method, path, body, key.as_deref())?;
        if answer.status == 401 && self.enter_again(&carried)? {
            return self.send_patiently(method, path, body, key.as_deref());
        }
        Ok(answer)
    }

    fn send_patiently(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
        key: Option<&str>,
    ) -> Result<Answer, ClientError> {
        self.patiently(method == "GET" || key.is_some(), |until| {
            self.send_until(until, method, path, body, Carried::Best(key))
        })
    }

    /// The outcome that counts: where that is safe a call is made again.
    fn patiently(
        &self,
        is_repeatable: bool,
        send: impl Fn(Instant) -> Result<Answer, ClientError>,
    ) -> Result<Answer, ClientError> {
        let mut tries = Tries::of(is_repeatable);
        let until = Instant::now() + self.patience;
        loop {
            let outcome = send(until);
            let (status, retry_after) = match &outcome {
                Ok(answer) => (Some(answer.status), answer.retry_after()),
                Err(ClientError::Transport(_)) => (None, None),
                Err(_) => return outcome,
            };
            let wait = tries.wait_after(status, retry_after).filter(|_| self.is_patient);
            match wait.filter(|wait| Instant::now() + *wait < until) {
                Some(wait) => sleep(wait),
                None => return outcome,
            }
        }
    }

    /// Asks what anybody may ask, in a format of its own; asking changes nothing.
    pub(crate) fn ask(&self, path: &str, media_type: &str, question: &[u8]) -> Result<Vec<u8>, ClientError> {
        let answer = self.patiently(true, |until| {
            let request = Request::builder().method("POST").uri(format!("{}{path}", self.base));
            self.run(until, request.header(header::CONTENT_TYPE, media_type).body(question))
        })?;
        if answer.status == 200 { Ok(answer.body) } else { Err(refused(&answer)) }
    }

    /// One call over the network.
    pub(crate) fn send_once(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
        carried: Carried<'_>,
    ) -> Result<Answer, ClientError> {
        self.send_until(Instant::now() + self.patience, method, path, body, carried)
    }

    fn send_until(
        &self,
        until: Instant,
        method: &str,
        path: &str,
        body: Option<&str>,
        carried: Carried<'_>,
    ) -> Result<Answer, ClientError> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        let Session { cookie, bearer } = self.session();
        let (cookie, bearer) = match carried {
            Carried::Best(_) => (cookie, bearer),
            Carried::Cookie => (cookie, None),
            Carried::Login(cookie) => (Some(cookie.to_owned()), None),
        };
        if let Carried::Best(Some(key)) = carried {
            request = request.header("Idempotency-Key", key);
        }
        if let Some(bearer) = bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {bearer}"));
        } else if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        match body {
            Some(body) => self.run(until, request.header(header::CONTENT_TYPE, "application/json").body(body)),
            None => self.run(until, request.body(())),
        }
    }

    fn run<B: AsSendBody>(
        &self,
        until: Instant,
        request: Result<Request<B>, http::Error>,
    ) -> Result<Answer, ClientError> {
        let left = until.saturating_duration_since(Instant::now());
        let request = self.agent.configure_request(request.map_err(ureq::Error::from)?);
        Answer::read(self.agent.run(request.timeout_global(Some(left)).build())?)
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
        // Room for the whole: growing would copy it several times over.
        let expected = body.content_length().unwrap_or_default().min(ANSWER_MAX);
        let mut read = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
        let mut body = body.with_config().limit(ANSWER_MAX).reader();
        body.read_to_end(&mut read).map_err(ureq::Error::from)?;
        Ok(Self { status: head.status.as_u16(), headers: head.headers, body: read })
    }

    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| self.unexpected(&error))
    }

    pub(crate) fn unexpected(&self, why: &impl ToString) -> ClientError {
        ClientError::Unexpected { status: self.status, why: why.to_string() }
    }

    /// How long the server asks to wait (RFC 9110, 10.2.3). It sends seconds, never a date.
    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.headers.get(header::RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    /// The cookie that the answer sets, as the Cookie header has it. Others are cleared, or there is none.
    pub(crate) fn cookie(&self) -> Option<String> {
        let mut all = self.headers.get_all(header::SET_COOKIE).iter().filter_map(|set| set.to_str().ok());
        let set = all.find(|set| !set.ends_with("; Max-Age=0"))?;
        set.split(';').next().map(str::to_owned)
    }
}

/// Whether the server makes this call once for a key. Values become the same tokens however often that is asked for.
fn takes_key(method: &str, path: &str) -> bool {
    let is_of_interface = path.starts_with("/api/v2/") || path.starts_with("/cuserv/v1/");
    method == "POST" && is_of_interface && !path.starts_with("/api/v2/token-profiles/")
}

/// Takes the payload out of its envelope.
fn opened<T: DeserializeOwned>(answer: &Answer) -> Result<T, ClientError> {
    if answer.status == 200 {
        return answer.json::<Envelope<T>>().map(|envelope| envelope.response);
    }
    Err(refused(answer))
}

/// Why the server did not do it.
fn refused(answer: &Answer) -> ClientError {
    let status = answer.status;
    match answer.json::<Envelope<ErrorResponse>>() {
        Ok(Envelope { error_code, response, .. }) => {
            let retry_after = answer.retry_after();
            ClientError::Refused { status, error_code, response: Box::new(response), retry_after }
        }
        Err(unexpected) => unexpected,
    }
}

/// The body of a call. What this crate sends has no map with keys that are not strings, so it always is JSON.
pub(crate) fn json<T: Serialize>(body: &T) -> Result<String, ClientError> {
    serde_json::to_string(body).map_err(|error| ClientError::Unexpected { status: 0, why: error.to_string() })
}

/// TLS with servers that present a certificate of one of these authorities.
pub(crate) fn tls(authorities: Vec<Certificate<'static>>, certificate: Option<ClientCert>) -> TlsConfig {
    TlsConfig::builder()
        .client_cert(certificate)
        .root_certs(RootCerts::Specific(Arc::new(authorities)))
        .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
        .build()
}

pub(crate) fn authorities(pem: &[u8]) -> Result<Vec<Certificate<'static>>, ClientError> {
    certificates(pem).map_err(ClientError::Authority)
}
