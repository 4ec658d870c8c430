//! What certificates call their holders, and what a binding may ask of that.

use chancery_types::{IdentityBindingId, Shown, wire::audit::AuditCertificate};
use chancery_verify::path::Link;
use chancery_x509::{alt_name::AltName, dn::DistinguishedName};

use super::super::stored::BindingContent;
use crate::{Error, Result};

/// Alternative names by which certificates are bound, as a binding's claims call them. What is left out says less: an address
/// of a machine moves to others.
const KINDS: [&str; 4] = ["dns", "uri", "email", "upn"];

/// Characters of a name in a record: whoever connects can write there what they like.
const RECORDED_MAX: usize = 200;

/// The names in a client certificate.
#[derive(Clone, Debug)]
pub(crate) struct CertificateNames {
    issuer: String,
    serial: String,
    subject: String,
    alternative: Vec<(&'static str, String)>,
}

impl CertificateNames {
    pub(crate) fn of(link: &Link) -> Self {
        let alternative = link.alt_names().iter().filter_map(|name| named(AltName::taken(name).ok()?));
        Self {
            issuer: link.issuer_text(),
            serial: link.serial_text(),
            subject: link.subject_text(),
            alternative: alternative.collect(),
        }
    }

    /// Of one that is not made yet.
    pub(crate) fn planned(subject: String, alt_names: &[AltName]) -> Self {
        let alternative = alt_names.iter().cloned().filter_map(named).collect();
        Self { issuer: String::new(), serial: String::new(), subject, alternative }
    }

    /// As records have it.
    pub(super) fn recorded(&self, binding_uuid: Option<IdentityBindingId>) -> AuditCertificate {
        let first = self.alternative.first().map(|(kind, name)| format!("{kind}={name}"));
        let subject = if self.subject.is_empty() { first.unwrap_or_default() } else { self.subject.clone() };
        AuditCertificate {
            binding_uuid,
            issuer: recorded(&self.issuer),
            serial_number: recorded(&self.serial),
            subject: recorded(&subject),
        }
    }
}

fn named(name: AltName) -> Option<(&'static str, String)> {
    match name {
        AltName::Dns(name) => Some(("dns", name)),
        AltName::Uri(name) => Some(("uri", name)),
        AltName::Email(name) => Some(("email", name)),
        AltName::Upn(name) => Some(("upn", name)),
        AltName::Ip(_) => None,
    }
}

/// Bounded, and without what nobody sees.
fn recorded(text: &str) -> String {
    match text.char_indices().nth(RECORDED_MAX) {
        Some((end, _)) => format!("{}…", Shown(&text[..end])),
        None => Shown(text).to_string(),
    }
}

impl BindingContent {
    /// Whether it is about this certificate: letter by letter, all that it asks for.
    pub(super) fn takes_certificate(&self, names: &CertificateNames) -> bool {
        let is_named = |(kind, value): (&String, &String)| {
            names.alternative.iter().any(|(own, name)| own == kind && name == value)
        };
        self.subject.as_ref().is_none_or(|subject| *subject == names.subject) && self.claims.iter().all(is_named)
    }
}

/// Refuses a binding that no certificate of an authority could ever be about, or that is about nobody in particular.
pub(in crate::identity::federation) fn check_asked(content: &BindingContent) -> Result<()> {
    if let Some(kind) = content.claims.keys().find(|kind| !KINDS.contains(&kind.as_str())) {
        let place = kind.replace('~', "~0").replace('/', "~1");
        let message = format!("Certificates are bound by alternative names of these kinds: {}.", KINDS.join(", "));
        return Err(Error::value(format!("/claims/{place}"), message));
    }
    let Some(subject) = &content.subject else {
        return match content.claims.is_empty() {
            true => Err(Error::value("/subject", "A certificate is bound by its subject or an alternative name.")),
            false => Ok(()),
        };
    };
    let written = subject.parse::<DistinguishedName>().map(|name| name.to_string()).map_err(|error| {
        Error::value("/subject", format!("A subject is a distinguished name, such as CN=ci,O=Example. {error}"))
    })?;
    if written == *subject {
        return Ok(());
    }
    Err(Error::value("/subject", format!("Letter by letter, this subject is written so: {written}.")))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn names(subject: &str, alternative: &[(&'static str, &str)]) -> CertificateNames {
        CertificateNames {
            issuer: "CN=CA".to_owned(),
            serial: "01".to_owned(),
            subject: subject.to_owned(),
            alternative: alternative.iter().map(|(kind, name)| (*kind, (*name).to_owned())).collect(),
        }
    }

    fn binding(subject: Option<&str>, claims: &[(&str, &str)]) -> BindingContent {
        let claims: BTreeMap<_, _> =
            claims.iter().map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned())).collect();
        BindingContent { subject: subject.map(str::to_owned), claims }
    }

    #[test]
    fn a_binding_takes_what_has_all_of_its_names_letter_by_letter() {
        let certificate = names("CN=ci,O=Example", &[("dns", "ci.example"), ("dns", "b"), ("uri", "spiffe://x/ci")]);
        for taken in [
            binding(Some("CN=ci,O=Example"), &[]),
            binding(None, &[("dns", "b")]),
            binding(None, &[("dns", "ci.example"), ("uri", "spiffe://x/ci")]),
            binding(Some("CN=ci,O=Example"), &[("uri", "spiffe://x/ci")]),
        ] {
            assert!(taken.takes_certificate(&certificate), "{taken:?}");
        }
        for other in [
            binding(Some("CN=ci"), &[]),
            binding(Some("CN=CI,O=Example"), &[]),
            binding(None, &[("dns", "B")]),
            binding(None, &[("uri", "ci.example")]),
            binding(Some("CN=ci,O=Example"), &[("dns", "c")]),
        ] {
            assert!(!other.takes_certificate(&certificate), "{other:?}");
        }
    }

    #[test]
    fn a_binding_says_what_a_certificate_can_say() {
        for fine in [
            binding(Some("CN=ci,O=Example"), &[]),
            binding(None, &[("uri", "spiffe://x/ci")]),
            binding(None, &[("email", "a@b.example"), ("upn", "a@b.example")]),
        ] {
            check_asked(&fine).unwrap();
        }
        for (wrong, field) in [
            (binding(None, &[]), "/subject"),
            (binding(Some("ci"), &[]), "/subject"),
            (binding(Some("CN=ci, O=Example"), &[]), "/subject"),
            (binding(Some("/O=Example/CN=ci"), &[]), "/subject"),
            (binding(None, &[("ip", "192.0.2.1")]), "/claims/ip"),
            (binding(None, &[("a/b", "x")]), "/claims/a~1b"),
        ] {
            assert_eq!(check_asked(&wrong).unwrap_err().field(), Some(field), "{wrong:?}");
        }
    }

    #[test]
    fn what_a_record_says_is_bounded_and_seen() {
        let told = names(&format!("CN=a\u{202e}b{}", "x".repeat(500)), &[]).recorded(None).subject;
        assert!(told.starts_with("CN=a\\u{202e}bxx") && told.ends_with("x…") && told.chars().count() < 220, "{told}");
        assert_eq!(names("", &[("uri", "spiffe://x/ci")]).recorded(None).subject, "uri=spiffe://x/ci");
    }
}
