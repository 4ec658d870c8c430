//! Object identifiers and AlgorithmIdentifiers: how X.509 and CMS name what was used.

use chancery_types::HashType;
use der::{
    Sequence,
    asn1::{Any, AnyRef},
};
use spki::{AlgorithmIdentifierOwned, AlgorithmIdentifierRef, ObjectIdentifier};

use crate::MlDsaSet;

/// Read by the compiler, not each time somebody looks: whoever meets a foreign name goes through all of them.
macro_rules! oid {
    ($dotted:literal) => {
        const { ObjectIdentifier::new_unwrap($dotted) }
    };
}

pub(crate) const RSA_ENCRYPTION: ObjectIdentifier = oid!("1.2.840.113549.1.1.1");
const MGF1: ObjectIdentifier = oid!("1.2.840.113549.1.1.8");
const RSASSA_PSS: ObjectIdentifier = oid!("1.2.840.113549.1.1.10");
const ED25519: ObjectIdentifier = oid!("1.3.101.112");

/// The hash's own object identifier.
pub(super) const fn hash(hash: HashType) -> ObjectIdentifier {
    match hash {
        HashType::Md5 => oid!("1.2.840.113549.2.5"),
        HashType::RipeMd => oid!("1.3.36.3.2.1"),
        HashType::Sha1 => oid!("1.3.14.3.2.26"),
        HashType::Sha2_224 => oid!("2.16.840.1.101.3.4.2.4"),
        HashType::Sha2_256 => oid!("2.16.840.1.101.3.4.2.1"),
        HashType::Sha2_384 => oid!("2.16.840.1.101.3.4.2.2"),
        HashType::Sha2_512 => oid!("2.16.840.1.101.3.4.2.3"),
        HashType::Sha3_224 => oid!("2.16.840.1.101.3.4.2.7"),
        HashType::Sha3_256 => oid!("2.16.840.1.101.3.4.2.8"),
        HashType::Sha3_384 => oid!("2.16.840.1.101.3.4.2.9"),
        HashType::Sha3_512 => oid!("2.16.840.1.101.3.4.2.10"),
        HashType::Shake128 => oid!("2.16.840.1.101.3.4.2.11"),
        HashType::Shake256 | HashType::Shake256_64 => oid!("2.16.840.1.101.3.4.2.12"),
    }
}

/// RSASSA-PKCS1-v1_5 (RFC 8017, 9688).
pub(super) const fn rsa_pkcs1(hash: HashType) -> Option<ObjectIdentifier> {
    Some(match hash {
        HashType::Md5 => oid!("1.2.840.113549.1.1.4"),
        HashType::RipeMd => oid!("1.3.36.3.3.1.2"),
        HashType::Sha1 => oid!("1.2.840.113549.1.1.5"),
        HashType::Sha2_224 => oid!("1.2.840.113549.1.1.14"),
        HashType::Sha2_256 => oid!("1.2.840.113549.1.1.11"),
        HashType::Sha2_384 => oid!("1.2.840.113549.1.1.12"),
        HashType::Sha2_512 => oid!("1.2.840.113549.1.1.13"),
        HashType::Sha3_224 => oid!("2.16.840.1.101.3.4.3.13"),
        HashType::Sha3_256 => oid!("2.16.840.1.101.3.4.3.14"),
        HashType::Sha3_384 => oid!("2.16.840.1.101.3.4.3.15"),
        HashType::Sha3_512 => oid!("2.16.840.1.101.3.4.3.16"),
        HashType::Shake128 | HashType::Shake256 | HashType::Shake256_64 => return None,
    })
}

/// RSASSA-PSS (RFC 4055), with SHAKE under names of its own (RFC 8702).
pub(super) const fn rsa_pss(hash: HashType) -> Option<ObjectIdentifier> {
    match hash {
        HashType::Md5 | HashType::RipeMd => None,
        HashType::Sha1
        | HashType::Sha2_224
        | HashType::Sha2_256
        | HashType::Sha2_384
        | HashType::Sha2_512
        | HashType::Sha3_224
        | HashType::Sha3_256
        | HashType::Sha3_384
        | HashType::Sha3_512 => Some(RSASSA_PSS),
        HashType::Shake128 => Some(oid!("1.3.6.1.5.5.7.6.30")),
        HashType::Shake256 | HashType::Shake256_64 => Some(oid!("1.3.6.1.5.5.7.6.31")),
    }
}

/// ECDSA (RFC 3279, 5758, 8702, 9688).
pub(super) const fn ecdsa(hash: HashType) -> Option<ObjectIdentifier> {
    Some(match hash {
        HashType::Md5 | HashType::RipeMd => return None,
        HashType::Sha1 => oid!("1.2.840.10045.4.1"),
        HashType::Sha2_224 => oid!("1.2.840.10045.4.3.1"),
        HashType::Sha2_256 => oid!("1.2.840.10045.4.3.2"),
        HashType::Sha2_384 => oid!("1.2.840.10045.4.3.3"),
        HashType::Sha2_512 => oid!("1.2.840.10045.4.3.4"),
        HashType::Sha3_224 => oid!("2.16.840.1.101.3.4.3.9"),
        HashType::Sha3_256 => oid!("2.16.840.1.101.3.4.3.10"),
        HashType::Sha3_384 => oid!("2.16.840.1.101.3.4.3.11"),
        HashType::Sha3_512 => oid!("2.16.840.1.101.3.4.3.12"),
        HashType::Shake128 => oid!("1.3.6.1.5.5.7.6.32"),
        HashType::Shake256 | HashType::Shake256_64 => oid!("1.3.6.1.5.5.7.6.33"),
    })
}

/// Ed25519 goes with SHA-512 only (RFC 8419, 2.3).
pub(super) const fn ed25519(hash: HashType) -> Option<ObjectIdentifier> {
    if matches!(hash, HashType::Sha2_512) { Some(ED25519) } else { None }
}

/// ML-DSA goes with hashes whose collisions are as hard to find as the parameter set is to forge (RFC 9882, 3.3).
pub(super) const fn ml_dsa(set: MlDsaSet, hash: HashType) -> Option<ObjectIdentifier> {
    let (oid, shortest_digest) = match set {
        MlDsaSet::MlDsa44 => (oid!("2.16.840.1.101.3.4.3.17"), 32),
        MlDsaSet::MlDsa65 => (oid!("2.16.840.1.101.3.4.3.18"), 48),
        MlDsaSet::MlDsa87 => (oid!("2.16.840.1.101.3.4.3.19"), 64),
    };
    if hash.digest_len() >= shortest_digest { Some(oid) } else { None }
}

/// An identifier whose parameters are absent.
pub(super) const fn bare(oid: ObjectIdentifier) -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid, parameters: None }
}

/// An identifier whose parameters are NULL.
pub(super) fn with_null(oid: ObjectIdentifier) -> AlgorithmIdentifierOwned {
    AlgorithmIdentifierOwned { oid, parameters: Some(Any::null()) }
}

/// `digestAlgorithm` in CMS: parameters absent (RFC 3370, 5754, 8702, 9688), but NULL for Md5 (RFC 3370, 2.2) and, as is
/// usual, for its contemporary RipeMd.
pub(super) fn digest(hash_type: HashType) -> AlgorithmIdentifierOwned {
    let oid = hash(hash_type);
    if matches!(hash_type, HashType::Md5 | HashType::RipeMd) { with_null(oid) } else { bare(oid) }
}

/// ```text
/// RSASSA-PSS-params ::= SEQUENCE {
///   hashAlgorithm      [0] HashAlgorithm      DEFAULT sha1,
///   maskGenAlgorithm   [1] MaskGenAlgorithm   DEFAULT mgf1SHA1,
///   saltLength         [2] INTEGER            DEFAULT 20,
///   trailerField       [3] TrailerField       DEFAULT trailerFieldBC }        -- RFC 8017, A.2.3
/// ```
///
/// `None` stands for the default, which DER leaves out; the trailer is never another.
#[derive(Sequence)]
struct RsassaPssParams<'a> {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    hash_algorithm: Option<AlgorithmIdentifierRef<'a>>,
    #[asn1(context_specific = "1", tag_mode = "EXPLICIT", optional = "true")]
    mask_gen_algorithm: Option<MaskGenAlgorithm<'a>>,
    #[asn1(context_specific = "2", tag_mode = "EXPLICIT", optional = "true")]
    salt_length: Option<u16>,
}

/// Hash and length of the salt that parameters of RSASSA-PSS name. `None` for those of another mask or another hash of the
/// mask, which nobody writes.
pub(super) fn read_rsa_pss(algorithm: &AlgorithmIdentifierOwned) -> Option<(HashType, usize)> {
    let params = algorithm.parameters.as_ref().filter(|_| algorithm.oid == RSASSA_PSS)?;
    let params: RsassaPssParams<'_> = params.decode_as().ok()?;
    let sha1 = AlgorithmIdentifierRef { oid: hash(HashType::Sha1), parameters: Some(AnyRef::NULL) };
    let used = params.hash_algorithm.unwrap_or(sha1);
    let mask = params.mask_gen_algorithm.unwrap_or(MaskGenAlgorithm { algorithm: MGF1, hash: sha1 });
    let bare = |one: &AlgorithmIdentifierRef<'_>| one.parameters.is_none_or(|parameters| parameters.is_null());
    let known = HashType::ALL.iter().copied().find(|known| hash(*known) == used.oid && rsa_pss(*known).is_some())?;
    let fits = mask.algorithm == MGF1 && mask.hash.oid == used.oid && bare(&used) && bare(&mask.hash);
    fits.then(|| (known, params.salt_length.map_or(20, usize::from)))
}

#[derive(Sequence)]
struct MaskGenAlgorithm<'a> {
    algorithm: ObjectIdentifier,
    hash: AlgorithmIdentifierRef<'a>,
}

/// RSASSA-PSS with its parameters; for SHAKE there are none (RFC 8702, 2).
pub(super) fn rsa_pss_identifier(oid: ObjectIdentifier, hash_type: HashType) -> AlgorithmIdentifierOwned {
    if oid != RSASSA_PSS {
        return bare(oid);
    }
    // RFC 4055, 2.1 gives the SHA-1 and SHA-2 hashes NULL parameters, RFC 9688 leaves them out for SHA-3.
    let is_sha3 =
        matches!(hash_type, HashType::Sha3_224 | HashType::Sha3_256 | HashType::Sha3_384 | HashType::Sha3_512);
    let parameters = if is_sha3 { None } else { Some(AnyRef::NULL) };
    let algorithm = AlgorithmIdentifierRef { oid: hash(hash_type), parameters };
    let params = if hash_type == HashType::Sha1 {
        RsassaPssParams { hash_algorithm: None, mask_gen_algorithm: None, salt_length: None }
    } else {
        RsassaPssParams {
            hash_algorithm: Some(algorithm),
            mask_gen_algorithm: Some(MaskGenAlgorithm { algorithm: MGF1, hash: algorithm }),
            salt_length: Some(hash_type.digest_len() as u16),
        }
    };
    let parameters = Any::encode_from(&params).expect("small values of fixed shape always encode");
    AlgorithmIdentifierOwned { oid, parameters: Some(parameters) }
}

#[cfg(test)]
mod tests {
    use chancery_types::Curve;
    use der::Encode;

    use crate::{KeySpec, MlDsaSet, RsaSize, SignatureScheme};

    use super::*;

    const RSA: KeySpec = KeySpec::Rsa(RsaSize::Bits3072);
    const EC: KeySpec = KeySpec::Ec(Curve::P256);

    fn x509(spec: KeySpec, hash: HashType, pss: bool) -> String {
        let scheme = SignatureScheme::for_key(spec, hash, pss).unwrap();
        hex::encode(scheme.algorithm_identifier().to_der().unwrap())
    }

    /// CA/Browser Forum Baseline Requirements, 7.1.3.2: the encodings byte for byte.
    #[test]
    fn encodings_of_the_baseline_requirements() {
        for (spec, hash, pss, encoding) in [
            (RSA, HashType::Sha2_256, false, "300d06092a864886f70d01010b0500"),
            (RSA, HashType::Sha2_384, false, "300d06092a864886f70d01010c0500"),
            (RSA, HashType::Sha2_512, false, "300d06092a864886f70d01010d0500"),
            (
                RSA,
                HashType::Sha2_256,
                true,
                "304106092a864886f70d01010a3034a00f300d06096086480165030402010500a11c301a06092a864886f70d010108300d\
                 06096086480165030402010500a203020120",
            ),
            (
                RSA,
                HashType::Sha2_384,
                true,
                "304106092a864886f70d01010a3034a00f300d06096086480165030402020500a11c301a06092a864886f70d010108300d\
                 06096086480165030402020500a203020130",
            ),
            (
                RSA,
                HashType::Sha2_512,
                true,
                "304106092a864886f70d01010a3034a00f300d06096086480165030402030500a11c301a06092a864886f70d010108300d\
                 06096086480165030402030500a203020140",
            ),
            (EC, HashType::Sha2_256, false, "300a06082a8648ce3d040302"),
            (EC, HashType::Sha2_384, false, "300a06082a8648ce3d040303"),
            (EC, HashType::Sha2_512, false, "300a06082a8648ce3d040304"),
        ] {
            assert_eq!(x509(spec, hash, pss), encoding);
        }
    }

    /// All parameters of PSS with SHA-1 are defaults, which DER leaves out (RFC 4055, 3.1).
    #[test]
    fn pss_with_sha_1_has_an_empty_sequence() {
        assert_eq!(x509(RSA, HashType::Sha1, true), "300d06092a864886f70d01010a3000");
    }

    /// RFC 8410 and RFC 9881: no parameters.
    #[test]
    fn ed25519_and_ml_dsa_have_no_parameters() {
        assert_eq!(x509(KeySpec::Ed25519, HashType::Sha2_512, false), "300506032b6570");
        for (set, last) in [(MlDsaSet::MlDsa44, "11"), (MlDsaSet::MlDsa65, "12"), (MlDsaSet::MlDsa87, "13")] {
            let encoding = x509(KeySpec::MlDsa(set), HashType::Sha2_512, false);
            assert_eq!(encoding, format!("300b06096086480165030403{last}"));
        }
    }

    /// RFC 8702, 2: no parameters, and the arc 1.3.6.1.5.5.7.6.
    #[test]
    fn shake_has_names_of_its_own() {
        for (spec, hash, last) in [
            (RSA, HashType::Shake128, "1e"),
            (RSA, HashType::Shake256, "1f"),
            (RSA, HashType::Shake256_64, "1f"),
            (EC, HashType::Shake128, "20"),
            (EC, HashType::Shake256, "21"),
            (EC, HashType::Shake256_64, "21"),
        ] {
            assert_eq!(x509(spec, hash, false), format!("300a06082b060105050706{last}"));
        }
    }

    #[test]
    fn cms_names_pkcs1_v1_5_by_the_key_alone() {
        for (hash, pss, encoding) in [
            (HashType::Sha2_256, false, "300d06092a864886f70d0101010500".to_owned()),
            (HashType::Md5, false, "300d06092a864886f70d0101010500".to_owned()),
            (HashType::Sha2_256, true, x509(RSA, HashType::Sha2_256, true)),
            (HashType::Shake128, false, x509(RSA, HashType::Shake128, false)),
        ] {
            let scheme = SignatureScheme::for_key(RSA, hash, pss).unwrap();
            assert_eq!(hex::encode(scheme.cms_algorithm_identifier().to_der().unwrap()), encoding);
        }
    }

    #[test]
    fn digest_algorithms_have_parameters_only_where_cms_wants_them() {
        for (hash, encoding) in [
            (HashType::Md5, "300c06082a864886f70d02050500"),
            (HashType::RipeMd, "300906052b240302010500"),
            (HashType::Sha1, "300706052b0e03021a"),
            (HashType::Sha2_256, "300b0609608648016503040201"),
            (HashType::Sha3_512, "300b060960864801650304020a"),
            (HashType::Shake128, "300b060960864801650304020b"),
            (HashType::Shake256_64, "300b060960864801650304020c"),
        ] {
            let scheme = SignatureScheme::for_key(RSA, hash, false).unwrap();
            assert_eq!(hex::encode(scheme.digest_algorithm_identifier().to_der().unwrap()), encoding, "{hash}");
        }
    }
}
