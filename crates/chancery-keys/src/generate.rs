//! New keys.
//!
//! Asymmetric keys are kept as PKCS#8 (version 1), which is also the form in which they are imported; symmetric ones are
//! their bytes.

use aws_lc_rs::{
    encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der},
    rsa,
    signature::{EcdsaKeyPair, Ed25519KeyPair, KeyPair, PqdsaKeyPair},
};

use crate::{
    AesSize, Failed, KeySpec, RsaSize, Secret,
    sign::{ecdsa_algorithm, ml_dsa_algorithm},
};

/// A key in clear on its way to being sealed.
pub(crate) struct Pair {
    pub(crate) secret: Secret,
    /// SubjectPublicKeyInfo in DER.
    pub(crate) public_key: Option<Vec<u8>>,
}

pub(crate) fn generate(spec: KeySpec) -> Result<Pair, Failed> {
    match spec {
        KeySpec::Rsa(size) => {
            let pair = rsa::KeyPair::generate(rsa_size(size))?;
            let pkcs8: Pkcs8V1Der<'_> = pair.as_der()?;
            asymmetric(pkcs8.as_ref(), pair.public_key())
        }
        KeySpec::Ec(curve) => {
            let pair = EcdsaKeyPair::generate(ecdsa_algorithm(curve))?;
            asymmetric(pair.to_pkcs8v1()?.as_ref(), pair.public_key())
        }
        KeySpec::Ed25519 => {
            let pair = Ed25519KeyPair::generate()?;
            asymmetric(pair.to_pkcs8v1()?.as_ref(), pair.public_key())
        }
        KeySpec::MlDsa(set) => {
            let pair = PqdsaKeyPair::generate(ml_dsa_algorithm(set))?;
            asymmetric(pair.to_pkcs8v1()?.as_ref(), pair.public_key())
        }
        KeySpec::Aes(size) => Ok(symmetric(aes_key_len(size))),
        KeySpec::Hmac256 => Ok(symmetric(HMAC_KEY_LEN)),
    }
}

/// Length of an HMAC-SHA-256 key in bytes.
pub(crate) const HMAC_KEY_LEN: usize = 32;

/// Length of an AES key in bytes.
pub(crate) const fn aes_key_len(size: AesSize) -> usize {
    match size {
        AesSize::Bits128 => 16,
        AesSize::Bits192 => 24,
        AesSize::Bits256 => 32,
    }
}

const fn rsa_size(size: RsaSize) -> rsa::KeySize {
    match size {
        RsaSize::Bits2048 => rsa::KeySize::Rsa2048,
        RsaSize::Bits3072 => rsa::KeySize::Rsa3072,
        RsaSize::Bits4096 => rsa::KeySize::Rsa4096,
    }
}

fn symmetric(len: usize) -> Pair {
    Pair { secret: Secret::random(len), public_key: None }
}

fn asymmetric<'a, P: AsDer<PublicKeyX509Der<'a>>>(pkcs8: &[u8], public_key: &P) -> Result<Pair, Failed> {
    Ok(Pair { secret: Secret::copied(pkcs8), public_key: Some(public_key.as_der()?.as_ref().to_vec()) })
}
