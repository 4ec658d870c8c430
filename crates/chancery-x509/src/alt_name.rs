//! Subject alternative names, written as OpenSSL writes them: `DNS:example.com`, `IP:192.0.2.1`,
//! `email:pki@example.com`, `URI:https://example.com/`. A host name or an address also stands without its prefix.

use std::{fmt, net::IpAddr, str::FromStr};

use der::asn1::Ia5String;
use x509_cert::ext::pkix::name::GeneralName;

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
}

impl AltName {
    /// As the extension carries it.
    pub fn general_name(&self) -> der::Result<GeneralName> {
        Ok(match self {
            Self::Dns(name) => GeneralName::DnsName(Ia5String::new(name)?),
            Self::Ip(address) => GeneralName::from(*address),
            Self::Email(address) => GeneralName::Rfc822Name(Ia5String::new(address)?),
            Self::Uri(uri) => GeneralName::UniformResourceIdentifier(Ia5String::new(uri)?),
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
        }
    }
}

/// A text that is no subject alternative name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnAltName;

impl fmt::Display for NotAnAltName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "A subject alternative name is DNS:host.example (internationalised names in their xn-- form), \
             IP:192.0.2.1, email:name@host.example or URI:https://host.example/.",
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
            _ => Self::host(text),
        };
        name.ok_or(NotAnAltName)
    }
}

/// Letters, digits and hyphens (RFC 1123), at most 63 to a label and 253 in all; the leftmost label may be `*`.
pub fn is_dns_name(text: &str) -> bool {
    let host = text.strip_prefix("*.").unwrap_or(text);
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

/// A scheme and something after it, in the characters of RFC 3986.
pub fn is_absolute_uri(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
            && !rest.is_empty()
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte))
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
        ] {
            assert_eq!(text.parse(), Ok(name), "{text}");
        }
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
