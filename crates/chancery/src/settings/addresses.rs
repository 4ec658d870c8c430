//! Addresses as they are given, refused at the start where they would fail later, or end up in certificates.

use std::net::Ipv6Addr;

use chancery_server::{Network, TrustedProxies};

use crate::failure::{Failure, While as _};

/// `--trusted-proxies`
pub(super) fn trusted_proxies(networks: &[String]) -> Result<TrustedProxies, Failure> {
    let parse = |given: &String| {
        let network: Network = given.parse().doing(format!("--trusted-proxies {given}"))?;
        if network.is_everybody() {
            let why = "anybody could then say whose address they have; name the proxies' own networks";
            return Err(format!("--trusted-proxies {given}: {why}").into());
        }
        Ok(network)
    };
    networks.iter().map(parse).collect()
}

/// `--notice-networks` and `--provider-networks`
pub(super) fn networks(option: &str, networks: &[String]) -> Result<Vec<Network>, Failure> {
    networks.iter().map(|given| given.parse().doing(format!("{option} {given}"))).collect()
}

/// `--public-origin`: people follow links that begin with it.
pub(super) fn check_public_origin(origin: &str) -> Result<(), Failure> {
    let host = origin.strip_prefix("https://").unwrap_or_default().trim_end_matches('/');
    if is_host(host) || is_host_and_port(host) {
        return Ok(());
    }
    Err(format!("--public-origin {origin}: https, a host and a port alone, such as https://kms.example.org").into())
}

/// `--listen`: a host and a port.
pub(super) fn check_listen(listen: &str) -> Result<(), Failure> {
    if is_host_and_port(listen) {
        return Ok(());
    }
    Err(format!("--listen {listen}: HOST:PORT is needed, such as 127.0.0.1:8443, 0.0.0.0:8443 or [::1]:8443").into())
}

/// `--public-url`: it is written into certificates, so it is one that others can follow.
pub(super) fn check_public_url(url: &str) -> Result<(), Failure> {
    let rest = url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme)).map(|(_, rest)| rest);
    let (authority, path) = rest.map_or(("", ""), |rest| rest.split_at(rest.find('/').unwrap_or(rest.len())));
    let is_host = is_host(authority) || is_host_and_port(authority);
    if is_host && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%+:@!$&'()*,;=".contains(&byte)) {
        return Ok(());
    }
    let message = "an http or https URL with a host is needed, without a query, such as http://pki.example.org";
    Err(format!("--public-url {url}: {message}").into())
}

fn is_host_and_port(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| {
        let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        is_port && is_host(host)
    })
}

/// A name, an IPv4 address, or an IPv6 address in brackets.
fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[') {
        return address.strip_suffix(']').is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    host.strip_suffix('.').unwrap_or(host).split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_has_a_host_and_a_port() {
        for taken in ["127.0.0.1:8443", "localhost:0", "[::1]:8443", "0.0.0.0:65535", "kms.example.org.:1"] {
            check_listen(taken).unwrap();
        }
        for refused in ["21204", "", ":8443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "a:65536", "::1:8443", "a b:1"]
        {
            let refusal = check_listen(refused).unwrap_err().to_string();
            assert!(refusal.starts_with(&format!("--listen {refused}: HOST:PORT is needed")), "{refusal}");
        }
    }

    #[test]
    fn a_public_url_can_be_followed() {
        for taken in ["http://pki.example.org", "https://pki.example.org:8080/pki/", "http://[2001:db8::1]/a"] {
            check_public_url(taken).unwrap();
        }
        for refused in [
            "foo",
            "",
            "http://",
            "http:///x",
            "pki.example.org",
            "ftp://pki.example.org",
            "http://a b",
            "http://u@h",
            "http://h/?q",
            "http://h/#f",
            "http://h/\u{e4}",
            "http://h:port",
            "http://h/\n",
            "mailto:a@b",
        ] {
            let refusal = check_public_url(refused).unwrap_err().to_string();
            assert!(refusal.contains("--public-url") && refusal.contains("http://pki.example.org"), "{refusal}");
        }
    }

    #[test]
    fn proxies_are_networks() {
        trusted_proxies(&["10.0.0.0/8".to_owned(), "::1".to_owned()]).unwrap();
        let refusal = trusted_proxies(&["proxy.example".to_owned()]).unwrap_err();
        assert_eq!(refusal.to_string(), "--trusted-proxies proxy.example");
    }
}
