//! The PROXY protocol, versions 1 and 2 (haproxy.org, `doc/proxy-protocol.txt`): a balancer that passes connections on
//! without looking into them says at their beginning from whom they are.
//!
//! It is looked for on connections of trusted proxies only, whether or not one sends it: no TLS handshake and no HTTP
//! request begins alike.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use tokio::{io::AsyncReadExt as _, net::TcpStream};

const V1: &[u8] = b"PROXY ";
/// The longest line of version 1, with its end.
const V1_MAX: usize = 107;
const V2: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";
/// Bytes of a header of version 2 before its addresses.
const V2_HEAD: usize = 16;
/// More than the addresses and extensions that any balancer sends.
const V2_REST_MAX: usize = 2_048;

/// What the bytes at the beginning of a connection are.
#[derive(Debug, PartialEq, Eq)]
enum Beginning {
    /// Not to be told yet.
    Incomplete,
    /// No header.
    None,
    /// A header of so many bytes. It names no source where the proxy speaks for itself, for example to look whether the
    /// server lives.
    Header { bytes: usize, source: Option<IpAddr> },
    /// A header that is none.
    Broken,
}

/// Reads the header, if there is one: from whom the connection is, and what was read beyond.
pub(super) async fn read(stream: &mut TcpStream, peer: IpAddr) -> io::Result<(IpAddr, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        match beginning(&bytes) {
            Beginning::Incomplete => {
                if stream.read_buf(&mut bytes).await? == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Beginning::None => return Ok((peer, bytes)),
            Beginning::Header { bytes: header, source } => {
                bytes.drain(..header);
                return Ok((source.map_or(peer, |source| source.to_canonical()), bytes));
            }
            Beginning::Broken => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn beginning(bytes: &[u8]) -> Beginning {
    let may_be = |signature: &[u8]| bytes.iter().zip(signature).all(|(byte, wanted)| byte == wanted);
    if may_be(V2) {
        if bytes.len() < V2_HEAD { Beginning::Incomplete } else { version_2(bytes) }
    } else if may_be(V1) {
        if bytes.len() < V1.len() { Beginning::Incomplete } else { version_1(bytes) }
    } else {
        Beginning::None
    }
}

/// `PROXY TCP4 203.0.113.9 192.0.2.1 4711 8443`, or `PROXY UNKNOWN` and anything.
fn version_1(bytes: &[u8]) -> Beginning {
    let Some(end) = bytes.iter().take(V1_MAX).position(|byte| *byte == b'\n') else {
        return if bytes.len() < V1_MAX { Beginning::Incomplete } else { Beginning::Broken };
    };
    let line = bytes.get(V1.len()..end).and_then(|line| line.strip_suffix(b"\r"));
    let Some(line) = line.and_then(|line| str::from_utf8(line).ok()) else { return Beginning::Broken };
    let mut words = line.split(' ');
    let source = match (words.next(), words.next()) {
        (Some("UNKNOWN"), _) => None,
        (Some("TCP4"), Some(source)) => source.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
        (Some("TCP6"), Some(source)) => source.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        (_, _) => return Beginning::Broken,
    };
    if source.is_none() && !line.starts_with("UNKNOWN") {
        return Beginning::Broken;
    }
    Beginning::Header { bytes: end + 1, source }
}

/// Version and command, family and protocol, the length of the rest; then the source's address first.
fn version_2(bytes: &[u8]) -> Beginning {
    let Some((&[command, family, high, low], rest)) = bytes.get(V2.len()..).and_then(<[u8]>::split_first_chunk) else {
        return Beginning::Incomplete;
    };
    let length = usize::from(u16::from_be_bytes([high, low]));
    if length > V2_REST_MAX {
        return Beginning::Broken;
    }
    let Some(rest) = rest.get(..length) else { return Beginning::Incomplete };
    let source = match (command, family >> 4) {
        (0x20, _) | (0x21, 0) => None,
        (0x21, 1) => rest.first_chunk::<4>().map(|address| IpAddr::from(*address)),
        (0x21, 2) => rest.first_chunk::<16>().map(|address| IpAddr::from(*address)),
        (_, _) => return Beginning::Broken,
    };
    let names_one = command == 0x21 && family >> 4 != 0;
    if names_one && source.is_none() {
        return Beginning::Broken;
    }
    Beginning::Header { bytes: V2_HEAD + length, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(bytes: usize, source: &str) -> Beginning {
        Beginning::Header { bytes, source: source.parse().ok() }
    }

    fn v2(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let length = u16::try_from(rest.len()).unwrap().to_be_bytes();
        [V2, &[command, family], &length[..], rest].concat()
    }

    #[test]
    fn a_header_names_the_source() {
        for (line, source) in [
            ("PROXY TCP4 203.0.113.9 192.0.2.1 4711 8443\r\n", "203.0.113.9"),
            ("PROXY TCP6 2001:db8::9 2001:db8::1 4711 8443\r\n", "2001:db8::9"),
            ("PROXY UNKNOWN\r\n", ""),
            ("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", ""),
        ] {
            let followed = format!("{line}GET / HTTP/1.1\r\n");
            assert_eq!(beginning(followed.as_bytes()), header(line.len(), source), "{line}");
        }
        let v4 = v2(0x21, 0x11, &[203, 0, 113, 9, 192, 0, 2, 1, 1, 1, 2, 2]);
        assert_eq!(beginning(&v4), header(28, "203.0.113.9"));
        let with_extensions = v2(0x21, 0x21, &[[0x20, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]; 3].concat());
        assert_eq!(beginning(&with_extensions), header(64, "2001:db8::9"));
        assert_eq!(beginning(&v2(0x20, 0, b"")), header(16, ""), "the proxy for itself");
    }

    #[test]
    fn every_beginning_of_a_header_is_waited_for() {
        let line = b"PROXY TCP4 203.0.113.9 192.0.2.1 4711 8443\r\n";
        let binary = v2(0x21, 0x11, &[203, 0, 113, 9, 192, 0, 2, 1, 1, 1, 2, 2]);
        for whole in [&line[..], &binary] {
            for length in 0..whole.len() {
                assert_eq!(beginning(&whole[..length]), Beginning::Incomplete, "{length}");
            }
        }
    }

    #[test]
    fn what_is_none_is_left_and_what_is_broken_is_refused() {
        for other in [&b"GET / HTTP/1.1\r\n"[..], b"POST", b"PR0", b"\x16\x03\x01", b"\r\n\r\nX"] {
            assert_eq!(beginning(other), Beginning::None, "{other:?}");
        }
        let long = format!("PROXY TCP4 {}", "1".repeat(V1_MAX));
        for broken in ["PROXY TCP4 nowhere 1 2 3\r\n", "PROXY UDP4 1.2.3.4\r\n", "PROXY TCP4\r\n", "PROXY \n", &long] {
            assert_eq!(beginning(broken.as_bytes()), Beginning::Broken, "{broken}");
        }
        for broken in [v2(0x11, 0x11, &[0; 12]), v2(0x21, 0x11, &[0; 3]), v2(0x21, 0x31, &[0; 216]), v2(0x22, 0, b"")] {
            assert_eq!(beginning(&broken), Beginning::Broken, "{broken:?}");
        }
        assert_eq!(beginning(&[V2, &[0x21, 0x11, 0xff, 0xff]].concat()), Beginning::Broken);
    }
}
