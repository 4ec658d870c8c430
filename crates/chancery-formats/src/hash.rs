//! The hashes of signatures inside files: what Windows and Java both take today.

use sha2::{Digest as _, Sha256, Sha384, Sha512};

/// A hash that a file is signed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl Hash {
    pub(crate) const ALL: [Self; 3] = [Self::Sha256, Self::Sha384, Self::Sha512];

    /// As JARs name it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
        }
    }

    pub(crate) fn begin(self) -> Running {
        match self {
            Self::Sha256 => Running::Sha256(Sha256::new()),
            Self::Sha384 => Running::Sha384(Sha384::new()),
            Self::Sha512 => Running::Sha512(Sha512::new()),
        }
    }

    pub(crate) fn of(self, message: &[u8]) -> Vec<u8> {
        let mut running = self.begin();
        running.update(message);
        running.finish()
    }
}

/// A running hash.
pub(crate) enum Running {
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
}

impl Running {
    pub(crate) fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Sha256(hash) => hash.update(piece),
            Self::Sha384(hash) => hash.update(piece),
            Self::Sha512(hash) => hash.update(piece),
        }
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        match self {
            Self::Sha256(hash) => hash.finalize().to_vec(),
            Self::Sha384(hash) => hash.finalize().to_vec(),
            Self::Sha512(hash) => hash.finalize().to_vec(),
        }
    }
}
