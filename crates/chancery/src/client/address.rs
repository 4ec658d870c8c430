//! Where a server is, in one form, so that two addresses can be compared.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use url::Url;

/// A server's address, such as `https://keys.example.org:8443`: small letters, no port that goes without saying, no slash at
/// the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Address(Url);

impl Address {
    /// Host and port as a part of a file's name.
    pub(crate) fn file_name(&self) -> String {
        let host = self.0.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let port = self.0.port_or_known_default().unwrap_or_default();
        let text = format!("{host}-{port}{}", self.0.path().trim_end_matches('/'));
        text.chars().map(|one| if one.is_ascii_alphanumeric() || ".-".contains(one) { one } else { '_' }).collect()
    }
}

impl Address {
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Without a path, as browsers name it.
    pub(crate) fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url: Url = text.parse().map_err(|error| format!("an address with https:// is expected: {error}"))?;
        let is_plain =
            url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
        if url.scheme() == "https" && is_plain {
            return Ok(Self(url));
        }
        Err("an address with https:// is expected, such as https://keys.example.org:8443".to_owned())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_server_are_one() {
        let of = |text: &str| text.parse::<Address>().unwrap();
        for same in ["https://keys.example.org", "https://Keys.Example.org:443/", "HTTPS://keys.example.org//"] {
            assert_eq!(of(same).to_string(), "https://keys.example.org", "{same}");
            assert_eq!(of(&of(same).to_string()), of("https://keys.example.org"), "{same}");
        }
        assert_ne!(of("https://keys.example.org:8443"), of("https://keys.example.org"));
        assert_eq!(of("https://[::1]:8443/kms/").file_name(), "__1-8443_kms");
        assert_eq!(of("https://keys.example.org").file_name(), "keys.example.org-443");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in
            ["", "keys.example.org:8443", "http://a", "https://", "https://me:pass@a", "https://a/?b", "https://a#b"]
        {
            assert!(wrong.parse::<Address>().unwrap_err().contains("https://"), "{wrong}");
        }
    }
}
