//! Token profiles, and what they do.

use chancery_types::{
    TokenProfileId,
    wire::{
        Results,
        token_profiles::{
            CreateTokenProfile, DetokenizationResponse, DetokenizeRequest, RewrapRequest, RewrapResponse, TokenProfile,
            TokenProfileStub, TokenProfileTemplate, TokenizationResponse, TokenizeRequest,
        },
    },
};

use crate::{Client, ClientError};

impl Client {
    /// A built-in template, by its name.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn token_profile_template(&self, name: &str) -> Result<TokenProfileTemplate, ClientError> {
        self.get(&format!("/api/v2/token-profiles/template/{}", escaped(name)))
    }

    /// The token profiles whose name contains `search`.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn token_profiles(&self, search: &str) -> Result<Results<TokenProfileStub>, ClientError> {
        self.get(&format!("/api/v2/token-profiles/stubs?search={}", escaped(search)))
    }

    /// Makes a token profile.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn create_token_profile(&self, profile: &CreateTokenProfile) -> Result<TokenProfile, ClientError> {
        self.post("/api/v2/token-profiles", profile)
    }

    /// Turns a message into a token.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn tokenize(&self, profile: TokenProfileId, message: &str) -> Result<TokenizationResponse, ClientError> {
        let request =
            TokenizeRequest { message: message.to_owned(), key_version: None, metadata: None, expires_at: None };
        self.post(&format!("/api/v2/token-profiles/{profile}/tokenize"), &request)
    }

    /// Turns a token back into its message.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn detokenize(
        &self,
        profile: TokenProfileId,
        token: TokenizationResponse,
    ) -> Result<DetokenizationResponse, ClientError> {
        let request = DetokenizeRequest { token: token.token, iv: token.iv, key_version: token.key_version };
        self.post(&format!("/api/v2/token-profiles/{profile}/detokenize"), &request)
    }

    /// Makes of tokens those that their messages have under the profile's newest key version.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn rewrap(&self, profile: TokenProfileId, request: &RewrapRequest) -> Result<RewrapResponse, ClientError> {
        self.post(&format!("/api/v2/token-profiles/{profile}/rewrap"), request)
    }
}

/// One segment of a path, or a value of a query: everything but unreserved characters is escaped (RFC 3986, 2.1).
pub(crate) fn escaped(segment: &str) -> String {
    use std::fmt::Write as _;
    segment.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(byte.into());
        } else {
            let _infallible = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_segment_is_escaped() {
        assert_eq!(super::escaped("keep 6+4/é"), "keep%206%2B4%2F%C3%A9");
    }
}
