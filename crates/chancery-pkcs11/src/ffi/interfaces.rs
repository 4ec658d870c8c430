//! Interfaces (PKCS#11 3.0, section 5.1): a list of functions by the name and the version of what it is of.

use std::ptr;

use cryptoki_sys::{
    CK_FLAGS, CK_FUNCTION_LIST, CK_FUNCTION_LIST_3_0, CK_INTERFACE, CK_RV, CK_ULONG, CK_UTF8CHAR, CK_VERSION,
    CKR_FUNCTION_FAILED,
};

use super::{
    arguments::{Call, Interfaces, answer},
    list::{FUNCTIONS, FUNCTIONS_3_0},
};
use crate::failure::Result;

/// What the standard calls its own interface.
const NAME: &[u8] = b"PKCS 11\0";

/// The newest first: it is taken where no version is named. None has a flag: after a fork a child begins anew.
static INTERFACES: Interfaces<2> = Interfaces([
    interface(ptr::from_ref::<CK_FUNCTION_LIST_3_0>(&FUNCTIONS_3_0).cast()),
    interface(ptr::from_ref::<CK_FUNCTION_LIST>(&FUNCTIONS).cast()),
]);

/// Their versions, in the same order.
const VERSIONS: [CK_VERSION; 2] = [CK_VERSION { major: 3, minor: 0 }, CK_VERSION { major: 2, minor: 40 }];

const fn interface(functions: *const std::ffi::c_void) -> CK_INTERFACE {
    CK_INTERFACE { pInterfaceName: NAME.as_ptr().cast_mut(), pFunctionList: functions.cast_mut(), flags: 0 }
}

pub(super) extern "C" fn get_interface_list(list: *mut CK_INTERFACE, len: *mut CK_ULONG) -> CK_RV {
    answer(|call| call.give_all(list, len, &INTERFACES.0))
}

pub(super) extern "C" fn get_interface(
    name: *mut CK_UTF8CHAR,
    version: *mut CK_VERSION,
    interface: *mut *mut CK_INTERFACE,
    flags: CK_FLAGS,
) -> CK_RV {
    answer(|call| {
        let is_ours = name.is_null() || is_our_name(call, name)?;
        let wanted = if version.is_null() { VERSIONS[0] } else { call.read(version)? };
        let is_wanted = |ours: &CK_VERSION| (ours.major, ours.minor) == (wanted.major, wanted.minor);
        match VERSIONS.iter().position(is_wanted).filter(|_| is_ours && flags == 0) {
            Some(index) => call.write(interface, ptr::from_ref(&INTERFACES.0[index]).cast_mut()),
            None => Err(CKR_FUNCTION_FAILED.into()),
        }
    })
}

/// Whether the text, which ends with a zero, is the name. It is read no further than it is like that.
fn is_our_name(call: &Call<'_>, text: *const CK_UTF8CHAR) -> Result<bool> {
    for (index, expected) in NAME.iter().enumerate() {
        if call.read(text.wrapping_add(index))? != *expected {
            return Ok(false);
        }
    }
    Ok(true)
}
