//! The RSA primitives themselves, RSASP1 and RSAVP1 of RFC 8017, for encodings that aws-lc-rs does not offer.
//!
//! One of the two files of this crate with `unsafe`. AWS-LC's `RSA_sign_raw` blinds the operation and checks its result with the
//! public exponent before giving it out (`rsa_default_private_transform`), so a fault yields an error and no signature.
#![expect(unsafe_code, reason = "aws-lc-rs offers RSA only with the encodings it knows")]

use std::ptr::NonNull;

use aws_lc_sys::{
    RSA, RSA_NO_PADDING, RSA_bits, RSA_free, RSA_private_key_from_bytes, RSA_public_key_from_bytes, RSA_sign_raw,
    RSA_verify_raw,
};

use crate::Failed;

/// An RSA object in AWS-LC's memory, which is wiped when it is freed.
struct Object(NonNull<RSA>);

// SAFETY: an RSA object belongs to no thread.
unsafe impl Send for Object {}
// SAFETY: "A given object may be used concurrently on multiple threads by non-mutating functions" (openssl/rsa.h). The
// functions called here on a shared object are such: RSA_bits takes a const pointer, and RSA_sign_raw and RSA_verify_raw
// stand among those that "are considered non-mutating for thread-safety purposes" (they guard what they cache inside the
// object by its own lock). RSA_free is called by the only owner.
unsafe impl Sync for Object {}

impl Object {
    /// Length of the modulus in bits.
    fn modulus_bits(&self) -> usize {
        // SAFETY: the object lives as long as self, and is only read.
        unsafe { RSA_bits(self.0.as_ptr()) as usize }
    }

    /// Length of the modulus in bytes.
    fn modulus_len(&self) -> usize {
        self.modulus_bits().div_ceil(8)
    }

    /// RSAVP1: `signature`^e mod n, as long as the modulus; `None` where the signature is of another length or not below
    /// the modulus.
    fn public_transform(&self, signature: &[u8]) -> Option<Vec<u8>> {
        let mut encoded = vec![0; self.modulus_len()];
        let mut len = 0;
        // SAFETY: as for a private key's transform, with `signature` read and `encoded` written.
        let done = unsafe {
            RSA_verify_raw(
                self.0.as_ptr(),
                &raw mut len,
                encoded.as_mut_ptr(),
                encoded.len(),
                signature.as_ptr(),
                signature.len(),
                RSA_NO_PADDING,
            )
        };
        (done == 1 && len == encoded.len()).then_some(encoded)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the object was made with one reference, which is given back once, here.
        unsafe { RSA_free(self.0.as_ptr()) }
    }
}

/// An RSA private key.
pub(super) struct PrivateKey(Object);

impl PrivateKey {
    /// Parses an RSAPrivateKey (RFC 8017, A.1.2) and checks that its parts belong together.
    pub(super) fn from_pkcs1(der: &[u8]) -> Option<Self> {
        // SAFETY: pointer and length are those of one live slice, which is only read during the call; what is returned
        // is null or a new object of our own.
        let rsa = unsafe { RSA_private_key_from_bytes(der.as_ptr(), der.len()) };
        NonNull::new(rsa).map(|rsa| Self(Object(rsa)))
    }

    /// Length of the modulus in bits.
    pub(super) fn modulus_bits(&self) -> usize {
        self.0.modulus_bits()
    }

    /// RSASP1: `encoded`^d mod n, as long as the modulus. `encoded` must be as long as the modulus and below it.
    pub(super) fn private_transform(&self, encoded: &[u8]) -> Result<Vec<u8>, Failed> {
        let mut signature = vec![0; self.0.modulus_len()];
        let mut len = 0;
        // SAFETY: both buffers are live slices given with their own lengths; `encoded` is only read, `signature` is
        // written up to its length, which AWS-LC compares with the modulus's; `len` is a place for one usize.
        let done = unsafe {
            RSA_sign_raw(
                self.0.0.as_ptr(),
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

    /// [`Object::public_transform`] with the key's public half.
    pub(super) fn public_transform(&self, signature: &[u8]) -> Option<Vec<u8>> {
        self.0.public_transform(signature)
    }
}

/// An RSA public key.
pub(super) struct PublicKey(Object);

impl PublicKey {
    /// Parses an RSAPublicKey (RFC 8017, A.1.1).
    pub(super) fn from_pkcs1(der: &[u8]) -> Option<Self> {
        // SAFETY: as for the private key.
        let rsa = unsafe { RSA_public_key_from_bytes(der.as_ptr(), der.len()) };
        NonNull::new(rsa).map(|rsa| Self(Object(rsa)))
    }

    /// Length of the modulus in bits.
    pub(super) fn modulus_bits(&self) -> usize {
        self.0.modulus_bits()
    }

    /// [`Object::public_transform`].
    pub(super) fn public_transform(&self, signature: &[u8]) -> Option<Vec<u8>> {
        self.0.public_transform(signature)
    }
}
