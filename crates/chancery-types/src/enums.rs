//! The enumerations of the interface.

#![expect(missing_docs, reason = "the variants are the interface's own words; each enumeration says what it is for")]

use std::fmt;

/// A text that is no spelling of the enumeration it was parsed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSpelling;

impl fmt::Display for UnknownSpelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a value of this enumeration")
    }
}

impl std::error::Error for UnknownSpelling {}

wire_enum! {
    /// What a role demands of its holders besides a password.
    #[derive(Default)]
    pub enum SecondFactor {
        /// Nothing.
        #[default]
        None,
        /// A second factor with the password: a one-time code (RFC 6238) or a passkey; an API key is none.
        Totp,
        /// A passkey (Web Authentication) with the password, and nothing else.
        WebAuthn,
    }
}

wire_enum! {
    /// Where a signing request stands.
    pub enum SigningRequestState { None, Approval, Signed, Failed, Denied }
}

wire_enum! {
    /// What the approvers have said of a signing request.
    pub enum ApprovalState { None, Pending, Approved, Denied }
}

wire_enum! {
    /// The hash algorithms of the interface (`hashAlgorithm`).
    pub enum HashType {
        Md5, RipeMd, Sha1,
        Sha2_224 = "Sha2_224", Sha2_256 = "Sha2_256", Sha2_384 = "Sha2_384", Sha2_512 = "Sha2_512",
        Sha3_224 = "Sha3_224", Sha3_256 = "Sha3_256", Sha3_384 = "Sha3_384", Sha3_512 = "Sha3_512",
        Shake128, Shake256, Shake256_64 = "Shake256_64",
    }
}

impl HashType {
    /// Length of the digest in bytes. RFC 8702 fixes SHAKE128 at 32 and SHAKE256 at 64, so `Shake256` and
    /// `Shake256_64` are the same function here.
    #[must_use]
    pub const fn digest_len(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::RipeMd | Self::Sha1 => 20,
            Self::Sha2_224 | Self::Sha3_224 => 28,
            Self::Sha2_256 | Self::Sha3_256 | Self::Shake128 => 32,
            Self::Sha2_384 | Self::Sha3_384 => 48,
            Self::Sha2_512 | Self::Sha3_512 | Self::Shake256 | Self::Shake256_64 => 64,
        }
    }

    /// Whether collisions are practical: allowed for content signatures outside hardened mode, with a warning, and
    /// never for certificates, CRLs, OCSP answers or time stamps.
    #[must_use]
    pub const fn is_weak(self) -> bool {
        matches!(self, Self::Md5 | Self::RipeMd | Self::Sha1)
    }
}

wire_enum! {
    /// Unit of a validity period.
    pub enum ValidityUnit { Millisecond, Second, Minute, Hour, Day, Week, Month, Year }
}

wire_enum! {
    /// How a token profile turns messages into tokens.
    pub enum TokenAlgorithm { Ff1, Random, AesSiv, AesGcm, Hmac }
}

wire_enum! {
    /// What the Luhn check digit of a token shall be.
    pub enum Luhn { Ignore, Valid, Invalid }
}

wire_enum! {
    /// What a Control Rule grants.
    pub enum Operation { Tokenize, Detokenize, PartialDetokenize, Batch }
}

wire_enum! {
    /// When a call of a token profile is answered: when its record in the journal is written, so that a process that is
    /// killed does not lose it, or when it is on the disk, so that a power cut does not either.
    pub enum Durability { Written, Durable }
}

wire_enum! {
    /// How long the windows of a budget are. They begin where the clock and the calendar have them begin, in UTC.
    pub enum BudgetPeriod { Minute, Hour, Day, Month }
}

wire_enum! {
    /// The end of a value that a partial rule reveals.
    pub enum RevealFrom { Start, End }
}

wire_enum! {
    /// What a partial rule reveals, by its name: the first and last symbols, or of an e-mail address the domain, from the
    /// last `@` on.
    pub enum MaskTemplate { FirstOne, FirstSix, FirstSixLastFour, LastTwo, LastFour, FirstAndLast, EmailDomain }
}

wire_enum! {
    /// The form of a signing request's result.
    pub enum SigningFormat { Raw, Cms = "CMS", Authenticode, JavaJar, Powershell, Msi }
}

wire_enum! {
    /// What becomes of a signature that a file has already.
    pub enum ExistingSignature { Replace, Append }
}

wire_enum! {
    /// What the transparency log tells of a service's signatures: their digests, or only that something was signed.
    pub enum LogVisibility { Public, Internal }
}

wire_enum! {
    /// Whether a submitter may approve the own request.
    pub enum SelfApproval { DualControl, Never }
}

wire_enum! {
    /// What one approver decides on many requests at once.
    pub enum Decision { Approve, Deny }
}

wire_enum! {
    /// What somebody did to a signing request.
    pub enum RequestDecision { Approve, Deny, Withdraw }
}

wire_enum! {
    /// What is proposed.
    pub enum ProposalKind { PreApproval, Policy, Certificate, CertProfile, Issuer, DetokenizeGrant }
}

wire_enum! {
    /// Where a proposal stands: `Active`, `UsedUp`, `Ended` and `Revoked` are those of a pre-approval and of a
    /// grant to detokenize, `Issued` a certificate's, `Applied` that of all else.
    pub enum ProposalState { Approval, Active, UsedUp, Ended, Revoked, Applied, Issued, Failed, Denied }
}

wire_enum! {
    /// What somebody did to a proposal.
    pub enum ProposalDecision { Submit, Approve, Deny, Withdraw, Revoke }
}

impl From<Decision> for RequestDecision {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Approve => Self::Approve,
            Decision::Deny => Self::Deny,
        }
    }
}

wire_enum! {
    /// The algorithm family of a key.
    pub enum KeyAlgorithm { Rsa, Ec, Ed25519, MlDsa, Aes, Hmac }
}

wire_enum! {
    /// The elliptic curves, named as in NIST SP 800-186.
    pub enum Curve { P256 = "P-256", P384 = "P-384", P521 = "P-521" }
}

impl Curve {
    /// Size of the curve's field in bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::P256 => 256,
            Self::P384 => 384,
            Self::P521 => 521,
        }
    }
}

wire_enum! {
    /// What a key may be used for.
    pub enum KeyUsage { Sign, Tokenize, Detokenize }
}

wire_enum! {
    /// Whether a key may be used.
    pub enum KeyState { Enabled, Disabled }
}

wire_enum! {
    /// Whether an identity is somebody or something.
    pub enum IdentityKind { Person, Application }
}

wire_enum! {
    /// How a login proves who it is.
    pub enum AuthType { Userpass = "userpass", Apikey = "apikey", Certificate = "certificate", Ldap = "ldap" }
}

wire_enum! {
    /// By which attribute a directory tells who somebody is for ever: of OpenLDAP (RFC 4530), Active Directory, 389 Directory
    /// Server and FreeIPA. None of them is a name, and none is given twice.
    pub enum LdapIdAttribute {
        EntryUuid = "entryUUID", ObjectGuid = "objectGUID", NsUniqueId = "nsUniqueId", IpaUniqueId = "ipaUniqueID",
    }
}

wire_enum! {
    /// How an identity provider signs its tokens (RFC 7518, section 3.1; RFC 8037). There is none without a signature, and
    /// none with a shared secret.
    pub enum JwtAlgorithm {
        RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, EdDSA,
    }
}

wire_enum! {
    /// What the key of a certificate may do (RFC 5280, 4.2.1.3).
    pub enum CertKeyUsage {
        DigitalSignature = "digitalSignature",
        NonRepudiation = "nonRepudiation",
        KeyEncipherment = "keyEncipherment",
        DataEncipherment = "dataEncipherment",
        KeyAgreement = "keyAgreement",
        KeyCertSign = "keyCertSign",
        CrlSign = "cRLSign",
    }
}

wire_enum! {
    /// The kinds of subject alternative names.
    pub enum AltNameKind { Dns, Ip, Email, Uri, Upn }
}

wire_enum! {
    /// Whether something occurs in a certificate.
    pub enum Presence { Optional, Required, Refused }
}

wire_enum! {
    /// Where a certificate stands. `Expired` is derived from the clock, never stored.
    pub enum CertificateStatus { Valid, Revoked, Held, Expired }
}

wire_enum! {
    /// Where a certificate or a key was made.
    pub enum Origin {
        /// By this installation.
        Generated,
        /// Elsewhere.
        Imported,
    }
}

wire_enum! {
    /// Why a certificate was revoked (RFC 5280, 5.3.1; `removeFromCRL` is said by releasing a hold).
    pub enum RevocationReason {
        Unspecified = "unspecified",
        KeyCompromise = "keyCompromise",
        CaCompromise = "cACompromise",
        AffiliationChanged = "affiliationChanged",
        Superseded = "superseded",
        CessationOfOperation = "cessationOfOperation",
        CertificateHold = "certificateHold",
        PrivilegeWithdrawn = "privilegeWithdrawn",
        AaCompromise = "aACompromise",
    }
}

impl RevocationReason {
    /// The CRLReason number (RFC 5280, 5.3.1).
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Unspecified => 0,
            Self::KeyCompromise => 1,
            Self::CaCompromise => 2,
            Self::AffiliationChanged => 3,
            Self::Superseded => 4,
            Self::CessationOfOperation => 5,
            Self::CertificateHold => 6,
            Self::PrivilegeWithdrawn => 9,
            Self::AaCompromise => 10,
        }
    }
}

wire_enum! {
    /// Who answered for a recovery on the host, besides whoever has a shell there.
    pub enum RecoveredBy {
        /// Two other people, who both proved who they are.
        Two,
        /// One of them, in an emergency.
        One,
        /// Nobody else, in an emergency.
        Host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_the_interfaces() {
        let spellings: Vec<_> = HashType::ALL.iter().map(|hash| hash.as_str()).collect();
        assert_eq!(
            spellings.join(" "),
            "Md5 RipeMd Sha1 Sha2_224 Sha2_256 Sha2_384 Sha2_512 Sha3_224 Sha3_256 Sha3_384 Sha3_512 \
             Shake128 Shake256 Shake256_64"
        );
        for hash in HashType::ALL {
            assert_eq!(hash.as_str().parse(), Ok(*hash));
            assert_eq!(serde_json::to_string(hash).unwrap(), format!("{:?}", hash.as_str()));
        }
        assert_eq!("cms".parse::<SigningFormat>(), Err(UnknownSpelling));
        assert_eq!(serde_json::from_str::<SigningFormat>("\"CMS\"").unwrap(), SigningFormat::Cms);
    }
}
