//! Certificate profiles as the interface says them, read strictly.

use std::borrow::Cow;

use chancery_keys::Purpose;
use chancery_types::{
    AltNameKind, CertKeyUsage, CertProfileId, Presence,
    wire::{
        ObjInfo,
        cert_profiles::{
            AltNameRules, CertProfile as Text, CreateCertProfile, NameConstraintRules, ProfileConstraints, SubjectRules,
        },
        x509::ValidityPeriod,
    },
};
use der::asn1::ObjectIdentifier;

use super::{
    Authority, CA_USAGES, CLIENT_AUTH, CODE_SIGNING, CertProfile, LEAF_USAGES, OCSP_SIGNING, SERVER_AUTH,
    TIME_STAMPING, Urls,
};
use crate::{
    Error, Limits, Result,
    approval::requirement,
    base::text::check_stored_name,
    keys::key_type,
    pki::{
        alt_name::{is_absolute_uri, is_dns_name},
        dn,
        name_constraints::{EXPECTED, NoRule, Written},
        validity::{Period, Validity},
    },
};

/// id-kp-emailProtection (RFC 5280, 4.2.1.12).
const EMAIL_PROTECTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.4");

/// anyExtendedKeyUsage: a certificate for everything says nothing, and verifiers disagree about it.
const ANY_PURPOSE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");

/// anyPolicy (RFC 5280, 4.2.1.4).
const ANY_POLICY: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.32.0");

/// Extended key usages that have a name.
const PURPOSES: [(&str, ObjectIdentifier); 6] = [
    ("serverAuth", SERVER_AUTH),
    ("clientAuth", CLIENT_AUTH),
    ("codeSigning", CODE_SIGNING),
    ("emailProtection", EMAIL_PROTECTION),
    ("timeStamping", TIME_STAMPING),
    ("OCSPSigning", OCSP_SIGNING),
];

/// The numbers are what the DER library takes: below 0 and 1 no second one is above 39, and few are below 2.
const OID_EXPECTED: &str = "A name of the interface or a dotted OID is expected, of at least three numbers below 2^32, the second of which is at most 39.";

/// Characters of an address.
const URL_MAX: usize = 1_024;

/// When periods are compared: 1 January 2026, whose months and years are as long as any.
const COMPARED_AT_MS: i64 = 1_767_225_600_000;

/// The extended key usage of this name or dotted OID.
pub(in crate::pki) fn purpose(text: &str) -> Option<ObjectIdentifier> {
    let named = PURPOSES.iter().find(|(name, _)| *name == text).map(|(_, oid)| *oid);
    named.or_else(|| ObjectIdentifier::new(text).ok())
}

/// Its name, or the OID of one that has none.
pub(in crate::pki) fn purpose_text(oid: &ObjectIdentifier) -> String {
    let named = PURPOSES.iter().find(|(_, known)| known == oid);
    named.map_or_else(|| oid.to_string(), |(name, _)| (*name).to_owned())
}

impl CertProfile {
    /// Reads what somebody sent, or what the store has. Every member is checked, and the whole.
    pub(super) fn read(id: CertProfileId, text: CreateCertProfile, limits: &Limits) -> Result<Self> {
        check_stored_name("/objInfo/name", &text.obj_info.name, limits)?;
        let authority = match text.basic_constraints {
            ProfileConstraints { ca: true, path_length } => Authority::Issuing { path_len: path_length },
            ProfileConstraints { ca: false, path_length: None } => Authority::None,
            ProfileConstraints { ca: false, path_length: Some(_) } => {
                let message = "Only an authority (ca) has a path length.";
                return Err(Error::value("/basicConstraints/pathLength", message));
            }
        };
        let is_authority = authority != Authority::None;
        let default_usages = if is_authority { CA_USAGES } else { LEAF_USAGES };
        let profile = Self {
            id,
            validity: period("/validityPeriod", &text.validity_period)?,
            max_validity: text.max_validity_period.map(|max| period("/maxValidityPeriod", &max)).transpose()?,
            authority,
            key_usages: text.key_usages.map_or(Cow::Borrowed(default_usages), |usages| sorted(usages).into()),
            extended_key_usages: oids("/extendedKeyUsages", &text.extended_key_usages, limits, purpose)?.into(),
            key_types: text.key_type_uuids,
            hashes: text.hash_algorithms,
            subject: subject_rules(text.subject, limits)?,
            alt_names: text
                .subject_alt_names
                .map_or_else(|| Ok(default_alt_names(is_authority)), |rules| alt_name_rules(rules, limits))?,
            name_constraints: text
                .name_constraints
                .map(|rules| name_constraints(rules, is_authority, limits))
                .transpose()?,
            policies: oids("/policies", &text.policies, limits, |text| ObjectIdentifier::new(text).ok())?,
            urls: Urls {
                crl: urls("/crlUrls", text.crl_urls, limits)?,
                ocsp: urls("/ocspUrls", text.ocsp_urls, limits)?,
                issuer: urls("/issuerUrls", text.issuer_urls, limits)?,
            },
            name: Cow::Owned(text.obj_info.name),
            enabled: text.enabled,
            approval: text.approval,
            system: false,
            version: 1,
        };
        profile.check(limits)?;
        requirement::check(&profile.approval, limits).map_err(|refusal| refusal.under("/approval"))?;
        Ok(profile)
    }

    /// As it is read; [`read`](Self::read) takes it back.
    pub(in crate::pki) fn text(&self) -> Text {
        let (ca, path_length) = match self.authority {
            Authority::Root => (true, None),
            Authority::Issuing { path_len } => (true, path_len),
            Authority::None => (false, None),
        };
        Text {
            obj_info: ObjInfo { name: self.name.to_string(), uuid: self.id },
            validity_period: self.validity.into(),
            max_validity_period: self.max_validity.map(Into::into),
            basic_constraints: ProfileConstraints { ca, path_length },
            key_usages: self.key_usages.to_vec(),
            extended_key_usages: self.extended_key_usages.iter().map(purpose_text).collect(),
            key_type_uuids: self.key_types.clone(),
            hash_algorithms: self.hashes.clone(),
            subject: self.subject.clone(),
            subject_alt_names: self.alt_names.clone(),
            name_constraints: self.name_constraints.as_ref().map(|written| written.rules().clone()),
            policies: self.policies.iter().map(ToString::to_string).collect(),
            crl_urls: self.urls.crl.clone(),
            ocsp_urls: self.urls.ocsp.clone(),
            issuer_urls: self.urls.issuer.clone(),
            enabled: self.enabled,
            approval: self.approval.clone(),
            system: self.system,
            pending_change: None,
        }
    }

    /// What members say together.
    fn check(&self, limits: &Limits) -> Result<()> {
        self.check_validity()?;
        self.check_usages()?;
        for (index, id) in self.key_types.iter().flatten().enumerate() {
            if key_type::by_id(*id).is_none_or(|spec| key_type::purpose(spec) != Purpose::Sign) {
                let message = format!("The key types of certificates are {}.", key_type::names(Purpose::Sign));
                return Err(Error::selection(format!("/keyTypeUuids/{index}"), message));
            }
        }
        if self.key_types.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::value("/keyTypeUuids", "At least one key type is expected, or null for all."));
        }
        let hashes = self.hashes.as_deref().unwrap_or_default();
        if let Some(index) = hashes.iter().position(|hash| hash.is_weak()) {
            let message = "Certificates are never signed with Md5, RipeMd or Sha1.";
            return Err(Error::selection(format!("/hashAlgorithms/{index}"), message));
        }
        if self.hashes.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::value("/hashAlgorithms", "At least one hash is expected, or null for all."));
        }
        check_count("/keyTypeUuids", self.key_types.as_ref().map_or(0, Vec::len), limits)?;
        check_count("/hashAlgorithms", hashes.len(), limits)
    }

    fn check_validity(&self) -> Result<()> {
        let end = |field: &str, period: Period| {
            let validity = Validity::starting(COMPARED_AT_MS, period);
            validity.map(Validity::not_after_s).map_err(|why| Error::value(format!("{field}/amount"), why.to_string()))
        };
        let default = end("/validityPeriod", self.validity)?;
        let Some(max) = self.max_validity else { return Ok(()) };
        if default > end("/maxValidityPeriod", max)? {
            return Err(Error::value("/validityPeriod", "The default is longer than maxValidityPeriod."));
        }
        Ok(())
    }

    fn check_usages(&self) -> Result<()> {
        let has = |usage| self.key_usages.contains(&usage);
        let refused = |message| Err(Error::value("/keyUsages", message));
        if self.key_usages.is_empty() {
            return refused("At least one key usage is expected.");
        }
        let signs = [has(CertKeyUsage::KeyCertSign), has(CertKeyUsage::CrlSign)];
        if self.is_authority() && signs != [true, true] {
            return refused("An authority has the key usages keyCertSign and cRLSign.");
        }
        if !self.is_authority() && signs != [false, false] {
            return refused("Only an authority (basicConstraints.ca) has the key usages keyCertSign and cRLSign.");
        }
        let purposes = &self.extended_key_usages;
        let refused = |message| Err(Error::value("/extendedKeyUsages", message));
        if purposes.contains(&ANY_PURPOSE) {
            return refused("anyExtendedKeyUsage is not offered; an empty array leaves the extension out.");
        }
        let alone = [TIME_STAMPING, OCSP_SIGNING].iter().any(|purpose| purposes.contains(purpose));
        if alone && (purposes.len() > 1 || self.is_authority()) {
            return refused("timeStamping and OCSPSigning each stand alone, in certificates that are no authorities.");
        }
        if self.policies.contains(&ANY_POLICY) && !self.is_authority() {
            return Err(Error::value("/policies", "Only an authority's certificate says anyPolicy."));
        }
        Ok(())
    }
}

fn period(field: &str, period: &ValidityPeriod) -> Result<Period> {
    Period::parse(&period.amount, period.unit).map_err(|why| Error::value(format!("{field}/amount"), why.to_string()))
}

/// In the order of the interface, each once.
fn sorted(mut usages: Vec<CertKeyUsage>) -> Vec<CertKeyUsage> {
    usages.sort_unstable();
    usages.dedup();
    usages
}

fn check_count(field: &str, count: usize, limits: &Limits) -> Result<()> {
    let max = limits.cert_profile_entries_max;
    if count > max { Err(Error::too_large(field, format!("At most {max} entries are taken."))) } else { Ok(()) }
}

fn oids(
    field: &str,
    texts: &[String],
    limits: &Limits,
    read: fn(&str) -> Option<ObjectIdentifier>,
) -> Result<Vec<ObjectIdentifier>> {
    check_count(field, texts.len(), limits)?;
    let mut oids = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let field = format!("{field}/{index}");
        let oid = read(text).ok_or_else(|| Error::value(field.clone(), OID_EXPECTED))?;
        if oids.contains(&oid) {
            return Err(Error::value(field, "It stands in the array twice."));
        }
        oids.push(oid);
    }
    Ok(oids)
}

fn urls(field: &str, urls: Option<Vec<String>>, limits: &Limits) -> Result<Option<Vec<String>>> {
    let Some(urls) = urls else { return Ok(None) };
    check_count(field, urls.len(), limits)?;
    let schemes = ["http://", "https://", "ldap://"];
    let is_good = |url: &String| {
        url.len() <= URL_MAX
            && is_absolute_uri(url)
            && schemes.iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme))
    };
    if let Some(index) = urls.iter().position(|url| !is_good(url)) {
        let message = format!("An address is expected that begins with {}.", schemes.join(", "));
        return Err(Error::value(format!("{field}/{index}"), message));
    }
    Ok(Some(urls))
}

fn subject_rules(rules: SubjectRules, limits: &Limits) -> Result<SubjectRules> {
    let known = |field: String, name: &str| {
        dn::attribute_name(name).ok_or_else(|| {
            Error::selection(
                field,
                format!("The attributes of a subject are {}, or dotted OIDs.", dn::attribute_names()),
            )
        })
    };
    let all = |field: &str, names: Vec<String>| {
        check_count(field, names.len(), limits)?;
        let known = |(index, name): (usize, &String)| known(format!("{field}/{index}"), name);
        names.iter().enumerate().map(known).collect::<Result<Vec<_>>>()
    };
    let allowed = rules.allowed.map(|names| all("/subject/allowed", names)).transpose()?;
    let required = all("/subject/required", rules.required)?;
    check_count("/subject/values", rules.values.len(), limits)?;
    let mut values = std::collections::BTreeMap::new();
    for (name, texts) in rules.values {
        let field = format!("/subject/values/{name}");
        check_count(&field, texts.len(), limits)?;
        if texts.is_empty() {
            return Err(Error::value(field, "At least one value is expected."));
        }
        values.insert(known(field, &name)?, texts);
    }
    if let Some(missing) = required.iter().find(|name| allowed.as_ref().is_some_and(|allowed| !allowed.contains(name)))
    {
        return Err(Error::value("/subject/required", format!("{missing} is required, but not among the allowed.")));
    }
    Ok(SubjectRules { allowed, required, values })
}

fn name_constraints(rules: NameConstraintRules, is_authority: bool, limits: &Limits) -> Result<Written> {
    const FIELD: &str = "/nameConstraints";
    if !is_authority {
        return Err(Error::value(FIELD, "Only an authority (basicConstraints.ca) has name constraints."));
    }
    check_count(&format!("{FIELD}/permitted"), rules.permitted.len(), limits)?;
    check_count(&format!("{FIELD}/excluded"), rules.excluded.len(), limits)?;
    Written::read(rules).map_err(|NoRule(place)| {
        let message =
            if place.is_empty() { "A subtree is expected, permitted or excluded; null for none." } else { EXPECTED };
        Error::value(format!("{FIELD}{place}"), message)
    })
}

fn default_alt_names(is_authority: bool) -> AltNameRules {
    let presence = if is_authority { Presence::Refused } else { Presence::Optional };
    AltNameRules { presence, ..AltNameRules::default() }
}

fn alt_name_rules(rules: AltNameRules, limits: &Limits) -> Result<AltNameRules> {
    const FIELD: &str = "/subjectAltNames";
    if rules.kinds.as_ref().is_some_and(Vec::is_empty) {
        return Err(Error::value(format!("{FIELD}/kinds"), "At least one kind is expected, or null for all."));
    }
    check_count(&format!("{FIELD}/kinds"), rules.kinds.as_ref().map_or(0, Vec::len), limits)?;
    let domains = rules.domains.as_deref().unwrap_or_default();
    check_count(&format!("{FIELD}/domains"), domains.len(), limits)?;
    if let Some(index) = domains.iter().position(|domain| !is_dns_name(domain) || domain.starts_with('*')) {
        return Err(Error::value(format!("{FIELD}/domains/{index}"), "A domain is expected, such as example.com."));
    }
    // Addresses and URIs lie in no domain that could be compared.
    let unbounded = |kind: &AltNameKind| matches!(kind, AltNameKind::Ip | AltNameKind::Uri);
    if rules.domains.is_some() && rules.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(unbounded)) {
        let message = "Where domains are given, kinds is an array of Dns, Email and Upn: only those lie in a domain.";
        return Err(Error::value(format!("{FIELD}/kinds"), message));
    }
    Ok(rules)
}
