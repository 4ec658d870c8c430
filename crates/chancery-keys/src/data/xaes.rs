//! XAES-256-GCM of C2SP: AES-256-GCM whose 24-byte nonces may be drawn at random for any number of messages.
//! Names and steps are those of its specification, <https://c2sp.org/XAES-256-GCM>.

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    cmac,
};
use thiserror::Error;
use zeroize::Zeroizing;

use crate::Failed;

/// Length of a nonce in bytes.
pub const XAES_NONCE_LEN: usize = 24;

/// A message that does not open: altered, or sealed under another key, nonce or associated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not authentic")]
pub struct NotAuthentic;

/// XAES-256-GCM under one key.
pub struct Xaes256Gcm(cmac::Key);

impl Xaes256Gcm {
    /// The key has 32 bytes. For keys in custody: [`DataKey::xaes_256_gcm`](crate::DataKey::xaes_256_gcm).
    pub fn new(key: &[u8]) -> Result<Self, Failed> {
        Ok(Self(cmac::Key::new(cmac::AES_256, key)?))
    }

    /// Encrypts in place and appends the tag (16 bytes). A nonce is used once; one drawn at random is good for 2^80
    /// messages.
    pub fn seal(
        &self,
        nonce: &[u8; XAES_NONCE_LEN],
        associated_data: &[u8],
        message: &mut Vec<u8>,
    ) -> Result<(), Failed> {
        let (key, nonce) = self.derive(nonce)?;
        Ok(key.seal_in_place_append_tag(nonce, Aad::from(associated_data), message)?)
    }

    /// Decrypts in place and takes the tag off. What does not open is left without meaning.
    pub fn open(
        &self,
        nonce: &[u8; XAES_NONCE_LEN],
        associated_data: &[u8],
        message: &mut Vec<u8>,
    ) -> Result<(), NotAuthentic> {
        let (key, nonce) = self.derive(nonce).map_err(|Failed| NotAuthentic)?;
        let len = key.open_in_place(nonce, Aad::from(associated_data), message).map_err(|_| NotAuthentic)?.len();
        message.truncate(len);
        Ok(())
    }

    /// Steps 1 to 6: the key for one half of the nonce, and the other half. Steps 1, 2 and 5 together are CMAC of M1
    /// and of M2, as the specification says.
    fn derive(&self, n: &[u8; XAES_NONCE_LEN]) -> Result<(LessSafeKey, Nonce), Failed> {
        let (context, nonce) = n.split_at(12);
        let mut derived = Zeroizing::new([0; 32]);
        for (half, i) in derived.chunks_exact_mut(16).zip([1, 2]) {
            let mut m = [0x00, i, b'X', 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            m[4..].copy_from_slice(context);
            cmac::sign_to_buffer(&self.0, &m, half)?;
        }
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, &derived[..])?);
        Ok((key, Nonce::try_assume_unique_for_key(nonce)?))
    }
}

#[cfg(test)]
mod tests {
    use shake::{ExtendableOutput, Shake128, Update, XofReader};

    use super::*;

    #[test]
    fn vectors_of_the_specification() {
        for (key, associated_data, sealed) in [
            (1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
            (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
        ] {
            let (xaes, nonce) = (Xaes256Gcm::new(&[key; 32]).unwrap(), b"ABCDEFGHIJKLMNOPQRSTUVWX");
            let mut message = b"XAES-256-GCM".to_vec();
            xaes.seal(nonce, associated_data.as_bytes(), &mut message).unwrap();
            assert_eq!(hex::encode(&message), sealed);
            xaes.open(nonce, associated_data.as_bytes(), &mut message).unwrap();
            assert_eq!(message, b"XAES-256-GCM");
        }
    }

    /// The specification's 10,000 random cases: drawn from SHAKE-128 of nothing, their ciphertexts hashed.
    #[test]
    fn accumulated_vectors_of_the_specification() {
        let mut draw = Shake128::default().finalize_xof();
        let mut draw = |len: usize| {
            let mut bytes = vec![0; len];
            draw.read(&mut bytes);
            bytes
        };
        let mut ciphertexts = Shake128::default();
        for _ in 0..10_000 {
            let xaes = Xaes256Gcm::new(&draw(32)).unwrap();
            let nonce: [u8; XAES_NONCE_LEN] = draw(XAES_NONCE_LEN).try_into().unwrap();
            let len = draw(1)[0];
            let plaintext = draw(len.into());
            let len = draw(1)[0];
            let associated_data = draw(len.into());
            let mut message = plaintext.clone();
            xaes.seal(&nonce, &associated_data, &mut message).unwrap();
            ciphertexts.update(&message);
            xaes.open(&nonce, &associated_data, &mut message).unwrap();
            assert_eq!(message, plaintext);
        }
        let mut hash = [0; 32];
        ciphertexts.finalize_xof().read(&mut hash);
        assert_eq!(hex::encode(hash), "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939");
    }

    #[test]
    fn what_is_altered_does_not_open() {
        let xaes = Xaes256Gcm::new(&[7; 32]).unwrap();
        let mut sealed = b"message".to_vec();
        xaes.seal(&[1; 24], b"row", &mut sealed).unwrap();
        let refused = |nonce: [u8; 24], associated_data: &[u8], mut message: Vec<u8>| {
            xaes.open(&nonce, associated_data, &mut message) == Err(NotAuthentic)
        };
        for position in 0..sealed.len() {
            let mut altered = sealed.clone();
            altered[position] ^= 0x80;
            assert!(refused([1; 24], b"row", altered), "byte {position}");
            assert!(refused([1; 24], b"row", sealed[..position].to_vec()), "{position} bytes");
        }
        for position in 0..24 {
            let mut nonce = [1; 24];
            nonce[position] ^= 1;
            assert!(refused(nonce, b"row", sealed.clone()), "nonce byte {position}");
        }
        assert!(refused([1; 24], b"rox", sealed.clone()));
        assert!(!refused([1; 24], b"row", sealed));
    }
}
