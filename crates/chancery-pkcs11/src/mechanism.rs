//! The mechanisms, and the hashes that they know.

use chancery_types::HashType;
use cryptoki_sys::*;

use crate::failure::{Failure, Result};

/// How a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    RsaPkcs,
    RsaPss,
    Ecdsa,
    Eddsa,
}

/// What comes with a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameters {
    None,
    Pss { hash: CK_MECHANISM_TYPE, mask: CK_RSA_PKCS_MGF_TYPE, salt_len: usize },
    Eddsa { is_plain: bool },
}

pub(crate) struct Mechanism {
    pub(crate) code: CK_MECHANISM_TYPE,
    pub(crate) scheme: Scheme,
    /// What the module hashes with; nothing where the caller did, or where the message is signed as it is.
    pub(crate) hash: Option<HashType>,
}

const fn of(code: CK_MECHANISM_TYPE, scheme: Scheme, hash: Option<HashType>) -> Mechanism {
    Mechanism { code, scheme, hash }
}

pub(crate) const ALL: &[Mechanism] = &[
    of(CKM_RSA_PKCS, Scheme::RsaPkcs, None),
    of(CKM_SHA256_RSA_PKCS, Scheme::RsaPkcs, Some(HashType::Sha2_256)),
    of(CKM_SHA384_RSA_PKCS, Scheme::RsaPkcs, Some(HashType::Sha2_384)),
    of(CKM_SHA512_RSA_PKCS, Scheme::RsaPkcs, Some(HashType::Sha2_512)),
    of(CKM_RSA_PKCS_PSS, Scheme::RsaPss, None),
    of(CKM_SHA256_RSA_PKCS_PSS, Scheme::RsaPss, Some(HashType::Sha2_256)),
    of(CKM_SHA384_RSA_PKCS_PSS, Scheme::RsaPss, Some(HashType::Sha2_384)),
    of(CKM_SHA512_RSA_PKCS_PSS, Scheme::RsaPss, Some(HashType::Sha2_512)),
    of(CKM_ECDSA, Scheme::Ecdsa, None),
    of(CKM_ECDSA_SHA256, Scheme::Ecdsa, Some(HashType::Sha2_256)),
    of(CKM_ECDSA_SHA384, Scheme::Ecdsa, Some(HashType::Sha2_384)),
    of(CKM_ECDSA_SHA512, Scheme::Ecdsa, Some(HashType::Sha2_512)),
    of(CKM_EDDSA, Scheme::Eddsa, None),
];

pub(crate) fn find(code: CK_MECHANISM_TYPE) -> Result<&'static Mechanism> {
    ALL.iter().find(|mechanism| mechanism.code == code).ok_or_else(|| CKR_MECHANISM_INVALID.into())
}

impl Mechanism {
    pub(crate) const fn info(&self) -> CK_MECHANISM_INFO {
        let (min, max, flags) = match self.scheme {
            Scheme::RsaPkcs | Scheme::RsaPss => (2_048, 4_096, 0),
            Scheme::Ecdsa => (256, 521, CKF_EC_F_P | CKF_EC_NAMEDCURVE | CKF_EC_UNCOMPRESS),
            Scheme::Eddsa => (255, 255, CKF_EC_F_P | CKF_EC_NAMEDCURVE),
        };
        CK_MECHANISM_INFO { ulMinKeySize: min, ulMaxKeySize: max, flags: CKF_SIGN | flags }
    }

    /// The hash that is signed with: the mechanism's own or that of its parameters. `None` where only the data tells.
    pub(crate) fn hash_with(&self, parameters: Parameters) -> Result<Option<HashType>> {
        match (self.scheme, parameters) {
            (Scheme::RsaPss, Parameters::Pss { hash, mask, salt_len }) => {
                let named = Hash::ALL.iter().find(|known| known.mechanism == hash && known.mask == mask);
                let fits = |known: &&Hash| {
                    salt_len == known.hash.digest_len() && self.hash.is_none_or(|hash| hash == known.hash)
                };
                let refused = || {
                    let says = "PSS takes a hash of SHA-2, the same in its mask, and a salt as long as the digest";
                    Failure::new(CKR_MECHANISM_PARAM_INVALID, says)
                };
                named.filter(fits).map(|known| Some(known.hash)).ok_or_else(refused)
            }
            (Scheme::RsaPkcs | Scheme::Ecdsa, Parameters::None)
            | (Scheme::Eddsa, Parameters::None | Parameters::Eddsa { is_plain: true }) => Ok(self.hash),
            (Scheme::RsaPkcs | Scheme::RsaPss | Scheme::Ecdsa | Scheme::Eddsa, _) => {
                Err(CKR_MECHANISM_PARAM_INVALID.into())
            }
        }
    }
}

/// A hash, as the standard's parameters and a DigestInfo name it.
pub(crate) struct Hash {
    pub(crate) hash: HashType,
    mechanism: CK_MECHANISM_TYPE,
    mask: CK_RSA_PKCS_MGF_TYPE,
    /// What follows 2.16.840.1.101.3.4.2 in its identifier.
    arc: u8,
}

impl Hash {
    pub(crate) const ALL: [Self; 3] = [
        Self { hash: HashType::Sha2_256, mechanism: CKM_SHA256, mask: CKG_MGF1_SHA256, arc: 1 },
        Self { hash: HashType::Sha2_384, mechanism: CKM_SHA384, mask: CKG_MGF1_SHA384, arc: 2 },
        Self { hash: HashType::Sha2_512, mechanism: CKM_SHA512, mask: CKG_MGF1_SHA512, arc: 3 },
    ];

    /// What stands before the digest in a DigestInfo (RFC 8017, 9.2, note 1).
    const fn prefix(&self) -> [u8; 19] {
        let len = self.hash.digest_len() as u8;
        [0x30, 17 + len, 0x30, 0x0d, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, self.arc, 5, 0, 4, len]
    }
}

/// Hash and digest of a DigestInfo, which has to be as the server will write it again.
pub(crate) fn digest_info(data: &[u8]) -> Option<(HashType, &[u8])> {
    let read = |known: &Hash| Some((known.hash, data.strip_prefix(&known.prefix())?));
    Hash::ALL.iter().find_map(read).filter(|(hash, digest)| digest.len() == hash.digest_len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_info_is_read_as_the_standard_writes_it() {
        // RFC 8017, 9.2, note 1.
        for (prefix, hash) in [
            ("3031300d060960864801650304020105000420", HashType::Sha2_256),
            ("3041300d060960864801650304020205000430", HashType::Sha2_384),
            ("3051300d060960864801650304020305000440", HashType::Sha2_512),
        ] {
            let digest = vec![7; hash.digest_len()];
            let whole = [hex::decode(prefix).expect("hexadecimal"), digest.clone()].concat();
            assert_eq!(digest_info(&whole), Some((hash, &*digest)));
            assert_eq!(digest_info(&whole[..whole.len() - 1]), None);
            assert_eq!(digest_info(&[&*whole, &[0]].concat()), None);
            assert_eq!(digest_info(&digest), None);
        }
    }

    #[test]
    fn parameters_are_what_the_server_does() {
        let pss = |code, hash, mask, salt_len| {
            find(code).expect("a mechanism").hash_with(Parameters::Pss { hash, mask, salt_len }).map_err(|e| e.code())
        };
        let sha256 = |salt_len| pss(CKM_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA256, salt_len);
        assert_eq!(sha256(32), Ok(Some(HashType::Sha2_256)));
        assert_eq!(sha256(20), Err(CKR_MECHANISM_PARAM_INVALID));
        for (code, hash, mask) in [
            (CKM_SHA384_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA256),
            (CKM_RSA_PKCS_PSS, CKM_SHA256, CKG_MGF1_SHA1),
            (CKM_RSA_PKCS, CKM_SHA256, CKG_MGF1_SHA256),
        ] {
            assert_eq!(pss(code, hash, mask, 32), Err(CKR_MECHANISM_PARAM_INVALID));
        }
        let eddsa = find(CKM_EDDSA).expect("a mechanism");
        assert_eq!(eddsa.hash_with(Parameters::Eddsa { is_plain: true }).expect("plain"), None);
        assert!(eddsa.hash_with(Parameters::Eddsa { is_plain: false }).is_err());
        assert!(find(CKM_RSA_PKCS_PSS).expect("a mechanism").hash_with(Parameters::None).is_err());
    }
}
