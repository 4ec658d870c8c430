//! Keys as they are stored.

use std::{fmt, str::FromStr};

use chancery_types::{KeyId, UnknownSpelling};

use crate::KeySpec;

/// What a key is for. It is fixed when the key is made, and a key opens for nothing else; which of a purpose's
/// operations are allowed at the moment (`usages`) is a rule, kept and checked elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Signatures over certificates, CRLs and content.
    Sign,
    /// Tokens: FF1, HMAC, AEAD.
    Data,
    /// Bearer tokens.
    Bearer,
    /// Checkpoints of the transparency log.
    Log,
    /// Checkpoints of the audit ledger.
    Ledger,
    /// The MACs of the database's rows.
    Rows,
    /// The tags and MACs of a journal of the data plane.
    Journal,
    /// Certificates of the nodes' own TLS sockets.
    Transport,
}

/// The keys with which an installation signs for itself, whoever asks. The database keeps them, always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnKey {
    /// Of the transparency log.
    Log,
    /// Of the audit ledger.
    Ledger,
    /// Of the authority of the nodes' own TLS sockets.
    Transport,
}

impl OwnKey {
    /// What such a key is sealed for.
    #[must_use]
    pub const fn purpose(self) -> Purpose {
        match self {
            Self::Log => Purpose::Log,
            Self::Ledger => Purpose::Ledger,
            Self::Transport => Purpose::Transport,
        }
    }
}

impl Purpose {
    const ALL: [Self; 8] =
        [Self::Sign, Self::Data, Self::Bearer, Self::Log, Self::Ledger, Self::Rows, Self::Journal, Self::Transport];

    /// The spelling in the store, and part of what a seal binds: it never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sign => "Sign",
            Self::Data => "Data",
            Self::Bearer => "Bearer",
            Self::Log => "Log",
            Self::Ledger => "Ledger",
            Self::Rows => "Rows",
            Self::Journal => "Journal",
            Self::Transport => "Transport",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Purpose {
    type Err = UnknownSpelling;

    fn from_str(text: &str) -> Result<Self, UnknownSpelling> {
        Self::ALL.into_iter().find(|purpose| purpose.as_str() == text).ok_or(UnknownSpelling)
    }
}

/// Which key it is: everything that its seal binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRef {
    /// The key.
    pub id: KeyId,
    /// Its version, from 1.
    pub version: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// Its kind.
    pub spec: KeySpec,
}

impl KeyRef {
    /// The associated data of the seal: id ‖ version (big-endian) ‖ purpose ‖ 0 ‖ kind. No two references give the same
    /// bytes, since the first two have fixed lengths and no spelling contains a zero byte. Part of the stored format.
    pub(crate) fn associated_data(&self) -> Vec<u8> {
        let Self { id, version, purpose, spec } = self;
        [id.as_bytes(), &version.to_be_bytes()[..], purpose.as_str().as_bytes(), &[0], spec.as_str().as_bytes()]
            .concat()
    }
}

/// A key that only the [`Custodian`](crate::Custodian) can open: the form in which keys are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedKey {
    key: KeyRef,
    bytes: Vec<u8>,
}

impl SealedKey {
    /// A sealed key as read from the store. Where the parts do not belong together, it will not open.
    #[must_use]
    pub const fn from_parts(key: KeyRef, bytes: Vec<u8>) -> Self {
        Self { key, bytes }
    }

    /// Which key it is.
    #[must_use]
    pub const fn key(&self) -> &KeyRef {
        &self.key
    }

    /// The sealed bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The sealed bytes, to be stored.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
