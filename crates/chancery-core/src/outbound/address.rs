//! Addresses that things are sent to, and the keys that they are signed with: which are taken, and how records have them.

use crate::{Error, Result};

/// Characters of an address.
const URL_MAX: usize = 2_048;

/// An address as records have it, which go to every receiver of records: what a query has may be a secret, and so may a user.
pub(crate) fn url_in_records(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let (place, query) = url.split_once('?').map_or((url, ""), |(place, _)| (place, "?…"));
    let (scheme, rest) = place.split_once("://").unwrap_or(("https", place));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}{query}")
}

/// The same of a change of it: one of the query alone shows as such.
pub(crate) fn changed_url_in_records(was: &str, is: &str) -> String {
    let (before, after) = (url_in_records(was), url_in_records(is));
    if was != is && before == after { format!("{after} (another)") } else { after }
}

/// An address that can be posted to over TLS. Whether it may be is found out when its name is resolved.
pub(crate) fn check_url(field: &str, url: &str) -> Result<()> {
    let rest = url.strip_prefix("https://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = url.len() <= URL_MAX && url.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain && !host.is_empty() && !host.contains('@') && !host.starts_with(':') && !url.contains('#') {
        return Ok(());
    }
    let message = format!("This is an https address of at most {URL_MAX} characters, without a user or a fragment.");
    Err(Error::value(field, message))
}

/// A key by which posts are signed.
pub(crate) fn check_key(key: &[u8]) -> Result<()> {
    if (24..=64).contains(&key.len()) {
        return Ok(());
    }
    Err(Error::value("/secret", "A secret has 24 to 64 bytes, as Standard Webhooks demands."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_https_and_nothing_else() {
        let check = |url: &str| check_url("/webhook/url", url);
        for taken in ["https://hooks.example.org/x?y=z", "https://192.0.2.1:8443", "https://[2001:db8::1]/"] {
            check(taken).unwrap();
        }
        let long = format!("https://a/{}", "x".repeat(URL_MAX));
        for refused in [
            "",
            "http://a/",
            "https://",
            "https:///x",
            "https://u:p@a/",
            "https://a/#x",
            "https://a b/",
            "https://:1/",
            &long,
        ] {
            assert_eq!(check(refused).unwrap_err().field(), Some("/webhook/url"), "{refused}");
        }
    }

    #[test]
    fn records_have_no_query_and_no_user() {
        for (url, shown) in [
            ("https://a.example.org:8443/x/y", "https://a.example.org:8443/x/y"),
            ("https://a.example.org/x?api_key=k/v@w", "https://a.example.org/x?…"),
            ("https://a.example.org?k", "https://a.example.org?…"),
            ("https://u:p@a.example.org/x@y#z", "https://a.example.org/x@y"),
        ] {
            assert_eq!(url_in_records(url), shown);
        }
        assert_eq!(changed_url_in_records("https://a/?k=1", "https://a/?k=2"), "https://a/?… (another)");
        assert_eq!(changed_url_in_records("https://a/?k=1", "https://b/?k=2"), "https://b/?…");
    }
}
