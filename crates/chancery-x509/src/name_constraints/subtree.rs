//! A subtree of names: its base, and what lies in it.

use std::fmt;

use der::{Decode, Tag, Tagged};
use x509_cert::name::Name;

use super::{
    GeneralSubtree,
    names::{Directory, Form, Named, Value, address, embedded},
    shortened,
};
use crate::{alt_name::is_dns_name, dn::FoundName};

/// The names of one form under a base.
#[derive(Clone, Debug)]
pub(super) struct Subtree {
    form: Form,
    /// `None` where it cannot be told what lies in it: a form without an order, a base that is none, distances.
    base: Option<Base>,
    /// The base as people read it.
    text: String,
}

#[derive(Clone, Debug)]
enum Base {
    /// One mailbox: the part before the `@`, and the host.
    Mailbox(String, String),
    /// A host, or after a full stop all that are below it; all in lower case.
    Host(String),
    Directory(Name, Directory),
    /// Address and mask, one after the other.
    Network(Vec<u8>),
}

impl fmt::Display for Subtree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.form.prefix(), self.text)
    }
}

impl Subtree {
    pub(super) fn read(subtree: &GeneralSubtree) -> Self {
        let GeneralSubtree { base, minimum, maximum } = subtree;
        // A GeneralName has a context-specific tag; what has not is of no form, and no name is held against it.
        let form =
            if let Tag::ContextSpecific { number, .. } = base.tag() { Form(number.value()) } else { Form(u32::MAX) };
        let (read, text) = base_of(form, base.value());
        // "minimum MUST be zero, and maximum MUST be absent": others are not processed, so such names are refused.
        let whole = minimum.as_ref().is_none_or(|minimum| minimum.as_bytes().iter().all(|byte| *byte == 0));
        Self { form, base: read.filter(|_| whole && maximum.is_none()), text: shortened(&text) }
    }

    pub(super) fn is_for(&self, name: &Named) -> bool {
        self.form == name.form
    }

    /// Whether its form has an order and its base is no name of that form, or a network whose mask has gaps (RFC 4632, 3.1).
    pub(super) fn is_unreadable(&self) -> bool {
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
        match &self.base {
            None => [Form::HOST, Form::MAILBOX, Form::URI, Form::DIRECTORY, Form::ADDRESS].contains(&self.form),
            Some(Base::Host(host)) => !host.chars().all(is_plain) || host.contains(".."),
            Some(Base::Network(bytes)) => {
                let mask = &bytes[bytes.len() / 2..];
                let ones: u32 = mask.iter().map(|byte| byte.count_ones()).sum();
                let leading = mask.iter().take_while(|byte| **byte == 0xff).count();
                ones != 8 * leading as u32 + mask.get(leading).map_or(0, |byte| byte.leading_ones())
            }
            Some(Base::Mailbox(..) | Base::Directory(..)) => false,
        }
    }

    pub(super) const fn is_unclear(&self) -> bool {
        self.base.is_none()
    }

    /// The base, where it is a directory name.
    pub(super) const fn directory(&self) -> Option<&Name> {
        match &self.base {
            Some(Base::Directory(name, _)) => Some(name),
            _ => None,
        }
    }

    /// Whether a name lies in it, by every reading.
    pub(super) fn permits(&self, name: &Named) -> bool {
        self.is_for(name)
            && self.base.as_ref().zip(name.value.as_ref()).is_some_and(|(base, name)| self.holds(base, name))
    }

    /// Whether a name lies in it, by any reading.
    pub(super) fn excludes(&self, name: &Named) -> bool {
        let wider = |base: &Base, name: &Value| match (base, name) {
            (Base::Directory(_, base), Value::Directory(name)) => name.begins_with_widely(base),
            // Letter case and quotation marks of mailboxes matter to the RFC, and to next to no server of mail.
            (Base::Mailbox(local, host), Value::Mailbox(name, at)) => {
                unquoted(local) == unquoted(name) && without_stop(host) == without_stop(at)
            }
            (Base::Host(base), Value::Mailbox(_, host)) => lies_at(without_stop(host), without_stop(base)),
            (Base::Host(base), Value::Host(host)) => {
                let (base, host) = (without_stop(base), without_stop(host));
                // The host may be one of those that a wildcard stands for.
                let below = base.split_once('.').filter(|(first, _)| !first.is_empty()).map(|(_, rest)| rest);
                host.strip_prefix("*.").is_some_and(|name| Some(name) == below)
                    || lies_at(host, base)
                    || self.form == Form::HOST && (base.is_empty() || lies_below(host, base))
            }
            (Base::Network(network), Value::Address(address)) => lies_in_by_another_name(address, network),
            _ => false,
        };
        let both = self.base.as_ref().zip(name.value.as_ref()).filter(|_| self.is_for(name));
        self.permits(name) || both.is_some_and(|(base, name)| wider(base, name))
    }

    fn holds(&self, base: &Base, name: &Value) -> bool {
        match (base, name) {
            (Base::Mailbox(local, host), Value::Mailbox(name, at)) => local == name && host == at,
            // Unlike those of hosts, bases of mailboxes and URIs stand for what is below them after a full stop only.
            (Base::Host(base), Value::Mailbox(_, host)) => lies_at(host, base),
            (Base::Host(base), Value::Host(host)) if self.form == Form::URI => lies_at(host, base),
            (Base::Host(base), Value::Host(host)) => base.is_empty() || lies_at(host, base) || lies_below(host, base),
            (Base::Directory(_, base), Value::Directory(name)) => name.begins_with_narrowly(base),
            (Base::Network(network), Value::Address(address)) => lies_in(address, network),
            _ => false,
        }
    }
}

/// Whether a host is the base, or below it where that begins with a full stop.
fn lies_at(host: &str, base: &str) -> bool {
    host == base || base.starts_with('.') && host.len() > base.len() && host.ends_with(base)
}

/// Whether labels stand before the base.
fn lies_below(host: &str, base: &str) -> bool {
    host.strip_suffix(base).is_some_and(|labels| labels.ends_with('.'))
}

/// Whether an address lies in a network: address and mask of the same length (RFC 4632).
fn lies_in(address: &[u8], network: &[u8]) -> bool {
    let (base, mask) = network.split_at(network.len() / 2);
    address.len() == base.len()
        && address.iter().zip(base).zip(mask).all(|((address, base), mask)| (address ^ base) & mask == 0)
}

/// The same, where either is an IPv6 address that stands for one of IPv4.
fn lies_in_by_another_name(address: &[u8], network: &[u8]) -> bool {
    const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
    embedded(address).iter().any(|embedded| lies_in(&embedded.octets(), network))
        || address.len() == 4 && lies_in(&[&MAPPED, address].concat(), network)
}

/// A host's name without the full stop that says that it is whole.
fn without_stop(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// The part of a mailbox before the `@` as servers of mail read it: quoted or not (RFC 5321, 4.1.2), in any letter case.
fn unquoted(local: &str) -> String {
    let inner = local.strip_prefix('"').and_then(|local| local.strip_suffix('"'));
    inner.map_or_else(|| local.to_lowercase(), |inner| inner.replace('\\', "").to_lowercase())
}

/// What a base says, if it can be told, and how people read it.
fn base_of(form: Form, bytes: &[u8]) -> (Option<Base>, String) {
    let text = || str::from_utf8(bytes).ok().filter(|text| text.is_ascii());
    let shown = || text().map_or_else(|| hex::encode(bytes), |text| text.escape_default().to_string());
    match form {
        Form::HOST => (text().map(|text| Base::Host(text.to_ascii_lowercase())), shown()),
        Form::MAILBOX => (text().and_then(mailbox_or_host), shown()),
        Form::URI => (text().and_then(host_or_below), shown()),
        Form::DIRECTORY => match Name::from_der(bytes) {
            Ok(name) => {
                let line = FoundName::from(&name).to_string();
                let directory = Directory::of(&name);
                (Some(Base::Directory(name, directory)), line)
            }
            Err(_) => (None, hex::encode(bytes)),
        },
        Form::ADDRESS => {
            let (base, mask) = bytes.split_at(bytes.len() / 2);
            match (address(base), address(mask)) {
                (Some(base), Some(mask)) => (Some(Base::Network(bytes.to_vec())), format!("{base}/{mask}")),
                _ => (None, hex::encode(bytes)),
            }
        }
        _ => (None, String::new()),
    }
}

/// `name@host.example`, `host.example` for all mailboxes of a host, `.example` for those of all hosts below.
fn mailbox_or_host(text: &str) -> Option<Base> {
    match text.rsplit_once('@') {
        Some((local, host)) if !local.is_empty() => {
            is_dns_name(host).then(|| Base::Mailbox(local.to_owned(), host.to_ascii_lowercase()))
        }
        Some((_, host)) => is_dns_name(host).then(|| Base::Host(host.to_ascii_lowercase())),
        None => host_or_below(text),
    }
}

fn host_or_below(text: &str) -> Option<Base> {
    let is_host = is_dns_name(text.strip_prefix('.').unwrap_or(text)) && !text.contains('*');
    is_host.then(|| Base::Host(text.to_ascii_lowercase()))
}
