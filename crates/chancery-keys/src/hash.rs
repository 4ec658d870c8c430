//! Computing digests, at once or in pieces, with every function of `HashType`.

use std::fmt;

use chancery_types::HashType;
use sha2::digest::{Digest as _, ExtendableOutput, Update, XofReader};

/// A digest together with the function that made it.
#[derive(Clone, Copy)]
pub struct Digest {
    hash: HashType,
    /// The digest, followed by zeros.
    bytes: [u8; Digest::MAX_LEN],
}

/// Bytes that are not as long as a digest of the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest of {hash} has {expected} bytes, not {found}")]
pub struct DigestLength {
    /// The hash.
    pub hash: HashType,
    /// Bytes of its digests.
    pub expected: usize,
    /// Bytes given.
    pub found: usize,
}

impl Digest {
    /// Length of the longest digest in bytes.
    pub const MAX_LEN: usize = 64;

    /// A digest that was computed elsewhere.
    pub fn new(hash: HashType, digest: &[u8]) -> Result<Self, DigestLength> {
        if digest.len() != hash.digest_len() {
            return Err(DigestLength { hash, expected: hash.digest_len(), found: digest.len() });
        }
        Ok(Self::from_output(hash, digest))
    }

    fn from_output(hash: HashType, output: &[u8]) -> Self {
        let mut bytes = [0; Digest::MAX_LEN];
        bytes[..output.len()].copy_from_slice(output);
        Self { hash, bytes }
    }

    /// The function it was made by.
    #[must_use]
    pub const fn hash(&self) -> HashType {
        self.hash
    }

    /// The digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.hash.digest_len()]
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.hash)?;
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The digest of a message.
#[must_use]
pub fn hash(hash: HashType, message: &[u8]) -> Digest {
    let mut hasher = Hasher::new(hash);
    hasher.update(message);
    hasher.finish()
}

/// A hash over a message that comes in pieces.
#[derive(Clone)]
pub struct Hasher {
    hash: HashType,
    state: State,
}

/// One state for each function. `Shake256` and `Shake256_64` are the same one (RFC 8702 fixes 64 bytes).
#[derive(Clone)]
enum State {
    Md5(md5::Md5),
    Ripemd160(ripemd::Ripemd160),
    Sha1(sha1::Sha1),
    Sha2_224(sha2::Sha224),
    Sha2_256(sha2::Sha256),
    Sha2_384(sha2::Sha384),
    Sha2_512(sha2::Sha512),
    Sha3_224(sha3::Sha3_224),
    Sha3_256(sha3::Sha3_256),
    Sha3_384(sha3::Sha3_384),
    Sha3_512(sha3::Sha3_512),
    Shake128(shake::Shake128),
    Shake256(shake::Shake256),
}

/// Runs `$body` on the state inside, whichever it is.
macro_rules! each {
    ($state:expr, fixed $fixed:ident => $body:expr, shake $xof:ident => $xof_body:expr) => {
        match $state {
            State::Md5($fixed) => $body,
            State::Ripemd160($fixed) => $body,
            State::Sha1($fixed) => $body,
            State::Sha2_224($fixed) => $body,
            State::Sha2_256($fixed) => $body,
            State::Sha2_384($fixed) => $body,
            State::Sha2_512($fixed) => $body,
            State::Sha3_224($fixed) => $body,
            State::Sha3_256($fixed) => $body,
            State::Sha3_384($fixed) => $body,
            State::Sha3_512($fixed) => $body,
            State::Shake128($xof) => $xof_body,
            State::Shake256($xof) => $xof_body,
        }
    };
}

impl Hasher {
    /// A hash of nothing yet.
    #[must_use]
    pub fn new(hash: HashType) -> Self {
        let state = match hash {
            HashType::Md5 => State::Md5(Default::default()),
            HashType::RipeMd => State::Ripemd160(Default::default()),
            HashType::Sha1 => State::Sha1(Default::default()),
            HashType::Sha2_224 => State::Sha2_224(Default::default()),
            HashType::Sha2_256 => State::Sha2_256(Default::default()),
            HashType::Sha2_384 => State::Sha2_384(Default::default()),
            HashType::Sha2_512 => State::Sha2_512(Default::default()),
            HashType::Sha3_224 => State::Sha3_224(Default::default()),
            HashType::Sha3_256 => State::Sha3_256(Default::default()),
            HashType::Sha3_384 => State::Sha3_384(Default::default()),
            HashType::Sha3_512 => State::Sha3_512(Default::default()),
            HashType::Shake128 => State::Shake128(Default::default()),
            HashType::Shake256 | HashType::Shake256_64 => State::Shake256(Default::default()),
        };
        Self { hash, state }
    }

    /// The next piece of the message.
    pub fn update(&mut self, piece: &[u8]) {
        each!(&mut self.state, fixed state => Update::update(state, piece), shake state => state.update(piece));
    }

    /// The digest of all pieces.
    #[must_use]
    pub fn finish(self) -> Digest {
        each!(self.state,
            fixed state => Digest::from_output(self.hash, &state.finalize()),
            shake state => {
                let mut bytes = [0; Digest::MAX_LEN];
                state.finalize_xof().read(&mut bytes[..self.hash.digest_len()]);
                Digest { hash: self.hash, bytes }
            }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests of "abc" and of a million times "a", the examples that NIST and the functions' authors give, SHAKE at
    /// the lengths of RFC 8702.
    const EXAMPLES: [(HashType, &str, &str); 13] = [
        (HashType::Md5, "900150983cd24fb0d6963f7d28e17f72", "7707d6ae4e027c70eea2a935c2296f21"),
        (HashType::RipeMd, "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc", "52783243c1697bdbe16d37f97f68f08325dc1528"),
        (HashType::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d", "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        (
            HashType::Sha2_224,
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
            "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67",
        ),
        (
            HashType::Sha2_256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ),
        (
            HashType::Sha2_384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985",
        ),
        (
            HashType::Sha2_512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
             454d4423643ce80e2a9ac94fa54ca49f",
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31b\
             eb009c5c2c49aa2e4eadb217ad8cc09b",
        ),
        (
            HashType::Sha3_224,
            "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf",
            "d69335b93325192e516a912e6d19a15cb51c6ed5c15243e7a7fd653c",
        ),
        (
            HashType::Sha3_256,
            "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
            "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1",
        ),
        (
            HashType::Sha3_384,
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
            "eee9e24d78c1855337983451df97c8ad9eedf256c6334f8e948d252d5e0e76847aa0774ddb90a842190d2c558b4b8340",
        ),
        (
            HashType::Sha3_512,
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e39340\
             57340b4cf408d5a56592f8274eec53f0",
            "3c3a876da14034ab60627c077bb98f7e120a2a5370212dffb3385a18d4f38859ed311d0a9d5141ce9cc5c66ee689b266\
             a8aa18ace8282a0e0db596c90b0a7b87",
        ),
        (
            HashType::Shake128,
            "5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8",
            "9d222c79c4ff9d092cf6ca86143aa411e369973808ef97093255826c5572ef58",
        ),
        (
            HashType::Shake256,
            "483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739d5a15bef186a5386c75744c0527e1faa\
             9f8726e462a12a4feb06bd8801e751e4",
            "3578a7a4ca9137569cdf76ed617d31bb994fca9c1bbf8b184013de8234dfd13a3fd124d4df76c0a539ee7dd2f6e1ec34\
             6124c815d9410e145eb561bcd97b18ab",
        ),
    ];

    #[test]
    fn examples_of_every_function() {
        for (hash_type, abc, million) in EXAMPLES {
            assert_eq!(hex::encode(hash(hash_type, b"abc").as_bytes()), abc, "{hash_type}");
            let mut hasher = Hasher::new(hash_type);
            // Pieces of 999 bytes cross every block at another place.
            [b'a'; 1_000_000].chunks(999).for_each(|piece| hasher.update(piece));
            assert_eq!(hex::encode(hasher.finish().as_bytes()), million, "{hash_type}");
        }
    }

    #[test]
    fn the_two_names_of_shake256_are_one_function() {
        assert_eq!(hash(HashType::Shake256_64, b"abc").as_bytes(), hash(HashType::Shake256, b"abc").as_bytes());
    }

    #[test]
    fn a_digest_from_outside_has_the_hashs_length() {
        for hash_type in HashType::ALL.iter().copied() {
            let expected = hash_type.digest_len();
            let digest = Digest::new(hash_type, &vec![7; expected]).unwrap();
            assert_eq!((digest.hash(), digest.as_bytes()), (hash_type, &vec![7; expected][..]));
            for found in [0, expected - 1, expected + 1, 2 * expected] {
                let refused = Digest::new(hash_type, &vec![7; found]).unwrap_err();
                assert_eq!(refused, DigestLength { hash: hash_type, expected, found });
            }
        }
    }

    #[test]
    fn debug_names_the_function() {
        assert_eq!(format!("{:?}", hash(HashType::Sha1, b"abc")), "Sha1:a9993e364706816aba3e25717850c26c9cd0d89d");
    }
}
