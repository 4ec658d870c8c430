//! Where a directory is.

use crate::NotOne;

/// Characters of an address.
const ADDRESS_MAX: usize = 255;

/// The address of a directory: `ldaps://HOST[:PORT]`, or `ldap://HOST[:PORT]` for StartTLS, which is never left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A name, or an IP address without brackets.
    pub host: String,
    /// 636 or 389 where none is said.
    pub port: u16,
    /// Whether TLS begins by StartTLS (RFC 4511, 4.14) on a connection that begins without.
    pub starts_tls: bool,
}

impl Address {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// [`NotOne`] for anything else: a path, a query, a user.
    pub fn parse(text: &str) -> Result<Self, NotOne> {
        let wrong = NotOne("an address is ldaps://HOST, or ldap://HOST with StartTLS, each perhaps with :PORT");
        let (starts_tls, rest) = match (text.strip_prefix("ldaps://"), text.strip_prefix("ldap://")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) => (true, rest),
            (None, None) => return Err(wrong),
        };
        let (host, port) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or(wrong)?;
                let is_six = host.parse::<std::net::Ipv6Addr>().is_ok();
                (host, if is_six { rest.strip_prefix(':').or((!rest.is_empty()).then_some("")) } else { Some("") })
            }
            None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
        };
        let is_of_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        if host.is_empty() || text.len() > ADDRESS_MAX || !host.bytes().all(is_of_host) {
            return Err(wrong);
        }
        let port = match port {
            None => {
                if starts_tls {
                    389
                } else {
                    636
                }
            }
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().map_err(|_| wrong)?,
            Some(_) => return Err(wrong),
        };
        if port == 0 { Err(wrong) } else { Ok(Self { host: host.to_owned(), port, starts_tls }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_with_tls() {
        let of = |text: &str| Address::parse(text).map(|address| (address.host, address.port, address.starts_tls)).ok();
        let is = |host: &str, port, starts_tls| Some((host.to_owned(), port, starts_tls));
        assert_eq!(of("ldaps://ldap.example.org"), is("ldap.example.org", 636, false));
        assert_eq!(of("ldap://ldap.example.org"), is("ldap.example.org", 389, true));
        assert_eq!(of("ldaps://192.0.2.1:3269"), is("192.0.2.1", 3_269, false));
        assert_eq!(of("ldap://[2001:db8::1]"), is("2001:db8::1", 389, true));
        assert_eq!(of("ldaps://[2001:db8::1]:1636"), is("2001:db8::1", 1_636, false));
        let long = format!("ldaps://{}", "x".repeat(ADDRESS_MAX));
        for wrong in [
            "",
            "ldaps://",
            "ldap.example.org",
            "http://a",
            "ldaps://a/",
            "ldaps://a/dc=x",
            "ldaps://u@a",
            "ldaps://a?x",
            "ldaps://a:",
            "ldaps://a:0",
            "ldaps://a:65536",
            "ldaps://a:+1",
            "ldaps://a:1:2",
            "ldaps://[::1",
            "ldaps://[a]",
            "ldaps://[::1]x",
            "ldaps://[::1]:",
            "ldaps://a b",
            "ldapi://%2f",
            "LDAPS://a",
            &long,
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
