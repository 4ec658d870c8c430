//! Approval before issue: what certificate profiles and authorities demand, and what people approve.

use serde::{Deserialize, Serialize};

use super::{
    cert_profiles::{CertProfile, NameConstraintRules, ProfileConstraints},
    proposals::Proposed,
    signing_policies::ApprovalStep,
    x509::{GeneratedCertificate, ValidityPeriod},
};
use crate::{Base64, CertKeyUsage, CertProfileId, CertificateId, HashType, KeyTypeId, SelfApproval};

/// Who approves a certificate before it is issued, and how many. Of an object that is there, `numApprovals` is said in any
/// case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApprovalRules {
    /// Approvals that a certificate needs, 0 to 64; 0 means that it is issued at once.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64))]
    pub num_approvals: i64,
    /// Whether whoever asks for a certificate may take part in approving it; by default `DualControl`, and always `Never`
    /// in hardened mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_approval: Option<SelfApproval>,
    /// Who approves first, as in the rules of a signing policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approval_steps: Vec<ApprovalStep>,
    /// How long a request waits for its approvals; for ever by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_lifetime: Option<ValidityPeriod>,
}

/// What an authority demands of everything that it issues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct IssuerApproval {
    /// What it demands now.
    pub approval: ApprovalRules,
    /// What waits for approvals; until it has them, all is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_change: Option<Proposed>,
}

/// Answer to a request for a certificate: the certificate, or, where its profile or its issuer demands approvals, what
/// waits for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Issued {
    /// It is issued.
    Made(GeneratedCertificate),
    /// It waits: `GET /api/v2/x509/proposals/{uuid}` says what for.
    Waits(Proposed),
}

impl Issued {
    /// Adds what somebody should know.
    pub fn warn(&mut self, warnings: Vec<String>) {
        match self {
            Self::Made(made) => made.warnings.extend(warnings),
            Self::Waits(proposed) => proposed.warnings.extend(warnings),
        }
    }

    /// The certificate, where it was issued at once.
    #[must_use]
    pub fn made(self) -> Option<GeneratedCertificate> {
        match self {
            Self::Made(made) => Some(made),
            Self::Waits(_) => None,
        }
    }
}

/// A certificate that shall be issued: what people approve. Serial number and moment come when it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CertificateToIssue {
    /// The subject in one line.
    pub subject: String,
    /// Its alternative names.
    pub subject_alt_names: Vec<String>,
    /// What its key may do.
    pub key_usages: Vec<CertKeyUsage>,
    /// What it is for.
    pub extended_key_usages: Vec<String>,
    /// Whether it can issue others.
    pub basic_constraints: ProfileConstraints,
    /// The names that it may certify in its turn; absent where they are not constrained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_constraints: Option<NameConstraintRules>,
    /// Certificate policies.
    pub policies: Vec<String>,
    /// Where its issuer's CRL is; `null`: below `publicUrl`.
    pub crl_urls: Option<Vec<String>>,
    /// Where OCSP is answered; as `crlUrls`.
    pub ocsp_urls: Option<Vec<String>>,
    /// Where its issuer's certificate is; as `crlUrls`.
    pub issuer_urls: Option<Vec<String>>,
    /// For how long, from the last approval on.
    pub validity_period: ValidityPeriod,
    /// The hash under its signature.
    pub hash_algorithm: HashType,
    /// The profile.
    pub cert_profile_uuid: CertProfileId,
    /// The profile's name.
    pub cert_profile: String,
    /// The authority that issues it; absent where it is self-signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer_uuid: Option<CertificateId>,
    /// SHA-256 of the authority's certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer_sha256: Option<Base64>,
    /// The kind of its key.
    pub key_type_uuid: KeyTypeId,
    /// SHA-256 of its public key (SubjectPublicKeyInfo); absent where the key is new and made here when it is issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key_sha256: Option<Base64>,
    /// Whether a new key is kept here.
    pub save_key: bool,
    /// Whether it is trusted as an issuer.
    pub trust_cert: bool,
    /// The certificate whose place it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<CertificateId>,
}

/// A certificate profile that shall change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposedCertProfile {
    /// What it was when the change was proposed.
    pub before: CertProfile,
    /// What it is after.
    pub after: CertProfile,
}

/// What an authority shall demand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposedIssuerApproval {
    /// What it demanded when the change was proposed.
    pub before: ApprovalRules,
    /// What it demands after.
    pub after: ApprovalRules,
}
