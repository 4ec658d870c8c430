//! What can go wrong with keys. None of these texts holds a secret.

use thiserror::Error;

use crate::{KeySpec, Purpose};

/// The cryptographic library refused an operation that cannot fail on sound input: memory is exhausted, or a fault
/// was detected (a signature that does not verify is never given out).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the cryptographic library failed")]
pub struct Failed;

impl From<aws_lc_rs::error::Unspecified> for Failed {
    fn from(_: aws_lc_rs::error::Unspecified) -> Self {
        Self
    }
}

/// Why a key cannot be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GenerateError {
    /// A key of this kind does not serve this purpose.
    #[error("a key of kind {spec} cannot serve the purpose {purpose}")]
    Unfit {
        /// The kind asked for.
        spec: KeySpec,
        /// The purpose asked for.
        purpose: Purpose,
    },
    /// The library failed.
    #[error(transparent)]
    Failed(#[from] Failed),
}

/// Why something sealed does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// Too short, or of a format this version does not know.
    #[error("not a sealed value of a known format")]
    Format,
    /// It was sealed under another root key.
    #[error("sealed under another root key than the one loaded")]
    OtherRootKey,
    /// The seal is broken: the bytes were changed, or they belong to another key id, version, purpose, kind or row.
    #[error("the seal is broken: altered, or moved from another row")]
    Broken,
    /// The key's purpose is another.
    #[error("a key for {found} was to be opened for {expected}")]
    Purpose {
        /// The purpose it was opened for.
        expected: Purpose,
        /// The purpose it was made for.
        found: Purpose,
    },
    /// The seal is whole, but what it holds is not a key of the stated kind.
    #[error("not a valid key of its kind")]
    Unusable,
}

/// Why nothing was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SignError {
    /// The scheme is for another kind of key.
    #[error("the signature scheme is for another kind of key")]
    WrongKey,
    /// The digest was made by another hash than the scheme's.
    #[error("the digest is of another hash than the signature scheme's")]
    WrongDigest,
    /// Ed25519 and ML-DSA sign messages, not digests.
    #[error("this signature scheme signs messages, not digests")]
    NeedsMessage,
    /// The key is too short for this hash.
    #[error("the key is too short for this hash")]
    KeyTooShort,
    /// The library failed.
    #[error(transparent)]
    Failed(#[from] Failed),
}

impl From<aws_lc_rs::error::Unspecified> for SignError {
    fn from(error: aws_lc_rs::error::Unspecified) -> Self {
        Self::Failed(error.into())
    }
}
