//! What a request shows to say who calls.

use std::{borrow::Cow, fmt};

/// What a request shows to say who calls. The server has decided which of them counts: a bearer token, where there is
/// one, alone; a session cookie only where the request comes from the installation's own pages or from no page at all.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials<'a> {
    /// Nothing.
    None,
    /// A bearer token, or an API key.
    Bearer(Cow<'a, str>),
    /// The value of the session cookie.
    Cookie(Cow<'a, str>),
}

impl Credentials<'_> {
    /// The same, borrowed from nobody.
    #[must_use]
    pub fn into_owned(self) -> Credentials<'static> {
        match self {
            Self::None => Credentials::None,
            Self::Bearer(token) => Credentials::Bearer(token.into_owned().into()),
            Self::Cookie(cookie) => Credentials::Cookie(cookie.into_owned().into()),
        }
    }
}

/// Says which kind, never the secret.
impl fmt::Debug for Credentials<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Bearer(_) => "Bearer",
            Self::Cookie(_) => "Cookie",
        })
    }
}
