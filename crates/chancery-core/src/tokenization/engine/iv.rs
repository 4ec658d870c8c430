//! Initialization vectors.

use chancery_keys::{XAES_NONCE_LEN, random};
use chancery_types::Base64;

/// An initialization vector of the length that the algorithm wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iv {
    /// A part of the tweak.
    Ff1([u8; 16]),
    /// The nonce of XAES-256-GCM.
    Xaes([u8; XAES_NONCE_LEN]),
}

/// Which initialization vectors a profile has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IvKind {
    Ff1,
    Xaes,
}

impl IvKind {
    /// A fresh one.
    pub(crate) fn draw(self) -> Iv {
        match self {
            Self::Ff1 => Iv::Ff1(random()),
            Self::Xaes => Iv::Xaes(random()),
        }
    }

    /// What was given, if it has the right length.
    pub(crate) fn read(self, given: &Base64) -> Option<Iv> {
        match self {
            Self::Ff1 => given.0.as_slice().try_into().ok().map(Iv::Ff1),
            Self::Xaes => given.0.as_slice().try_into().ok().map(Iv::Xaes),
        }
    }

    /// How many bytes they have.
    pub(crate) const fn length(self) -> usize {
        match self {
            Self::Ff1 => 16,
            Self::Xaes => XAES_NONCE_LEN,
        }
    }
}

impl Iv {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Ff1(bytes) => bytes,
            Self::Xaes(bytes) => bytes,
        }
    }

    /// As it is answered.
    pub(crate) fn to_wire(self) -> Base64 {
        Base64(self.as_bytes().to_vec())
    }
}
