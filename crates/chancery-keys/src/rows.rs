//! The key that authenticates the rows of the database.

use aws_lc_rs::{constant_time::verify_slices_are_equal, hmac};

use crate::{KeyRef, KeySpec, OpenError, Secret, generate::HMAC_KEY_LEN};

/// Bytes of a tag.
pub const ROW_TAG_LEN: usize = 16;

/// An open key for rows: HMAC-SHA-256, of which the first 128 bits are kept (RFC 2104, section 5).
pub struct RowKey(hmac::Key);

impl RowKey {
    pub(crate) fn new(key: KeyRef, secret: &Secret) -> Result<Self, OpenError> {
        let secret = secret.expose();
        if key.spec != KeySpec::Hmac256 || secret.len() != HMAC_KEY_LEN {
            return Err(OpenError::Unusable);
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, secret)))
    }

    /// The tag of these bytes.
    #[must_use]
    pub fn tag(&self, row: &[u8]) -> [u8; ROW_TAG_LEN] {
        let tag = hmac::sign(&self.0, row);
        *tag.as_ref().first_chunk().expect("HMAC-SHA-256 has 32 bytes")
    }

    /// Whether this is their tag, in a time that does not tell where it differs.
    #[must_use]
    pub fn verify(&self, row: &[u8], tag: &[u8]) -> bool {
        verify_slices_are_equal(&self.tag(row), tag).is_ok()
    }
}
