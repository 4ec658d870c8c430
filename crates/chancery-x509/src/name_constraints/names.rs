//! Names in the form in which they are compared.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
};

use der::Encode;
use x509_cert::{
    attr::AttributeTypeAndValue,
    ext::pkix::name::GeneralName,
    name::{Name, RelativeDistinguishedName},
};

use super::shortened;
use crate::{
    alt_name::is_dns_name,
    dn::{FoundName, attribute::text},
};

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
        let line = FoundName::from(subject).to_string();
        // A subject that is empty is no name (RFC 5280, 4.1.2.6), so no constraint is for it.
        let directory = || Self::new(Form::DIRECTORY, Some(Value::Directory(Directory::of(subject))), &line);
        let mut names: Vec<_> = (!subject.is_empty()).then(directory).into_iter().collect();
        let has_host = has_host(alt_names);
        for (name, value) in FoundName::from(subject).attributes() {
            match (name.as_str(), value) {
                ("emailAddress", text) => names.push(Self::mailbox(&text.unwrap_or_default())),
                ("CN", Some(text)) if !has_host && !is_authority => {
                    names.extend(host_of_common_name(&text).map(|host| Self::host(&host)));
                }
                _ => {}
            }
        }
        names
    }

    /// The mailboxes and addresses that common names are, and the hosts that they may be to a client that is content with less
    /// than [`host_of_common_name`], where no alternative name is a host.
    pub(super) fn in_common_names(subject: &Name, alt_names: &[GeneralName]) -> Vec<Self> {
        let has_host = has_host(alt_names);
        let common_names = FoundName::from(subject).attributes().into_iter().filter(|(name, _)| name == "CN");
        let named = |text: String| match text.trim().parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => Some(Self::address(&address.octets())),
            Ok(IpAddr::V6(address)) => Some(Self::address(&address.octets())),
            Err(_) => match mailbox_of_common_name(&text) {
                Some((local, host)) => Some(Self::mailbox(&format!("{local}@{host}"))),
                None => possible_host(&text).filter(|_| !has_host).map(|host| Self::host(&host)),
            },
        };
        common_names.filter_map(|(_, value)| value).filter_map(named).collect()
    }

    pub(super) fn general(name: &GeneralName) -> Self {
        match name {
            GeneralName::DnsName(name) => Self::host(name.as_str()),
            GeneralName::Rfc822Name(name) => Self::mailbox(name.as_str()),
            GeneralName::UniformResourceIdentifier(uri) => {
                let host = host_of_uri(uri.as_str()).map(|host| Value::Host(host.to_ascii_lowercase()));
                Self::new(Form::URI, host, uri.as_str())
            }
            GeneralName::IpAddress(bytes) => Self::address(bytes.as_bytes()),
            GeneralName::DirectoryName(name) => {
                let line = FoundName::from(name).to_string();
                Self::new(Form::DIRECTORY, Some(Value::Directory(Directory::of(name))), &line)
            }
            GeneralName::OtherName(name) => Self::new(Form::OTHER, None, &name.type_id.to_string()),
            GeneralName::EdiPartyName(_) => Self::new(Form::EDI, None, ""),
            GeneralName::RegisteredId(oid) => Self::new(Form::REGISTERED, None, &oid.to_string()),
        }
    }

    fn address(bytes: &[u8]) -> Self {
        let text = address(bytes).map_or_else(|| hex::encode(bytes), |address| address.to_string());
        Self::new(Form::ADDRESS, Some(Value::Address(bytes.to_vec())), &text)
    }

    fn host(text: &str) -> Self {
        Self::new(Form::HOST, Some(Value::Host(text.to_ascii_lowercase())), text)
    }

    fn mailbox(text: &str) -> Self {
        let value = text.rsplit_once('@').filter(|(local, host)| !local.is_empty() && !host.is_empty());
        let value = value.map(|(local, host)| Value::Mailbox(local.to_owned(), host.to_ascii_lowercase()));
        Self::new(Form::MAILBOX, value, text)
    }
}

/// Whether hosts are named where they belong: then common names say nothing of any.
fn has_host(alt_names: &[GeneralName]) -> bool {
    alt_names.iter().any(|name| matches!(name, GeneralName::DnsName(_)))
}

/// The host that a common name looks like, as verifiers and people take one for it: two labels or more, of letters of any
/// script, digits, hyphens and underscores, the first may be a wildcard; in lower case, with ASCII's full stops (RFC 3490,
/// 3.1) and none at the end.
fn host_of_common_name(text: &str) -> Option<String> {
    let host = with_stops(text);
    let host = host.strip_suffix('.').unwrap_or(&host);
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|character| character.is_alphanumeric() || "-_".contains(character))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let bare = host.strip_prefix("*.").unwrap_or(host);
    (host.contains('.') && bare.split('.').all(is_label)).then(|| host.to_owned())
}

/// The host that a common name may be to any client: OpenSSL, where no alternative name is a host, compares names with empty
/// labels or hyphens at their ends, and takes an asterisk anywhere in the first label. So whatever has a full stop and no
/// space, and is no mailbox.
pub fn possible_host(text: &str) -> Option<String> {
    let host = with_stops(text);
    let host = host.strip_suffix('.').unwrap_or(&host);
    let is_possible =
        host.contains('.') && !host.contains(char::is_whitespace) && mailbox_of_common_name(text).is_none();
    is_possible.then(|| host.to_owned())
}

/// In lower case, with ASCII's full stops.
fn with_stops(text: &str) -> String {
    let stops = |character| if "\u{3002}\u{ff0e}\u{ff61}".contains(character) { '.' } else { character };
    text.trim().chars().map(stops).flat_map(char::to_lowercase).collect()
}

/// The mailbox that a common name looks like, as people take one for it: something without a space on either side of the
/// last `@`. Its two sides.
pub fn mailbox_of_common_name(text: &str) -> Option<(&str, &str)> {
    let (local, host) = text.trim().rsplit_once('@')?;
    let is_one = |side: &str| !side.is_empty() && !side.contains(char::is_whitespace);
    (is_one(local) && is_one(host)).then_some((local, host))
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

/// The IPv4 addresses that an IPv6 address may stand for: mapped (::ffff:0:0/96) and compatible ones (::/96) of RFC 4291,
/// those of translators (64:ff9b::/96, RFC 6052, 64:ff9b:1::/48, RFC 8215, and ::ffff:0:0:0/96, RFC 2765), of 6to4
/// (2002::/16, RFC 3056), the client of Teredo (2001::/32, RFC 4380), whose bits are turned, and the end of ISATAP's in any
/// network (RFC 5214, 6.1).
pub(super) fn embedded(bytes: &[u8]) -> Vec<Ipv4Addr> {
    const BEFORE_THE_LAST: [&[u8]; 4] = [
        &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
        &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0],
    ];
    let Ok(bytes) = <&[u8; 16]>::try_from(bytes) else { return Vec::new() };
    let Some((start, last)) = bytes.split_last_chunk::<4>() else { return Vec::new() };
    if BEFORE_THE_LAST.contains(&start) {
        return vec![(*last).into()];
    }
    match *bytes {
        // Whoever runs the translator chose the length of its prefix, 48, 56, 64 or 96; byte 8 stays clear (RFC 6052, 2.2).
        [0, 0x64, 0xff, 0x9b, 0, 1, a, b, _, c, d, e, f, ..] => {
            [[a, b, c, d], [b, c, d, e], [c, d, e, f], *last].map(Ipv4Addr::from).to_vec()
        }
        [0x20, 2, a, b, c, d, ..] => vec![[a, b, c, d].into()],
        [0x20, 1, 0, 0, ..] => vec![last.map(|byte| !byte).into()],
        [.., 0 | 2, 0, 0x5e, 0xfe, _, _, _, _] => vec![(*last).into()],
        _ => Vec::new(),
    }
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

/// A name as whoever follows a path compares it (RFC 5280, 7.1): without regard to the letter case of ASCII, the spaces and
/// the string type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameKey(Vec<Rdn>);

impl NameKey {
    /// Of a name.
    #[must_use]
    pub fn of(name: &Name) -> Self {
        Self(name.iter_rdn().map(|part| rdn(part, str::to_ascii_lowercase)).collect())
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
