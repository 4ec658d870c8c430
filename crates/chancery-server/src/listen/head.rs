//! The head of a request: what every one is held against before anything is done for it.

use axum::http::{HeaderMap, Request, Version, header};
use chancery_core::{Error, Meaning};

/// What is wrong with a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadFault {
    /// It is larger than so many bytes.
    TooLarge(u32),
    /// HTTP/1.1 demands to say which host is meant (RFC 9112, 3.2).
    NoHost,
    /// It says so twice; two readers might each believe another one.
    Hosts,
    /// What it says is no host (RFC 9112, 3.2).
    BadHost,
    /// It has too many fields. Over HTTP/1 the library refuses that itself.
    TooManyFields,
}

/// Header fields of a request at most, over either version.
const FIELDS_MAX: usize = 100;

impl HeadFault {
    pub(crate) fn error(self) -> Error {
        match self {
            Self::TooLarge(max) => too_large(max),
            Self::NoHost => Error::new(Meaning::Malformed, "A request over HTTP/1.1 needs the header Host."),
            Self::BadHost => Error::new(Meaning::Malformed, "The header Host names no host, with or without a port."),
            Self::TooManyFields => {
                Error::new(Meaning::TooLarge, format!("The request's head has more than {FIELDS_MAX} fields."))
            }
            Self::Hosts => Error::new(Meaning::Malformed, "A request has one header Host."),
        }
    }
}

pub(super) fn too_large(max: u32) -> Error {
    Error::new(
        Meaning::TooLarge,
        format!("The request's head, all header fields together, is larger than {max} bytes."),
    )
}

/// Of one that the library has refused: it does not say which of the two it was.
pub(crate) fn too_large_or_too_many(max: u32) -> Error {
    let message = format!("The request's head is larger than {max} bytes, or has more than {FIELDS_MAX} fields.");
    Error::new(Meaning::TooLarge, message)
}

/// Looks at all header fields once, for each call.
pub(super) fn fault<B>(request: &Request<B>, bytes_max: u32) -> Option<HeadFault> {
    let headers = request.headers();
    if headers.len() > FIELDS_MAX {
        return Some(HeadFault::TooManyFields);
    }
    let (bytes, hosts) = measure(headers);
    if bytes + request.uri().path().len() + request.uri().query().map_or(0, str::len) > bytes_max as usize {
        return Some(HeadFault::TooLarge(bytes_max));
    }
    match hosts {
        0 if request.version() == Version::HTTP_11 => Some(HeadFault::NoHost),
        1 if !headers.get(header::HOST).is_some_and(|host| is_host(host.as_bytes())) => Some(HeadFault::BadHost),
        0 | 1 => None,
        _ => Some(HeadFault::Hosts),
    }
}

/// Whether this is written as a host and a port are (RFC 3986, 3.2.2): a name, an address, or one in brackets.
fn is_host(host: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+;=:[]".contains(byte);
    !host.is_empty() && host.iter().all(is_part)
}

/// The bytes of all fields as HTTP/1 writes them, and how many name a host.
fn measure(headers: &HeaderMap) -> (usize, usize) {
    headers.iter().fold((0, 0), |(bytes, hosts), (name, value)| {
        (bytes + name.as_str().len() + value.len() + 4, hosts + usize::from(name == header::HOST))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_of(version: Version, headers: &[(&str, &str)]) -> Option<HeadFault> {
        let request = Request::builder().version(version).uri("/0123456789?q");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        fault(&request.body(()).unwrap(), 64)
    }

    #[test]
    fn a_head_has_a_size_and_one_host() {
        let host = ("Host", "x");
        assert_eq!(fault_of(Version::HTTP_11, &[host]), None);
        assert_eq!(fault_of(Version::HTTP_11, &[]), Some(HeadFault::NoHost));
        assert_eq!(fault_of(Version::HTTP_11, &[host, ("host", "x")]), Some(HeadFault::Hosts));
        assert_eq!(fault_of(Version::HTTP_11, &[("Host", "[::1]:21204")]), None);
        for no_host in ["", "a b", "a, b", "a/b", "user@a"] {
            assert_eq!(fault_of(Version::HTTP_11, &[("Host", no_host)]), Some(HeadFault::BadHost), "{no_host}");
        }
        assert_eq!(fault_of(Version::HTTP_2, &[("a", ""); 101]), Some(HeadFault::TooManyFields));
        assert_eq!(fault_of(Version::HTTP_10, &[]), None);
        assert_eq!(fault_of(Version::HTTP_2, &[]), None);
        assert_eq!(fault_of(Version::HTTP_2, &[host, host]), Some(HeadFault::Hosts));
        // 12 of the path, 9 of the host, 5 of this field without its value.
        assert_eq!(fault_of(Version::HTTP_11, &[host, ("a", &"b".repeat(38))]), None);
        assert_eq!(fault_of(Version::HTTP_11, &[host, ("a", &"b".repeat(39))]), Some(HeadFault::TooLarge(64)));
    }
}
