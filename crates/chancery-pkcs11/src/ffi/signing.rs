//! The functions that sign.

use cryptoki_sys::*;

use super::arguments::{Call, answer};
use crate::{
    failure::Result,
    mechanism::{self, Parameters},
    module::{self, Module},
};

pub(super) extern "C" fn sign_init(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let session = module.session(session)?;
        if mechanism.is_null() {
            return session.end_signing();
        }
        let mechanism = call.read(mechanism)?;
        let parameters = parameters(call, &mechanism)?;
        session.begin_signing(module.token()?.key(key), mechanism.mechanism, parameters)
    })
}

/// What comes with a mechanism: each has a type of its own.
fn parameters(call: &Call<'_>, given: &CK_MECHANISM) -> Result<Parameters> {
    let length = usize::try_from(given.ulParameterLen)?;
    let is = |size: usize| if length == size { Ok(()) } else { Err(CKR_MECHANISM_PARAM_INVALID) };
    if given.pParameter.is_null() && length == 0 {
        return Ok(Parameters::None);
    }
    match mechanism::find(given.mechanism)?.scheme {
        mechanism::Scheme::RsaPss => {
            is(size_of::<CK_RSA_PKCS_PSS_PARAMS>())?;
            let CK_RSA_PKCS_PSS_PARAMS { hashAlg, mgf, sLen } = call.read(given.pParameter.cast())?;
            Ok(Parameters::Pss { hash: hashAlg, mask: mgf, salt_len: usize::try_from(sLen)? })
        }
        mechanism::Scheme::Eddsa => {
            is(size_of::<CK_EDDSA_PARAMS>())?;
            let CK_EDDSA_PARAMS { phFlag, ulContextDataLen, .. } = call.read(given.pParameter.cast())?;
            Ok(Parameters::Eddsa { is_plain: phFlag == CK_FALSE && ulContextDataLen == 0 })
        }
        mechanism::Scheme::RsaPkcs | mechanism::Scheme::Ecdsa => Err(CKR_MECHANISM_PARAM_INVALID.into()),
    }
}

/// Ends what is asked for of what was begun (3.0). What was not begun is not asked for.
pub(super) extern "C" fn session_cancel(session: CK_SESSION_HANDLE, what: CK_FLAGS) -> CK_RV {
    answer(|_| {
        let session = module::current()?.session(session)?;
        session.cancel(what & CKF_SIGN != 0, what & CKF_FIND_OBJECTS != 0);
        Ok(())
    })
}

pub(super) extern "C" fn sign(
    session: CK_SESSION_HANDLE,
    data: *mut CK_BYTE,
    data_len: CK_ULONG,
    signature: *mut CK_BYTE,
    signature_len: *mut CK_ULONG,
) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        ending(&module, session, || {
            let data = call.bytes(data, data_len)?;
            give_signature(call, &module, session, Some(data), signature, signature_len)
        })
    })
}

pub(super) extern "C" fn sign_update(session: CK_SESSION_HANDLE, part: *mut CK_BYTE, len: CK_ULONG) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        ending(&module, session, || module.session(session)?.go_on_signing(call.bytes(part, len)?))
    })
}

pub(super) extern "C" fn sign_final(
    session: CK_SESSION_HANDLE,
    signature: *mut CK_BYTE,
    signature_len: *mut CK_ULONG,
) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        ending(&module, session, || give_signature(call, &module, session, None, signature, signature_len))
    })
}

/// What fails ends what was begun, unless there was no room for the signature (PKCS #11 3.1, sections 5.13.2 to 5.13.4).
fn ending(module: &Module, session: CK_SESSION_HANDLE, work: impl FnOnce() -> Result<()>) -> Result<()> {
    work().inspect_err(|failure| {
        if failure.code() != CKR_BUFFER_TOO_SMALL
            && let Ok(session) = module.session(session)
        {
            session.cancel(true, false);
        }
    })
}

/// Signs only where there is room for the signature: whoever asks how long it will be has nothing signed.
fn give_signature(
    call: &Call<'_>,
    module: &Module,
    session: CK_SESSION_HANDLE,
    whole: Option<&[u8]>,
    signature: *mut CK_BYTE,
    signature_len: *mut CK_ULONG,
) -> Result<()> {
    let session = module.session(session)?;
    let room = call.room(signature, signature_len)?;
    if call.takes(&room, signature_len, session.signature_len()?)? {
        let made = session.sign(module.token()?, whole)?;
        call.give_bytes(signature, signature_len, &made)?;
    }
    Ok(())
}
