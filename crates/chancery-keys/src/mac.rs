//! Authenticating a message under a key that somebody else has, too.

use aws_lc_rs::{constant_time::verify_slices_are_equal, hmac};

/// HMAC-SHA-256 of a message under a key that both sides know, as a webhook and its receiver do.
#[must_use]
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message);
    *tag.as_ref().first_chunk().expect("HMAC-SHA-256 has 32 bytes")
}

/// Whether two hashes are the same, in a time that does not tell where they differ.
#[must_use]
pub fn is_same_hash(one: &[u8], other: &[u8]) -> bool {
    verify_slices_are_equal(one, other).is_ok()
}
