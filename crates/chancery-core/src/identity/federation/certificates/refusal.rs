//! Why a client certificate is refused.

use chancery_verify::path::{Breach, Crl, NotTrusted};

use super::super::{claims::TokenRefusal, trusted::Refused};

/// Why a client certificate was refused. Whoever shows it is told only that it was; audit records and the log say this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CertificateRefusal {
    /// The connection has shown none.
    NotShown,
    /// What was shown is no certificate.
    Malformed,
    /// It is an authority's.
    IsAuthority,
    /// No authority of this name is trusted here.
    Issuer,
    /// It does not lead to the authority that is trusted: another one has the same name.
    Untrusted,
    /// The trusted authority of this installation is not there any more as it was, or has not issued it.
    NotIssuedHere,
    /// It was issued here before its names were bound to somebody: whoever asked for it need not have held as much.
    BoundLater,
    /// It, or an authority above it, has expired or is not valid yet.
    Validity,
    /// Signed over a broken hash, or with a short RSA key.
    Weak,
    /// Not for authenticating clients (extendedKeyUsage, keyUsage).
    Purpose,
    /// A name that an authority above it may not certify.
    Names,
    /// Another rule for paths is broken.
    Path,
    /// Its kind of signature or key is not known here.
    Unsupported,
    /// It, or an authority above it, is revoked or on hold.
    Revoked,
    /// A revocation list that was given is over.
    RevocationListOver,
    /// No revocation list that was given says whether it is revoked.
    RevocationUnknown,
}

impl CertificateRefusal {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NotShown => "NotShown",
            Self::Malformed => "Malformed",
            Self::IsAuthority => "IsAuthority",
            Self::Issuer => "Issuer",
            Self::Untrusted => "Untrusted",
            Self::NotIssuedHere => "NotIssuedHere",
            Self::BoundLater => "BoundLater",
            Self::Validity => "Validity",
            Self::Weak => "Weak",
            Self::Purpose => "Purpose",
            Self::Names => "Names",
            Self::Path => "Path",
            Self::Unsupported => "Unsupported",
            Self::Revoked => "Revoked",
            Self::RevocationListOver => "RevocationListOver",
            Self::RevocationUnknown => "RevocationUnknown",
        }
    }

    /// What a path breaks that was looked for with these lists.
    pub(super) fn of(why: &NotTrusted, lists: &[Crl], now_ms: i64) -> Self {
        match why {
            NotTrusted::NoPath => Self::Untrusted,
            NotTrusted::Validity => Self::Validity,
            NotTrusted::Unsupported { .. } => Self::Unsupported,
            NotTrusted::TooComplex => Self::Path,
            NotTrusted::Broken { breach, .. } => match breach {
                Breach::WeakHash | Breach::WeakKey => Self::Weak,
                Breach::Names => Self::Names,
                Breach::Purpose => Self::Purpose,
                Breach::Revoked => Self::Revoked,
                Breach::Undetermined if lists.iter().any(|list| is_over(list, now_ms)) => Self::RevocationListOver,
                Breach::Undetermined => Self::RevocationUnknown,
                Breach::Extension(_)
                | Breach::NoAuthority
                | Breach::KeyUsage
                | Breach::PathLength
                | Breach::Policy
                | Breach::PolicyMapping => Self::Path,
            },
        }
    }
}

/// Whether a list counts for nothing any more.
pub(super) fn is_over(list: &Crl, now_ms: i64) -> bool {
    list.next_update_ms().is_none_or(|until_ms| until_ms < now_ms)
}

impl From<CertificateRefusal> for TokenRefusal {
    fn from(why: CertificateRefusal) -> Self {
        Self::Certificate(why)
    }
}

impl From<CertificateRefusal> for Refused {
    fn from(why: CertificateRefusal) -> Self {
        TokenRefusal::from(why).into()
    }
}
