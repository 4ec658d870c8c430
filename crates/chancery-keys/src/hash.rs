//! The hash functions of the interface.

use std::fmt;

use chancery_types::HashType;
use sha2::digest::{Digest as _, ExtendableOutput, Update, XofReader};

/// Length of the longest digest in bytes.
const MAX_LEN: usize = 64;

/// A digest together with the function that made it.
#[derive(Clone, Copy)]
pub struct Digest {
    hash: HashType,
    /// The digest, followed by zeros.
    bytes: [u8; MAX_LEN],
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
    /// A digest that was computed elsewhere.
    pub fn new(hash: HashType, digest: &[u8]) -> Result<Self, DigestLength> {
        if digest.len() != hash.digest_len() {
            return Err(DigestLength { hash, expected: hash.digest_len(), found: digest.len() });
        }
        Ok(Self::from_output(hash, digest))
    }

    fn from_output(hash: HashType, output: &[u8]) -> Self {
        let mut bytes = [0; MAX_LEN];
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
                let mut bytes = [0; MAX_LEN];
                state.finalize_xof().read(&mut bytes[..self.hash.digest_len()]);
                Digest { hash: self.hash, bytes }
            }
        )
    }
}
