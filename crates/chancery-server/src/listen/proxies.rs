//! Proxies that are trusted to say whom they speak for.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use chancery_core::Network;

/// Where such proxies are. From anybody else, what names another source is ignored.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<Network>);

impl FromIterator<Network> for TrustedProxies {
    fn from_iter<I: IntoIterator<Item = Network>>(networks: I) -> Self {
        Self(networks.into_iter().collect())
    }
}

impl TrustedProxies {
    pub(super) fn trusts(&self, address: IpAddr) -> bool {
        !self.0.is_empty() && self.0.iter().any(|network| network.holds(address.to_canonical()))
    }

    /// Where a request comes from that this peer has passed on: the last address that no trusted proxy has. Each proxy
    /// writes at the end of `X-Forwarded-For` from whom it has the request, so what stands before that address is its
    /// owner's to invent.
    pub(super) fn source(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let values = headers.get_all("x-forwarded-for").iter().rev();
        // Each by itself: a proxy writes behind whatever its client has sent, which need not be a text.
        let mut hops = values.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b','));
        let mut source = peer;
        while self.trusts(source) {
            let hop = hops.next().and_then(|hop| std::str::from_utf8(hop).ok());
            let Some(hop) = hop.and_then(|hop| address_of(hop.trim())) else { break };
            source = hop;
        }
        source
    }
}

/// An address; some proxies write the port, too, and brackets around IPv6.
fn address_of(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    let address = bare.parse().ok().or_else(|| Some(hop.parse::<SocketAddr>().ok()?.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(networks: &[&str]) -> TrustedProxies {
        networks.iter().map(|network| network.parse::<Network>().unwrap()).collect()
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_holds_its_addresses_and_no_others() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
            ("127.0.0.1", "127.0.0.1", "127.0.0.2"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("::/0", "::1", "10.0.0.1"),
            ("192.0.2.0/24", "::ffff:192.0.2.7", "192.0.3.0"),
        ] {
            let proxies = proxies(&[network]);
            assert!(proxies.trusts(ip(inside)) && !proxies.trusts(ip(outside)), "{network}");
        }
        for refused in ["", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0/8", "localhost", "10.0.0.0/8/8"]
        {
            assert!(refused.parse::<Network>().is_err(), "{refused}");
        }
    }

    #[test]
    fn the_last_address_that_is_no_proxys_is_the_source() {
        let proxies = proxies(&["10.0.0.0/8"]);
        for (peer, forwarded, source) in [
            ("10.0.0.1", &["203.0.113.9"][..], "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.1, 203.0.113.9, 10.0.0.2"], "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["203.0.113.9, nonsense"], "10.0.0.1"),
            ("10.0.0.1", &["nonsense, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["203.0.113.9:4711"], "203.0.113.9"),
            ("10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("203.0.113.1", &["198.51.100.1"], "203.0.113.1"),
            ("10.0.0.1", &["\u{fc}, 203.0.113.9"], "203.0.113.9"),
        ] {
            let header = |value: &&str| ("x-forwarded-for".parse().unwrap(), value.as_bytes().try_into().unwrap());
            let headers = HeaderMap::from_iter([]);
            let headers = forwarded.iter().map(header).fold(headers, |mut headers, (name, value)| {
                let name: axum::http::HeaderName = name;
                let value: axum::http::HeaderValue = value;
                headers.append(name, value);
                headers
            });
            assert_eq!(proxies.source(ip(peer), &headers), ip(source), "{peer} {forwarded:?}");
        }
    }
}
