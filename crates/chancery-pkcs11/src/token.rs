//! The token: the server's objects, and who is logged in.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use chancery_types::{
    Base64, SigningRequestState,
    wire::signing_requests::{DecideRequest, SigningRequest, SubmitRequest},
};
use cryptoki_sys::{
    CK_ATTRIBUTE_TYPE, CK_OBJECT_HANDLE, CKR_FUNCTION_FAILED, CKR_KEY_HANDLE_INVALID, CKR_PIN_INCORRECT,
    CKR_USER_ALREADY_LOGGED_IN, CKR_USER_NOT_LOGGED_IN,
};

use crate::{
    approvals::{self, Approvals},
    catalogue::Catalogue,
    config::{Config, Credential},
    failure::{Failure, Result},
    object::Object,
    operation::{Content, Wanted},
    server::Server,
    signature,
};

pub(crate) struct Token {
    pub(crate) config: Config,
    server: Server,
    catalogue: Mutex<Catalogue>,
    approvals: Approvals,
    is_logged_in: AtomicBool,
}

impl Token {
    pub(crate) fn new(config: Config) -> Result<Self> {
        Ok(Self {
            server: Server::new(&config)?,
            config,
            catalogue: Mutex::default(),
            approvals: Approvals::default(),
            is_logged_in: AtomicBool::new(false),
        })
    }

    /// Whether nothing is seen before somebody gives an API key.
    pub(crate) const fn asks_for_pin(&self) -> bool {
        matches!(self.config.credential, Credential::Pin)
    }

    pub(crate) fn is_logged_in(&self) -> bool {
        self.is_logged_in.load(Ordering::Acquire)
    }

    fn shows_keys(&self) -> bool {
        self.is_logged_in() || !self.asks_for_pin()
    }

    /// C_Login. Where the configuration says who logs in, no PIN is looked at.
    pub(crate) fn log_in(&self, pin: &[u8]) -> Result<()> {
        // Held until it is done: of two threads that log in, the second is told that somebody is.
        let _catalogue = self.catalogue();
        if self.is_logged_in() {
            return Err(CKR_USER_ALREADY_LOGGED_IN.into());
        }
        if self.asks_for_pin() {
            let key = std::str::from_utf8(pin).ok().filter(|key| !key.is_empty());
            let none = || Failure::new(CKR_PIN_INCORRECT, "the PIN is an application's API key");
            self.server.log_in_by(key.ok_or_else(none)?)?;
        } else {
            self.server.logged_in()?;
        }
        self.is_logged_in.store(true, Ordering::Release);
        Ok(())
    }

    /// C_Logout.
    pub(crate) fn log_out(&self) -> Result<()> {
        let mut catalogue = self.catalogue();
        if !self.is_logged_in.swap(false, Ordering::AcqRel) {
            return Err(CKR_USER_NOT_LOGGED_IN.into());
        }
        if self.asks_for_pin() {
            catalogue.clear();
            self.server.log_out();
        }
        Ok(())
    }

    /// The objects that have these attributes: none before a login that is needed.
    pub(crate) fn search(&self, wanted: &[(CK_ATTRIBUTE_TYPE, &[u8])]) -> Result<Vec<CK_OBJECT_HANDLE>> {
        let mut catalogue = self.catalogue();
        if !self.shows_keys() {
            return Ok(Vec::new());
        }
        catalogue.search(&self.server, &self.config.services, wanted)
    }

    pub(crate) fn object(&self, handle: CK_OBJECT_HANDLE) -> Result<Arc<Object>> {
        self.catalogue().object(handle)
    }

    /// An object that is to be used: a renewed service has another key, which its old handle is not of.
    pub(crate) fn key(&self, handle: CK_OBJECT_HANDLE) -> Result<Arc<Object>> {
        let mut catalogue = self.catalogue();
        if !self.shows_keys() {
            return Err(CKR_USER_NOT_LOGGED_IN.into());
        }
        if let Err(failure) = catalogue.refresh(&self.server, &self.config.services) {
            // That the server cannot be asked now is for the signature to tell; not every thread waits for it here.
            failure.report();
            catalogue.postpone();
        }
        catalogue.object(handle).map_err(|failure| failure.with_code(CKR_KEY_HANDLE_INVALID))
    }

    /// The signature, in the form of PKCS#11.
    pub(crate) fn sign(&self, wanted: &Wanted<'_>) -> Result<Vec<u8>> {
        let checked = signature::checked(self.made(wanted)?, wanted);
        if checked.is_err() {
            self.catalogue().expire();
        }
        checked
    }

    /// The signature, as the server makes it.
    fn made(&self, wanted: &Wanted<'_>) -> Result<Vec<u8>> {
        if wanted.policy.num_approvals > 0 {
            let digest = approvals::digest(&wanted.content);
            let approved = self.approvals.signature(&self.server, wanted, &digest)?;
            // One that was made before the service was renewed is of another key.
            if let Some(signature) = approved.filter(|signature| signature::is_good(signature, wanted)) {
                return Ok(signature);
            }
            // Without one people would be asked for what they cannot see.
            if !approvals::is_granted(&self.server, wanted, &digest)? {
                return Err(approvals::needed(wanted));
            }
        }
        let request = self.submitted(wanted)?;
        let state = |request: &SigningRequest| (request.state, request.uuid);
        match state(&request) {
            (SigningRequestState::Signed, _) => Ok(request.signature.0),
            (SigningRequestState::Approval, id) => {
                // The grant was used up meanwhile, or is not for this request.
                self.server.call(|client| client.withdraw(id, &DecideRequest::default()))?;
                Err(approvals::needed(wanted))
            }
            (SigningRequestState::Failed | SigningRequestState::Denied | SigningRequestState::None, id) => {
                let reason = request.reason.unwrap_or_default();
                Err(Failure::told(CKR_FUNCTION_FAILED, format!("request {id} could not be signed: {reason}")))
            }
        }
    }

    fn submitted(&self, wanted: &Wanted<'_>) -> Result<SigningRequest> {
        let Wanted { key, policy, content } = wanted;
        let name = self.config.request_name.clone();
        let request = SubmitRequest::new(name, key.service, policy.obj_info.uuid);
        let request = match content {
            Content::Digest(digest) => SubmitRequest { digest: Some(Base64(digest.clone())), ..request },
            Content::Message(message) => SubmitRequest { upload_data: Some(Base64(message.clone())), ..request },
        };
        let id = self.server.call(|client| client.submit(&request))?.uuid;
        self.server.call(|client| client.signing_request(id))
    }

    /// Whatever a thread that panicked had written before is whole.
    fn catalogue(&self) -> MutexGuard<'_, Catalogue> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that was begun here does not outlast the module.
impl Drop for Token {
    fn drop(&mut self) {
        self.server.log_out();
    }
}
