//! What C hands over and gets back. This is the only file with `unsafe`: it rests on what the standard promises of a
//! caller's arguments, and on nothing else.
#![expect(unsafe_code, reason = "pointers of a C caller are read and written here and nowhere else")]

use std::{
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr, slice,
};

use cryptoki_sys::{
    CK_FLAGS, CK_FUNCTION_LIST, CK_INTERFACE, CK_RV, CK_ULONG, CK_UTF8CHAR, CK_VERSION, CKR_ARGUMENTS_BAD,
    CKR_BUFFER_TOO_SMALL, CKR_GENERAL_ERROR, CKR_OK,
};

use crate::failure::Result;

/// Elements of a template or a list at most: more is a length that was never set.
const ITEMS_MAX: CK_ULONG = 4_096;

/// Evidence of a call from C: as long as it lasts, the pointers that came with it are null or point to what the standard
/// says (PKCS#11 2.40, section 5; 3.0, section 5), and nobody else writes there.
pub(super) struct Call<'call>(PhantomData<&'call ()>);

/// Runs what a function does, so that neither a panic nor an error leaves it in any other way than as a code.
pub(super) fn answer(body: impl FnOnce(&Call<'_>) -> Result<()>) -> CK_RV {
    match catch_unwind(AssertUnwindSafe(|| body(&Call(PhantomData)))) {
        Ok(Ok(())) => CKR_OK,
        Ok(Err(failure)) => {
            failure.report();
            failure.code()
        }
        Err(_panic) => CKR_GENERAL_ERROR,
    }
}

/// How much a caller has room for.
pub(super) enum Room {
    /// It asks how much it takes.
    Asked,
    /// So many elements.
    For(usize),
}

impl Call<'_> {
    /// Bytes that the caller gave; none at all may be a null pointer.
    pub(super) fn bytes(&self, at: *const u8, len: CK_ULONG) -> Result<&[u8]> {
        if len == 0 {
            return Ok(&[]);
        }
        let len = usize::try_from(len).ok().filter(|len| isize::try_from(*len).is_ok());
        match len {
            // SAFETY: not null, of a length that an object can have, and by the evidence readable for as long as the call.
            Some(len) if !at.is_null() => Ok(unsafe { slice::from_raw_parts(at, len) }),
            Some(_) | None => Err(CKR_ARGUMENTS_BAD.into()),
        }
    }

    /// A value that the caller gave. `T` is of the standard's plain types, which all bits are good for.
    pub(super) fn read<T: Copy>(&self, at: *const T) -> Result<T> {
        if at.is_null() {
            return Err(CKR_ARGUMENTS_BAD.into());
        }
        // SAFETY: not null, and by the evidence readable; nothing is said about its alignment.
        Ok(unsafe { ptr::read_unaligned(at) })
    }

    /// A list that the caller gave.
    pub(super) fn items<T: Copy>(&self, at: *const T, len: CK_ULONG) -> Result<Vec<T>> {
        let len = usize::try_from(len.min(ITEMS_MAX + 1)).unwrap_or(usize::MAX);
        if len as CK_ULONG > ITEMS_MAX {
            return Err(CKR_ARGUMENTS_BAD.into());
        }
        (0..len).map(|index| self.read(if at.is_null() { at } else { at.wrapping_add(index) })).collect()
    }

    /// Gives the caller a value.
    pub(super) fn write<T: Copy>(&self, at: *mut T, value: T) -> Result<()> {
        if at.is_null() {
            return Err(CKR_ARGUMENTS_BAD.into());
        }
        // SAFETY: not null, and by the evidence writable; nothing is said about its alignment.
        unsafe { ptr::write_unaligned(at, value) };
        Ok(())
    }

    /// Gives the caller bytes, where `room` is known to be enough.
    fn fill(&self, at: *mut u8, values: &[u8]) {
        // SAFETY: the caller asks for it only where `at` is not null and has room for all of them; what it points to is
        // the caller's, so it cannot be what Rust lent out.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), at, values.len()) };
    }

    /// How much room there is behind `at` (section 5.2).
    pub(super) fn room<T>(&self, at: *mut T, len: *const CK_ULONG) -> Result<Room> {
        let len = self.read(len)?;
        Ok(if at.is_null() { Room::Asked } else { Room::For(usize::try_from(len).unwrap_or(usize::MAX)) })
    }

    /// Whether `needed` elements are to be given now; says how many they are in any case.
    pub(super) fn takes(&self, room: &Room, len: *mut CK_ULONG, needed: usize) -> Result<bool> {
        self.write(len, needed as CK_ULONG)?;
        match room {
            Room::Asked => Ok(false),
            Room::For(room) if *room < needed => Err(CKR_BUFFER_TOO_SMALL.into()),
            Room::For(_) => Ok(true),
        }
    }

    /// Bytes, or how many they are.
    pub(super) fn give_bytes(&self, at: *mut u8, len: *mut CK_ULONG, bytes: &[u8]) -> Result<()> {
        let room = self.room(at, len)?;
        if self.takes(&room, len, bytes.len())? {
            self.fill(at, bytes);
        }
        Ok(())
    }

    /// Values, or how many they are.
    pub(super) fn give_all<T: Copy>(&self, at: *mut T, len: *mut CK_ULONG, values: &[T]) -> Result<()> {
        let room = self.room(at, len)?;
        if self.takes(&room, len, values.len())? {
            for (index, value) in values.iter().enumerate() {
                self.write(at.wrapping_add(index), *value)?;
            }
        }
        Ok(())
    }
}

/// Interfaces as C has them, which nobody may write to.
pub(super) struct Interfaces<const N: usize>(pub(super) [CK_INTERFACE; N]);

// SAFETY: what the pointers in it point to is static and never written, whoever reads it.
unsafe impl<const N: usize> Sync for Interfaces<N> {}

/// The name that programs look for that know 2.40.
#[unsafe(export_name = "C_GetFunctionList")]
extern "C" fn get_function_list(list: *mut *mut CK_FUNCTION_LIST) -> CK_RV {
    super::list::get_function_list(list)
}

/// The names that programs look for that know 3.0.
#[unsafe(export_name = "C_GetInterfaceList")]
extern "C" fn get_interface_list(list: *mut CK_INTERFACE, len: *mut CK_ULONG) -> CK_RV {
    super::interfaces::get_interface_list(list, len)
}

#[unsafe(export_name = "C_GetInterface")]
extern "C" fn get_interface(
    name: *mut CK_UTF8CHAR,
    version: *mut CK_VERSION,
    interface: *mut *mut CK_INTERFACE,
    flags: CK_FLAGS,
) -> CK_RV {
    super::interfaces::get_interface(name, version, interface, flags)
}
