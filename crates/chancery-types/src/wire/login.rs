//! Login, token and logout: `/home/v1`, which has an envelope of its own.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    ObjInfo,
    passkeys::{AssertionCredential, RequestOptions},
};
use crate::{AuthType, Base64, ErrorCode, IdentityId, IdentityProviderId, Perm};

/// Body of POST /home/v1/login.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoginRequest {
    /// Who logs in, and the proof.
    pub auth_credentials: AuthCredentials,
    /// Which kind of proof it is.
    pub auth_type: AuthType,
}

/// `username` and `password` for `userpass`, with `totp` or `passkey` where the identity has a second factor; the same with
/// `providerUuid` for `ldap`, which takes no passkey; `apiKey` for `apikey`; none of them for `certificate`, which is the client
/// certificate that the connection has shown.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuthCredentials {
    /// The identity's name, in any letter case; for `ldap` the user name that the directory knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "Admin1"))]
    pub username: Option<String>,
    /// The password; for `ldap` that of the directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Base64>,
    /// The one-time code that the identity's authenticator shows: six digits. Not looked at where the identity has no
    /// second factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(pattern = "^( *[0-9]){6} *$", example = "287082"))]
    pub totp: Option<String>,
    /// What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey. Where it is, it has to be
    /// right; then a one-time code may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyProof>,
    /// An API key, as it was shown when it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// Which directory, for `ldap`: one of `directories` of GET /home/v1/login/oidc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_uuid: Option<IdentityProviderId>,
}

/// What a passkey has signed, for a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PasskeyProof {
    /// What came with the challenge.
    pub ticket: String,
    /// What `PublicKeyCredential.toJSON` says; members that are not listed are not looked at.
    pub credential: AssertionCredential,
}

/// Answer of POST /home/v1/login/passkey, which is the same for everybody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PasskeyChallenge {
    /// `Success`.
    pub message: String,
    /// `Success`.
    pub status: HomeStatus,
    /// For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. No passkeys are listed: the
    /// browser knows those that it has for this host.
    pub public_key: RequestOptions,
    /// What to send with the signature. It is good once.
    pub ticket: String,
    /// Until when (RFC 3339, UTC).
    pub expires_at: String,
}

/// Says who, never the proof.
impl fmt::Debug for AuthCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthCredentials").field("username", &self.username).finish_non_exhaustive()
    }
}

/// Body of the calls under /home/v1/login/totp: everything that proves who makes them.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TotpCredentials {
    /// The identity's name, in any letter case.
    #[cfg_attr(feature = "schema", schema(example = "Admin1"))]
    pub username: String,
    /// The password.
    pub password: Base64,
    /// A one-time code of six digits: of the present secret, where one is active; of the new one to confirm that, always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(pattern = "^( *[0-9]){6} *$", example = "287082"))]
    pub totp: Option<String>,
    /// What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey. Where it is, it has to be
    /// right; it takes the place of a code of the present secret. Whoever has a confirmed passkey shows one of the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyProof>,
}

/// Says who, never the proof.
impl fmt::Debug for TotpCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TotpCredentials").field("username", &self.username).finish_non_exhaustive()
    }
}

/// Body of POST /home/v1/login/password: everything that proves who makes it, and the new password.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangePassword {
    /// The identity's name, in any letter case.
    #[cfg_attr(feature = "schema", schema(example = "Admin1"))]
    pub username: String,
    /// The present password, or one for one use.
    pub password: Base64,
    /// A one-time code of six digits, where there is a second factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(pattern = "^( *[0-9]){6} *$", example = "287082"))]
    pub totp: Option<String>,
    /// What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey, in the place of a code. Whoever has
    /// a confirmed passkey shows one of the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyProof>,
    /// The new one: at least 12 characters of UTF-8, and not the present one.
    pub new_password: Base64,
}

/// Says who, never the proof.
impl fmt::Debug for ChangePassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangePassword").field("username", &self.username).finish_non_exhaustive()
    }
}

/// Answer of POST /home/v1/login/totp. The secret is shown this once.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TotpSecret {
    /// `Success`.
    pub message: String,
    /// `Success`.
    pub status: HomeStatus,
    /// The secret in base32 (RFC 4648, section 6), for authenticators that it is typed into: HMAC-SHA-1, six digits, 30
    /// seconds.
    pub secret: String,
    /// The same as an `otpauth://totp/` URI, for authenticators that open it.
    pub uri: String,
    /// That URI as a QR code (ISO/IEC 18004), for authenticators that scan it: a string for each row of it, `1` where it is
    /// dark and `0` where it is light. Around it belongs a margin of four light ones. None of a name that is too long for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub qr_code: Vec<String>,
    /// Until when one of its codes has to confirm it (RFC 3339, UTC).
    pub expires_at: String,
}

/// Says until when, never the secret.
impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TotpSecret").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// Body of POST /home/v1/login/exchange: a provider's token, as in RFC 8693.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ExchangeToken {
    /// The token: a signed JWT (RFC 7519) of a provider that this installation trusts, for one of its audiences.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 12_288))]
    pub subject_token: String,
}

/// Says that there is one, never which.
impl fmt::Debug for ExchangeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExchangeToken").finish_non_exhaustive()
    }
}

/// Answer of POST /home/v1/login/exchange. There is no cookie, so nothing prolongs it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenExchanged {
    /// `Success`.
    pub message: String,
    /// `Success`.
    pub status: HomeStatus,
    /// The bearer token: a JWT.
    pub token: String,
    /// For how many seconds it is good.
    pub expires_in: u32,
    /// Where the session stands.
    pub response: LoginState,
}

/// Says for how long, never the token.
impl fmt::Debug for TokenExchanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenExchanged").field("expires_in", &self.expires_in).finish_non_exhaustive()
    }
}

/// Answer of GET /home/v1/login/oidc.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OidcProviders {
    /// `Success`.
    pub message: String,
    /// `Success`.
    pub status: HomeStatus,
    /// The providers by which people log in, by name; none where the server was not told its own address.
    pub providers: Vec<ObjInfo<IdentityProviderId>>,
    /// Whether connections to this socket are asked for a client certificate, by which `authType` `certificate` logs in.
    #[serde(default)]
    pub certificates: bool,
    /// The directories by whose passwords `authType` `ldap` logs in, by name.
    #[serde(default)]
    pub directories: Vec<ObjInfo<IdentityProviderId>>,
    /// Whether people log in with passkeys besides the password: whether this server was told a DNS name by which browsers
    /// reach it.
    #[serde(default)]
    pub passkeys: bool,
}

/// Body of POST /home/v1/login/oidc.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BeginOidc {
    /// The provider, one of those that GET /home/v1/login/oidc answers.
    pub provider_uuid: IdentityProviderId,
}

/// Answer of POST /home/v1/login/oidc.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OidcBegun {
    /// `Success`.
    pub message: String,
    /// `Success`.
    pub status: HomeStatus,
    /// Where the browser goes on: the provider's page. What it says comes back by the cookie that this answer sets, within ten
    /// minutes.
    #[cfg_attr(
        feature = "schema",
        schema(example = "https://login.example.org/authorize?response_type=code&client_id=kms&…")
    )]
    pub authorization_url: String,
}

/// What a provider sends the browser back with; what it says besides is not looked at.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct OidcCallback {
    /// What an ID token is had for, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Which request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Who answers (RFC 9207).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iss: Option<String>,
    /// Why there is no code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Says whether there is a code, never which.
impl fmt::Debug for OidcCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OidcCallback").field("has_code", &self.code.is_some()).finish_non_exhaustive()
    }
}

/// Answer of a login that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoginAnswer {
    /// `Success`.
    pub message: String,
    /// Where the session stands now.
    pub response: LoginState,
}

/// Where a session stands after a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoginState {
    /// Whether as many different identities as a shared role demands have logged in.
    pub fully_logged_in: bool,
    /// Whether the installation is in hardened mode.
    pub hardened: bool,
    /// Whether the session may administer.
    pub management: bool,
    /// What the satisfied roles permit; empty until fully logged in.
    pub perms: Vec<Perm>,
}

/// Answer of GET /home/v1/login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SessionAnswer {
    /// `Success`, also where nobody is logged in.
    pub message: String,
    /// Where the session stands.
    pub response: SessionState,
}

/// Where a session stands, and whose it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SessionState {
    /// Whether as many different identities as a shared role demands have logged in.
    pub fully_logged_in: bool,
    /// Whether the installation is in hardened mode; false where nobody is logged in.
    pub hardened: bool,
    /// Whether the session may administer.
    pub management: bool,
    /// What the satisfied roles permit; empty until fully logged in.
    pub perms: Vec<Perm>,
    /// Who has logged in, in that order; empty where nobody has, or the session has ended.
    pub identities: Vec<ObjInfo<IdentityId>>,
}

/// Answer of a login that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoginFailure {
    /// Why; the same words for an unknown name, a wrong password, a wrong or missing code, a wrong
    /// passkey, and a delayed or locked identity.
    pub message: String,
    /// `Failure`.
    pub status: HomeStatus,
    /// Says that this call logged nobody in.
    pub response: NotLoggedIn,
}

/// `{"fullyLoggedIn": false}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NotLoggedIn {
    /// Always false.
    pub fully_logged_in: bool,
}

wire_enum! {
    /// `status` of the answers under /home/v1.
    pub enum HomeStatus {
        /// The call succeeded.
        Success,
        /// It did not; `message` says why.
        Failure,
    }
}

/// Answer of GET /home/v1/login/token.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenAnswer {
    /// `Success`.
    pub message: String,
    /// `Success`.
    pub status: HomeStatus,
    /// The bearer token: a JWT.
    pub token: String,
}

/// Answer of a call under /home/v1 that succeeded and has nothing more to say, and of one that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HomeAnswer {
    /// One sentence for a person.
    pub message: String,
    /// `Success` or `Failure`.
    pub status: HomeStatus,
    /// The reason as a word, where it is another than that nobody is logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<ErrorCode>,
}
