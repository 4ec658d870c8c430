//! ECDSA (FIPS 186-5, section 6) over any digest.
//!
//! The library signs digests of one hash for each curve, but all it does with one is to read it as an integer (6.4.1,
//! step 2: the leftmost bits, as many as the order has). So any digest may be given in the place of the curve's own, if
//! it is cut to the order's length or extended by leading zeros, which keep the integer.

use aws_lc_rs::{
    digest::{self, MAX_OUTPUT_LEN, SHA256, SHA384, SHA512},
    error::Unspecified,
    signature::{
        ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1, ECDSA_P384_SHA384_ASN1_SIGNING,
        ECDSA_P521_SHA512_ASN1, ECDSA_P521_SHA512_ASN1_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
        EcdsaVerificationAlgorithm, UnparsedPublicKey,
    },
};
use chancery_types::Curve;

use crate::{Digest, SignError};

/// A signature in DER.
pub(super) fn sign(curve: Curve, key: &EcdsaKeyPair, digest: &Digest) -> Result<Vec<u8>, SignError> {
    Ok(key.sign_digest(&as_own(curve, digest)?)?.as_ref().to_vec())
}

/// Whether a signature in DER is good; `point` is the public key as in SEC 1.
pub(super) fn verify(curve: Curve, point: &[u8], digest: &Digest, signature: &[u8]) -> bool {
    let key = UnparsedPublicKey::new(verification_algorithm(curve), point);
    as_own(curve, digest).and_then(|digest| key.verify_digest(&digest, signature)).is_ok()
}

/// The digest in the place of the curve's own.
fn as_own(curve: Curve, digest: &Digest) -> Result<digest::Digest, Unspecified> {
    let algorithm = match curve {
        Curve::P256 => &SHA256,
        Curve::P384 => &SHA384,
        // 512 bits, below the order's 521: nothing is ever cut here.
        Curve::P521 => &SHA512,
    };
    let len = algorithm.output_len();
    let bytes = digest.as_bytes();
    let bytes = &bytes[..bytes.len().min(len)];
    let mut as_own = [0; MAX_OUTPUT_LEN];
    as_own[len - bytes.len()..len].copy_from_slice(bytes);
    digest::Digest::import_less_safe(&as_own[..len], algorithm)
}

pub(crate) const fn algorithm(curve: Curve) -> &'static EcdsaSigningAlgorithm {
    match curve {
        Curve::P256 => &ECDSA_P256_SHA256_ASN1_SIGNING,
        Curve::P384 => &ECDSA_P384_SHA384_ASN1_SIGNING,
        Curve::P521 => &ECDSA_P521_SHA512_ASN1_SIGNING,
    }
}

const fn verification_algorithm(curve: Curve) -> &'static EcdsaVerificationAlgorithm {
    match curve {
        Curve::P256 => &ECDSA_P256_SHA256_ASN1,
        Curve::P384 => &ECDSA_P384_SHA384_ASN1,
        Curve::P521 => &ECDSA_P521_SHA512_ASN1,
    }
}
