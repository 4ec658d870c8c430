//! Encryption of what this process alone reads again, such as a body that waits on disk.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use zeroize::Zeroizing;

use crate::{Failed, random};

/// A key of a file's own, which is nowhere but in this process and gone with it. Each piece is sealed once, in its place.
pub struct ScratchKey {
    key: LessSafeKey,
    sealed: u64,
}

impl ScratchKey {
    /// Bytes that a sealed piece has more.
    pub const OVERHEAD: usize = 16;

    /// A new one.
    ///
    /// # Errors
    ///
    /// [`Failed`] where the library refuses a key of its own length.
    pub fn new() -> Result<Self, Failed> {
        let bytes = Zeroizing::new(random::<32>());
        let key = UnboundKey::new(&AES_256_GCM, bytes.as_slice()).map_err(|_| Failed)?;
        Ok(Self { key: LessSafeKey::new(key), sealed: 0 })
    }

    /// Seals the next piece where it is.
    ///
    /// # Errors
    ///
    /// [`Failed`] where the library refuses it.
    pub fn seal_next(&mut self, piece: &mut Vec<u8>) -> Result<(), Failed> {
        let nonce = nonce(self.sealed);
        self.sealed += 1;
        self.key.seal_in_place_append_tag(nonce, Aad::empty(), piece).map_err(|_| Failed)
    }

    /// Opens the piece of this number, counted from 0, where it is: what was in it.
    ///
    /// # Errors
    ///
    /// [`Failed`] where it is not what was sealed in this place.
    pub fn open<'p>(&self, number: u64, piece: &'p mut [u8]) -> Result<&'p [u8], Failed> {
        self.key.open_in_place(nonce(number), Aad::empty(), piece).map(|bytes| &*bytes).map_err(|_| Failed)
    }
}

/// The number of a piece: no two have the same under one key.
fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    bytes[4..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_open_in_their_places_alone() {
        let mut key = ScratchKey::new().unwrap();
        let mut pieces = [b"one".to_vec(), b"another".to_vec()];
        for piece in &mut pieces {
            key.seal_next(piece).unwrap();
        }
        assert_eq!(pieces[0].len(), 3 + ScratchKey::OVERHEAD);
        assert!(!pieces[1].windows(7).any(|part| part == b"another"));
        assert!(key.open(0, &mut pieces[1].clone()).is_err());
        assert!(ScratchKey::new().unwrap().open(0, &mut pieces[0].clone()).is_err());
        assert_eq!(key.open(0, &mut pieces[0]).unwrap(), b"one");
        assert_eq!(key.open(1, &mut pieces[1]).unwrap(), b"another");
    }
}
