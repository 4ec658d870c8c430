//! Networks of addresses, as people write them.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// Bits before the IPv4 address in an IPv4-mapped one (RFC 4291, 2.5.5.2).
const MAPPED_BITS: u32 = 96;

/// The addresses of one network, such as `10.0.0.0/8`, or a single one. IPv4-mapped addresses are the IPv4 addresses in
/// them.
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
        let digits = |prefix: &str| prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = match prefix {
            Some(prefix) => prefix.parse().ok().filter(|bits_set| digits(prefix) && *bits_set <= bits),
            None => Some(bits),
        };
        Ok(Self::new(address, prefix.ok_or(NotANetwork)?))
    }
}

impl Network {
    fn new(address: IpAddr, prefix: u32) -> Self {
        match (address.to_canonical(), address) {
            (IpAddr::V4(mapped), IpAddr::V6(_)) if prefix >= MAPPED_BITS => {
                Self::new(mapped.into(), prefix - MAPPED_BITS)
            }
            (_, IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - prefix).unwrap_or(0);
                Self { address: Ipv4Addr::from_bits(address.to_bits() & mask).into(), prefix }
            }
            (_, IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - prefix).unwrap_or(0);
                Self { address: Ipv6Addr::from_bits(address.to_bits() & mask).into(), prefix }
            }
        }
    }

    /// Whether it is all addresses there are.
    #[must_use]
    pub fn is_everybody(&self) -> bool {
        self.prefix == 0
    }

    /// Whether the address is one of them.
    #[must_use]
    pub fn holds(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
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

/// Its first address and the number of bits that count.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_its_addresses_in_either_writing() {
        for (network, address, expected) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "::ffff:10.255.0.1", true),
            ("::ffff:10.0.0.0/104", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("0.0.0.0/0", "192.0.2.8", true),
            ("::/0", "192.0.2.8", false),
            ("::/0", "2001:db8::1", true),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
        ] {
            let holds = network.parse::<Network>().unwrap().holds(address.parse().unwrap());
            assert_eq!(holds, expected, "{network} {address}");
        }
    }

    #[test]
    fn it_is_shown_as_its_first_address_and_what_is_none_is_refused() {
        for (text, shown) in
            [("10.1.2.3/8", "10.0.0.0/8"), ("::ffff:10.1.2.3/104", "10.0.0.0/8"), ("2001:DB8::1", "2001:db8::1/128")]
        {
            assert_eq!(text.parse::<Network>().unwrap().to_string(), shown);
        }
        for refused in ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0/8", "::/129", "example.org"] {
            assert!(refused.parse::<Network>().is_err(), "{refused}");
        }
    }
}
