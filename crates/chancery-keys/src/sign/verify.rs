//! Verification of the same schemes, with public keys only.

use aws_lc_rs::signature::{ED25519, ML_DSA_44, ML_DSA_65, ML_DSA_87, PqdsaVerificationAlgorithm, UnparsedPublicKey};
use chancery_types::{Curve, HashType};
use der::Decode;
use spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};
use thiserror::Error;

use super::{
    Input, Method, SignatureScheme, digest_of, ecdsa, identifier::RSA_ENCRYPTION, message_of, raw_rsa, rsa,
    weak::refuse_anyones,
};
use crate::{KeySpec, MlDsaSet, SignError};

/// Why a signature was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// Not a public key, of another kind than the scheme's, or one with which everybody can sign.
    #[error("not a public key for this signature scheme")]
    PublicKey,
    /// The input does not suit the scheme, as when signing.
    #[error(transparent)]
    Input(#[from] SignError),
    /// The signature is wrong.
    #[error("the signature is wrong")]
    Signature,
}

/// Verifies a signature; `public_key` is a SubjectPublicKeyInfo in DER.
pub fn verify(
    public_key: &[u8],
    scheme: SignatureScheme,
    input: Input<'_>,
    signature: &[u8],
) -> Result<(), VerifyError> {
    let spki = SubjectPublicKeyInfoRef::from_der(public_key).map_err(|_| VerifyError::PublicKey)?;
    let good = match scheme.method() {
        Method::RsaPkcs1 => rsa::verify_pkcs1_v1_5(&rsa_key(&spki)?, &digest_of(scheme, input)?, signature),
        Method::RsaPss => {
            let digest = digest_of(scheme, input)?;
            rsa::verify_pss(&rsa_key(&spki)?, &digest, digest.as_bytes().len(), signature)
        }
        Method::Ecdsa => {
            let (curve, point) = ec_key(&spki)?;
            ecdsa::verify(curve, point, &digest_of(scheme, input)?, signature)
        }
        Method::Ed25519 => {
            let key = key_of(&spki, scheme.algorithm_identifier().oid)?;
            refuse_anyones(KeySpec::Ed25519, key).map_err(|_| VerifyError::PublicKey)?;
            UnparsedPublicKey::new(&ED25519, key).verify(message_of(input)?, signature).is_ok()
        }
        Method::MlDsa(set) => {
            let key = key_of(&spki, scheme.algorithm_identifier().oid)?;
            refuse_anyones(KeySpec::MlDsa(set), key).map_err(|_| VerifyError::PublicKey)?;
            UnparsedPublicKey::new(ml_dsa_algorithm(set), key).verify(message_of(input)?, signature).is_ok()
        }
    };
    if good { Ok(()) } else { Err(VerifyError::Signature) }
}

/// RSASSA-PSS with a salt of any length.
pub(super) fn verify_pss(
    public_key: &[u8],
    hash: HashType,
    salt_len: usize,
    message: &[u8],
    signature: &[u8],
) -> Result<(), VerifyError> {
    let spki = SubjectPublicKeyInfoRef::from_der(public_key).map_err(|_| VerifyError::PublicKey)?;
    let good = rsa::verify_pss(&rsa_key(&spki)?, &crate::hash(hash, message), salt_len, signature);
    if good { Ok(()) } else { Err(VerifyError::Signature) }
}

/// Whether a public key (SubjectPublicKeyInfo in DER) is an RSA key of less than 2048 bits.
#[must_use]
pub fn is_short_rsa_key(public_key: &[u8]) -> bool {
    let key = SubjectPublicKeyInfoRef::from_der(public_key).ok();
    key.and_then(|spki| rsa_key(&spki).ok()).is_some_and(|key| key.modulus_bits() < 2_048)
}

/// The key's bytes, where it is of this algorithm.
fn key_of<'a>(spki: &SubjectPublicKeyInfoRef<'a>, oid: ObjectIdentifier) -> Result<&'a [u8], VerifyError> {
    spki.algorithm.assert_algorithm_oid(oid).map_err(|_| VerifyError::PublicKey)?;
    spki.subject_public_key.as_bytes().ok_or(VerifyError::PublicKey)
}

fn rsa_key(spki: &SubjectPublicKeyInfoRef<'_>) -> Result<raw_rsa::PublicKey, VerifyError> {
    raw_rsa::PublicKey::from_pkcs1(key_of(spki, RSA_ENCRYPTION)?).ok_or(VerifyError::PublicKey)
}

/// id-ecPublicKey (RFC 5480).
pub(crate) const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const SECP256R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const SECP384R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const SECP521R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.35");

fn ec_key<'a>(spki: &SubjectPublicKeyInfoRef<'a>) -> Result<(Curve, &'a [u8]), VerifyError> {
    let point = key_of(spki, EC_PUBLIC_KEY)?;
    Ok((curve(spki).ok_or(VerifyError::PublicKey)?, point))
}

/// The curve that an EC key names.
pub(super) fn curve(spki: &SubjectPublicKeyInfoRef<'_>) -> Option<Curve> {
    curve_of(spki.algorithm.parameters_oid())
}

/// The curve that the parameters of id-ecPublicKey name.
pub(crate) fn curve_of(parameters: Result<ObjectIdentifier, spki::Error>) -> Option<Curve> {
    match parameters {
        Ok(SECP256R1) => Some(Curve::P256),
        Ok(SECP384R1) => Some(Curve::P384),
        Ok(SECP521R1) => Some(Curve::P521),
        Ok(_) | Err(_) => None,
    }
}

const fn ml_dsa_algorithm(set: MlDsaSet) -> &'static PqdsaVerificationAlgorithm {
    match set {
        MlDsaSet::MlDsa44 => &ML_DSA_44,
        MlDsaSet::MlDsa65 => &ML_DSA_65,
        MlDsaSet::MlDsa87 => &ML_DSA_87,
    }
}
