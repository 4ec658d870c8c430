//! Private keys in clear: which kind they are, checked, and brought into the one form in which ours are kept.

use aws_lc_rs::{
    encoding::{AsDer, Pkcs8V1Der},
    rsa,
    signature::{EcdsaKeyPair, Ed25519KeyPair, PqdsaKeyPair},
};
use chancery_types::KeyId;
use der::{
    Decode, Tag, TagNumber, Tagged,
    asn1::{AnyRef, OctetStringRef},
};
use spki::AlgorithmIdentifierRef;

use super::{ForeignKey, ImportError};
use crate::{
    KeyRef, KeySpec, Purpose, RsaBatch, Secret, SigningKey, kind_of_public_key,
    sign::{
        EC_PUBLIC_KEY, RSA_ENCRYPTION, check_pair, curve_of, ecdsa_algorithm, kind_without_parameters, ml_dsa_algorithm,
    },
};

/// Bytes of ML-DSA's seed (FIPS 204, algorithm 1).
const SEED_LEN: usize = 32;

/// Reads and checks a private key:
///
/// ```text
/// OneAsymmetricKey ::= SEQUENCE {
///   version                   Version,
///   privateKeyAlgorithm       PrivateKeyAlgorithmIdentifier,
///   privateKey                PrivateKey,
///   attributes            [0] Attributes OPTIONAL,
///   publicKey             [1] PublicKey OPTIONAL }              -- RFC 5958, 2
/// ```
pub(super) fn read(pkcs8: &[u8]) -> Result<ForeignKey, ImportError> {
    let parts = Vec::<AnyRef<'_>>::from_der(pkcs8).map_err(|_| ImportError::Unreadable)?;
    let [version, algorithm, private_key, ..] = parts.as_slice() else { return Err(ImportError::Unreadable) };
    version.decode_as::<u8>().map_err(|_| ImportError::Unreadable)?;
    let algorithm = algorithm.decode_as::<AlgorithmIdentifierRef<'_>>().map_err(|_| ImportError::Unreadable)?;
    let private_key = private_key.decode_as::<&OctetStringRef>().map_err(|_| ImportError::Unreadable)?;
    let (spec, pkcs8) = normal(algorithm, pkcs8, private_key.as_bytes())?;
    // Exactly as it will be opened: what is sealed now opens later, and as this kind.
    let key = KeyRef { id: KeyId::from_u128(0), version: 1, purpose: Purpose::Sign, spec };
    let open = SigningKey::new(key, &pkcs8, RsaBatch::Never).map_err(|_| ImportError::Kind)?;
    let public_key = open.public_key_spki().to_vec();
    if kind_of_public_key(&public_key) != Some(spec) {
        return Err(ImportError::Kind);
    }
    let pkcs1 = matches!(spec, KeySpec::Rsa(_)).then(|| inner(&pkcs8)).flatten();
    check_pair(&open, pkcs1).map_err(ImportError::Weak)?;
    Ok(ForeignKey { spec, pkcs8, public_key })
}

/// The key's own encoding inside PKCS#8.
fn inner(pkcs8: &Secret) -> Option<&[u8]> {
    let parts = Vec::<AnyRef<'_>>::from_der(pkcs8.expose()).ok()?;
    let [_, _, private_key, ..] = parts.as_slice() else { return None };
    private_key.decode_as::<&OctetStringRef>().ok().map(OctetStringRef::as_bytes)
}

/// The kind of the key, and the key as if it had been generated here: PKCS#8 version 1 without attributes.
fn normal(
    algorithm: AlgorithmIdentifierRef<'_>,
    pkcs8: &[u8],
    private_key: &[u8],
) -> Result<(KeySpec, Secret), ImportError> {
    const OTHER: fn(aws_lc_rs::error::KeyRejected) -> ImportError = |_| ImportError::Kind;
    let failed = |_| ImportError::Kind;
    match (algorithm.oid, kind_without_parameters(algorithm)) {
        (RSA_ENCRYPTION, _) => {
            let pair = rsa::KeyPair::from_pkcs8(pkcs8).map_err(OTHER)?;
            let spki = aws_lc_rs::signature::KeyPair::public_key(&pair).as_der().map_err(failed)?;
            let spec = kind_of_public_key(spki.as_ref()).ok_or(ImportError::Kind)?;
            let normal: Pkcs8V1Der<'_> = pair.as_der().map_err(failed)?;
            Ok((spec, Secret::copied(normal.as_ref())))
        }
        (EC_PUBLIC_KEY, _) => {
            let curve = curve_of(algorithm.parameters_oid()).ok_or(ImportError::Kind)?;
            let pair = EcdsaKeyPair::from_pkcs8(ecdsa_algorithm(curve), pkcs8).map_err(OTHER)?;
            Ok((KeySpec::Ec(curve), Secret::copied(pair.to_pkcs8v1().map_err(failed)?.as_ref())))
        }
        (_, Some(KeySpec::Ed25519)) => {
            let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(pkcs8).map_err(OTHER)?;
            Ok((KeySpec::Ed25519, Secret::copied(pair.to_pkcs8v1().map_err(failed)?.as_ref())))
        }
        (_, Some(KeySpec::MlDsa(set))) => {
            let seed = ml_dsa_seed(private_key).ok_or(ImportError::Kind)?;
            let pair = PqdsaKeyPair::from_seed(ml_dsa_algorithm(set), seed).map_err(OTHER)?;
            Ok((KeySpec::MlDsa(set), Secret::copied(pair.to_pkcs8v1().map_err(failed)?.as_ref())))
        }
        (_, _) => Err(ImportError::Kind),
    }
}

/// The seed, from which everything else follows. A key that was stored without it cannot be kept as ours are.
///
/// ```text
/// ML-DSA-PrivateKey ::= CHOICE {
///   seed [0] OCTET STRING (SIZE (32)),
///   expandedKey OCTET STRING,
///   both SEQUENCE { seed OCTET STRING (SIZE (32)), expandedKey OCTET STRING } }       -- RFC 9881, 6
/// ```
fn ml_dsa_seed(private_key: &[u8]) -> Option<&[u8]> {
    const SEED: Tag = Tag::ContextSpecific { constructed: false, number: TagNumber(0) };
    let choice = AnyRef::from_der(private_key).ok()?;
    let both;
    let seed = if choice.tag() == SEED {
        choice.value()
    } else {
        both = choice.decode_as::<Vec<&OctetStringRef>>().ok()?;
        let [seed, _] = both.as_slice() else { return None };
        seed.as_bytes()
    };
    (seed.len() == SEED_LEN).then_some(seed)
}
