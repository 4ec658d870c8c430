//! What is proposed, as the text that people approve.

use chancery_keys::hash;
use chancery_types::{
    Base64, CertificateId, HashType, IdentityId, PolicyId, ProposalKind,
    wire::{
        approval::{CertificateToIssue, ProposedCertProfile, ProposedIssuerApproval},
        proposals::ProposedPolicy,
        signing_policies::SigningPolicy,
    },
};
use serde::{Deserialize, Serialize};

use crate::{Error, Result, pki::Requested};

/// What is proposed. Its JSON is stored as it was written, and read again from there: what was approved is a text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Content {
    /// Approvals of requests to come.
    PreApproval(Beforehand),
    /// A new policy, or one that changes.
    Policy(Box<NewPolicy>),
    /// A certificate.
    Certificate(Box<NewCertificate>),
    /// A certificate profile that changes.
    CertProfile(Box<ProposedCertProfile>),
    /// What an authority shall demand.
    Issuer(CertificateId, Box<ProposedIssuerApproval>),
}

/// A certificate as it was asked for, and what would be issued: it is issued only where both still agree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NewCertificate {
    pub(crate) request: Requested,
    pub(crate) certificate: CertificateToIssue,
}

/// Approvals of requests to come: of these digests, or of so many requests of one submitter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Beforehand {
    pub(super) policy_uuid: PolicyId,
    pub(super) digests: Option<Vec<Base64>>,
    pub(super) submitter_uuid: Option<IdentityId>,
    pub(super) max_requests: u32,
    pub(super) lifetime_ms: Option<i64>,
}

/// A policy before and after.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::signing) struct NewPolicy {
    pub(in crate::signing) before: Option<SigningPolicy>,
    pub(in crate::signing) after: SigningPolicy,
}

impl Content {
    /// The text that is stored and approved.
    pub(super) fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }

    /// What a stored text says.
    pub(super) fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(Error::internal)
    }

    pub(super) const fn kind(&self) -> ProposalKind {
        match self {
            Self::PreApproval(_) => ProposalKind::PreApproval,
            Self::Policy(_) => ProposalKind::Policy,
            Self::Certificate(_) => ProposalKind::Certificate,
            Self::CertProfile(_) => ProposalKind::CertProfile,
            Self::Issuer(..) => ProposalKind::Issuer,
        }
    }

    /// A policy before and after, as readers see it.
    pub(super) fn policy(&self) -> Option<ProposedPolicy> {
        match self {
            Self::PreApproval(_) | Self::Certificate(_) | Self::CertProfile(_) | Self::Issuer(..) => None,
            Self::Policy(new) => {
                let NewPolicy { before, after } = new.as_ref();
                Some(ProposedPolicy { before: before.clone(), after: after.clone() })
            }
        }
    }
}

impl Content {
    /// A certificate that shall be issued, as readers see it.
    pub(super) fn certificate(&self) -> Option<CertificateToIssue> {
        match self {
            Self::Certificate(new) => Some(new.certificate.clone()),
            Self::PreApproval(_) | Self::Policy(_) | Self::CertProfile(_) | Self::Issuer(..) => None,
        }
    }

    /// A certificate profile before and after, as readers see it.
    pub(super) fn cert_profile(&self) -> Option<ProposedCertProfile> {
        match self {
            Self::CertProfile(new) => Some(ProposedCertProfile::clone(new)),
            Self::PreApproval(_) | Self::Policy(_) | Self::Certificate(_) | Self::Issuer(..) => None,
        }
    }

    /// What an authority demands before and after, as readers see it.
    pub(super) fn issuer_approval(&self) -> Option<ProposedIssuerApproval> {
        match self {
            Self::Issuer(_, new) => Some(ProposedIssuerApproval::clone(new)),
            Self::PreApproval(_) | Self::Policy(_) | Self::Certificate(_) | Self::CertProfile(_) => None,
        }
    }
}

/// What stands for a text when people approve it.
pub(super) fn digest(text: &str) -> Vec<u8> {
    hash(HashType::Sha2_256, text.as_bytes()).as_bytes().to_vec()
}
