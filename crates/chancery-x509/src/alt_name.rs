//! Subject alternative names, written as OpenSSL writes them: `DNS:example.com`, `IP:192.0.2.1`,
//! `email:pki@example.com`, `URI:https://example.com/`, `UPN:user@example.com`. A host name or an address also stands
//! without its prefix. What a request or another certificate has is read by the same rules.

mod uri;

use std::{fmt, net::IpAddr, str::FromStr};

use chancery_types::hides;
use der::asn1::{Any, Ia5String, ObjectIdentifier, Utf8StringRef};
use x509_cert::ext::pkix::name::{GeneralName, OtherName};

use crate::dn::attribute;
pub use uri::is_absolute_uri;

/// The user principal name of Microsoft's directories: an otherName that holds a UTF8String.
const USER_PRINCIPAL_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.20.2.3");

/// How OpenSSL's configuration begins one.
const OPENSSL_UPN: [&str; 2] = ["1.3.6.1.4.1.311.20.2.3;utf8:", "msupn;utf8:"];

/// Characters of a user principal name: a directory allows 64 before the `@`, and a host has 253.
const UPN_MAX: usize = 318;

/// Names of one certificate. More than enough for a server farm, and few enough to stay readable.
pub const ALT_NAMES_MAX: usize = 250;

/// A subject alternative name that keeps to RFC 5280, 4.2.1.6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AltName {
    /// A host name, perhaps with a wildcard.
    Dns(String),
    /// An address.
    Ip(IpAddr),
    /// A mailbox.
    Email(String),
    /// The address of something.
    Uri(String),
    /// A user principal name.
    Upn(String),
}

impl AltName {
    /// Reads a name of a request or of another certificate.
    pub fn taken(name: &GeneralName) -> Result<Self, NotAnAltName> {
        let prefixed = |prefix: &str, text: &str| format!("{prefix}:{text}").parse();
        match name {
            GeneralName::DnsName(name) => prefixed("DNS", name.as_str()),
            GeneralName::Rfc822Name(name) => prefixed("email", name.as_str()),
            GeneralName::UniformResourceIdentifier(name) => prefixed("URI", name.as_str()),
            GeneralName::IpAddress(bytes) => address(bytes.as_bytes()).map(Self::Ip).ok_or(NotAnAltName),
            GeneralName::OtherName(name) if name.type_id == USER_PRINCIPAL_NAME => {
                prefixed("UPN", &attribute::text(&name.value).ok_or(NotAnAltName)?)
            }
            GeneralName::OtherName(_)
            | GeneralName::DirectoryName(_)
            | GeneralName::EdiPartyName(_)
            | GeneralName::RegisteredId(_) => Err(NotAnAltName),
        }
    }

    /// The mailbox that a subject names by its emailAddress.
    pub fn mailbox(text: &str) -> Option<Self> {
        is_mailbox(text).then(|| Self::Email(text.to_owned()))
    }

    /// Whether both name the same: hosts have no letter case.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dns(one), Self::Dns(two)) => one.eq_ignore_ascii_case(two),
            (Self::Email(one), Self::Email(two)) => one
                .rsplit_once('@')
                .zip(two.rsplit_once('@'))
                .is_some_and(|((local, at), (other, host))| local == other && at.eq_ignore_ascii_case(host)),
            (one, two) => one == two,
        }
    }

    /// As the extension carries it.
    pub fn general_name(&self) -> der::Result<GeneralName> {
        Ok(match self {
            Self::Dns(name) => GeneralName::DnsName(Ia5String::new(name)?),
            Self::Ip(address) => GeneralName::from(*address),
            Self::Email(address) => GeneralName::Rfc822Name(Ia5String::new(address)?),
            Self::Uri(uri) => GeneralName::UniformResourceIdentifier(Ia5String::new(uri)?),
            Self::Upn(name) => {
                let value = Any::from(Utf8StringRef::new(name)?);
                GeneralName::OtherName(OtherName { type_id: USER_PRINCIPAL_NAME, value })
            }
        })
    }

    /// The host that a common name names, if it names one.
    pub fn host(text: &str) -> Option<Self> {
        match text.parse() {
            Ok(address) => Some(Self::Ip(address)),
            Err(_) => is_dns_name(text).then(|| Self::Dns(text.to_owned())),
        }
    }
}

impl fmt::Display for AltName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dns(name) => write!(f, "DNS:{name}"),
            Self::Ip(address) => write!(f, "IP:{address}"),
            Self::Email(address) => write!(f, "email:{address}"),
            Self::Uri(uri) => write!(f, "URI:{uri}"),
            Self::Upn(name) => write!(f, "UPN:{name}"),
        }
    }
}

/// A text that is no subject alternative name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnAltName;

impl fmt::Display for NotAnAltName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "A subject alternative name is DNS:host.example (internationalised names in their xn-- form; *.host.example \
             for the hosts of a domain of two labels or more), IP:192.0.2.1, email:name@host.example, \
             URI:https://host.example/ or UPN:user@host.example.",
        )
    }
}

impl std::error::Error for NotAnAltName {}

impl FromStr for AltName {
    type Err = NotAnAltName;

    fn from_str(text: &str) -> Result<Self, NotAnAltName> {
        let prefixed = text.split_once(':').map(|(prefix, value)| (prefix.to_ascii_lowercase(), value));
        let name = match prefixed {
            Some((prefix, value)) if prefix == "dns" => is_dns_name(value).then(|| Self::Dns(value.to_owned())),
            Some((prefix, value)) if prefix == "ip" => value.parse().ok().map(Self::Ip),
            Some((prefix, value)) if prefix == "email" => is_mailbox(value).then(|| Self::Email(value.to_owned())),
            Some((prefix, value)) if prefix == "uri" => is_absolute_uri(value).then(|| Self::Uri(value.to_owned())),
            Some((prefix, value)) if prefix == "upn" => user_principal_name(value),
            Some((prefix, value)) if prefix == "othername" => {
                let begins =
                    |begin: &&str| value.get(..begin.len()).is_some_and(|from| from.eq_ignore_ascii_case(begin));
                let upn = OPENSSL_UPN.iter().find(|begin| begins(begin)).map(|begin| &value[begin.len()..]);
                upn.and_then(user_principal_name)
            }
            _ => Self::host(text),
        };
        name.ok_or(NotAnAltName)
    }
}

/// An address of four or sixteen bytes.
fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(Into::into);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(Into::into)).ok()
}

/// `user@host`: any printable text before the `@`.
fn user_principal_name(text: &str) -> Option<AltName> {
    let (user, host) = text.rsplit_once('@')?;
    let is_good = !user.is_empty()
        && user.trim() == user
        && !user.contains('@')
        && !user.chars().any(hides)
        && text.chars().count() <= UPN_MAX
        && !host.starts_with('*')
        && is_dns_name(host);
    is_good.then(|| AltName::Upn(text.to_owned()))
}

/// Letters, digits and hyphens (RFC 1123), at most 63 to a label and 253 in all; the leftmost label may be `*`, but not
/// right below a top-level domain: nobody has all hosts of one.
pub fn is_dns_name(text: &str) -> bool {
    let host = match text.strip_prefix("*.") {
        Some(domain) if !domain.contains('.') => return false,
        Some(domain) => domain,
        None => text,
    };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // A last label of digits would make an address of it.
    let is_number = host.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    text.len() <= 253 && host.split('.').all(is_label) && !is_number
}

/// `local@host`, in the plain form of RFC 5321's Dot-string.
fn is_mailbox(text: &str) -> bool {
    let is_atom = |atom: &str| {
        !atom.is_empty()
            && atom.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
    };
    text.split_once('@').is_some_and(|(local, host)| {
        local.len() <= 64 && local.split('.').all(is_atom) && !host.starts_with('*') && is_dns_name(host)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for (text, name) in [
            ("DNS:example.com", AltName::Dns("example.com".to_owned())),
            ("dns:*.example.com", AltName::Dns("*.example.com".to_owned())),
            ("localhost", AltName::Dns("localhost".to_owned())),
            ("xn--bcher-kva.example", AltName::Dns("xn--bcher-kva.example".to_owned())),
            ("IP:127.0.0.1", AltName::Ip([127, 0, 0, 1].into())),
            ("::1", AltName::Ip("::1".parse().unwrap())),
            ("IP:::1", AltName::Ip("::1".parse().unwrap())),
            ("email:a.b+c@example.com", AltName::Email("a.b+c@example.com".to_owned())),
            ("URI:spiffe://example/workload", AltName::Uri("spiffe://example/workload".to_owned())),
            ("UPN:ann@corp.example", AltName::Upn("ann@corp.example".to_owned())),
            ("upn:Ännchen Müller@corp", AltName::Upn("Ännchen Müller@corp".to_owned())),
            ("otherName:msUPN;UTF8:ann@corp.example", AltName::Upn("ann@corp.example".to_owned())),
            ("otherName:1.3.6.1.4.1.311.20.2.3;UTF8:a@b", AltName::Upn("a@b".to_owned())),
        ] {
            assert_eq!(text.parse(), Ok(name), "{text}");
        }
    }

    #[test]
    fn names_of_certificates_are_read_as_those_of_bodies() {
        for text in
            ["DNS:a.example", "IP:192.0.2.1", "IP:::1", "email:a@b.example", "URI:https://a.example/", "UPN:ä@b"]
        {
            let name: AltName = text.parse().unwrap();
            assert_eq!(AltName::taken(&name.general_name().unwrap()), Ok(name), "{text}");
        }
        let general = |text: &str| GeneralName::DnsName(Ia5String::new(text).unwrap());
        for foreign in [general("a b"), general("*.com"), GeneralName::RegisteredId(USER_PRINCIPAL_NAME)] {
            assert_eq!(AltName::taken(&foreign), Err(NotAnAltName));
        }
        let same = |one: &str, two: &str| one.parse::<AltName>().unwrap().is_same(&two.parse().unwrap());
        assert!(same("A.example", "a.EXAMPLE") && same("email:a@B.example", "email:a@b.example"));
        assert!(!same("email:A@b.example", "email:a@b.example") && !same("DNS:a", "email:a@a"));
    }

    #[test]
    fn names_are_refused() {
        for text in [
            "",
            "DNS:",
            "DNS:-a.example",
            "DNS:a..b",
            "DNS:a.example.",
            "DNS:*",
            "DNS:*.com",
            "*.localhost",
            "DNS:*.*.example.com",
            "UPN:",
            "UPN:ann",
            "UPN:@corp.example",
            "UPN:ann@",
            "UPN:a\u{1b}@corp.example",
            "UPN:a@b@corp.example",
            "otherName:1.2.3;UTF8:a@b",
            "DNS:a.*.example",
            "DNS:bücher.example",
            "DNS:a_b.example",
            "DNS:a b",
            "DNS:192.0.2.1",
            "1.2.3",
            "IP:1.2.3",
            "IP:example.com",
            "email:a",
            "email:@b",
            "email:a@",
            "email:a..b@example.com",
            "email:a@*.example.com",
            "URI:",
            "URI:/relative",
            "URI:http:",
            "URI:1a:b",
            "URI:http://a b",
            "RID:1.2.3",
            "\0",
        ] {
            assert_eq!(text.parse::<AltName>(), Err(NotAnAltName), "{text}");
        }
        let label = "a".repeat(63);
        assert!(format!("{label}.example").parse::<AltName>().is_ok());
        assert!(format!("a{label}.example").parse::<AltName>().is_err());
        assert!([&*label; 4].join(".").parse::<AltName>().is_err(), "255 characters");
    }
}
