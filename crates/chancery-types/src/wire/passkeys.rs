//! Bodies under `/api/v2/identities/{uuid}/passkeys`, and what passkeys sign. Members of Web Authentication are called as
//! browsers call them, and their bytes are base64url without padding, so that a page passes on what it gets.

use serde::{Deserialize, Serialize};

use super::ObjInfo;
use crate::{Base64, IdentityId, PasskeyId};

/// The passkeys of an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Passkeys {
    /// All of them, by name.
    pub results: Vec<Passkey>,
}

/// A passkey. It signs nothing, and logs nobody in, before a second person has confirmed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Passkey {
    /// Name and id.
    pub obj_info: ObjInfo<PasskeyId>,
    /// Whose it is.
    pub identity_uuid: IdentityId,
    /// The host that it is for; it signs nothing where the server is reached by another.
    pub rp_id: String,
    /// Its public key (SubjectPublicKeyInfo in DER), as `chancery verify --approver-keys` takes it.
    pub public_key: Base64,
    /// SHA-256 of the public key, by which two people tell that they mean the same passkey.
    pub public_key_sha256: Base64,
    /// Whether it can be copied to other devices of its owner, as its authenticator says.
    pub synced: bool,
    /// When it was enrolled (RFC 3339, UTC).
    pub created_at: String,
    /// When a second person confirmed it; absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<String>,
    /// Who did: all identities of one session, by their names at that time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmed_by: Vec<ObjInfo<IdentityId>>,
    /// Until when it can be confirmed; absent once it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm_until: Option<String>,
    /// When it signed last; absent where it never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// What the browser is to be asked for, and what it is brought back with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PasskeyBegun {
    /// For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`.
    pub public_key: CreationOptions,
    /// What to send with the new passkey.
    pub ticket: String,
    /// Until when (RFC 3339, UTC).
    pub expires_at: String,
}

/// `PublicKeyCredentialCreationOptionsJSON` of Web Authentication Level 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreationOptions {
    /// The site.
    pub rp: RelyingPartyEntity,
    /// The identity.
    pub user: UserEntity,
    /// What is signed, in base64url.
    pub challenge: String,
    /// The algorithms that are taken: ES256, EdDSA and RS256.
    pub pub_key_cred_params: Vec<CredentialParameters>,
    /// Milliseconds.
    pub timeout: u64,
    /// What the identity has already.
    pub exclude_credentials: Vec<CredentialDescriptor>,
    /// What kind of authenticator is wanted.
    pub authenticator_selection: AuthenticatorSelection,
    /// `none`: the make of the authenticator is not asked for.
    pub attestation: String,
}

/// The site that a passkey is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RelyingPartyEntity {
    /// The host.
    pub id: String,
    /// What people read.
    pub name: String,
}

/// Whose a passkey is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct UserEntity {
    /// The bytes of the identity's uuid, in base64url.
    pub id: String,
    /// The identity's name.
    pub name: String,
    /// The same.
    pub display_name: String,
}

/// An algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CredentialParameters {
    /// `public-key`.
    pub r#type: String,
    /// Its number in COSE.
    pub alg: i64,
}

/// A passkey, as browsers know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CredentialDescriptor {
    /// `public-key`.
    pub r#type: String,
    /// In base64url.
    pub id: String,
}

/// What kind of authenticator is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuthenticatorSelection {
    /// `required`: whoever logs in is not known yet, so the authenticator has to find its passkey by itself.
    pub resident_key: String,
    /// `required`: a PIN, a finger or a face.
    pub user_verification: String,
}

/// A passkey that a browser has made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EnrolPasskey {
    /// Its name, unique among the identity's passkeys without regard to letter case.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// What `…/begin` answered.
    pub ticket: String,
    /// What `PublicKeyCredential.toJSON` says of it; members that are not listed are not looked at.
    pub credential: RegistrationCredential,
}

/// `RegistrationResponseJSON` of Web Authentication Level 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RegistrationCredential {
    /// By which the authenticator knows it, in base64url.
    pub id: String,
    /// What it answered.
    pub response: AttestationResponse,
}

/// `AuthenticatorAttestationResponseJSON`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AttestationResponse {
    /// What the browser says, in base64url.
    #[serde(rename = "clientDataJSON")]
    pub client_data_json: String,
    /// What the authenticator says, in base64url.
    pub attestation_object: String,
}

/// Another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchPasskey {
    /// Its new name.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
}

/// That somebody means this passkey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConfirmPasskey {
    /// SHA-256 of its public key, as whoever enrolled it reads it out.
    pub public_key_sha256: Base64,
}

/// What the members of a session sign to approve something: one statement for each of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApprovalStatements {
    /// Whether the approval has to be signed. Where it has not, there are no statements.
    pub demanded: bool,
    /// In the order in which they logged in.
    pub statements: Vec<ApprovalStatement>,
}

/// What one person signs to approve something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApprovalStatement {
    /// The person.
    pub identity: ObjInfo<IdentityId>,
    /// The text. Its lines are told in docs/INTERFACE.md.
    pub statement: String,
    /// For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. The challenge is SHA-256 of
    /// `chancery passkey approval 1`, a line feed and the statement.
    pub public_key: RequestOptions,
    /// What to send with the signature.
    pub ticket: String,
    /// Until when (RFC 3339, UTC).
    pub expires_at: String,
}

/// `PublicKeyCredentialRequestOptionsJSON` of Web Authentication Level 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RequestOptions {
    /// What is signed, in base64url.
    pub challenge: String,
    /// Milliseconds.
    pub timeout: u64,
    /// The host.
    pub rp_id: String,
    /// The passkeys of the person that were confirmed; none where anybody is about to log in.
    pub allow_credentials: Vec<CredentialDescriptor>,
    /// `required`: a PIN, a finger or a face.
    pub user_verification: String,
}

/// What one person signed of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApprovalAssertion {
    /// What came with the statement.
    pub ticket: String,
    /// What `PublicKeyCredential.toJSON` says; members that are not listed are not looked at.
    pub credential: AssertionCredential,
}

/// `AuthenticationResponseJSON` of Web Authentication Level 3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AssertionCredential {
    /// By which the authenticator knows the passkey, in base64url.
    pub id: String,
    /// What it answered.
    pub response: AssertionResponse,
}

/// `AuthenticatorAssertionResponseJSON`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AssertionResponse {
    /// What the browser says, in base64url.
    #[serde(rename = "clientDataJSON")]
    pub client_data_json: String,
    /// What the authenticator says, in base64url.
    pub authenticator_data: String,
    /// Its signature, in base64url.
    pub signature: String,
}

/// What one person signed of an approval, as it is kept: `chancery verify --approver-keys` checks it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApprovalSignature {
    /// The person.
    pub identity_uuid: IdentityId,
    /// The text that was signed.
    pub statement: String,
    /// The public key (SubjectPublicKeyInfo in DER).
    pub public_key: Base64,
    /// By which the authenticator knows the passkey.
    pub credential_id: Base64,
    /// `clientDataJSON`.
    pub client_data: Base64,
    /// `authenticatorData`.
    pub authenticator_data: Base64,
    /// `signature`.
    pub signature: Base64,
}
