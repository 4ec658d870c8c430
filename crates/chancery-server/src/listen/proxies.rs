//! Proxies that are trusted to say whom they speak for.

use std::{net::IpAddr, net::SocketAddr, str::FromStr};

use axum::http::HeaderMap;

/// The addresses of one network, such as `10.0.0.0/8`, or a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

/// What was given names no network.
#[derive(Debug, thiserror::Error)]
#[error("a network is an address, or an address and the number of its bits that count: 10.0.0.0/8, 2001:db8::/32")]
pub struct NotANetwork;

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| NotANetwork)?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(bits), str::parse).ok().filter(|prefix| *prefix <= bits).ok_or(NotANetwork)?;
        Ok(Self { address, prefix })
    }
}

impl Network {
    /// Whether it is all addresses there are.
    #[must_use]
    pub fn is_everybody(&self) -> bool {
        self.prefix == 0
    }

    /// Whether the address is one of them.
    #[must_use]
    pub fn holds(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let different = network.to_bits() ^ address.to_bits();
                different.checked_shr(32 - self.prefix).unwrap_or(0) == 0
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let different = network.to_bits() ^ address.to_bits();
                different.checked_shr(128 - self.prefix).unwrap_or(0) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

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
        let mut hops = values.flat_map(|value| value.to_str().unwrap_or_default().rsplit(','));
        let mut source = peer;
        while self.trusts(source) {
            let Some(hop) = hops.next().and_then(|hop| address_of(hop.trim())) else { break };
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
        ] {
            let header = |value: &&str| ("x-forwarded-for".parse().unwrap(), value.parse().unwrap());
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
