//! Why a key, a shape or a value was refused.

use core::fmt;

/// Why something was refused. A value that was refused is left as it was.
///
/// Positions count symbols from the start of the value, from 0. No variant carries a symbol, a digit or a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An AES key is 16, 24 or 32 bytes long; this many were given.
    KeyLength(usize),
    /// A radix is 2..=65536.
    Radix(u32),
    /// `radix^length` is below 1,000,000, the smallest domain that SP 800-38G Rev. 1 allows.
    DomainTooSmall {
        /// Size of the alphabet.
        radix: u32,
        /// Symbols in the value.
        length: usize,
    },
    /// SP 800-38G encodes the length in 32 bits; this one does not fit.
    TooLong {
        /// Symbols in the value.
        length: usize,
    },
    /// SP 800-38G encodes the tweak's length in 32 bits; this one does not fit.
    TweakTooLong {
        /// Bytes in the whole tweak, prefix included.
        length: usize,
    },
    /// The digit at this position is not below the radix.
    DigitOutOfRange {
        /// Index of the digit.
        position: usize,
    },
    /// The byte at this position is not a symbol of the alphabet.
    NotInAlphabet {
        /// Index of the byte.
        position: usize,
    },
    /// An alphabet is 2..=95 distinct printable ASCII characters (0x20..=0x7E).
    Alphabet,
    /// An item of a batch points outside the buffers.
    OutOfBounds,
    /// The kernel asked for, by the caller or by `CHANCERY_FF1_KERNEL`, is unknown or not on this machine.
    Kernel,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::KeyLength(bytes) => write!(f, "an AES key has 16, 24 or 32 bytes, not {bytes}"),
            Self::Radix(radix) => write!(f, "radix {radix} is outside 2..=65536"),
            Self::DomainTooSmall { radix, length } => {
                write!(f, "radix {radix} with length {length} has fewer than 1,000,000 values")
            }
            Self::TooLong { length } => write!(f, "length {length} does not fit 32 bits"),
            Self::TweakTooLong { length } => write!(f, "a tweak of {length} bytes does not fit 32 bits"),
            Self::DigitOutOfRange { position } => write!(f, "the digit at {position} is not below the radix"),
            Self::NotInAlphabet { position } => write!(f, "the byte at {position} is not in the alphabet"),
            Self::Alphabet => write!(f, "an alphabet is 2 to 95 distinct printable ASCII characters"),
            Self::OutOfBounds => write!(f, "the item points outside the buffers"),
            Self::Kernel => write!(f, "no such kernel on this machine"),
        }
    }
}

impl core::error::Error for Error {}
