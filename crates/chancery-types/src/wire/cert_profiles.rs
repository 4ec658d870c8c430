//! Bodies under `/api/v2/x509/cert-profiles`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    ObjInfo, approval::ApprovalRules, present, proposals::Proposed, token_profiles::NameOnly, x509::ValidityPeriod,
};
use crate::{AltNameKind, CertKeyUsage, CertProfileId, HashType, KeyTypeId, Presence};

/// A certificate profile, as it is read; the same text may be written back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CertProfile {
    /// Name and id.
    pub obj_info: ObjInfo<CertProfileId>,
    /// How long its certificates are valid unless the request says otherwise.
    pub validity_period: ValidityPeriod,
    /// How long its certificates are valid at most; `null`: as long as their issuer.
    pub max_validity_period: Option<ValidityPeriod>,
    /// Whether its certificates can issue others.
    pub basic_constraints: ProfileConstraints,
    /// What the certificate's key may do. Usages that a kind of key cannot have (only RSA keys encipher, only EC keys
    /// agree) are left out of its certificates.
    pub key_usages: Vec<CertKeyUsage>,
    /// What the certificate is for: `serverAuth`, `clientAuth`, `codeSigning`, `emailProtection`, `timeStamping`,
    /// `OCSPSigning`, or a dotted OID.
    pub extended_key_usages: Vec<String>,
    /// The key types that its certificates may have; `null`: all that sign.
    pub key_type_uuids: Option<Vec<KeyTypeId>>,
    /// The hashes with which its certificates may be signed, the first that suits the issuer's key being the default;
    /// `null`: all that are not weak.
    pub hash_algorithms: Option<Vec<HashType>>,
    /// What subjects may be.
    pub subject: SubjectRules,
    /// What subject alternative names may be.
    pub subject_alt_names: AltNameRules,
    /// The names that its certificates, of authorities, may certify in their turn; absent where they may certify any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_constraints: Option<NameConstraintRules>,
    /// Certificate policies: dotted OIDs.
    pub policies: Vec<String>,
    /// Where the issuer's CRL is; `null`: below this installation's `publicUrl`; an empty array: not said.
    pub crl_urls: Option<Vec<String>>,
    /// Where OCSP is answered; as `crlUrls`.
    pub ocsp_urls: Option<Vec<String>>,
    /// Where the issuer's certificate is; as `crlUrls`.
    pub issuer_urls: Option<Vec<String>>,
    /// Whether certificates are issued under it. One that certificates name can be disabled, not deleted.
    pub enabled: bool,
    /// Who approves its certificates before they are issued.
    #[serde(default)]
    pub approval: ApprovalRules,
    /// Whether it came with Chancery; such a profile cannot be changed.
    pub system: bool,
    /// In the answer to PATCH: what waits for approvals. Until it has them the profile is as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_change: Option<Proposed>,
}

/// Whether a profile's certificates can issue others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProfileConstraints {
    /// Whether the subject is a certificate authority.
    #[serde(default)]
    pub ca: bool,
    /// How many authorities may stand below it on a path; `null`: as many as the issuer allows.
    #[serde(default)]
    pub path_length: Option<u8>,
}

/// What subjects may be. Attributes are named as in a subject: `CN`, `O`, `OU`, `C` …
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SubjectRules {
    /// The attributes that may occur; `null`: any.
    #[serde(default)]
    pub allowed: Option<Vec<String>>,
    /// The attributes that must occur.
    #[serde(default)]
    pub required: Vec<String>,
    /// For an attribute, the only values that it may have, letter for letter.
    #[serde(default)]
    pub values: BTreeMap<String, Vec<String>>,
}

/// What subject alternative names may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AltNameRules {
    /// `Required`: a request without any lends its common name where that is a host name or an address.
    pub presence: Presence,
    /// The kinds that may occur; `null`: all.
    #[serde(default)]
    pub kinds: Option<Vec<AltNameKind>>,
    /// The domains in which host names, mailboxes and user principal names must lie, those of the subject (its
    /// `emailAddress`, a common name that looks like a host) too; `null`: any.
    #[serde(default)]
    pub domains: Option<Vec<String>>,
    /// Whether a host name may begin with `*`.
    #[serde(default)]
    pub wildcards: bool,
}

/// The names that an authority may certify (RFC 5280, 4.2.1.10): of each kind those in a permitted subtree, where there is
/// one, and in no excluded one. Subtrees are `DNS:example.com` (with all hosts below), `IP:10.0.0.0/8`, `IP:2001:db8::/32`,
/// `email:name@host.example`, `email:host.example`, `email:.example.com` (the hosts below), `URI:host.example`,
/// `URI:.example.com` and `dirName:O=Example,C=US`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NameConstraintRules {
    /// `permittedSubtrees` is read too.
    #[serde(default, alias = "permittedSubtrees")]
    pub permitted: Vec<String>,
    /// `excludedSubtrees` is read too.
    #[serde(default, alias = "excludedSubtrees")]
    pub excluded: Vec<String>,
}

impl Default for AltNameRules {
    /// Any, but no wildcards.
    fn default() -> Self {
        Self { presence: Presence::Optional, kinds: None, domains: None, wildcards: false }
    }
}

/// What a new certificate profile shall be. What is absent has the default named. `objInfo.uuid` and `system` may be
/// sent and mean nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateCertProfile {
    /// The name; unique, 1 to 255 characters.
    pub obj_info: NameOnly,
    /// See [`CertProfile::validity_period`].
    pub validity_period: ValidityPeriod,
    /// No maximum by default.
    #[serde(default)]
    pub max_validity_period: Option<ValidityPeriod>,
    /// A leaf by default.
    #[serde(default)]
    pub basic_constraints: ProfileConstraints,
    /// By default `keyCertSign` and `cRLSign` for an authority, `digitalSignature` for a leaf.
    #[serde(default)]
    pub key_usages: Option<Vec<CertKeyUsage>>,
    /// None by default.
    #[serde(default)]
    pub extended_key_usages: Vec<String>,
    /// All by default.
    #[serde(default)]
    pub key_type_uuids: Option<Vec<KeyTypeId>>,
    /// All by default.
    #[serde(default)]
    pub hash_algorithms: Option<Vec<HashType>>,
    /// Any by default.
    #[serde(default)]
    pub subject: SubjectRules,
    /// By default any without wildcards, none for an authority.
    #[serde(default)]
    pub subject_alt_names: Option<AltNameRules>,
    /// For authorities; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_constraints: Option<NameConstraintRules>,
    /// None by default.
    #[serde(default)]
    pub policies: Vec<String>,
    /// This installation's by default.
    #[serde(default)]
    pub crl_urls: Option<Vec<String>>,
    /// This installation's by default.
    #[serde(default)]
    pub ocsp_urls: Option<Vec<String>>,
    /// This installation's by default.
    #[serde(default)]
    pub issuer_urls: Option<Vec<String>>,
    /// By default it is.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Nobody by default.
    #[serde(default)]
    pub approval: ApprovalRules,
}

const fn yes() -> bool {
    true
}

/// What shall change in a certificate profile; members that are absent stay as they are, and each that is there
/// replaces the whole member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchCertProfile {
    /// A new name.
    pub obj_info: Option<NameOnly>,
    /// See [`CertProfile::validity_period`].
    pub validity_period: Option<ValidityPeriod>,
    /// See [`CertProfile::max_validity_period`].
    #[serde(default, deserialize_with = "present")]
    pub max_validity_period: Option<Option<ValidityPeriod>>,
    /// See [`CertProfile::basic_constraints`].
    pub basic_constraints: Option<ProfileConstraints>,
    /// See [`CertProfile::key_usages`].
    pub key_usages: Option<Vec<CertKeyUsage>>,
    /// See [`CertProfile::extended_key_usages`].
    pub extended_key_usages: Option<Vec<String>>,
    /// See [`CertProfile::key_type_uuids`].
    #[serde(default, deserialize_with = "present")]
    pub key_type_uuids: Option<Option<Vec<KeyTypeId>>>,
    /// See [`CertProfile::hash_algorithms`].
    #[serde(default, deserialize_with = "present")]
    pub hash_algorithms: Option<Option<Vec<HashType>>>,
    /// See [`CertProfile::subject`].
    pub subject: Option<SubjectRules>,
    /// See [`CertProfile::subject_alt_names`].
    pub subject_alt_names: Option<AltNameRules>,
    /// `null` takes them away.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub name_constraints: Option<Option<NameConstraintRules>>,
    /// See [`CertProfile::policies`].
    pub policies: Option<Vec<String>>,
    /// See [`CertProfile::crl_urls`].
    #[serde(default, deserialize_with = "present")]
    pub crl_urls: Option<Option<Vec<String>>>,
    /// See [`CertProfile::ocsp_urls`].
    #[serde(default, deserialize_with = "present")]
    pub ocsp_urls: Option<Option<Vec<String>>>,
    /// See [`CertProfile::issuer_urls`].
    #[serde(default, deserialize_with = "present")]
    pub issuer_urls: Option<Option<Vec<String>>>,
    /// See [`CertProfile::enabled`].
    pub enabled: Option<bool>,
    /// See [`CertProfile::approval`].
    pub approval: Option<ApprovalRules>,
}

impl CertProfile {
    /// The whole profile that a patch makes of this one.
    #[must_use]
    pub fn patched(self, patch: PatchCertProfile) -> CreateCertProfile {
        CreateCertProfile {
            obj_info: patch.obj_info.unwrap_or(NameOnly { name: self.obj_info.name }),
            validity_period: patch.validity_period.unwrap_or(self.validity_period),
            max_validity_period: patch.max_validity_period.unwrap_or(self.max_validity_period),
            basic_constraints: patch.basic_constraints.unwrap_or(self.basic_constraints),
            key_usages: Some(patch.key_usages.unwrap_or(self.key_usages)),
            extended_key_usages: patch.extended_key_usages.unwrap_or(self.extended_key_usages),
            key_type_uuids: patch.key_type_uuids.unwrap_or(self.key_type_uuids),
            hash_algorithms: patch.hash_algorithms.unwrap_or(self.hash_algorithms),
            subject: patch.subject.unwrap_or(self.subject),
            subject_alt_names: Some(patch.subject_alt_names.unwrap_or(self.subject_alt_names)),
            name_constraints: patch.name_constraints.unwrap_or(self.name_constraints),
            policies: patch.policies.unwrap_or(self.policies),
            crl_urls: patch.crl_urls.unwrap_or(self.crl_urls),
            ocsp_urls: patch.ocsp_urls.unwrap_or(self.ocsp_urls),
            issuer_urls: patch.issuer_urls.unwrap_or(self.issuer_urls),
            enabled: patch.enabled.unwrap_or(self.enabled),
            approval: patch.approval.unwrap_or(self.approval),
        }
    }
}
