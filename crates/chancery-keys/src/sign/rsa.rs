//! RSA signatures (RFC 8017, section 8). Names and step numbers are the standard's.

use super::{
    emsa::{TooShort, emsa_pkcs1_v1_5, emsa_pss, emsa_pss_matches},
    raw_rsa::{PrivateKey, PublicKey},
};
use crate::{Digest, SignError, random};

/// RSASSA-PKCS1-v1_5, 8.2.1.
pub(super) fn sign_pkcs1_v1_5(key: &PrivateKey, digest: &Digest) -> Result<Vec<u8>, SignError> {
    let k = key.modulus_bits().div_ceil(8);
    Ok(key.private_transform(&emsa_pkcs1_v1_5(digest, k)?)?)
}

/// RSASSA-PKCS1-v1_5, 8.2.2.
pub(super) fn verify_pkcs1_v1_5(key: &PublicKey, digest: &Digest, signature: &[u8]) -> bool {
    let k = key.modulus_bits().div_ceil(8);
    let expected = emsa_pkcs1_v1_5(digest, k);
    key.public_transform(signature).zip(expected.ok()).is_some_and(|(em, expected)| em == expected)
}

/// RSASSA-PSS, 8.1.1, with a salt as long as the digest.
pub(super) fn sign_pss(key: &PrivateKey, digest: &Digest) -> Result<Vec<u8>, SignError> {
    let mod_bits = key.modulus_bits();
    let salt: [u8; Digest::MAX_LEN] = random();
    // Step 1.
    let em = emsa_pss(digest, &salt[..digest.as_bytes().len()], mod_bits - 1)?;
    // Step 2: EM may be one byte shorter than the modulus.
    let mut m = vec![0; mod_bits.div_ceil(8) - em.len()];
    m.extend_from_slice(&em);
    Ok(key.private_transform(&m)?)
}

/// RSASSA-PSS, 8.1.2, with a salt as long as the digest.
pub(super) fn verify_pss(key: &PublicKey, digest: &Digest, signature: &[u8]) -> bool {
    let em_bits = key.modulus_bits() - 1;
    key.public_transform(signature).is_some_and(|m| {
        let (above, em) = m.split_at(m.len() - em_bits.div_ceil(8));
        above.iter().all(|byte| *byte == 0) && emsa_pss_matches(digest, em, em_bits)
    })
}

impl From<TooShort> for SignError {
    fn from(TooShort: TooShort) -> Self {
        Self::KeyTooShort
    }
}
