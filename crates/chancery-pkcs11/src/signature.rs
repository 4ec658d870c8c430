//! Signatures: verified, since a service may have a new key by now, and brought into the form of PKCS#11.

use aws_lc_rs::{
    digest,
    signature::{self, UnparsedPublicKey, VerificationAlgorithm},
};
use chancery_types::HashType;
use cryptoki_sys::CKR_DEVICE_ERROR;
use der::{Decode as _, Sequence, asn1::UintRef};

use crate::{
    failure::{Failure, Result},
    operation::{Content, Wanted},
    public_key::PublicKey,
};

/// ECDSA-Sig-Value (RFC 3279, 2.2.3).
#[derive(Sequence)]
struct EcdsaSignature<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// The same signature for the program, where it is of what was wanted, by the key that the program has.
pub(crate) fn checked(signature: Vec<u8>, wanted: &Wanted<'_>) -> Result<Vec<u8>> {
    let converted = if is_good(&signature, wanted) { converted(signature, &wanted.key.public) } else { None };
    converted.ok_or_else(|| {
        let says = format!(
            "{}: the signature is not of this key: was the service renewed meanwhile?",
            wanted.key.service_name
        );
        Failure::told(CKR_DEVICE_ERROR, says)
    })
}

/// Whether it is of what is wanted, by its key.
pub(crate) fn is_good(signature: &[u8], wanted: &Wanted<'_>) -> bool {
    let Wanted { key, policy, content } = wanted;
    let Some((algorithm, hash)) = algorithm(&key.public, policy.hash_algorithm, policy.rsa_pss) else { return false };
    let public = UnparsedPublicKey::new(algorithm, &key.spki);
    let verified = match content {
        Content::Message(message) => public.verify(message, signature),
        Content::Digest(digest) => {
            let digest = digest::Digest::import_less_safe(digest, hash);
            digest.and_then(|digest| public.verify_digest(&digest, signature))
        }
    };
    verified.is_ok()
}

/// What verifies the signatures of a policy.
fn algorithm(
    key: &PublicKey,
    hash: HashType,
    rsa_pss: bool,
) -> Option<(&'static dyn VerificationAlgorithm, &'static digest::Algorithm)> {
    let index = [HashType::Sha2_256, HashType::Sha2_384, HashType::Sha2_512].iter().position(|known| *known == hash)?;
    let algorithms: [&'static dyn VerificationAlgorithm; 3] = match key {
        PublicKey::Rsa { .. } if rsa_pss => [
            &signature::RSA_PSS_2048_8192_SHA256,
            &signature::RSA_PSS_2048_8192_SHA384,
            &signature::RSA_PSS_2048_8192_SHA512,
        ],
        PublicKey::Rsa { .. } => [
            &signature::RSA_PKCS1_2048_8192_SHA256,
            &signature::RSA_PKCS1_2048_8192_SHA384,
            &signature::RSA_PKCS1_2048_8192_SHA512,
        ],
        PublicKey::Ec { field_len: 32, .. } => {
            [&signature::ECDSA_P256_SHA256_ASN1, &signature::ECDSA_P256_SHA384_ASN1, &signature::ECDSA_P256_SHA512_ASN1]
        }
        PublicKey::Ec { field_len: 48, .. } => {
            [&signature::ECDSA_P384_SHA256_ASN1, &signature::ECDSA_P384_SHA384_ASN1, &signature::ECDSA_P384_SHA512_ASN1]
        }
        PublicKey::Ec { .. } => {
            [&signature::ECDSA_P521_SHA256_ASN1, &signature::ECDSA_P521_SHA384_ASN1, &signature::ECDSA_P521_SHA512_ASN1]
        }
        PublicKey::Ed25519 { .. } => [&signature::ED25519; 3],
    };
    let hashes = [&digest::SHA256, &digest::SHA384, &digest::SHA512];
    Some((algorithms[index], hashes[index]))
}

fn converted(signature: Vec<u8>, key: &PublicKey) -> Option<Vec<u8>> {
    match key {
        PublicKey::Ec { field_len, .. } => both_numbers(&signature, *field_len),
        PublicKey::Rsa { .. } | PublicKey::Ed25519 { .. } => Some(signature),
    }
}

/// r and s, each as long as the field (PKCS#11 2.40, 2.3.1).
fn both_numbers(der: &[u8], field_len: usize) -> Option<Vec<u8>> {
    let EcdsaSignature { r, s } = EcdsaSignature::from_der(der).ok()?;
    let mut both = vec![0; 2 * field_len];
    for (number, place) in [r, s].into_iter().zip(both.chunks_exact_mut(field_len)) {
        let bytes = number.as_bytes();
        place.get_mut(field_len.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
    }
    Some(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_the_field() {
        // r = 0x81, with a zero before it as it is positive; s = 0x0102.
        let der = [0x30, 8, 2, 2, 0, 0x81, 2, 2, 1, 2];
        assert_eq!(both_numbers(&der, 3), Some(vec![0, 0, 0x81, 0, 1, 2]));
        assert_eq!(both_numbers(&der, 1), None);
        assert_eq!(both_numbers(&der[..9], 3), None);
    }
}
