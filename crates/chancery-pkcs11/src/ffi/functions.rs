//! The functions of the list that are about the module, its slot and sessions: arguments in, one call, results out.

use std::ffi::c_void;

use cryptoki_sys::*;

use super::{arguments::answer, text::padded};
use crate::{
    config::Config,
    failure::Result,
    mechanism,
    module::{self, SLOT},
};

const VERSION: CK_VERSION = CK_VERSION { major: 0, minor: 1 };

pub(super) extern "C" fn initialize(arguments: *mut c_void) -> CK_RV {
    answer(|call| {
        if !arguments.is_null() {
            check_locking(&call.read(arguments.cast::<CK_C_INITIALIZE_ARGS>())?)?;
        }
        module::initialize()
    })
}

/// The module locks by the system's means, and has no others (section 5.4).
fn check_locking(arguments: &CK_C_INITIALIZE_ARGS) -> Result<()> {
    let given = [
        arguments.CreateMutex.is_some(),
        arguments.DestroyMutex.is_some(),
        arguments.LockMutex.is_some(),
        arguments.UnlockMutex.is_some(),
    ];
    let (none, all) = (given == [false; 4], given == [true; 4]);
    if !arguments.pReserved.is_null() || !(none || all) {
        return Err(CKR_ARGUMENTS_BAD.into());
    }
    // CKF_LIBRARY_CANT_CREATE_OS_THREADS, which p11-kit always sets, is not refused: looking a server's name up takes a
    // thread, which ends with that and calls nobody back.
    if all && arguments.flags & CKF_OS_LOCKING_OK == 0 { Err(CKR_CANT_LOCK.into()) } else { Ok(()) }
}

pub(super) extern "C" fn finalize(reserved: *mut c_void) -> CK_RV {
    answer(|_| if reserved.is_null() { module::finalize() } else { Err(CKR_ARGUMENTS_BAD.into()) })
}

pub(super) extern "C" fn get_info(info: *mut CK_INFO) -> CK_RV {
    information(info, CK_VERSION { major: 2, minor: 40 })
}

pub(super) extern "C" fn get_info_3_0(info: *mut CK_INFO) -> CK_RV {
    information(info, CK_VERSION { major: 3, minor: 0 })
}

/// The version is that of the list through which one asks.
fn information(info: *mut CK_INFO, version: CK_VERSION) -> CK_RV {
    answer(|call| {
        let _initialized = module::current()?;
        call.write(
            info,
            CK_INFO {
                cryptokiVersion: version,
                manufacturerID: padded("Chancery"),
                flags: 0,
                libraryDescription: padded("Chancery signing services"),
                libraryVersion: VERSION,
            },
        )
    })
}

pub(super) extern "C" fn get_slot_list(_present: CK_BBOOL, slots: *mut CK_SLOT_ID, len: *mut CK_ULONG) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let ids: &[CK_SLOT_ID] = if module.token().is_ok() { &[SLOT] } else { &[] };
        call.give_all(slots, len, ids)
    })
}

pub(super) extern "C" fn get_slot_info(slot: CK_SLOT_ID, info: *mut CK_SLOT_INFO) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let Config { label, server, .. } = &module.token_in(slot)?.config;
        call.write(
            info,
            CK_SLOT_INFO {
                slotDescription: padded(&format!("{label}: {server}")),
                manufacturerID: padded("Chancery"),
                flags: CKF_TOKEN_PRESENT,
                hardwareVersion: VERSION,
                firmwareVersion: VERSION,
            },
        )
    })
}

pub(super) extern "C" fn get_token_info(slot: CK_SLOT_ID, info: *mut CK_TOKEN_INFO) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let token = module.token_in(slot)?;
        let (all, writing) = module.session_counts();
        let login = if token.asks_for_pin() { CKF_LOGIN_REQUIRED } else { CKF_PROTECTED_AUTHENTICATION_PATH };
        call.write(
            info,
            CK_TOKEN_INFO {
                label: padded(&token.config.label),
                manufacturerID: padded("Chancery"),
                model: padded("signing"),
                serialNumber: padded(&token.config.serial_number()),
                flags: CKF_TOKEN_INITIALIZED | CKF_USER_PIN_INITIALIZED | CKF_WRITE_PROTECTED | login,
                ulMaxSessionCount: CK_EFFECTIVELY_INFINITE,
                ulSessionCount: all,
                ulMaxRwSessionCount: CK_EFFECTIVELY_INFINITE,
                ulRwSessionCount: writing,
                ulMaxPinLen: 4_096,
                ulMinPinLen: 1,
                ulTotalPublicMemory: CK_UNAVAILABLE_INFORMATION,
                ulFreePublicMemory: CK_UNAVAILABLE_INFORMATION,
                ulTotalPrivateMemory: CK_UNAVAILABLE_INFORMATION,
                ulFreePrivateMemory: CK_UNAVAILABLE_INFORMATION,
                hardwareVersion: VERSION,
                firmwareVersion: VERSION,
                utcTime: padded(""),
            },
        )
    })
}

pub(super) extern "C" fn get_mechanism_list(
    slot: CK_SLOT_ID,
    list: *mut CK_MECHANISM_TYPE,
    len: *mut CK_ULONG,
) -> CK_RV {
    answer(|call| {
        let _token = module::current()?.token_in(slot)?;
        let codes: Vec<_> = mechanism::ALL.iter().map(|mechanism| mechanism.code).collect();
        call.give_all(list, len, &codes)
    })
}

pub(super) extern "C" fn get_mechanism_info(
    slot: CK_SLOT_ID,
    code: CK_MECHANISM_TYPE,
    info: *mut CK_MECHANISM_INFO,
) -> CK_RV {
    answer(|call| {
        let _token = module::current()?.token_in(slot)?;
        call.write(info, mechanism::find(code)?.info())
    })
}

pub(super) extern "C" fn open_session(
    slot: CK_SLOT_ID,
    flags: CK_FLAGS,
    _application: *mut c_void,
    _notify: CK_NOTIFY,
    session: *mut CK_SESSION_HANDLE,
) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let _token = module.token_in(slot)?;
        if flags & CKF_SERIAL_SESSION == 0 {
            return Err(CKR_SESSION_PARALLEL_NOT_SUPPORTED.into());
        }
        // Where it cannot be told, it is not opened.
        call.write(session, CK_INVALID_HANDLE)?;
        call.write(session, module.open_session(flags & CKF_RW_SESSION != 0)?)
    })
}

pub(super) extern "C" fn close_session(session: CK_SESSION_HANDLE) -> CK_RV {
    answer(|_| module::current()?.close_session(session))
}

pub(super) extern "C" fn close_all_sessions(slot: CK_SLOT_ID) -> CK_RV {
    answer(|_| {
        let module = module::current()?;
        let _token = module.token_in(slot)?;
        module.close_all_sessions()
    })
}

pub(super) extern "C" fn get_session_info(session: CK_SESSION_HANDLE, info: *mut CK_SESSION_INFO) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let is_rw = module.session(session)?.is_rw;
        let (state, flags) = match (is_rw, module.token()?.is_logged_in()) {
            (false, false) => (CKS_RO_PUBLIC_SESSION, 0),
            (false, true) => (CKS_RO_USER_FUNCTIONS, 0),
            (true, false) => (CKS_RW_PUBLIC_SESSION, CKF_RW_SESSION),
            (true, true) => (CKS_RW_USER_FUNCTIONS, CKF_RW_SESSION),
        };
        let flags = flags | CKF_SERIAL_SESSION;
        call.write(info, CK_SESSION_INFO { slotID: SLOT, state, flags, ulDeviceError: 0 })
    })
}

pub(super) extern "C" fn login(
    session: CK_SESSION_HANDLE,
    user: CK_USER_TYPE,
    pin: *mut CK_UTF8CHAR,
    len: CK_ULONG,
) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let _session = module.session(session)?;
        match user {
            CKU_USER => module.token()?.log_in(if pin.is_null() { &[] } else { call.bytes(pin, len)? }),
            // No key asks for it.
            CKU_CONTEXT_SPECIFIC => Err(CKR_OPERATION_NOT_INITIALIZED.into()),
            _ => Err(CKR_USER_TYPE_INVALID.into()),
        }
    })
}

pub(super) extern "C" fn logout(session: CK_SESSION_HANDLE) -> CK_RV {
    answer(|_| {
        let module = module::current()?;
        let _session = module.session(session)?;
        module.token()?.log_out()
    })
}
