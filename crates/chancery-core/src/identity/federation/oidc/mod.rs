//! People log in by a provider: OpenID Connect's code flow (Core 1.0, section 3.1) with PKCE (RFC 7636) and the issuer in the
//! answer (RFC 9207).
//!
//! `begin` sends the browser away with a `ticket`, in which everything is that its return needs, so that nothing is kept here
//! of callers who are not known; `finish` takes it back; `code` asks the provider for the ID token.

mod begin;
mod code;
mod finish;
mod ticket;

use std::fmt::Write as _;

use crate::{Error, Identities, Result, base::text::percent_encoded};

pub use begin::OidcStarted;

/// Where browsers come back to; it is registered at each provider.
const CALLBACK: &str = "/home/v1/login/oidc/callback";

impl Identities {
    /// The address that providers send browsers back to.
    fn redirect_uri(&self) -> Result<String> {
        let origin = self.context.outbound.console();
        let message =
            "Nobody logs in by a provider here: this server was not told where browsers reach it (--public-origin).";
        origin.map(|origin| format!("{origin}{CALLBACK}")).ok_or_else(|| Error::state(message))
    }
}

/// Pairs as in a query or a form (application/x-www-form-urlencoded).
fn encoded(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        let joint = if text.is_empty() { "" } else { "&" };
        // Writing into a string never fails.
        let _written = write!(text, "{joint}{name}={}", percent_encoded(value));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_escaped() {
        let pairs = [("scope", "openid"), ("redirect_uri", "https://kms.example.org/a b&c=\u{e4}+")];
        let expected = "scope=openid&redirect_uri=https%3A%2F%2Fkms.example.org%2Fa%20b%26c%3D%C3%A4%2B";
        assert_eq!(encoded(&pairs), expected);
        assert_eq!(encoded(&[]), "");
    }
}
