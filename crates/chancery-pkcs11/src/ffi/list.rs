//! The lists of functions, one for each version of the standard. What signing through a server does not need is there too, and says so.

use std::ptr;

use cryptoki_sys::{
    CK_FUNCTION_LIST, CK_FUNCTION_LIST_3_0, CK_RV, CK_VERSION, CKR_FUNCTION_NOT_PARALLEL, CKR_FUNCTION_NOT_SUPPORTED,
};

use super::{arguments::answer, functions, interfaces, objects, signing};

/// A list of functions: those of 2.40, which every version has, and what a later one adds.
macro_rules! functions {
    ($name:ident: $list:ident $major:literal $minor:literal, $get_info:expr; $($function:ident: $does:expr,)*) => {
        pub(super) static $name: $list = $list {
            version: CK_VERSION { major: $major, minor: $minor },
            C_Initialize: Some(functions::initialize),
            C_Finalize: Some(functions::finalize),
            C_GetInfo: Some($get_info),
            C_GetFunctionList: Some(get_function_list),
            C_GetSlotList: Some(functions::get_slot_list),
            C_GetSlotInfo: Some(functions::get_slot_info),
            C_GetTokenInfo: Some(functions::get_token_info),
            C_GetMechanismList: Some(functions::get_mechanism_list),
            C_GetMechanismInfo: Some(functions::get_mechanism_info),
            C_InitToken: Some(unsupported_4),
            C_InitPIN: Some(unsupported_3),
            C_SetPIN: Some(unsupported_5),
            C_OpenSession: Some(functions::open_session),
            C_CloseSession: Some(functions::close_session),
            C_CloseAllSessions: Some(functions::close_all_sessions),
            C_GetSessionInfo: Some(functions::get_session_info),
            C_GetOperationState: Some(unsupported_3),
            C_SetOperationState: Some(unsupported_5),
            C_Login: Some(functions::login),
            C_Logout: Some(functions::logout),
            C_CreateObject: Some(unsupported_4),
            C_CopyObject: Some(unsupported_5),
            C_DestroyObject: Some(unsupported_2),
            C_GetObjectSize: Some(unsupported_3),
            C_GetAttributeValue: Some(objects::get_attribute_value),
            C_SetAttributeValue: Some(unsupported_4),
            C_FindObjectsInit: Some(objects::find_objects_init),
            C_FindObjects: Some(objects::find_objects),
            C_FindObjectsFinal: Some(objects::find_objects_final),
            C_EncryptInit: Some(unsupported_3),
            C_Encrypt: Some(unsupported_5),
            C_EncryptUpdate: Some(unsupported_5),
            C_EncryptFinal: Some(unsupported_3),
            C_DecryptInit: Some(unsupported_3),
            C_Decrypt: Some(unsupported_5),
            C_DecryptUpdate: Some(unsupported_5),
            C_DecryptFinal: Some(unsupported_3),
            C_DigestInit: Some(unsupported_2),
            C_Digest: Some(unsupported_5),
            C_DigestUpdate: Some(unsupported_3),
            C_DigestKey: Some(unsupported_2),
            C_DigestFinal: Some(unsupported_3),
            C_SignInit: Some(signing::sign_init),
            C_Sign: Some(signing::sign),
            C_SignUpdate: Some(signing::sign_update),
            C_SignFinal: Some(signing::sign_final),
            C_SignRecoverInit: Some(unsupported_3),
            C_SignRecover: Some(unsupported_5),
            C_VerifyInit: Some(unsupported_3),
            C_Verify: Some(unsupported_5),
            C_VerifyUpdate: Some(unsupported_3),
            C_VerifyFinal: Some(unsupported_3),
            C_VerifyRecoverInit: Some(unsupported_3),
            C_VerifyRecover: Some(unsupported_5),
            C_DigestEncryptUpdate: Some(unsupported_5),
            C_DecryptDigestUpdate: Some(unsupported_5),
            C_SignEncryptUpdate: Some(unsupported_5),
            C_DecryptVerifyUpdate: Some(unsupported_5),
            C_GenerateKey: Some(unsupported_5),
            C_GenerateKeyPair: Some(unsupported_8),
            C_WrapKey: Some(unsupported_6),
            C_UnwrapKey: Some(unsupported_8),
            C_DeriveKey: Some(unsupported_6),
            C_SeedRandom: Some(unsupported_3),
            C_GenerateRandom: Some(unsupported_3),
            C_GetFunctionStatus: Some(not_parallel),
            C_CancelFunction: Some(not_parallel),
            C_WaitForSlotEvent: Some(unsupported_3),
            $($function: Some($does),)*
        };
    };
}

functions! { FUNCTIONS: CK_FUNCTION_LIST 2 40, functions::get_info; }

functions! {
    FUNCTIONS_3_0: CK_FUNCTION_LIST_3_0 3 0, functions::get_info_3_0;
    C_GetInterfaceList: interfaces::get_interface_list,
    C_GetInterface: interfaces::get_interface,
    C_LoginUser: unsupported_6,
    C_SessionCancel: signing::session_cancel,
    C_MessageEncryptInit: unsupported_3,
    C_EncryptMessage: unsupported_9,
    C_EncryptMessageBegin: unsupported_5,
    C_EncryptMessageNext: unsupported_8,
    C_MessageEncryptFinal: unsupported_1,
    C_MessageDecryptInit: unsupported_3,
    C_DecryptMessage: unsupported_9,
    C_DecryptMessageBegin: unsupported_5,
    C_DecryptMessageNext: unsupported_8,
    C_MessageDecryptFinal: unsupported_1,
    C_MessageSignInit: unsupported_3,
    C_SignMessage: unsupported_7,
    C_SignMessageBegin: unsupported_3,
    C_SignMessageNext: unsupported_7,
    C_MessageSignFinal: unsupported_1,
    C_MessageVerifyInit: unsupported_3,
    C_VerifyMessage: unsupported_7,
    C_VerifyMessageBegin: unsupported_3,
    C_VerifyMessageNext: unsupported_7,
    C_MessageVerifyFinal: unsupported_1,
}

pub(super) extern "C" fn get_function_list(list: *mut *mut CK_FUNCTION_LIST) -> CK_RV {
    // Nobody may write to it: the standard's type is not const because C's of 1995 seldom were.
    answer(|call| call.write(list, ptr::from_ref(&FUNCTIONS).cast_mut()))
}

/// Legacy functions, for which the standard has an answer of its own.
extern "C" fn not_parallel<A>(_: A) -> CK_RV {
    CKR_FUNCTION_NOT_PARALLEL
}

macro_rules! unsupported {
    ($($name:ident: $($argument:ident)*;)*) => {$(
        extern "C" fn $name<$($argument),*>($(_: $argument),*) -> CK_RV {
            CKR_FUNCTION_NOT_SUPPORTED
        }
    )*};
}

unsupported! {
    unsupported_1: A;
    unsupported_2: A B;
    unsupported_3: A B C;
    unsupported_4: A B C D;
    unsupported_5: A B C D E;
    unsupported_6: A B C D E F;
    unsupported_7: A B C D E F G;
    unsupported_8: A B C D E F G H;
    unsupported_9: A B C D E F G H I;
}
