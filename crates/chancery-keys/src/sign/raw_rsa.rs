//! The RSA primitive itself, RSASP1 of RFC 8017, for encodings that aws-lc-rs does not offer.
//!
//! The one file of this crate with `unsafe`. AWS-LC's `RSA_sign_raw` blinds the operation and checks its result with the
//! public exponent before giving it out (`rsa_default_private_transform`), so a fault yields an error and no signature.
#![expect(unsafe_code, reason = "aws-lc-rs offers RSA only with the encodings it knows")]

use std::ptr::NonNull;

use aws_lc_sys::{RSA, RSA_NO_PADDING, RSA_bits, RSA_free, RSA_private_key_from_bytes, RSA_sign_raw, RSA_size};

use crate::Failed;

/// An RSA private key in AWS-LC's memory, which is wiped when it is freed.
pub(super) struct PrivateKey(NonNull<RSA>);

// SAFETY: an RSA object belongs to no thread.
unsafe impl Send for PrivateKey {}
// SAFETY: "An RSA object may be used concurrently on multiple threads by non-mutating functions" (openssl/rsa.h), and
// the three called on a shared object here are such: RSA_size, RSA_bits and RSA_sign_raw, which guards the values that
// it caches inside the object (blinding, Montgomery contexts) by the object's own lock. It is freed only by its owner.
unsafe impl Sync for PrivateKey {}

impl PrivateKey {
    /// Parses an RSAPrivateKey (RFC 8017, A.1.2) and checks that its parts belong together.
    pub(super) fn from_pkcs1(der: &[u8]) -> Option<Self> {
        // SAFETY: pointer and length are those of one live slice, which is only read during the call.
        let rsa = unsafe { RSA_private_key_from_bytes(der.as_ptr(), der.len()) };
        NonNull::new(rsa).map(Self)
    }

    /// Length of the modulus in bits.
    pub(super) fn modulus_bits(&self) -> u32 {
        // SAFETY: the object is alive as long as self, and only read.
        unsafe { RSA_bits(self.0.as_ptr()) }
    }

    /// Length of the modulus in bytes.
    fn modulus_len(&self) -> usize {
        // SAFETY: as above.
        unsafe { RSA_size(self.0.as_ptr()) as usize }
    }

    /// RSASP1: `encoded`^d mod n, as long as the modulus. `encoded` is as long as the modulus and below it.
    pub(super) fn private_transform(&self, encoded: &[u8]) -> Result<Vec<u8>, Failed> {
        let mut signature = vec![0; self.modulus_len()];
        let mut len = 0;
        // SAFETY: both buffers are live slices with their own lengths, `encoded` is only read, at most
        // signature.len() bytes are written to `signature`, `len` is a valid place for one usize, and the object may be
        // used concurrently (see Sync). RSA_NO_PADDING refuses an `encoded` of another length than the modulus's.
        let done = unsafe {
            RSA_sign_raw(
                self.0.as_ptr(),
                &raw mut len,
                signature.as_mut_ptr(),
                signature.len(),
                encoded.as_ptr(),
                encoded.len(),
                RSA_NO_PADDING,
            )
        };
        if done == 1 && len == signature.len() { Ok(signature) } else { Err(Failed) }
    }
}

impl Drop for PrivateKey {
    fn drop(&mut self) {
        // SAFETY: the object came from RSA_private_key_from_bytes with one reference, given back once, here.
        unsafe { RSA_free(self.0.as_ptr()) }
    }
}
