//! Why somebody is refused whom a directory was asked about.

use chancery_ldap::Refusal;

use super::super::{claims::TokenRefusal, trusted::Refused};

/// Why a login by a directory was refused. Whoever logs in is told only that it was; audit records and the log say this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LdapRefusal {
    /// The directory was not asked: too many wrong passwords came for the name from this address.
    Delayed,
    /// The directory has no such entry.
    NoEntry,
    /// It has several.
    SeveralEntries,
    /// It does not take the password, or the account may not be used there.
    Password,
    /// The entry does not say who it is for ever.
    NoId,
    /// The password is right, and the one-time code is not.
    Totp,
}

impl LdapRefusal {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Delayed => "Delayed",
            Self::NoEntry => "NoEntry",
            Self::SeveralEntries => "SeveralEntries",
            Self::Password => "Password",
            Self::NoId => "NoId",
            Self::Totp => "Totp",
        }
    }
}

impl From<&Refusal> for LdapRefusal {
    fn from(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::NoEntry => Self::NoEntry,
            Refusal::SeveralEntries => Self::SeveralEntries,
            Refusal::Bind(_) => Self::Password,
            Refusal::NoId => Self::NoId,
        }
    }
}

impl From<LdapRefusal> for TokenRefusal {
    fn from(why: LdapRefusal) -> Self {
        Self::Ldap(why)
    }
}

impl From<LdapRefusal> for Refused {
    fn from(why: LdapRefusal) -> Self {
        TokenRefusal::from(why).into()
    }
}
