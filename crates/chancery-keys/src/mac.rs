//! Authenticating a message under a key that somebody else has, too.

use aws_lc_rs::hmac;

/// HMAC-SHA-256 of a message under a key that both sides know, as a webhook and its receiver do.
#[must_use]
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), message);
    *tag.as_ref().first_chunk().expect("HMAC-SHA-256 has 32 bytes")
}
