//! Why a value is refused.

use std::fmt;

use crate::Error;

/// What a profile's rules find wrong with one value. It never carries the value or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadValue {
    /// More bytes than one value may have.
    TooLarge { bytes_max: usize },
    /// Fewer symbols than the format wants.
    TooShort { symbols: usize, min: usize },
    /// More symbols than the format wants.
    TooLong { symbols: usize, max: usize },
    /// The character at this position (from 0) is neither of the alphabet nor one that passes through.
    NotInAlphabet { position: usize },
    /// The check digit is wrong.
    Luhn,
    /// A token of this format stands for no message.
    NoSuchToken,
    /// The vault holds no such token, or not any more.
    NotInVault,
    /// Of so many tokens that the message could have, none is left.
    Full { tokens: u64 },
    /// A text is too short or too long.
    Length { characters: usize, min: usize, max: usize },
    /// What the vault holds of the token cannot be read: it was damaged or altered.
    Unreadable,
    /// The token, its initialization vector or its profile is not the one that it was made with.
    NotAuthentic,
    /// The token tells a key version whose tokens are not read.
    Version { version: u32, oldest: u32, newest: u32 },
    /// The token tells another key version than the call.
    OtherVersion { version: u32 },
    /// The initialization vector has not so many bytes.
    Iv { bytes: usize },
    /// Not track data.
    Track(BadTrack),
    /// It does not fit the pattern.
    Pattern(BadPattern),
}

/// What does not fit a pattern. Positions count the value's characters from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadPattern {
    /// A character that may not stand there, or stands after the end of the pattern.
    Unexpected { position: usize },
    /// The value ends before the pattern does.
    Ends,
    /// A group that begins here has too few or too many symbols.
    Length { position: usize, length: usize, min: usize, max: usize },
    /// The number that begins here is none of the pattern's.
    Number { position: usize },
    /// What begins here is no day of the pattern's range.
    Date { position: usize },
    /// The check digits of the IBAN are wrong.
    CheckDigits,
}

/// What is wrong with track data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadTrack {
    /// Neither track 1 nor track 2 nor both.
    Form,
    /// A character that the track cannot hold.
    Character,
    /// More characters than the track holds.
    TooLong { max: usize },
    /// No account number of 1 to 19 digits.
    AccountNumber,
    /// The two tracks have different account numbers.
    Different,
    /// The longitudinal redundancy check does not match.
    Lrc,
    /// The token has not as many digits as the account number, so the spaces in it have no place.
    Spaces,
}

impl BadValue {
    /// The refusal of the member at `field`.
    pub(crate) fn error(self, field: &str) -> Error {
        match self {
            Self::TooLarge { .. } => Error::too_large(field, self.to_string()),
            Self::Full { .. } => Error::state(self.to_string()).at(field),
            Self::Unreadable => Error::out_of_reach(self.to_string(), 10).at(field),
            Self::OtherVersion { .. } => Error::value("/keyVersion", self.to_string()),
            Self::TooShort { .. }
            | Self::TooLong { .. }
            | Self::NotInAlphabet { .. }
            | Self::Luhn
            | Self::Length { .. }
            | Self::NoSuchToken
            | Self::NotInVault
            | Self::NotAuthentic
            | Self::Version { .. }
            | Self::Iv { .. }
            | Self::Track(_)
            | Self::Pattern(_) => Error::value(field, self.to_string()),
        }
    }
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes_max } => write!(f, "A value has at most {bytes_max} bytes."),
            Self::TooShort { symbols, min } => {
                write!(f, "The value has {symbols} symbols of the alphabet; at least {min} are needed.")
            }
            Self::TooLong { symbols, max } => {
                write!(f, "The value has {symbols} symbols of the alphabet; at most {max} are accepted.")
            }
            Self::NotInAlphabet { position } => write!(
                f,
                "The character at position {position} (from 0) is neither in the alphabet nor in passThrough."
            ),
            Self::Luhn => f.write_str("The Luhn check digit is wrong."),
            Self::NoSuchToken => f.write_str("This profile never makes such a token."),
            Self::Unreadable => {
                f.write_str("What the vault holds of this token cannot be read; the server's log tells why.")
            }
            Self::NotInVault => f.write_str("There is no such token."),
            Self::Full { tokens } => write!(
                f,
                "Of the {tokens} tokens that the format has for this message nearly all are taken; a profile with a larger \
                 format has more."
            ),
            Self::Length { characters, min, max } => {
                write!(f, "The value has {characters} characters; {min} to {max} are accepted.")
            }
            Self::NotAuthentic => {
                f.write_str("The token was altered, or it or its iv belongs to another profile or another token.")
            }
            Self::Version { version, oldest, newest } => {
                write!(f, "The token tells key version {version}; the profile reads {oldest} to {newest}.")
            }
            Self::OtherVersion { version } => write!(f, "The token tells key version {version}, not the one named."),
            Self::Iv { bytes } => write!(f, "An initialization vector has {bytes} bytes here."),
            Self::Track(track) => track.fmt(f),
            Self::Pattern(pattern) => pattern.fmt(f),
        }
    }
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { position } => {
                write!(f, "The character at position {position} (from 0) is not what the pattern has there.")
            }
            Self::Ends => f.write_str("The value ends before the pattern does."),
            Self::Length { position, length, min, max } => write!(
                f,
                "The group at position {position} (from 0) has {length} symbols; the pattern accepts {min} to {max}."
            ),
            Self::Number { position } => {
                write!(f, "The number at position {position} (from 0) is none that the pattern accepts.")
            }
            Self::Date { position } => {
                write!(f, "At position {position} (from 0) there is no day of the range that the pattern accepts.")
            }
            Self::CheckDigits => f.write_str("The check digits of the IBAN are wrong."),
        }
    }
}

impl fmt::Display for BadTrack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str(
                "Not track data of ISO/IEC 7813: track 1 is %B<account>^<name>^<rest>?, track 2 is ;<account>=<rest>?.",
            ),
            Self::Character => f.write_str("The track data hold a character that the track cannot hold."),
            Self::TooLong { max } => write!(f, "The track holds at most {max} characters."),
            Self::AccountNumber => f.write_str("The account number has 1 to 19 digits."),
            Self::Different => f.write_str("Both tracks must have the same account number."),
            Self::Lrc => f.write_str("The check character after the end sentinel does not match."),
            Self::Spaces => f.write_str("The account number may hold spaces only where its token is as long as it."),
        }
    }
}
