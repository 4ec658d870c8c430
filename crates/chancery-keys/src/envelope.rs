//! The seal: AES-256-GCM, and the format around it.
//!
//! ```text
//! format (1 byte, 1) ‖ root key id (8) ‖ nonce (12) ‖ ciphertext ‖ tag (16)
//! ```
//!
//! The associated data is the header (format and root key id) followed by what the caller binds. Nonces are random:
//! up to 2^32 seals under one derived key keep the chance of a repeated nonce below 2^-32 (SP 800-38D, 8.3).

use aws_lc_rs::aead::{Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::{Failed, OpenError, Secret, random, root::RootKeyId};

const FORMAT: u8 = 1;
const ROOT_KEY_ID_LEN: usize = size_of::<RootKeyId>();
const HEADER_LEN: usize = 1 + ROOT_KEY_ID_LEN;
const TAG_LEN: usize = 16;

/// Seals and opens under one derived key.
pub(crate) struct Envelope {
    header: [u8; HEADER_LEN],
    key: LessSafeKey,
}

impl Envelope {
    pub(crate) fn new(root_key: RootKeyId, key: UnboundKey) -> Self {
        let mut header = [FORMAT; HEADER_LEN];
        header[1..].copy_from_slice(root_key.as_bytes());
        Self { header, key: LessSafeKey::new(key) }
    }

    pub(crate) fn seal(&self, bound: &[u8], secret: &[u8]) -> Result<Vec<u8>, Failed> {
        let nonce: [u8; NONCE_LEN] = random();
        let mut ciphertext = vec![0; secret.len()];
        let mut tag = [0; TAG_LEN];
        // Encrypts out of place, so that no buffer of ours ever holds the secret in clear.
        self.key.seal_out_of_place_scatter(
            Nonce::assume_unique_for_key(nonce),
            self.associated_data(bound),
            secret,
            &mut ciphertext,
            &[],
            &mut tag,
        )?;
        Ok([&self.header[..], &nonce, &ciphertext, &tag].concat())
    }

    pub(crate) fn open(&self, bound: &[u8], sealed: &[u8]) -> Result<Secret, OpenError> {
        let (header, rest) = sealed.split_first_chunk::<HEADER_LEN>().ok_or(OpenError::Format)?;
        let (nonce, ciphertext) = rest.split_first_chunk::<NONCE_LEN>().ok_or(OpenError::Format)?;
        let len = ciphertext.len().checked_sub(TAG_LEN).ok_or(OpenError::Format)?;
        if header[0] != FORMAT {
            return Err(OpenError::Format);
        }
        if header != &self.header {
            return Err(OpenError::OtherRootKey);
        }
        let mut secret = Secret::filled(ciphertext.len(), |buffer| {
            buffer.copy_from_slice(ciphertext);
            let nonce = Nonce::assume_unique_for_key(*nonce);
            self.key.open_in_place(nonce, self.associated_data(bound), buffer).map(drop).map_err(|_| OpenError::Broken)
        })?;
        secret.truncate(len);
        Ok(secret)
    }

    fn associated_data(&self, bound: &[u8]) -> Aad<Vec<u8>> {
        Aad::from([&self.header[..], bound].concat())
    }
}
