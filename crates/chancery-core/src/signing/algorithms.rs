//! Which formats, hashes and keys go together, checked once, when a service is deployed.

use chancery_keys::{KeySpec, SignatureScheme};
use chancery_types::{HashType, KeyAlgorithm, SigningFormat};

use super::embedded;
use crate::{Error, Result};

/// How a service is to sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The form of the signatures.
    pub(crate) format: SigningFormat,
    /// The hash of the content.
    pub(crate) hash: HashType,
    /// Whether RSA signs with PSS.
    pub(crate) rsa_pss: bool,
    /// Whether signatures carry a time stamp. Not for bare ones, which have no room for it: see `Terms::read`.
    pub(crate) time_stamp: bool,
}

impl Choice {
    /// Checks that it goes together with a kind of key.
    ///
    /// # Errors
    /// InvalidSelection where no standard defines it, or where hardened mode does not allow it, naming what would be
    /// accepted; InvalidValue for PSS with a key other than RSA. The fields are those of the member `pkisigning`.
    pub(crate) fn check(self, spec: KeySpec, hardened: bool) -> Result<SignatureScheme> {
        if embedded::container(self.format).is_some() {
            self.check_embedded(spec)?;
        }
        if self.rsa_pss && spec.algorithm() != KeyAlgorithm::Rsa {
            return Err(Error::value("/rsaPss", format!("rsaPss is for RSA keys, and the key is {spec}.")));
        }
        let scheme = SignatureScheme::for_key(spec, self.hash, self.rsa_pss).map_err(|unsupported| {
            let allowed: Vec<_> = unsupported
                .allowed
                .iter()
                .filter(|hash| !(hardened && hash.is_weak()))
                .map(|hash| hash.as_str())
                .collect();
            let with = if self.rsa_pss { " with rsaPss" } else { "" };
            let message =
                format!("{} is not defined for {spec} keys{with}; allowed: {}.", self.hash, allowed.join(", "));
            Error::selection("/hashAlgorithm", message)
        })?;
        if hardened && self.hash.is_weak() {
            let message = format!("{} is too weak for this installation, which is in hardened mode.", self.hash);
            return Err(Error::selection("/hashAlgorithm", message));
        }
        Ok(scheme)
    }

    /// What Windows and Java take inside their files.
    fn check_embedded(self, spec: KeySpec) -> Result<()> {
        let format = self.format;
        if !matches!(spec.algorithm(), KeyAlgorithm::Rsa | KeyAlgorithm::Ec) {
            let message = format!("{format} takes signatures of RSA and EC keys, and the key is {spec}.");
            return Err(Error::selection("/signingFormat", message));
        }
        if self.rsa_pss {
            return Err(Error::value("/rsaPss", format!("{format} takes RSA signatures by PKCS#1 v1.5 only.")));
        }
        if !embedded::HASHES.contains(&self.hash) {
            let allowed = embedded::HASHES.map(HashType::as_str).join(", ");
            let message = format!("{} is not taken with {format}; allowed: {allowed}.", self.hash);
            return Err(Error::selection("/hashAlgorithm", message));
        }
        Ok(())
    }

    /// What somebody should know about the choice.
    pub(crate) fn warnings(self) -> Vec<String> {
        if self.hash.is_weak() {
            return vec![format!(
                "hashAlgorithm {} is weak: two files with the same digest can be made, and a signature on one is then \
                 a signature on the other.",
                self.hash
            )];
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use chancery_types::Curve;

    use super::*;
    use crate::Meaning;

    fn check(spec: KeySpec, hash: HashType, rsa_pss: bool, hardened: bool) -> Result<SignatureScheme> {
        Choice { format: SigningFormat::Cms, hash, rsa_pss, time_stamp: false }.check(spec, hardened)
    }

    fn allowed(spec: KeySpec, rsa_pss: bool, hardened: bool) -> String {
        let hashes = HashType::ALL.iter().filter(|hash| check(spec, **hash, rsa_pss, hardened).is_ok());
        hashes.map(|hash| hash.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_table_of_the_standards() {
        const SHA_2_3: &str = "Sha2_224 Sha2_256 Sha2_384 Sha2_512 Sha3_224 Sha3_256 Sha3_384 Sha3_512";
        const SHAKE: &str = "Shake128 Shake256 Shake256_64";
        let rsa = KeySpec::ALL[1];
        assert_eq!(rsa.algorithm(), KeyAlgorithm::Rsa);
        assert_eq!(allowed(rsa, false, false), format!("Md5 RipeMd Sha1 {SHA_2_3} {SHAKE}"));
        assert_eq!(allowed(rsa, true, false), format!("Sha1 {SHA_2_3} {SHAKE}"));
        assert_eq!(allowed(rsa, false, true), format!("{SHA_2_3} {SHAKE}"));
        assert_eq!(allowed(KeySpec::Ec(Curve::P256), false, false), format!("Sha1 {SHA_2_3} {SHAKE}"));
        assert_eq!(allowed(KeySpec::Ed25519, false, true), "Sha2_512");
        assert_eq!(allowed(KeySpec::Hmac256, false, false), "");
    }

    #[test]
    fn refusals_name_the_member_and_what_would_be_accepted() {
        let refusal = check(KeySpec::Ed25519, HashType::Sha2_256, false, false).unwrap_err();
        assert_eq!((refusal.meaning(), refusal.field()), (Meaning::Selection, Some("/hashAlgorithm")));
        assert_eq!(refusal.message(), "Sha2_256 is not defined for Ed25519 keys; allowed: Sha2_512.");
        let refusal = check(KeySpec::Ec(Curve::P256), HashType::Md5, false, true).unwrap_err();
        assert!(!refusal.message().contains("Sha1"), "{refusal}");
        let refusal = check(KeySpec::Ed25519, HashType::Sha2_512, true, false).unwrap_err();
        assert_eq!((refusal.meaning(), refusal.field()), (Meaning::Value, Some("/rsaPss")));
        let jar =
            Choice { format: SigningFormat::JavaJar, hash: HashType::Sha2_512, rsa_pss: false, time_stamp: false };
        let refusal = jar.check(KeySpec::Ed25519, false).unwrap_err();
        assert_eq!(refusal.message(), "JavaJar takes signatures of RSA and EC keys, and the key is Ed25519.");
        let p256 = |hash, rsa_pss| {
            Choice { format: SigningFormat::Msi, hash, rsa_pss, time_stamp: false }
                .check(KeySpec::Ec(Curve::P256), false)
        };
        assert_eq!(p256(HashType::Sha3_256, false).unwrap_err().field(), Some("/hashAlgorithm"));
        assert_eq!(p256(HashType::Sha2_256, true).unwrap_err().field(), Some("/rsaPss"));
        p256(HashType::Sha2_384, false).unwrap();
    }
}
