//! What a request shows to say who calls.

use std::fmt;

/// What a request shows to say who calls. The server has decided which of them counts: a bearer token, where there is
/// one, alone; a session cookie only where the request comes from the installation's own pages or from no page at all.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// Nothing.
    None,
    /// A bearer token.
    Bearer(String),
    /// The value of the session cookie.
    Cookie(String),
}

/// Says which kind, never the secret.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Bearer(_) => "Bearer",
            Self::Cookie(_) => "Cookie",
        })
    }
}
