//! Requests held against a profile: they narrow it and never widen it.

use std::{borrow::Cow, sync::Arc};

use chancery_keys::{KeySpec, SignatureScheme};
use chancery_types::{AltNameKind, CertKeyUsage, HashType, Presence, wire::x509::CertParams};
use der::asn1::ObjectIdentifier;

use super::{Authority, CertProfile, purpose};
use crate::{
    Error, Result,
    keys::key_type,
    pki::{
        ALT_NAMES, SUBJECT,
        alt_name::{ALT_NAMES_MAX, AltName},
        dn::DistinguishedName,
        name_constraints::{Written, mailbox_of_common_name, possible_host},
        order,
    },
};

const PATH_LENGTH: &str = "/certParams/pathLength";

impl CertProfile {
    /// The profile with what the request asks for less of.
    pub(in crate::pki) fn narrowed(self: &Arc<Self>, params: &CertParams) -> Result<Arc<Self>> {
        let CertParams { key_usages, extended_key_usages, path_length, .. } = params;
        if key_usages.is_none() && extended_key_usages.is_none() && path_length.is_none() {
            return Ok(Arc::clone(self));
        }
        let mut narrowed = Self::clone(self);
        if let Some(usages) = key_usages {
            narrowed.key_usages = Cow::Owned(self.some_usages(usages)?);
        }
        if let Some(texts) = extended_key_usages {
            narrowed.extended_key_usages = Cow::Owned(self.some_purposes(texts)?);
        }
        if let Some(asked) = *path_length {
            narrowed.authority = self.shorter_path(asked)?;
        }
        Ok(Arc::new(narrowed))
    }

    /// The profile with the name constraints of the authority whose place is taken: nobody gets rid of them so.
    pub(in crate::pki) fn constrained(self: Arc<Self>, before: Option<Written>) -> Result<Arc<Self>> {
        match (before.filter(|_| self.is_authority()), &self.name_constraints) {
            (None, _) => Ok(self),
            (Some(before), None) => Ok(Arc::new(Self { name_constraints: Some(before), ..Self::clone(&self) })),
            (Some(before), Some(own)) if own.is_same(&before) => Ok(self),
            (Some(_), Some(_)) => {
                let message = "The authority has other name constraints than the profile.";
                Err(Error::value("/certProfileUuid", message))
            }
        }
    }

    fn some_usages(&self, usages: &[CertKeyUsage]) -> Result<Vec<CertKeyUsage>> {
        const FIELD: &str = "/certParams/keyUsages";
        if let Some(index) = usages.iter().position(|usage| !self.key_usages.contains(usage)) {
            let all: Vec<_> = self.key_usages.iter().map(|usage| usage.as_str()).collect();
            let message = format!("The profile {} has the key usages {}.", self.name, all.join(", "));
            return Err(Error::value(format!("{FIELD}/{index}"), message));
        }
        let signs = |usage: &&CertKeyUsage| matches!(usage, CertKeyUsage::KeyCertSign | CertKeyUsage::CrlSign);
        let some: Vec<_> = self.key_usages.iter().filter(|usage| usages.contains(usage)).copied().collect();
        if some.is_empty() || (self.is_authority() && some.iter().filter(signs).count() < 2) {
            return Err(Error::value(
                FIELD,
                "A certificate has a key usage, and an authority keyCertSign and cRLSign.",
            ));
        }
        Ok(some)
    }

    fn some_purposes(&self, texts: &[String]) -> Result<Vec<ObjectIdentifier>> {
        const FIELD: &str = "/certParams/extendedKeyUsages";
        let mut asked = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let known = purpose(text).filter(|oid| self.extended_key_usages.contains(oid));
            asked.push(known.ok_or_else(|| {
                let message = format!("The profile {} does not have this extended key usage.", self.name);
                Error::value(format!("{FIELD}/{index}"), message)
            })?);
        }
        // Without the extension a certificate is for everything.
        if asked.is_empty() && !self.extended_key_usages.is_empty() {
            return Err(Error::value(FIELD, "At least one of the profile's extended key usages is expected."));
        }
        Ok(self.extended_key_usages.iter().filter(|oid| asked.contains(oid)).copied().collect())
    }

    fn shorter_path(&self, asked: u8) -> Result<Authority> {
        let path_len = match self.authority {
            Authority::None => return Err(Error::value(PATH_LENGTH, "Only an authority has a path length.")),
            Authority::Root => None,
            Authority::Issuing { path_len } => path_len,
        };
        match path_len {
            Some(max) if asked > max => {
                Err(Error::value(PATH_LENGTH, format!("The profile {} allows at most {max}.", self.name)))
            }
            Some(_) | None => Ok(Authority::Issuing { path_len: Some(asked) }),
        }
    }

    /// The profile below an issuer that lets so many authorities stand under it. Where the profile leaves the number
    /// open it is what the issuer leaves.
    pub(in crate::pki) fn below(self: &Arc<Self>, issuer_path_len: Option<u8>) -> Result<Arc<Self>> {
        let (Authority::Issuing { path_len }, Some(above)) = (self.authority, issuer_path_len) else {
            return Ok(Arc::clone(self));
        };
        match (above.checked_sub(1), path_len) {
            (None, _) => {
                let message = "The issuer's path length allows no further certificate authority below it.";
                Err(Error::value("/certProfileUuid", message))
            }
            (Some(left), Some(own)) if own > left => {
                let message = format!("The issuer leaves a path length of {left}, and the profile has {own}.");
                Err(Error::value(PATH_LENGTH, message))
            }
            (Some(_), Some(_)) => Ok(Arc::clone(self)),
            (Some(left), None) => {
                let authority = Authority::Issuing { path_len: Some(left) };
                Ok(Arc::new(Self { authority, ..Self::clone(self) }))
            }
        }
    }

    /// The alternative names of a certificate for which these names are asked, wherever they come from: a body, a request,
    /// the certificate before.
    pub(in crate::pki) fn names(&self, subject: &DistinguishedName, asked: Vec<AltName>) -> Result<Vec<AltName>> {
        self.check_subject(subject)?;
        if asked.len() > ALT_NAMES_MAX {
            let message = format!("A certificate has at most {ALT_NAMES_MAX} alternative names.");
            return Err(Error::too_large(ALT_NAMES, message));
        }
        let mut names = self.alt_names(asked, subject)?;
        self.add_mailboxes(subject, &mut names)?;
        self.check_host(subject)?;
        if subject.is_empty() && (names.is_empty() || self.is_authority()) {
            let message = "A certificate has a subject, or where it is no authority's alternative names.";
            return Err(Error::value(SUBJECT, message));
        }
        Ok(names)
    }

    /// Refuses a subject that the profile does not allow.
    fn check_subject(&self, subject: &DistinguishedName) -> Result<()> {
        let refused = |message: String| Err(Error::value(SUBJECT, message));
        // Some clients still take a common name for the host's, whatever the profile is for.
        let pairs = subject.attributes();
        let is_pattern = |text: &String| text.starts_with("*.") || text.contains('*') && possible_host(text).is_some();
        let mut common_names = pairs.iter().filter(|(name, _)| name == "CN").filter_map(|(_, text)| text.as_ref());
        if common_names.any(|text| is_pattern(text) && AltName::host(text).is_none()) {
            return refused(
                "A common name with an asterisk stands for the hosts of a domain, *.host.example: the whole first label."
                    .to_owned(),
            );
        }
        if !self.alt_names.wildcards
            && pairs.iter().any(|(name, text)| name == "CN" && text.as_ref().is_some_and(is_pattern))
        {
            return refused(format!("The profile {} takes no wildcards, in the common name neither.", self.name));
        }
        for (name, value) in &pairs {
            if self.subject.allowed.as_ref().is_some_and(|allowed| !allowed.contains(name)) {
                return refused(format!("The profile {} does not allow {name} in a subject.", self.name));
            }
            let values = self.subject.values.get(name);
            if values.is_some_and(|values| value.as_ref().is_none_or(|value| !values.contains(value))) {
                return refused(format!("The profile {} allows {name} to have certain values only.", self.name));
            }
        }
        match self.subject.required.iter().find(|required| pairs.iter().all(|(name, _)| name != *required)) {
            Some(missing) => refused(format!("The profile {} demands {missing} in a subject.", self.name)),
            None => Ok(()),
        }
    }

    fn alt_names(&self, names: Vec<AltName>, subject: &DistinguishedName) -> Result<Vec<AltName>> {
        let names = match self.alt_names.presence {
            Presence::Refused if !names.is_empty() => {
                return Err(Error::value(ALT_NAMES, format!("The profile {} takes no alternative names.", self.name)));
            }
            Presence::Required if names.is_empty() => {
                let host = subject.common_name().as_deref().and_then(AltName::host);
                vec![host.ok_or_else(|| {
                    let message = "The profile needs alternative names, since the common name is neither a host name \
                                   nor an address.";
                    Error::value(ALT_NAMES, message)
                })?]
            }
            Presence::Required | Presence::Optional | Presence::Refused => names,
        };
        for (index, name) in names.iter().enumerate() {
            let refused = |message| Err(Error::value(format!("{ALT_NAMES}/{index}"), message));
            if !self.allows_alt_name(name) {
                return refused(format!("The profile {} does not allow this alternative name.", self.name));
            }
            if names[..index].iter().any(|before| before.is_same(name)) {
                return refused("This alternative name stands there twice.".to_owned());
            }
        }
        Ok(names)
    }

    /// A mailbox in the subject brings its rfc822Name (RFC 5280, 4.1.2.6), for which the same holds as for others.
    fn add_mailboxes(&self, subject: &DistinguishedName, names: &mut Vec<AltName>) -> Result<()> {
        let refused = |message: String| Error::value(SUBJECT, message);
        let mailboxes = subject.attributes().into_iter().filter(|(name, _)| name == "emailAddress");
        for text in mailboxes.filter_map(|(_, value)| value) {
            let takes_names = self.alt_names.presence != Presence::Refused;
            let Some(mailbox) = AltName::mailbox(&text) else {
                if takes_names || self.alt_names.domains.is_some() {
                    return Err(refused("The emailAddress of a subject is a mailbox, name@host.example.".to_owned()));
                }
                continue;
            };
            let allowed = if takes_names { self.allows_alt_name(&mailbox) } else { self.is_in_domains(&mailbox) };
            if !allowed {
                return Err(refused(format!("The profile {} does not allow this emailAddress.", self.name)));
            }
            if takes_names && !names.iter().any(|name| name.is_same(&mailbox)) {
                names.push(mailbox);
            }
        }
        Ok(())
    }

    /// A common name that people or verifiers take for a host or a mailbox lies where those must lie.
    fn check_host(&self, subject: &DistinguishedName) -> Result<()> {
        let Some(domains) = self.alt_names.domains.as_ref().filter(|_| !self.is_authority()) else { return Ok(()) };
        let is_outside = |text: &String| {
            let host = possible_host(text);
            let host = host.as_deref().map(|host| host.strip_prefix("*.").unwrap_or(host));
            match host.or_else(|| mailbox_of_common_name(text).map(|(_, host)| host)) {
                Some(host) => !domains.iter().any(|domain| lies_in(host, domain)),
                None => text.trim().parse::<std::net::IpAddr>().is_ok(),
            }
        };
        let common_names = subject.attributes().into_iter().filter(|(name, _)| name == "CN");
        if common_names.filter_map(|(_, value)| value).any(|text| is_outside(&text)) {
            let message = format!(
                "The profile {} allows hosts and mailboxes in its domains only, the common name too.",
                self.name
            );
            return Err(Error::value(SUBJECT, message));
        }
        Ok(())
    }

    fn allows_alt_name(&self, name: &AltName) -> bool {
        let rules = &self.alt_names;
        let kind = match name {
            AltName::Dns(_) => AltNameKind::Dns,
            AltName::Email(_) => AltNameKind::Email,
            AltName::Ip(_) => AltNameKind::Ip,
            AltName::Uri(_) => AltNameKind::Uri,
            AltName::Upn(_) => AltNameKind::Upn,
        };
        let wild = matches!(name, AltName::Dns(host) if host.starts_with("*."));
        (rules.wildcards || !wild)
            && self.is_in_domains(name)
            && rules.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }

    /// Whether it lies in the profile's domains, where it has some and the name lies in one at all.
    fn is_in_domains(&self, name: &AltName) -> bool {
        let Some(domains) = &self.alt_names.domains else { return true };
        let host = match name {
            AltName::Dns(host) => host.strip_prefix("*.").unwrap_or(host),
            AltName::Email(name) | AltName::Upn(name) => name.rsplit_once('@').map_or("", |(_, host)| host),
            AltName::Ip(_) | AltName::Uri(_) => return false,
        };
        domains.iter().any(|domain| lies_in(host, domain))
    }

    /// Refuses a kind of key that the profile does not allow; `field` is where it was named.
    pub(in crate::pki) fn check_kind_of_key(&self, spec: KeySpec, field: &str) -> Result<()> {
        let Some(allowed) = self.key_types.as_ref().filter(|allowed| !allowed.contains(&key_type::id(spec))) else {
            return Ok(());
        };
        let names: Vec<_> = allowed.iter().filter_map(|id| key_type::by_id(*id)).map(key_type::name).collect();
        let message = format!("The profile {} allows keys of type {}.", self.name, names.join(", "));
        Err(Error::value(field.to_owned(), message))
    }

    /// How a signer's key signs a certificate under this profile.
    pub(in crate::pki) fn scheme(&self, signer: KeySpec, hash: Option<HashType>) -> Result<SignatureScheme> {
        const FIELD: &str = "/certParams/hashAlgorithm";
        let Some(allowed) = &self.hashes else { return order::scheme(signer, hash) };
        let names = || allowed.iter().map(|hash| hash.as_str()).collect::<Vec<_>>().join(", ");
        if let Some(hash) = hash {
            if !allowed.contains(&hash) {
                return Err(Error::value(FIELD, format!("The profile {} allows {}.", self.name, names())));
            }
            return order::scheme(signer, Some(hash));
        }
        allowed.iter().find_map(|hash| order::scheme(signer, Some(*hash)).ok()).ok_or_else(|| {
            let message = format!("{signer} keys sign with none of the hashes of the profile: {}.", names());
            Error::value(FIELD, message)
        })
    }
}

/// Whether a host is the domain or below it. Names of hosts have no letter case.
fn lies_in(host: &str, domain: &str) -> bool {
    let (host, domain) = (host.to_ascii_lowercase(), domain.to_ascii_lowercase());
    host.strip_suffix(&domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
