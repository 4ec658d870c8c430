//! Signatures.

mod anyones;
mod ecdsa;
mod emsa;
mod identifier;
mod named;
mod pkcs1;
mod pkcs8;
mod prime;
mod public_key;
mod raw_rsa;
mod rsa;
mod scheme;
mod verify;
mod weak;

use std::ops::RangeInclusive;

use aws_lc_rs::{
    encoding::{AsDer, PublicKeyX509Der},
    rsa::KeyPair as RsaKeyPair,
    signature::{
        EcdsaKeyPair, Ed25519KeyPair, KeyPair, ML_DSA_44_SIGNING, ML_DSA_65_SIGNING, ML_DSA_87_SIGNING, PqdsaKeyPair,
        PqdsaSigningAlgorithm,
    },
};
use chancery_types::{Curve, HashType};

use crate::{Digest, Failed, KeyRef, KeySpec, MlDsaSet, OpenError, Secret, SignError, hash};

pub(crate) use anyones::is_of_small_order;
pub(crate) use ecdsa::algorithm as ecdsa_algorithm;
pub(crate) use identifier::RSA_ENCRYPTION;
pub use named::{NamedAlgorithm, named_hash};
pub use public_key::kind_of_public_key;
pub(crate) use public_key::{RsaPublicKey, kind_without_parameters};
use scheme::Method;
pub use scheme::{SignatureScheme, Unsupported};
pub(crate) use verify::{EC_PUBLIC_KEY, curve_of};
pub use verify::{VerifyError, is_short_rsa_key, verify};
pub(crate) use weak::check_pair;
pub use weak::{WeakKey, check_public_key, is_anyones_key};

/// What is to be signed.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The whole message.
    Message(&'a [u8]),
    /// Its digest, made by the scheme's hash.
    Digest(&'a Digest),
}

impl Input<'_> {
    /// How many bytes signing has to read.
    #[must_use]
    pub const fn message_len(self) -> usize {
        match self {
            Self::Message(message) => message.len(),
            Self::Digest(_) => 0,
        }
    }
}

/// An open key for signatures: without Debug, Clone and serialisation, so that it stays where it is used.
pub struct SigningKey {
    key: KeyRef,
    private: Private,
    public_key: Vec<u8>,
}

/// Whether signatures with an RSA key may be made several at once, outside AWS-LC. It is said when the key is opened, and
/// holds for as long as it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RsaBatch {
    /// Each signature is made by itself, by AWS-LC: for the keys of authorities, of their OCSP answers, of time stamps and
    /// of the transparency log, and for all keys in hardened mode.
    Never,
    /// For keys that sign content.
    Allowed,
}

/// How many signatures of one [group](SigningKey::group) are made at once: with fewer there is nothing to gain, and more
/// are made one group after the other.
pub const SIGNED_TOGETHER: RangeInclusive<usize> = rsa::TOGETHER_MIN..=chancery_rsa::GROUP;

/// A signature that is to be made.
#[derive(Clone, Copy)]
pub struct ToSign<'a> {
    /// The key.
    pub key: &'a SigningKey,
    /// The scheme.
    pub scheme: SignatureScheme,
    /// What is signed.
    pub input: Input<'a>,
}

impl ToSign<'_> {
    /// Makes it.
    pub fn sign(self) -> Result<Vec<u8>, SignError> {
        self.key.sign(self.scheme, self.input)
    }
}

/// Signatures that were made together.
#[derive(Debug, Default)]
pub struct Together {
    /// In the order in which they were asked for, each as [`SigningKey::sign`] makes it.
    pub signatures: Vec<Result<Vec<u8>, SignError>>,
    /// How many came out wrong, were thrown away, and were made by themselves: the machine is at fault.
    pub wrong: usize,
}

/// Makes several signatures.
#[must_use]
pub fn sign_together(signatures: &[ToSign<'_>]) -> Together {
    let mut encoded = Vec::with_capacity(signatures.len());
    let mut made = Vec::with_capacity(signatures.len());
    for ToSign { key, scheme, input } in signatures {
        made.push(match key.begin(*scheme, *input) {
            Ok(Begun::Signed(signature)) => Some(Ok(signature)),
            Ok(Begun::Rsa(key, message)) => {
                encoded.push((key, message));
                None
            }
            Err(error) => Some(Err(error)),
        });
    }
    let (transformed, wrong) = rsa::private_transforms(&encoded);
    let mut transformed = transformed.into_iter();
    let mut next = || transformed.next().unwrap_or(Err(Failed)).map_err(SignError::from);
    Together { signatures: made.into_iter().map(|made| made.unwrap_or_else(&mut next)).collect(), wrong }
}

/// How far a signature is.
enum Begun<'a> {
    /// The private-key operation is missing, on this encoded message.
    Rsa(&'a rsa::Key, Vec<u8>),
    Signed(Vec<u8>),
}

enum Private {
    Rsa(rsa::Key),
    Ec(Curve, EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    MlDsa(MlDsaSet, PqdsaKeyPair),
}

impl SigningKey {
    pub(crate) fn new(key: KeyRef, pkcs8: &Secret, batch: RsaBatch) -> Result<Self, OpenError> {
        let (private, public_key) = open(key.spec, pkcs8.expose(), batch).ok_or(OpenError::Unusable)?;
        Ok(Self { key, private, public_key })
    }

    /// Which key it is.
    #[must_use]
    pub const fn key(&self) -> &KeyRef {
        &self.key
    }

    /// The public key as SubjectPublicKeyInfo in DER (RFC 5280, 8410, 9881).
    #[must_use]
    pub fn public_key_spki(&self) -> &[u8] {
        &self.public_key
    }

    /// Signs. RSA and ECDSA signatures are as in X.509 and CMS: the modulus's length for RSA, DER for ECDSA.
    ///
    /// An RSA signature takes a millisecond and more: run it where blocking harms nobody.
    pub fn sign(&self, scheme: SignatureScheme, input: Input<'_>) -> Result<Vec<u8>, SignError> {
        match self.begin(scheme, input)? {
            Begun::Rsa(key, encoded) => Ok(key.private_transform(&encoded)?),
            Begun::Signed(signature) => Ok(signature),
        }
    }

    /// All of a signature but RSA's private-key operation.
    fn begin(&self, scheme: SignatureScheme, input: Input<'_>) -> Result<Begun<'_>, SignError> {
        match (&self.private, scheme.method()) {
            (Private::Rsa(key), Method::RsaPkcs1) => {
                Ok(Begun::Rsa(key, rsa::encode_pkcs1_v1_5(key, &digest_of(scheme, input)?)?))
            }
            (Private::Rsa(key), Method::RsaPss) => {
                Ok(Begun::Rsa(key, rsa::encode_pss(key, &digest_of(scheme, input)?)?))
            }
            (Private::Ec(curve, key), Method::Ecdsa) => {
                ecdsa::sign(*curve, key, &digest_of(scheme, input)?).map(Begun::Signed)
            }
            (Private::Ed25519(key), Method::Ed25519) => {
                Ok(Begun::Signed(key.try_sign(message_of(input)?)?.as_ref().to_vec()))
            }
            (Private::MlDsa(set, key), Method::MlDsa(for_set)) if *set == for_set => {
                sign_ml_dsa(key, message_of(input)?).map(Begun::Signed)
            }
            (Private::Rsa(_) | Private::Ec(..) | Private::Ed25519(_) | Private::MlDsa(..), _) => {
                Err(SignError::WrongKey)
            }
        }
    }

    /// Where signatures cost less when several are made at once: a number that is the same for all keys that gain by each
    /// other.
    #[must_use]
    pub fn group(&self) -> Option<usize> {
        match &self.private {
            Private::Rsa(key) => key.gains_in_groups().then(|| key.modulus_bits()),
            Private::Ec(..) | Private::Ed25519(_) | Private::MlDsa(..) => None,
        }
    }
}

/// Parses and checks a private key, and derives its public half; `None` where it is not one of this kind.
fn open(spec: KeySpec, pkcs8: &[u8], batch: RsaBatch) -> Option<(Private, Vec<u8>)> {
    match spec {
        KeySpec::Rsa(_) => {
            let public_key = spki(RsaKeyPair::from_pkcs8(pkcs8).ok()?.public_key())?;
            let key = rsa::Key::from_pkcs1(pkcs8::private_key(pkcs8)?, batch)?;
            (key.modulus_bits() == spec.size() as usize).then_some((Private::Rsa(key), public_key))
        }
        KeySpec::Ec(curve) => {
            let pair = EcdsaKeyPair::from_pkcs8(ecdsa_algorithm(curve), pkcs8).ok()?;
            let public_key = spki(pair.public_key())?;
            Some((Private::Ec(curve, pair), public_key))
        }
        KeySpec::Ed25519 => {
            let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(pkcs8).ok()?;
            let public_key = spki(pair.public_key())?;
            Some((Private::Ed25519(pair), public_key))
        }
        KeySpec::MlDsa(set) => {
            let pair = PqdsaKeyPair::from_pkcs8(ml_dsa_algorithm(set), pkcs8).ok()?;
            let public_key = spki(pair.public_key())?;
            Some((Private::MlDsa(set, pair), public_key))
        }
        KeySpec::Aes(_) | KeySpec::Hmac256 => None,
    }
}

fn spki<'a, P: AsDer<PublicKeyX509Der<'a>>>(public_key: &P) -> Option<Vec<u8>> {
    Some(public_key.as_der().ok()?.as_ref().to_vec())
}

/// The digest of the input, which must be by the scheme's hash if it was made outside.
fn digest_of(scheme: SignatureScheme, input: Input<'_>) -> Result<Digest, SignError> {
    match input {
        Input::Message(message) => Ok(hash(scheme.hash(), message)),
        Input::Digest(digest) if same_function(digest.hash(), scheme.hash()) => Ok(*digest),
        Input::Digest(_) => Err(SignError::WrongDigest),
    }
}

/// `Shake256` and `Shake256_64` are two names for one function.
fn same_function(one: HashType, other: HashType) -> bool {
    let name = |hash| if hash == HashType::Shake256_64 { HashType::Shake256 } else { hash };
    name(one) == name(other)
}

const fn message_of(input: Input<'_>) -> Result<&[u8], SignError> {
    match input {
        Input::Message(message) => Ok(message),
        Input::Digest(_) => Err(SignError::NeedsMessage),
    }
}

/// ML-DSA with an empty context (FIPS 204, algorithm 2; RFC 9882).
fn sign_ml_dsa(key: &PqdsaKeyPair, message: &[u8]) -> Result<Vec<u8>, SignError> {
    let mut signature = vec![0; key.algorithm().signature_len()];
    let len = key.sign(message, &mut signature)?;
    signature.truncate(len);
    Ok(signature)
}

pub(crate) const fn ml_dsa_algorithm(set: MlDsaSet) -> &'static PqdsaSigningAlgorithm {
    match set {
        MlDsaSet::MlDsa44 => &ML_DSA_44_SIGNING,
        MlDsaSet::MlDsa65 => &ML_DSA_65_SIGNING,
        MlDsaSet::MlDsa87 => &ML_DSA_87_SIGNING,
    }
}
