//! What C_Initialize makes and C_Finalize ends: the token and its sessions. There is one a process.

use std::{
    collections::{HashMap, VecDeque},
    mem, process,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use arc_swap::ArcSwapOption;
use cryptoki_sys::*;

use crate::{
    config::Config,
    failure::{Failure, Result, debug},
    mechanism::Parameters,
    object::Object,
    operation::Operation,
    token::Token,
};

/// The only slot.
pub(crate) const SLOT: CK_SLOT_ID = 0;

/// Sessions at most: a program that closes none is told so before it is out of memory.
const SESSIONS_MAX: usize = 65_536;

/// The module of this process. Of a parent's, a child after a fork has a copy whose locks may be held by threads that it has
/// not got, and whose connections are the parent's: so nothing of it is touched, and this is not a lock.
static CURRENT: ArcSwapOption<Module> = ArcSwapOption::const_empty();

pub(crate) struct Module {
    process: u32,
    token: Option<Token>,
    sessions: Mutex<Sessions>,
}

#[derive(Default)]
struct Sessions {
    open: HashMap<CK_SESSION_HANDLE, Arc<Session>>,
    last: CK_SESSION_HANDLE,
}

pub(crate) struct Session {
    pub(crate) is_rw: bool,
    search: Mutex<Option<VecDeque<CK_OBJECT_HANDLE>>>,
    signing: Mutex<Option<Operation>>,
}

/// C_Initialize.
pub(crate) fn initialize() -> Result<()> {
    let before = CURRENT.load();
    if before.as_ref().is_some_and(|module| module.is_ours()) {
        return Err(CKR_CRYPTOKI_ALREADY_INITIALIZED.into());
    }
    // A child has a copy of its parent's generator, and the keys of their requests have to differ.
    let reseeded = rand::rng().reseed();
    reseeded.map_err(|error| Failure::new(CKR_GENERAL_ERROR, format!("no randomness: {error}")))?;
    let config = Config::load()?;
    if config.is_none() {
        debug("no server is configured: set CHANCERY_PKCS11_CONFIG, or use `chancery login`");
    }
    let token = config.map(Token::new).transpose()?;
    let module = Module { process: process::id(), token, sessions: Mutex::default() };
    let seen = CURRENT.compare_and_swap(&*before, Some(Arc::new(module)));
    if seen.as_ref().map(Arc::as_ptr) != before.as_ref().map(Arc::as_ptr) {
        return Err(CKR_CRYPTOKI_ALREADY_INITIALIZED.into());
    }
    // What a fork copied is never dropped, as that would end the parent's session.
    mem::forget(before.clone());
    Ok(())
}

/// C_Finalize.
pub(crate) fn finalize() -> Result<()> {
    let module = current()?;
    let seen = CURRENT.compare_and_swap(&module, None);
    if seen.as_ref().map(Arc::as_ptr) == Some(Arc::as_ptr(&module)) {
        Ok(())
    } else {
        Err(CKR_CRYPTOKI_NOT_INITIALIZED.into())
    }
}

/// The module, where this process has initialized it.
pub(crate) fn current() -> Result<Arc<Module>> {
    CURRENT.load_full().filter(|module| module.is_ours()).ok_or_else(|| CKR_CRYPTOKI_NOT_INITIALIZED.into())
}

impl Module {
    fn is_ours(&self) -> bool {
        self.process == process::id()
    }

    pub(crate) fn token(&self) -> Result<&Token> {
        self.token.as_ref().ok_or_else(|| CKR_SLOT_ID_INVALID.into())
    }

    pub(crate) fn token_in(&self, slot: CK_SLOT_ID) -> Result<&Token> {
        if slot == SLOT { self.token() } else { Err(CKR_SLOT_ID_INVALID.into()) }
    }

    pub(crate) fn open_session(&self, is_rw: bool) -> Result<CK_SESSION_HANDLE> {
        let mut sessions = locked(&self.sessions);
        if sessions.open.len() >= SESSIONS_MAX {
            return Err(CKR_SESSION_COUNT.into());
        }
        sessions.last += 1;
        let handle = sessions.last;
        let session = Session { is_rw, search: Mutex::default(), signing: Mutex::default() };
        sessions.open.insert(handle, Arc::new(session));
        Ok(handle)
    }

    pub(crate) fn close_session(&self, handle: CK_SESSION_HANDLE) -> Result<()> {
        let was_last = {
            let mut sessions = locked(&self.sessions);
            sessions.open.remove(&handle).ok_or(CKR_SESSION_HANDLE_INVALID)?;
            sessions.open.is_empty()
        };
        if was_last {
            self.log_out_without_sessions();
        }
        Ok(())
    }

    pub(crate) fn close_all_sessions(&self) -> Result<()> {
        locked(&self.sessions).open.clear();
        self.log_out_without_sessions();
        Ok(())
    }

    /// A login is the application's as long as it has a session (section 4.6).
    fn log_out_without_sessions(&self) {
        if let Some(token) = &self.token {
            // Nobody was logged in: that is as well.
            let _nobody = token.log_out();
        }
    }

    pub(crate) fn session(&self, handle: CK_SESSION_HANDLE) -> Result<Arc<Session>> {
        let found = locked(&self.sessions).open.get(&handle).cloned();
        found.ok_or_else(|| CKR_SESSION_HANDLE_INVALID.into())
    }

    /// All sessions, and those that may write.
    pub(crate) fn session_counts(&self) -> (CK_ULONG, CK_ULONG) {
        let sessions = locked(&self.sessions);
        let writing = sessions.open.values().filter(|session| session.is_rw).count();
        (sessions.open.len() as CK_ULONG, writing as CK_ULONG)
    }
}

impl Session {
    pub(crate) fn begin_search(&self, token: &Token, wanted: &[(CK_ATTRIBUTE_TYPE, &[u8])]) -> Result<()> {
        let mut search = locked(&self.search);
        if search.is_some() {
            return Err(CKR_OPERATION_ACTIVE.into());
        }
        *search = Some(token.search(wanted)?.into());
        Ok(())
    }

    pub(crate) fn go_on_searching(&self, max: usize) -> Result<Vec<CK_OBJECT_HANDLE>> {
        let mut search = locked(&self.search);
        let left = search.as_mut().ok_or(CKR_OPERATION_NOT_INITIALIZED)?;
        let count = max.min(left.len());
        Ok(left.drain(..count).collect())
    }

    pub(crate) fn end_search(&self) -> Result<()> {
        locked(&self.search).take().map(drop).ok_or_else(|| CKR_OPERATION_NOT_INITIALIZED.into())
    }

    pub(crate) fn begin_signing(
        &self,
        key: Result<Arc<Object>>,
        mechanism: CK_MECHANISM_TYPE,
        parameters: Parameters,
    ) -> Result<()> {
        let mut signing = locked(&self.signing);
        if signing.is_some() {
            return Err(CKR_OPERATION_ACTIVE.into());
        }
        *signing = Some(Operation::begin(key?, mechanism, parameters)?);
        Ok(())
    }

    pub(crate) fn end_signing(&self) -> Result<()> {
        locked(&self.signing).take().map(drop).ok_or_else(|| CKR_OPERATION_NOT_INITIALIZED.into())
    }

    /// Ends what was begun of these.
    pub(crate) fn cancel(&self, signing: bool, search: bool) {
        if signing {
            *locked(&self.signing) = None;
        }
        if search {
            *locked(&self.search) = None;
        }
    }

    /// A part of what is signed.
    pub(crate) fn go_on_signing(&self, part: &[u8]) -> Result<()> {
        let mut signing = locked(&self.signing);
        let operation = signing.as_mut().ok_or_else(not_begun)?;
        operation.is_in_parts = true;
        operation.update(part)
    }

    pub(crate) fn signature_len(&self) -> Result<usize> {
        Ok(locked(&self.signing).as_ref().ok_or_else(not_begun)?.public()?.signature_len())
    }

    /// Signs this as a whole, or without it what has come in parts. Whatever comes of it, the operation has ended.
    pub(crate) fn sign(&self, token: &Token, whole: Option<&[u8]>) -> Result<Vec<u8>> {
        let mut operation = locked(&self.signing).take().ok_or_else(not_begun)?;
        if let Some(data) = whole {
            if operation.is_in_parts {
                return Err(not_begun());
            }
            operation.update(data)?;
        }
        token.sign(&operation.wanted()?)
    }
}

fn not_begun() -> Failure {
    CKR_OPERATION_NOT_INITIALIZED.into()
}

/// Whatever a thread that panicked had written before is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
