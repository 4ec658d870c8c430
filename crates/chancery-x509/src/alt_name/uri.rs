//! Absolute URIs by the grammar of RFC 3986, so strictly that every verifier can read them.

use std::net::Ipv6Addr;

use super::is_dns_name;

/// A scheme and something after it; a host, where it has one, that is a name or an address.
pub fn is_absolute_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = match hierarchy.strip_prefix("//") {
        Some(hierarchy) => {
            let end = hierarchy.find('/').unwrap_or(hierarchy.len());
            let (authority, path) = hierarchy.split_at(end);
            // A file of this machine has no host (RFC 8089, 2).
            let local = authority.is_empty() && scheme.eq_ignore_ascii_case("file") && path.len() > 1;
            if !local && !is_authority(authority) {
                return false;
            }
            path
        }
        None if hierarchy.is_empty() => return false,
        None => hierarchy,
    };
    is_scheme(scheme) && consists_of(path, b":@/") && consists_of(query, b":@/?") && consists_of(fragment, b":@/?")
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// `[ userinfo "@" ] host [ ":" port ]`
fn is_authority(authority: &str) -> bool {
    let (user, rest) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (is_host, port) = match rest.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else { return false };
            (address.parse::<Ipv6Addr>().is_ok(), port)
        }
        None => {
            let (host, port) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
            (is_host_name(host) || host.parse::<std::net::Ipv4Addr>().is_ok(), port)
        }
    };
    let is_port = port.is_empty()
        || port.strip_prefix(':').is_some_and(|number| number.parse::<u16>().is_ok() && !number.starts_with('+'));
    consists_of(user, b":") && is_host && is_port
}

/// The names of registries other than DNS, such as SPIFFE's trust domains, have underscores too.
fn is_host_name(host: &str) -> bool {
    !host.starts_with('*') && is_dns_name(&host.replace('_', "-"))
}

/// Unreserved characters, those that delimit inside a part, percent-encoded bytes, and these.
fn consists_of(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let digits = byte == b'%'
            && [bytes.next(), bytes.next()].iter().flatten().filter(|digit| digit.is_ascii_hexdigit()).count() == 2;
        if !(digits || byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) || more.contains(&byte)) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_told_from_what_does_not_parse() {
        for good in [
            "https://host.example/",
            "https://host.example",
            "https://host.example:8443/a%20b?c=d/e#f",
            "https://user:secret@host.example/",
            "https://192.0.2.1/",
            "https://[2001:db8::1]:443/",
            "spiffe://trust_domain.example/workload",
            "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "mailto:a@host.example",
            "ldap://host.example/cn=a,c=US?cACertificate",
            "file:///etc/hosts",
            "tag:a@b.example,2026:x",
        ] {
            assert!(is_absolute_uri(good), "{good}");
        }
        for bad in [
            "",
            "host.example",
            "/relative",
            "http:",
            "http://",
            "http:///path",
            "https://host.example/%",
            "https://host.example/%zz",
            "https://host.example/%2",
            "https://host.example:port/",
            "https://host.example:99999/",
            "https://host.example:+1/",
            "https://[::1/",
            "https://[host]/",
            "https://::1/",
            "https://a..b/",
            "https://-a.example/",
            "https://*.host.example/",
            "https://a@b@host.example/",
            "https://host.example/[",
            "https://host.example/a#b#c",
            "https://host.example/a b",
            "https://host.example/\u{e4}",
            "1a:b",
            "a_b:c",
        ] {
            assert!(!is_absolute_uri(bad), "{bad}");
        }
    }
}
