//! The functions that find objects and read them.

use cryptoki_sys::*;

use super::arguments::{Call, answer};
use crate::{failure::Result, module, object::Value};

pub(super) extern "C" fn get_attribute_value(
    session: CK_SESSION_HANDLE,
    object: CK_OBJECT_HANDLE,
    template: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let _session = module.session(session)?;
        let object = module.token()?.object(object)?;
        let mut outcome = Ok(());
        for (index, mut attribute) in call.items(template, count)?.into_iter().enumerate() {
            let value = object.value(attribute.type_);
            let given = give(call, &mut attribute, &value);
            if given.is_err() {
                attribute.ulValueLen = CK_UNAVAILABLE_INFORMATION;
            }
            call.write(template.wrapping_add(index), attribute)?;
            // All are looked at; which of several failures is told, is left to the module.
            outcome = outcome.and(given);
        }
        outcome
    })
}

/// One attribute, or how long it is.
fn give(call: &Call<'_>, attribute: &mut CK_ATTRIBUTE, value: &Value<'_>) -> Result<()> {
    match value {
        Value::Is(bytes) => call.give_bytes(attribute.pValue.cast(), &raw mut attribute.ulValueLen, bytes),
        Value::Sensitive => Err(CKR_ATTRIBUTE_SENSITIVE.into()),
        Value::Absent => Err(CKR_ATTRIBUTE_TYPE_INVALID.into()),
    }
}

pub(super) extern "C" fn find_objects_init(
    session: CK_SESSION_HANDLE,
    template: *mut CK_ATTRIBUTE,
    count: CK_ULONG,
) -> CK_RV {
    answer(|call| {
        let module = module::current()?;
        let session = module.session(session)?;
        let mut wanted = Vec::new();
        for attribute in call.items(template, count)? {
            wanted.push((attribute.type_, call.bytes(attribute.pValue.cast(), attribute.ulValueLen)?));
        }
        session.begin_search(module.token()?, &wanted)
    })
}

pub(super) extern "C" fn find_objects(
    session: CK_SESSION_HANDLE,
    objects: *mut CK_OBJECT_HANDLE,
    max: CK_ULONG,
    found: *mut CK_ULONG,
) -> CK_RV {
    answer(|call| {
        let handles = module::current()?.session(session)?.go_on_searching(usize::try_from(max)?)?;
        for (index, handle) in handles.iter().enumerate() {
            let at = if objects.is_null() { objects } else { objects.wrapping_add(index) };
            call.write(at, *handle)?;
        }
        call.write(found, handles.len() as CK_ULONG)
    })
}

pub(super) extern "C" fn find_objects_final(session: CK_SESSION_HANDLE) -> CK_RV {
    answer(|_| module::current()?.session(session)?.end_search())
}
