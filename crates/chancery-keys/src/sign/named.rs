//! Signature algorithms as others name them in certificates, revocation lists and CMS: also in forms that we never write.

use chancery_types::{Curve, HashType};
use spki::AlgorithmIdentifierOwned;

use super::{
    Input, SignatureScheme,
    identifier::{self, RSA_ENCRYPTION},
    scheme::Method,
    verify,
};
use crate::{KeySpec, MlDsaSet, RsaSize, VerifyError};

/// One kind of key for each method; that of RSA and EC keys is the same for all their sizes.
const KINDS: [KeySpec; 6] = [
    KeySpec::Rsa(RsaSize::Bits2048),
    KeySpec::Ec(Curve::P256),
    KeySpec::Ed25519,
    KeySpec::MlDsa(MlDsaSet::MlDsa44),
    KeySpec::MlDsa(MlDsaSet::MlDsa65),
    KeySpec::MlDsa(MlDsaSet::MlDsa87),
];

/// A signature algorithm that somebody named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedAlgorithm {
    scheme: SignatureScheme,
    /// The salt of RSASSA-PSS, in bytes.
    salt_len: Option<usize>,
}

impl NamedAlgorithm {
    /// What a `signatureAlgorithm` stands for. `digest` is what stands beside it in CMS (`digestAlgorithm`), which plain
    /// rsaEncryption needs and which nothing may contradict. `None` for what is not known, or defined by no standard.
    #[must_use]
    pub fn read(algorithm: &AlgorithmIdentifierOwned, digest: Option<HashType>) -> Option<Self> {
        if let Some((hash, salt_len)) = identifier::read_rsa_pss(algorithm) {
            let scheme = SignatureScheme::defined(KINDS[0], hash, true)?;
            return digest.is_none_or(|digest| digest == hash).then_some(Self { scheme, salt_len: Some(salt_len) });
        }
        let hashes = HashType::ALL.iter().copied().filter(|hash| digest.is_none_or(|digest| digest == *hash));
        let mut all = hashes.flat_map(|hash| KINDS.map(|kind| SignatureScheme::defined(kind, hash, false))).flatten();
        let scheme = all.find(|scheme| is_named(*scheme, algorithm, digest.is_some()))?;
        Some(Self { scheme, salt_len: None })
    }

    /// The hash that is part of the signature; none for Ed25519 and ML-DSA, which hash as they need.
    #[must_use]
    pub const fn hash(&self) -> Option<HashType> {
        if self.scheme.signs_digests() { Some(self.scheme.hash()) } else { None }
    }

    /// Whether it is RSASSA-PSS, by its parameters or, over SHAKE, by a name of its own.
    #[must_use]
    pub const fn is_rsa_pss(&self) -> bool {
        matches!(self.scheme.method(), Method::RsaPss)
    }

    /// Verifies a signature over a message; `public_key` is a SubjectPublicKeyInfo in DER.
    ///
    /// # Errors
    /// [`VerifyError`] where the key is none for this algorithm, or the signature is wrong.
    pub fn verify(&self, public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), VerifyError> {
        match self.salt_len {
            Some(salt_len) => verify::verify_pss(public_key, self.scheme.hash(), salt_len, message, signature),
            None => verify::verify(public_key, self.scheme, Input::Message(message), signature),
        }
    }
}

/// The hash that a `digestAlgorithm` names.
#[must_use]
pub fn named_hash(algorithm: &AlgorithmIdentifierOwned) -> Option<HashType> {
    let bare = algorithm.parameters.as_ref().is_none_or(|parameters| parameters.is_null());
    HashType::ALL.iter().copied().find(|known| bare && identifier::hash(*known) == algorithm.oid)
}

/// "Implementations MUST accept the parameters being absent as well as present" (RFC 4055, 5, of RSA by PKCS#1 v1.5).
fn is_named(scheme: SignatureScheme, algorithm: &AlgorithmIdentifierOwned, in_cms: bool) -> bool {
    let is_pkcs1 = scheme.method() == Method::RsaPkcs1;
    let names =
        scheme.algorithm_identifier().oid == algorithm.oid || is_pkcs1 && in_cms && algorithm.oid == RSA_ENCRYPTION;
    let fits = match &algorithm.parameters {
        None => scheme.algorithm_identifier().parameters.is_none() || is_pkcs1,
        Some(parameters) => is_pkcs1 && parameters.is_null(),
    };
    names && fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pss_is_told_from_pkcs_1_and_from_other_keys() {
        let (rsa, ec) = (KeySpec::Rsa(RsaSize::Bits3072), KeySpec::Ec(Curve::P256));
        for (spec, hash, pss, is_pss) in [
            (rsa, HashType::Sha2_256, false, false),
            (rsa, HashType::Sha2_256, true, true),
            (rsa, HashType::Shake128, false, true),
            (rsa, HashType::Shake256, true, true),
            (ec, HashType::Sha2_256, false, false),
        ] {
            let scheme = SignatureScheme::for_key(spec, hash, pss).unwrap();
            let named = NamedAlgorithm::read(&scheme.cms_algorithm_identifier(), Some(hash)).unwrap();
            assert_eq!(named.is_rsa_pss(), is_pss, "{spec:?} {hash} {pss}");
        }
    }
}
