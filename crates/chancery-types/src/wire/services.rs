//! Services: deploy and list.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, IgnoredAny, MapAccess},
};

use super::{ObjInfo, proposals::Proposed, signing_policies::PolicyRules, x509::ValidityPeriod};
use crate::{CertificateId, HashType, KeyTypeId, LogVisibility, PolicyId, SelfApproval, ServiceId, SigningFormat};

/// Body of a deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DeployRequest {
    /// `PKI Signing` or `Time Stamping`.
    #[cfg_attr(feature = "schema", schema(example = "PKI Signing"))]
    pub template: String,
    /// The service's name; unique.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// What the public transparency log tells of the service's signatures: their digests (`Public`, by default), or only
    /// that something was signed (`Internal`). It stays as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogVisibility>,
    /// What the service signs with, and under which policy. The member is lower-case exactly: in any other letter case
    /// the service is deployed without a signing certificate, and the answer has a warning.
    #[serde(skip_serializing_if = "PkiSigningMember::is_absent")]
    pub pkisigning: PkiSigningMember,
    /// What the service stamps with; needed for `Time Stamping`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamping: Option<Box<TimeStamping>>,
}

/// What a time-stamping authority is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TimeStamping {
    /// Its certificate, which is made in this call under the profile Time Stamping; the key is RSA or EC.
    pub new_cert: SigningCert,
    /// The policy that its stamps name, as a dotted OID whose arcs are below 2^28; by default Chancery's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "1.3.6.1.4.1.99999.1"))]
    pub policy_oid: Option<String>,
    /// Whether it is the one that `/tsa` stands for from now on. The first that is deployed is so in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
}

/// The member `pkisigning`, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PkiSigningMember {
    /// In lower case.
    Given(Box<PkiSigning>),
    /// In this other letter case; what it held was not looked at.
    OtherCase(String),
    /// In no letter case.
    Absent,
}

impl PkiSigningMember {
    const fn is_absent(&self) -> bool {
        !matches!(self, Self::Given(_))
    }
}

impl Serialize for PkiSigningMember {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Given(signing) => signing.serialize(serializer),
            Self::OtherCase(_) | Self::Absent => serializer.serialize_unit(),
        }
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for PkiSigningMember {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::Ref::from_schema_name("PkiSigning").into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for PkiSigningMember {
    fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>)>) {
        schemas.push((PkiSigning::name().into_owned(), <PkiSigning as utoipa::PartialSchema>::schema()));
        PkiSigning::schemas(schemas);
    }
}

/// What a signing service is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PkiSigning {
    /// The signing certificate, which is made in this call.
    pub new_cert: SigningCert,
    /// The form of the signatures, for the life of the service's key.
    pub signing_format: SigningFormat,
    /// Approvals that a request needs, 0 to 64; 0 means that requests are signed on submission.
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 64))]
    pub num_approvals: i64,
    /// The hash of the signatures.
    pub hash_algorithm: HashType,
    /// Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5; by default it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rsa_pss: Option<bool>,
    /// Whether signatures carry a time stamp, so that they outlive the certificate; by default they do not. Not for `Raw`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_stamp: Option<bool>,
    /// Whether whoever submitted a request may take part in approving it; by default `DualControl`, and always `Never`
    /// in hardened mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_approval: Option<SelfApproval>,
    /// What the policy demands besides; nothing by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<PolicyRules>,
}

/// A service's new signing certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SigningCert {
    /// The certificate authority that issues it.
    pub issuer_uuid: CertificateId,
    /// Its subject, such as `CN=…,O=…,C=US` or `/C=US/O=…/CN=…`.
    #[cfg_attr(feature = "schema", schema(example = "CN=Release Signing,O=Example,C=US"))]
    pub subject_oneline: String,
    /// Its key.
    pub new_key: SigningKeyParams,
    /// What it says besides.
    pub cert_params: SigningCertParams,
}

/// A service's new key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SigningKeyParams {
    /// Its key type.
    pub key_type_uuid: KeyTypeId,
    /// Whether it is kept, which is the default; a key that is not kept cannot sign, so `false` is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub save: Option<bool>,
}

/// What a service's certificate says besides its subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SigningCertParams {
    /// How long it is valid.
    pub validity_period: ValidityPeriod,
}

/// Answer to a deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DeployedService {
    /// The new service.
    pub service_uuid: ServiceId,
    /// Its signing certificate; absent where it was deployed without one, or its certificate waits for approvals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
    /// The proposal of its certificate, where the issuer demands approvals; nothing can be submitted until it has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_certificate: Option<Proposed>,
    /// Its policy; absent for a time-stamping authority, which has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_uuid: Option<PolicyId>,
    /// What somebody should know about it, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Body of POST /api/v2/x509/services/{serviceUuid}/renew; every member is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenewService {
    /// The certificate authority that issues it; by default the one that issued the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer_uuid: Option<CertificateId>,
    /// Its subject; by default that of the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_oneline: Option<String>,
    /// How long it is valid; by default as the certificate profile says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity_period: Option<ValidityPeriod>,
}

/// Answer to a renewal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenewedService {
    /// The service, which stays the same.
    pub service_uuid: ServiceId,
    /// Its new signing certificate; absent where that waits for approvals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
    /// The proposal of its certificate, where the issuer demands approvals; until it has them, the service signs with the
    /// one that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_certificate: Option<Proposed>,
    /// The one that it had, which is not revoked; absent where it had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_certificate_uuid: Option<CertificateId>,
    /// What somebody should know about it, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Body of PATCH /api/v2/x509/services/{serviceUuid}.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangeService {
    /// What is changed of a time-stamping authority; its certificate is renewed, not changed.
    pub timestamping: ChangeTimeStamping,
}

/// What can be changed of a time-stamping authority; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangeTimeStamping {
    /// The policy that its stamps name from now on, as a dotted OID whose arcs are below 2^28.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "1.3.6.1.4.1.99999.1"))]
    pub policy_oid: Option<String>,
    /// `true`: it is the one that `/tsa` stands for from now on. There is always one, so the present one is told `false`
    /// in vain: name another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
}

/// Answer to a change of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangedService {
    /// The service.
    pub service_uuid: ServiceId,
    /// What it stamps under, as it is now.
    pub timestamping: StampsUnder,
}

/// What a time-stamping authority stamps under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StampsUnder {
    /// The policy that its stamps name.
    pub policy_oid: String,
    /// Whether it is the one that `/tsa` stands for.
    pub default: bool,
}

/// A service in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ServiceStub {
    /// Its name and id.
    pub obj_info: ObjInfo<ServiceId>,
    /// The template it was deployed from.
    pub template: String,
    /// The form of its signatures; absent for a time-stamping authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signing_format: Option<SigningFormat>,
    /// Its signing certificate; absent where it was deployed without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_uuid: Option<CertificateId>,
}

/// By hand, since no derive tells a member in another letter case from one that is absent.
impl<'de> Deserialize<'de> for DeployRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const FIELDS: &[&str] = &["template", "name", "log", "pkisigning", "timestamping"];
        deserializer.deserialize_struct("DeployRequest", FIELDS, Visitor)
    }
}

struct Visitor;

impl<'de> de::Visitor<'de> for Visitor {
    type Value = DeployRequest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DeployRequest, A::Error> {
        let (mut template, mut name, mut log, mut pkisigning) = (None, None, None, PkiSigningMember::Absent);
        let mut timestamping = None;
        while let Some(member) = map.next_key::<String>()? {
            match member.as_str() {
                "template" => template = Some(map.next_value()?),
                "name" => name = Some(map.next_value()?),
                "log" => log = map.next_value()?,
                "timestamping" => timestamping = Some(Box::new(map.next_value()?)),
                "pkisigning" => pkisigning = PkiSigningMember::Given(Box::new(map.next_value()?)),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    if matches!(pkisigning, PkiSigningMember::Absent) && member.eq_ignore_ascii_case("pkisigning") {
                        pkisigning = PkiSigningMember::OtherCase(member);
                    }
                }
            }
        }
        Ok(DeployRequest {
            template: template.ok_or_else(|| de::Error::missing_field("template"))?,
            name: name.ok_or_else(|| de::Error::missing_field("name"))?,
            log,
            pkisigning,
            timestamping,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNING: &str = r#"{"newCert":{"issuerUuid":"00000000-0000-0000-0000-000000000001",
        "subjectOneline":"CN=a","newKey":{"keyTypeUuid":"00000000-0000-0000-0000-000000000002","save":true},
        "certParams":{"validityPeriod":{"unit":"Year","amount":"1"}}},
        "signingFormat":"CMS","numApprovals":0,"hashAlgorithm":"Sha2_256"}"#;

    fn deploy(members: &str) -> serde_json::Result<DeployRequest> {
        serde_json::from_str(&format!(r#"{{"template":"PKI Signing","name":"a"{members}}}"#))
    }

    #[test]
    fn the_letter_case_of_the_member_is_told() {
        let member = |members: &str| deploy(members).unwrap().pkisigning;
        assert!(matches!(member(&format!(r#","pkisigning":{SIGNING}"#)), PkiSigningMember::Given(_)));
        assert_eq!(member(r#","pkiSigning":17"#), PkiSigningMember::OtherCase("pkiSigning".to_owned()));
        assert_eq!(member(r#","pki_signing":{}"#), PkiSigningMember::Absent);
        for both in
            [format!(r#","PKISIGNING":1,"pkisigning":{SIGNING}"#), format!(r#","pkisigning":{SIGNING},"PkiSigning":1"#)]
        {
            assert!(matches!(member(&both), PkiSigningMember::Given(_)), "{both}");
        }
    }

    #[test]
    fn every_member_inside_is_needed_but_the_options() {
        for (member, gone) in [
            (r#""signingFormat":"CMS","#, "signingFormat"),
            (r#""numApprovals":0,"#, "numApprovals"),
            (r#","hashAlgorithm":"Sha2_256""#, "hashAlgorithm"),
            (r#""issuerUuid":"00000000-0000-0000-0000-000000000001","#, "issuerUuid"),
            (r#""subjectOneline":"CN=a","#, "subjectOneline"),
            (r#""keyTypeUuid":"00000000-0000-0000-0000-000000000002","#, "keyTypeUuid"),
            (r#""validityPeriod":{"unit":"Year","amount":"1"}"#, "validityPeriod"),
            (r#","amount":"1""#, "amount"),
        ] {
            assert!(SIGNING.contains(member), "{member}");
            let error = deploy(&format!(r#","pkisigning":{}"#, SIGNING.replace(member, ""))).unwrap_err();
            assert!(error.to_string().contains(&format!("missing field `{gone}`")), "{gone}: {error}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let request = deploy(&format!(r#","pkisigning":{SIGNING}"#)).unwrap();
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<DeployRequest>(&text).unwrap(), request);
    }
}
