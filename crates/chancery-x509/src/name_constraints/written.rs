//! Constraints as people write them: those that a profile gives its authorities.

use std::net::IpAddr;

use chancery_types::wire::cert_profiles::NameConstraintRules;
use der::{
    Decode, Encode, Tag, TagNumber,
    asn1::{Any, OctetString},
};
use x509_cert::{TbsCertificate, ext};

use super::{Extension, GeneralSubtree, OID, names::Form, subtree::Subtree};
use crate::{alt_name::is_dns_name, dn::DistinguishedName};

/// Constraints of an authority to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    rules: NameConstraintRules,
    der: Vec<u8>,
}

/// Where a rule stands that is none, below the member.
pub struct NoRule(pub String);

/// What a rule is.
pub const EXPECTED: &str = "A subtree is DNS:example.com (with all hosts below), IP:10.0.0.0/8, \
    IP:2001:db8::/32, email:name@host.example, email:host.example, email:.example.com (the hosts below), \
    URI:host.example, URI:.example.com or dirName:O=Example,C=US; each stands once.";

impl Written {
    /// Reads what a profile says.
    pub fn read(rules: NameConstraintRules) -> Result<Self, NoRule> {
        let permitted = subtrees("permitted", &rules.permitted)?;
        let excluded = subtrees("excluded", &rules.excluded)?;
        if permitted.is_none() && excluded.is_none() {
            return Err(NoRule(String::new()));
        }
        let der = Extension { permitted, excluded }.to_der().map_err(|_| NoRule(String::new()))?;
        Ok(Self { rules, der })
    }

    /// Those that a certificate has, for what takes its place.
    pub fn of(tbs: &TbsCertificate) -> der::Result<Option<Self>> {
        let mut extensions = tbs.extensions().into_iter().flatten();
        let Some(found) = extensions.find(|extension| extension.extn_id == OID) else { return Ok(None) };
        let der = found.extn_value.as_bytes().to_vec();
        let Extension { permitted, excluded } = Extension::from_der(&der)?;
        let texts = |subtrees: Option<Vec<GeneralSubtree>>| {
            subtrees.iter().flatten().map(|subtree| Subtree::read(subtree).to_string()).collect()
        };
        Ok(Some(Self { rules: NameConstraintRules { permitted: texts(permitted), excluded: texts(excluded) }, der }))
    }

    /// As the profile is read.
    pub const fn rules(&self) -> &NameConstraintRules {
        &self.rules
    }

    /// Whether an authority under both says the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.der == other.der
    }

    /// The extension, which is critical (RFC 5280, 4.2.1.10).
    pub fn extension(&self) -> der::Result<ext::Extension> {
        Ok(ext::Extension { extn_id: OID, critical: true, extn_value: OctetString::new(self.der.as_slice())? })
    }
}

fn subtrees(member: &str, texts: &[String]) -> Result<Option<Vec<GeneralSubtree>>, NoRule> {
    let mut subtrees = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let at = || NoRule(format!("/{member}/{index}"));
        if texts[..index].contains(text) {
            return Err(at());
        }
        let base = base(text).ok_or_else(at)?;
        subtrees.push(GeneralSubtree { base, minimum: None, maximum: None });
    }
    Ok((!subtrees.is_empty()).then_some(subtrees))
}

/// The base of a subtree as a GeneralName; what has no prefix is a network or a host.
fn base(text: &str) -> Option<Any> {
    let (prefix, value) = text.split_once(':').unwrap_or_default();
    let of = |form: Form, constructed: bool, bytes: &[u8]| {
        Any::new(Tag::ContextSpecific { constructed, number: TagNumber(form.0) }, bytes).ok()
    };
    let text_of =
        |form: Form, is_good: bool, value: &str| if is_good { of(form, false, value.as_bytes()) } else { None };
    match prefix.to_ascii_lowercase().as_str() {
        "dns" => text_of(Form::HOST, is_host(value), value),
        "ip" => of(Form::ADDRESS, false, &network(value)?),
        "email" => {
            let is_mailbox = value.split_once('@').is_some_and(|(local, host)| {
                let is_plain = |character: char| character.is_ascii_graphic() && !"\"(),:;<>@[\\]".contains(character);
                !local.is_empty() && local.chars().all(is_plain) && is_host(host)
            });
            text_of(Form::MAILBOX, is_mailbox || is_host_or_below(value), value)
        }
        "uri" => text_of(Form::URI, is_host_or_below(value), value),
        "dirname" => {
            let name: DistinguishedName = value.parse().ok()?;
            of(Form::DIRECTORY, true, &name.as_name().to_der().ok()?)
        }
        _ => match network(text) {
            Some(network) => of(Form::ADDRESS, false, &network),
            None => text_of(Form::HOST, is_host(text), text),
        },
    }
}

fn is_host(text: &str) -> bool {
    is_dns_name(text) && !text.starts_with('*')
}

fn is_host_or_below(text: &str) -> bool {
    is_host(text.strip_prefix('.').unwrap_or(text))
}

/// Address and mask, one after the other: `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `2001:db8::/32`; no bit of the address stands
/// outside of the mask, and the mask has no hole.
fn network(text: &str) -> Option<Vec<u8>> {
    let (address, mask) = text.split_once('/')?;
    let octets = |address: IpAddr| match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    let address = octets(address.parse().ok()?);
    let mask = match mask.parse::<IpAddr>() {
        Ok(mask) => octets(mask),
        Err(_) => {
            let ones: usize = mask.parse().ok().filter(|ones| *ones <= address.len() * 8 && !mask.starts_with('+'))?;
            let byte = |index: usize| !(0xff_u16 >> ones.saturating_sub(index * 8).min(8)) as u8;
            (0..address.len()).map(byte).collect()
        }
    };
    let bits = mask.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let has_hole = bits.skip_while(|bit| *bit == 1).any(|bit| bit == 1);
    let is_base = address.iter().zip(&mask).all(|(address, mask)| address & !mask == 0);
    (address.len() == mask.len() && is_base && !has_hole).then(|| [address, mask].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(permitted: &[&str], excluded: &[&str]) -> Result<Written, String> {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let rules = NameConstraintRules { permitted: texts(permitted), excluded: texts(excluded) };
        Written::read(rules).map_err(|NoRule(place)| place)
    }

    #[test]
    fn rules_become_the_extension() {
        let written = read(&["DNS:example.com", "IP:10.0.0.0/8"], &["email:.example.com"]).unwrap();
        assert_eq!(
            hex::encode(&written.der),
            "302fa01b300d820b6578616d706c652e636f6d300a87080a000000ff000000a110300e810c2e6578616d706c652e636f6d"
        );
        for (one, two) in [
            ("10.0.0.0/8", "ip:10.0.0.0/255.0.0.0"),
            ("example.com", "DNS:example.com"),
            ("2001:db8::/32", "IP:2001:db8::/ffff:ffff::"),
            ("0.0.0.0/0", "IP:0.0.0.0/0.0.0.0"),
            ("192.0.2.1/32", "IP:192.0.2.1/255.255.255.255"),
            ("dirName:O=Example,C=US", "DirName:/C=US/O=Example"),
        ] {
            assert_eq!(read(&[one], &[]).unwrap().der, read(&[two], &[]).unwrap().der, "{one}");
        }
    }

    #[test]
    fn what_is_no_rule_is_refused_where_it_stands() {
        for text in [
            "",
            "DNS:",
            "DNS:.example.com",
            "DNS:*.example.com",
            "DNS:a b",
            "IP:10.0.0.0",
            "IP:10.0.0.1/8",
            "IP:10.0.0.0/33",
            "IP:10.0.0.0/255.0.255.0",
            "IP:10.0.0.0/ffff::",
            "IP:10.0.0.0/+8",
            "email:",
            "email:@example.com",
            "email:a b@example.com",
            "URI:https://example.com",
            "URI:",
            "dirName:",
            "dirName:example",
            "RID:1.2.3",
        ] {
            assert_eq!(read(&["DNS:example.com", text], &[]).err().as_deref(), Some("/permitted/1"), "{text}");
            assert_eq!(read(&[], &[text]).err().as_deref(), Some("/excluded/0"), "{text}");
        }
        assert_eq!(read(&["a.example", "a.example"], &[]).err().as_deref(), Some("/permitted/1"));
        assert_eq!(read(&[], &[]).err().as_deref(), Some(""));
    }
}
