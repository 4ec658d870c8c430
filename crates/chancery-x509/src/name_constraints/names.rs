//! Names in the form in which they are compared.

use std::{borrow::Cow, fmt, net::IpAddr};

use der::{Encode, Tag, Tagged, asn1::Any};
use x509_cert::{
    attr::AttributeTypeAndValue,
    ext::pkix::name::GeneralName,
    name::{Name, RelativeDistinguishedName},
};

use super::shortened;
use crate::{alt_name::is_dns_name, dn::DistinguishedName};

/// The forms of a GeneralName, by their tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form(pub(super) u32);

impl Form {
    pub(super) const OTHER: Self = Self(0);
    pub(super) const MAILBOX: Self = Self(1);
    pub(super) const HOST: Self = Self(2);
    pub(super) const X400: Self = Self(3);
    pub(super) const DIRECTORY: Self = Self(4);
    pub(super) const EDI: Self = Self(5);
    pub(super) const URI: Self = Self(6);
    pub(super) const ADDRESS: Self = Self(7);
    pub(super) const REGISTERED: Self = Self(8);

    /// As OpenSSL calls it.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::OTHER => "otherName",
            Self::MAILBOX => "email",
            Self::HOST => "DNS",
            Self::X400 => "X400Name",
            Self::DIRECTORY => "DirName",
            Self::EDI => "EdiPartyName",
            Self::URI => "URI",
            Self::ADDRESS => "IP",
            Self::REGISTERED => "RID",
            _ => "unknown",
        }
    }
}

/// A name of a certificate.
pub(super) struct Named {
    pub(super) form: Form,
    /// `None` where it cannot be held against a subtree of its form.
    pub(super) value: Option<Value>,
    text: String,
}

/// What is compared.
pub(super) enum Value {
    /// The part before the `@`, and the host in lower case.
    Mailbox(String, String),
    /// In lower case, also that of a URI.
    Host(String),
    Directory(Directory),
    Address(Vec<u8>),
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.form.prefix(), self.text)
    }
}

impl Named {
    fn new(form: Form, value: Option<Value>, text: &str) -> Self {
        Self { form, value, text: shortened(text) }
    }

    pub(super) const fn is_unclear(&self) -> bool {
        self.value.is_none()
    }

    /// The names of a subject: itself, the mailboxes in it and, where no alternative name is a host, the common names that
    /// look like one. The RFC speaks of no such common names; but verifiers that take them for hosts, OpenSSL among them,
    /// hold them against the constraints of hosts.
    pub(super) fn in_subject(subject: &Name, alt_names: &[GeneralName], is_authority: bool) -> Vec<Self> {
        let line = DistinguishedName::from(subject).to_string();
        let mut names = vec![Self::new(Form::DIRECTORY, Some(Value::Directory(Directory::of(subject))), &line)];
        let has_host = alt_names.iter().any(|name| matches!(name, GeneralName::DnsName(_)));
        for (name, value) in DistinguishedName::from(subject).attributes() {
            match (name.as_str(), value) {
                ("emailAddress", text) => names.push(Self::mailbox(&text.unwrap_or_default())),
                ("CN", Some(text)) if !has_host && !is_authority && looks_like_a_host(&text) => {
                    names.push(Self::host(&text));
                }
                _ => {}
            }
        }
        names
    }

    pub(super) fn general(name: &GeneralName) -> Self {
        match name {
            GeneralName::DnsName(name) => Self::host(name.as_str()),
            GeneralName::Rfc822Name(name) => Self::mailbox(name.as_str()),
            GeneralName::UniformResourceIdentifier(uri) => {
                let host = host_of_uri(uri.as_str()).map(|host| Value::Host(host.to_ascii_lowercase()));
                Self::new(Form::URI, host, uri.as_str())
            }
            GeneralName::IpAddress(bytes) => {
                let text = address(bytes.as_bytes()).map_or_else(|| hex::encode(bytes), |address| address.to_string());
                Self::new(Form::ADDRESS, Some(Value::Address(bytes.as_bytes().to_vec())), &text)
            }
            GeneralName::DirectoryName(name) => {
                let line = DistinguishedName::from(name).to_string();
                Self::new(Form::DIRECTORY, Some(Value::Directory(Directory::of(name))), &line)
            }
            GeneralName::OtherName(name) => Self::new(Form::OTHER, None, &name.type_id.to_string()),
            GeneralName::EdiPartyName(_) => Self::new(Form::EDI, None, ""),
            GeneralName::RegisteredId(oid) => Self::new(Form::REGISTERED, None, &oid.to_string()),
        }
    }

    fn host(text: &str) -> Self {
        Self::new(Form::HOST, Some(Value::Host(text.to_ascii_lowercase())), text)
    }

    fn mailbox(text: &str) -> Self {
        let value = text.rsplit_once('@');
        let value = value.map(|(local, host)| Value::Mailbox(local.to_owned(), host.to_ascii_lowercase()));
        Self::new(Form::MAILBOX, value, text)
    }
}

/// Two labels or more, as verifiers take them for a host's name: an underscore does too.
fn looks_like_a_host(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.contains('.') && text.split('.').all(is_label)
}

/// The host of a URI with an authority, where that is a name and nothing but a port stands beside it (RFC 3986, 3.2). The
/// RFC wants all others rejected where URIs are constrained; a user before the host has fooled verifiers.
fn host_of_uri(uri: &str) -> Option<&str> {
    let (_, rest) = uri.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    let is_host = is_dns_name(host) && !host.starts_with('*') && port.bytes().all(|byte| byte.is_ascii_digit());
    is_host.then_some(host)
}

/// An address of four or sixteen bytes.
pub(super) fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

/// A directory name by the rules of RFC 5280, 7.1: without regard to the letter case, the spaces and the string type. The
/// narrow reading knows the letter case of ASCII only, the wide one that of all scripts.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    narrow: Vec<Rdn>,
    wide: Vec<Rdn>,
}

/// The attributes of one part, sorted: the encoded type, whether it is a text, the value.
type Rdn = Vec<(Vec<u8>, bool, Vec<u8>)>;

impl Directory {
    pub(super) fn of(name: &Name) -> Self {
        let rdns = |fold: fn(&str) -> String| name.iter_rdn().map(|part| rdn(part, fold)).collect();
        Self { narrow: rdns(str::to_ascii_lowercase), wide: rdns(str::to_lowercase) }
    }

    pub(super) fn begins_with_narrowly(&self, base: &Self) -> bool {
        self.narrow.starts_with(&base.narrow)
    }

    pub(super) fn begins_with_widely(&self, base: &Self) -> bool {
        self.wide.starts_with(&base.wide)
    }
}

fn rdn(part: &RelativeDistinguishedName, fold: fn(&str) -> String) -> Rdn {
    let attribute = |pair: &AttributeTypeAndValue| {
        let value = text(&pair.value).map(|text| fold(&text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")));
        let (is_text, value) = match value {
            Some(text) => (true, text.into_bytes()),
            // What is no text is compared as it stands, its tag included.
            None => (false, pair.value.to_der().unwrap_or_default()),
        };
        (pair.oid.as_bytes().to_vec(), is_text, value)
    };
    let mut attributes: Rdn = part.iter().map(attribute).collect();
    attributes.sort_unstable();
    attributes
}

/// The text of any string type that names were ever written in.
fn text(value: &Any) -> Option<Cow<'_, str>> {
    let (tag, bytes) = (value.tag(), value.value());
    if [Tag::Utf8String, Tag::PrintableString, Tag::Ia5String, Tag::VisibleString].contains(&tag) {
        return std::str::from_utf8(bytes).ok().map(Cow::Borrowed);
    }
    if tag == Tag::TeletexString {
        return Some(bytes.iter().copied().map(char::from).collect());
    }
    if tag == Tag::BmpString {
        let units = bytes.chunks(2).map(|unit| unit.try_into().map(u16::from_be_bytes));
        let units: Vec<u16> = units.collect::<Result<_, _>>().ok()?;
        return String::from_utf16(&units).ok().map(Cow::Owned);
    }
    None
}
